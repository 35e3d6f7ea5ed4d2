"""Numbers with units, as code and configuration write them, brought to one scale."""

import re
from typing import Literal, NamedTuple

Unit = Literal["s", "By", "%", "core", "1", "text", "bool"]

_DURATION = {
    "ns": 1e-9, "nanosecond": 1e-9, "us": 1e-6, "µs": 1e-6, "microsecond": 1e-6, "ms": 1e-3, "milli": 1e-3,
    "millis": 1e-3, "msec": 1e-3, "millisecond": 1e-3, "s": 1.0, "sec": 1.0, "second": 1.0, "m": 60.0, "min": 60.0,
    "minute": 60.0, "h": 3600.0, "hr": 3600.0, "hour": 3600.0, "d": 86400.0, "day": 86400.0, "w": 604800.0,
    "week": 604800.0,
}  # fmt: skip
_SIZE = {
    "b": 1.0, "byte": 1.0, "k": 1e3, "kb": 1e3, "ki": 2.0**10, "kib": 2.0**10, "mb": 1e6, "mi": 2.0**20, "mib": 2.0**20,
    "g": 1e9, "gb": 1e9, "gi": 2.0**30, "gib": 2.0**30, "t": 1e12, "tb": 1e12, "ti": 2.0**40, "tib": 2.0**40,
}  # fmt: skip
_NUMBER = r"-?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?"
_QUANTITY = re.compile(
    rf"""(?P<call>(?<![A-Za-z0-9_])(?:of|from)?(?P<callunit>nanos|micros|millis|seconds|minutes|hours|days)\s*[(=]\s*(?P<called>{_NUMBER}))
    |(?P<left>{_NUMBER})\s*\*\s*(?:time|Duration|TimeUnit|chrono)[.:]+(?P<leftunit>[A-Za-z]+)
    |(?:time|Duration|TimeUnit|chrono)[.:]+(?P<rightunit>[A-Za-z]+)\s*\*\s*(?P<right>{_NUMBER})
    |(?P<shift>\d+)\s*<<\s*(?P<by>\d+)
    |(?P<product>\d[\d_]*(?:\s*\*\s*\d[\d_]*)+)
    |(?<![\w.])(?P<number>{_NUMBER})\s?(?P<suffix>%|[A-Za-zµ]{{1,4}}(?![\w(])|)""",
    re.VERBOSE | re.IGNORECASE,
)
_KEY_UNITS: tuple[tuple[re.Pattern[str], Unit, float], ...] = (
    (re.compile(r"(_|\b)(ms|millis|msec|milliseconds?)$|(?<=[a-z])(Ms|Millis|MilliSeconds|Milliseconds)$"), "s", 1e-3),
    (re.compile(r"(_|\b)(s|secs?|seconds?)$|(?<=[a-z])(Secs?|Seconds?)$"), "s", 1.0),
    (re.compile(r"(_|\b)(mins?|minutes?)$|(?<=[a-z])(Mins?|Minutes?)$"), "s", 60.0),
    (re.compile(r"(_|\b)(hours?|hrs)$|(?<=[a-z])Hours?$"), "s", 3600.0),
    (re.compile(r"(_|\b)(days?)$|(?<=[a-z])Days?$"), "s", 86400.0),
    (re.compile(r"(_|\b)bytes?$|(?<=[a-z])Bytes?$"), "By", 1.0),
    (re.compile(r"(_|\b)(kb|kib)$|(?<=[a-z])K[Bb]$", re.IGNORECASE), "By", 1024.0),
    (re.compile(r"(_|\b)(mb|mib)$|(?<=[a-z])M[Bb]$", re.IGNORECASE), "By", 1024.0**2),
    (re.compile(r"(_|\b)(percent|pct|percentage)$|(?<=[a-z])(Percent|Pct)$"), "%", 1.0),
)
_CPU = re.compile(r"cpu", re.IGNORECASE)


class Quantity(NamedTuple):
    value: float
    unit: Unit
    text: str
    """As it was written."""
    at: int
    """Where it stands in its line."""


def quantities(line: str, key: str = "") -> tuple[Quantity, ...]:
    """Every number of the line; `key` is what it is called and may tell the unit."""
    return tuple(q for q in (_quantity(found, key) for found in _QUANTITY.finditer(line)) if q is not None)


def _quantity(found: re.Match[str], key: str) -> Quantity | None:
    text, at, groups = found.group(0).strip(), found.start(), found.groupdict()
    if groups["call"]:
        return Quantity(_float(groups["called"]) * _unit(groups["callunit"]), "s", text, at)
    for number, unit in (("left", "leftunit"), ("right", "rightunit")):
        if groups[number]:
            scale = _unit(groups[unit])
            return Quantity(_float(groups[number]) * scale, "s", text, at) if scale else None
    if groups["shift"]:
        return Quantity(float(int(groups["shift"]) << min(int(groups["by"]), 62)), "1", text, at)
    if groups["product"]:
        value = 1.0
        for part in groups["product"].split("*"):
            value *= _float(part)
        return _keyed(value, key, text, at)
    if not groups["number"]:
        return None
    return _suffixed(_float(groups["number"]), groups["suffix"], key, text, at)


def _suffixed(value: float, suffix: str, key: str, text: str, at: int) -> Quantity:
    if not suffix:
        return _keyed(value, key, text, at)
    if suffix == "%":
        return Quantity(value, "%", text, at)
    if suffix == "m" and _CPU.search(key):
        return Quantity(value / 1000, "core", text, at)
    if suffix == "M" or (suffix.lower() in _SIZE and suffix != "m"):
        return Quantity(value * (1e6 if suffix == "M" else _SIZE[suffix.lower()]), "By", text, at)
    if _unit(suffix):
        return Quantity(value * _unit(suffix), "s", text, at)
    return _keyed(value, key, text.removesuffix(suffix).strip(), at)


def _keyed(value: float, key: str, text: str, at: int) -> Quantity:
    for pattern, unit, scale in _KEY_UNITS:
        if pattern.search(key):
            return Quantity(value * scale, unit, text, at)
    return Quantity(value, "1", text, at)


def _unit(name: str) -> float:
    lower = name.lower()
    return _DURATION.get(lower) or _DURATION.get(lower.rstrip("s")) or 0.0


def _float(text: str) -> float:
    return float(text.replace("_", ""))
