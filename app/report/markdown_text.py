"""Text from anywhere as Markdown that says just that text: no link, image, tag, heading or table cell of its own."""

import re

from ..visible import one_line

_SPECIAL = re.compile(r"([\\`*{}\[\]<>|~&$@]|(?<![^\W_])_|_(?![^\W_]))")
_OPENERS = re.compile(r"^(\s*)([#+\-=>]|\d+(?=[.)]))")
_AUTOLINK = re.compile(r"(?i)(www)(\.)|([a-z]):(?=//)")


def md(text: str) -> str:
    """For running text and table cells."""
    escaped = _SPECIAL.sub(r"\\\1", one_line(text))
    escaped = _AUTOLINK.sub(lambda m: f"{m[1]}\\." if m[1] else f"{m[3]}\\:", escaped)
    return _OPENERS.sub(_opened, escaped)


def code(text: str) -> str:
    """For names and commands. The fence is longer than any run of backticks inside; no cell can hold a bare bar."""
    flat = one_line(text).replace("|", "¦") or " "
    fence = "`" * (max((len(run) for run in re.findall(r"`+", flat)), default=0) + 1)
    pad = " " if "`" in flat else ""
    return f"{fence}{pad}{flat}{pad}{fence}"


def _opened(match: re.Match[str]) -> str:
    if match[2].isdigit():
        return match[0]  # `1.` opens a list only at a line's start, where this text never stands
    return f"{match[1]}\\{match[2]}"
