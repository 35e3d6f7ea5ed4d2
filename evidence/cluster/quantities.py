"""Amounts and ages as Kubernetes writes them."""

import re

_QUANTITY = re.compile(r"^\s*([0-9]+(?:\.[0-9]+)?)(m|[kKMGTPE]i?)?\s*(?:\(.*\))?$")
_POWERS = {"k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}
_AGE = re.compile(r"([0-9]+)([dhms])")
_SECONDS = {"d": 86_400, "h": 3600, "m": 60, "s": 1}


def quantity(text: object) -> float | None:
    """`200m` is 0.2, `64Mi` is 67108864; None for what is no quantity."""
    match = _QUANTITY.match(str(text))
    if match is None:
        return None
    number, unit = float(match.group(1)), match.group(2) or ""
    if unit == "m":
        return number / 1000
    if not unit:
        return number
    return number * float((1024 if unit.endswith("i") else 1000) ** _POWERS[unit[0]])


def age_seconds(text: str) -> float | None:
    """`2m9s`, and of `14s (x2 over 28s)` the first: how long ago it was last seen."""
    first = text.strip().partition(" ")[0]
    parts = _AGE.findall(first)
    if not parts or "".join(number + unit for number, unit in parts) != first:
        return None
    return float(sum(int(number) * _SECONDS[unit] for number, unit in parts))


def times_seen(text: str) -> int:
    """Of `14s (x2 over 28s)` 2, else 1."""
    match = re.search(r"\(x([0-9]+) over", text)
    return int(match.group(1)) if match else 1
