"""Regular expressions that a change makes costly: a repetition inside a repetition backtracks without end."""

import re
from collections.abc import Iterator

from .effects import Effect
from .model import FileDiff
from .text import bare_lines, strings

_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")
_ESCAPE = re.compile(r"\\.")
_NESTED = re.compile(r"\([^()]*[A][+*][^()]*\)(?:[+*]|\{\d+,\d*\})|\([^()]*\.[+*][^()]*\)(?:[+*]|\{\d+,\d*\})")
_SLASHED = re.compile(r"/((?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n])+)/[a-z]*")
_NAME = re.compile(r"([A-Za-z_][\w.]*)\s*(?::[^=]+)?(?::=|=)")


def pattern_effects(file: FileDiff) -> list[Effect]:
    if file.role not in {"code", "config"}:
        return []
    old = bare_lines(file.removed, file.path)
    if any(nested(text) for line in old for text in _patterns(line)):
        return []
    return [
        Effect(kind="backtracking_added", key=_named(line), path=file.path, quote=f"+ {line}", new=text, clear=0.9)
        for line in bare_lines(file.added, file.path)
        for text in _patterns(line)
        if nested(text)
    ][:1]


def nested(pattern: str) -> bool:
    """Whether a repeated group repeats inside what can match the same text in several ways.

    What has to stand between two rounds (a separator that is not optional) keeps the rounds apart.
    """
    flat = _ESCAPE.sub("A", _CLASS.sub("A", pattern)).replace("(?:", "(")
    flat = re.sub(r"(?<=[A-Za-z0-9])[?](?!\))|[A-Za-z0-9]\?", "", flat)
    return any(_ambiguous(found.group(0)) for found in _NESTED.finditer(flat))


def _ambiguous(group: str) -> bool:
    inner = group[1 : group.rindex(")")]
    return any(re.fullmatch(r"\^?(?:A|\.)[+*]\??(?:(?:A|\.)[*?]\??)*", part) is not None for part in inner.split("|"))


def _patterns(line: str) -> Iterator[str]:
    yield from strings(line)
    if re.search(r"[=(,:]\s*/", line):
        yield from _SLASHED.findall(line)


def _named(line: str) -> str:
    found = _NAME.search(line)
    return f"{found.group(1) if found else 'regex'} pattern"
