"""Bounds that a change takes off what is kept: a cache without eviction, a queue without an end."""

import re
from collections.abc import Sequence

from .effects import Effect
from .model import FileDiff
from .text import bare_lines

_BOUNDED = re.compile(
    r"(?i)\b\w*(?:LRU|LFU|TTL|Bounded|Evicting|Expiring|Ring|Circular)_?\w*(?:cache|map|dict|queue|buffer|list|set)?\b\s*"
    r"(?:<[^>]*>)?\s*\(|\bArrayBlockingQueue\b|\bmaximumSize\(|\bexpireAfter\w+\(|\blru_cache\(\s*(?:maxsize\s*=\s*)?\d|"
    r"\bCaffeine\b|\bdeque\([^)]*maxlen|\bQueue\(\s*(?:maxsize\s*=\s*)?\d|\bnew\s+\w*(?:LRU|lru)\w*"
)
_OPTION = re.compile(
    r"(?i)\b(?:max_?(?:size|entries|items|keys|len|length|age)|max(?=\s*[:=])|maximumSize|expireAfter\w*|ttl|"
    r"evict\w*|capacity|size_?limit)\b"
)
_PLAIN = re.compile(
    r"\bnew\s+(?:Map|WeakMap|Set|HashMap|ConcurrentHashMap|LinkedHashMap|LinkedBlockingQueue|ArrayList|Array)\b|"
    r"\bmake\(\s*(?:map|chan)\b|\bsync\.Map\b|=\s*\{\s*\}\s*;?$|=\s*\[\s*\]\s*;?$|\bdict\(\s*\)|\bdefaultdict\(|"
    r"\bdeque\(\s*\)|\bQueue\(\s*\)|\bHashMap::new\b|\bmaxsize\s*=\s*None|@(?:functools\.)?cache\b|\bmap\["
)
_KEPT = re.compile(r"(?i)cache|memo|store|map|buffer|queue|registry|pool|history|sessions?|entries")
_NAME = re.compile(r"(?:const|let|var|val|final|static|private|self\.|this\.)?\s*([A-Za-z_]\w*)\s*(?::[^=]+)?(?::=|=)")
CLEAR, OPTION_CLEAR = 0.92, 0.75


def bound_effects(file: FileDiff) -> list[Effect]:
    if file.role not in {"code", "config"}:
        return []
    found = []
    everywhere = bare_lines(file.added, file.path)
    for edit in file.edits:
        old, new = bare_lines(edit.removed, file.path), bare_lines(edit.added, file.path)
        effect = _plain_now(old, new, everywhere, file.path) or _option_gone(old, new, everywhere, file.path)
        if effect is not None:
            found.append(effect)
    return found


def _plain_now(old: Sequence[str], new: Sequence[str], everywhere: Sequence[str], path: str) -> Effect | None:
    """A container that forgets gave way to one that does not."""
    before = next((line for line in old if _BOUNDED.search(line) and not line.startswith(("import", "from "))), "")
    after = next((line for line in new if _PLAIN.search(line)), "")
    if not before or not after or any(_BOUNDED.search(line) or _OPTION.search(line) for line in everywhere):
        return None
    return Effect(kind="bound_removed", key=_name(after) or _name(before), path=path, quote=f"- {before} + {after}",
                  old=before, new=after, clear=CLEAR)  # fmt: skip


def _option_gone(old: Sequence[str], new: Sequence[str], everywhere: Sequence[str], path: str) -> Effect | None:
    """The option that bounded it went, and what it bounded stays."""
    before = next((line for line in old if _OPTION.search(line) and _KEPT.search(line)), "")
    if not before or any(_OPTION.search(line) for line in everywhere):
        return None
    option = _OPTION.search(before)
    after = next((line for line in new if _KEPT.search(line)), "")
    if option is None or not after:
        return None
    return Effect(kind="bound_removed", key=f"{_name(after)} {option.group(0)}".strip(), path=path,
                  quote=f"- {before} + {after}", old=before, new=after, clear=OPTION_CLEAR)  # fmt: skip


def _name(line: str) -> str:
    found = _NAME.search(line)
    return found.group(1) if found else ""
