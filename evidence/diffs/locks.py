"""Locks that are held longer than before, over work that waits for somebody else."""

import re
from collections.abc import Iterable, Sequence

from .effects import Effect
from .model import FileDiff, Hunk
from .text import bare

_RELEASE = re.compile(r"(?i)([\w.>-]*?)(?:\.|->|::)(?:r?unlock|release|exitwritelock|exitreadlock)\s*\(")
_DEFERRED = re.compile(r"^\s*(?:defer\b|finally\b|\}\s*finally\b)")
_TAKES = re.compile(
    r"(?i)^\s*(?:with\s+[\w.]*(?:lock|mutex)\w*|async with\s+[\w.]*lock\w*|synchronized\s*\(|lock\s*\()"
)
_WAITS = re.compile(
    r"(?i)\(\s*ctx\b|\bawait\b|<-\s*\w|\b(?:\w*(?:db|conn|tx|repo|repository|dao|store|client|stub|http|requests|"
    r"axios|redis|kafka|grpc|rpc|cache|session|queue|producer|remote|api)\w*)\s*(?:\.|->)\s*\w+\s*\(|"
    r"\b(?:fetch|send|recv|publish|sleep|urlopen|open|fsync|query|execute|post)\s*\("
)
CLEAR = 0.9


def lock_effects(file: FileDiff) -> list[Effect]:
    if file.role != "code":
        return []
    found = (effect for hunk in file.hunks for effect in (_released_later(file, hunk), _taken_over_waiting(file, hunk)))
    return [effect for effect in found if effect is not None]


def _released_later(file: FileDiff, hunk: Hunk) -> Effect | None:
    """An unlock that moved: deferred to the end of the function, or below a call that waits."""
    before = [bare(line.text, file.path) for line in hunk.lines if line.mark != "+"]
    after = [bare(line.text, file.path) for line in hunk.lines if line.mark != "-"]
    for line in (bare(line.text, file.path) for line in hunk.lines if line.mark == "-"):
        release = _RELEASE.search(line)
        if release is None or _DEFERRED.match(line):
            continue
        name = release.group(0)
        later = next((text for text in after if name in text), "")
        held = _first_waiting(_held(after, name))
        if later and held and held not in _held(before, name):
            return _widened(file, name, held, f"- {line} + {later}")
    return None


def _held(lines: Sequence[str], release: str) -> list[str]:
    """The lines that run before the lock is given back; all of them where that is left to the end of the function."""
    at = next((number for number, text in enumerate(lines) if release in text), len(lines))
    if at < len(lines) and _DEFERRED.match(lines[at]):
        return list(lines)
    return list(lines[:at])


def _taken_over_waiting(file: FileDiff, hunk: Hunk) -> Effect | None:
    """A block that takes a lock, newly put around work that waits."""
    taken: tuple[int, str] | None = None
    for mark, text in hunk.lines:
        if mark == "-" or not text.strip():
            continue
        depth = len(text.expandtabs(4)) - len(text.expandtabs(4).lstrip())
        if taken is not None and depth <= taken[0]:
            taken = None
        line = bare(text, file.path)
        if taken is not None and _WAITS.search(line):
            return _widened(file, taken[1], line, f"+ {taken[1]} over {line}")
        if mark == "+" and _TAKES.match(text) and not any(_TAKES.match(old) for old in file.removed):
            taken = (depth, line)
    return None


def _first_waiting(lines: Iterable[str]) -> str:
    return next((line for line in lines if _WAITS.search(line)), "")


def _widened(file: FileDiff, lock: str, held: str, quote: str) -> Effect:
    return Effect(kind="lock_widened", key=lock.rstrip("( "), path=file.path, quote=quote, new=held, clear=CLEAR)
