"""Work that now runs at once, blocks what others wait for, or reads another clock."""

import re
from collections.abc import Iterator

from .effects import Effect
from .model import Edit, FileDiff, Hunk
from .text import bare_lines

_TOGETHER = re.compile(
    r"\bPromise\.all(?:Settled)?\(|\basyncio\.gather\(|\bparallelStream\(|\bCompletableFuture\.allOf\(|"
    r"\bTask\.WhenAll\(|\bgo func\(|\bThreadPoolExecutor\(|\bexecutor\.(?:map|submit)\(|\.par_iter\(|\bTaskGroup\("
)
_ONE_BY_ONE = re.compile(r"^\s*(?:for\b|while\b)|\.(?:forEach|each|stream)\(")
_BOUND = re.compile(r"(?i)limit|semaphore|chunk|batch|max_?workers|concurrency|setlimit|p-?limit|pool_?size")
_ASYNC = re.compile(r"\basync\b|\bawait\b|\bsuspend\b")
_BLOCKS = re.compile(
    r"\brequests\.\w+\(|\burllib\.|\burlopen\(|\btime\.sleep\(|\bThread\.sleep\(|\w+Sync\(|\.Result\b|\.Wait\(\)|"
    r"\.block\(\)|\brunBlocking\b|\bsubprocess\.(?:run|call|check_output)\(|\.get\(\)\.join\(|\bopen\(|\.join\(\)\s*;"
)
_CLOCK = re.compile(
    r"(?i)\butcnow\b|\butc\b|timezone\.\w+|\btz(?:info)?\b|zoneoffset|zoneid|\bgetutc\w+|\btoisostring\b|gmtime|"
    r"\.utc\(|localtime|localdatetime|instant\.now"
)
_TIME = re.compile(r"(?i)\b(?:date|time|now|datetime|clock|instant|moment|calendar)\w*")


def concurrency_effects(file: FileDiff) -> list[Effect]:
    if file.role != "code":
        return []
    return [effect for hunk in file.hunks for edit in hunk.edits for effect in _of(file, hunk, edit)]


def _of(file: FileDiff, hunk: Hunk, edit: Edit) -> Iterator[Effect]:
    old, new = bare_lines(edit.removed, file.path), bare_lines(edit.added, file.path)
    together = next((line for line in new if _TOGETHER.search(line)), "")
    if together and any(_ONE_BY_ONE.search(line) for line in old) and not any(_TOGETHER.search(line) for line in old):
        bounded = any(_BOUND.search(line) for line in new)
        yield Effect(kind="fanout_added", key=_called(together), path=file.path, quote=f"+ {together}",
                     clear=0.3 if bounded else 0.85)  # fmt: skip
    blocks = next((line for line in new if _BLOCKS.search(line)), "")
    around = (*old, *hunk.context, hunk.header)
    if blocks and not any(_BLOCKS.search(line) for line in old) and any(_ASYNC.search(line) for line in around):
        yield Effect(kind="blocking_added", key=_called(blocks), path=file.path, quote=f"+ {blocks}", clear=0.85)
    for before in old:
        after = next((line for line in new if _TIME.search(before) and _TIME.search(line)), "")
        if after and {*_zones(before)} != {*_zones(after)}:
            yield Effect(kind="clock_changed", key=" ".join(_zones(before) or _zones(after)), path=file.path,
                         quote=f"- {before} + {after}", old=before, new=after, clear=0.85)  # fmt: skip
            return


def _zones(line: str) -> list[str]:
    return [text.lower() for text in _CLOCK.findall(line)]


def _called(line: str) -> str:
    found = re.findall(r"([A-Za-z_][\w.]*)\s*\(", line)
    return found[-1] if found else line[:40]
