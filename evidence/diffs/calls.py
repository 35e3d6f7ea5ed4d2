"""Calls that a change takes out or puts in, and what kind of care they were."""

import re
from collections.abc import Iterable, Sequence

from .effects import Effect, EffectKind
from .model import FileDiff, Hunk
from .text import bare_lines, lost, terms

_CALL = re.compile(r"([A-Za-z_][\w]*(?:(?:\.|::|->|\?\.)[A-Za-z_]\w*)*)\s*(?:<[\w, ]*>|\[[\w, ]*\])?\(")
_SCOPE = re.compile(r"^(?:async )?with\s+|^using\s*\(?|^defer\s+|^try\s*\((?=\w)|^finally\b|^synchronized\s*\(")
_DECLARATION = re.compile(
    r"^\s*(?:export\s+)?(?:pub(?:lic)?\s+|private\s+|protected\s+|static\s+|async\s+)*(?:def|func|fn|function|class)\b"
)
_KEYWORDS = frozenset({
    "if", "for", "while", "switch", "return", "catch", "with", "elif", "func", "function", "def", "in", "and", "or",
    "not", "await", "new", "typeof", "sizeof", "print", "println", "printf", "sprintf", "errorf", "wrap", "string",
    "int", "float64", "int64", "bool", "len", "cap", "append", "make", "range", "map", "list", "dict", "set", "str",
})  # fmt: skip
OBSERVING = re.compile(
    r"(?i)^(?:log(?:ger|ging)?|slog|zap|glog|console|logrus|metrics?|prometheus|statsd|span|"
    r"tracer|trace|otel|attribute|"
    r"LOG_\w+|print\w*|fmt\.Print\w*)(?:$|[._(])|\.(?:debugf?|infof?|warn(?:ing)?f?|errorf?|"
    r"observe|inc|setattributes?|"
    r"addevent|recorderror|mustregister|withfields?|with)$|^(?:newcounter|newhistogram|"
    r"newgauge)\w*$"
)
_RAW_CLASSES: tuple[tuple[EffectKind, float, str], ...] = (
    (
        "protection_removed",
        0.8,
        (
            r"retry|backoff|jitter|breaker|hystrix|circuit|ratelimit|limiter|throttl|bulkhead|"
            r"singleflight|semaphore|acquire|debounce|(?<![a-z])lock(?![a-z]*(?:step|ed_))|rlock|"
            r"mutex|synchronized|once\.do|"
            r"withtimeout|withdeadline|settimeout|withcancel|fallback|coalesce|idempoten|dedup|begin|transaction"
        ),
    ),
    (
        "release_removed",
        0.85,
        (
            r"close|unlock|release|dispose|free|cancel$|shutdown|rollback|\.put$|\.done$|disconnect|"
            r"returnconnection|cleanup|unsubscribe|clearinterval|removelistener|evict|truncate|prune|"
            r"expire|purge"
        ),
    ),
    ("cache_removed", 0.7, r"cache|memo(?:ize)?|lru|redis\.(?:get|set)"),
    (
        "registration_removed",
        0.85,
        (
            r"regist|subscrib|(?:^|\.)bind|mount|seed|install|wire|provide|enable|automigrate|"
            r"add(?:route|handler|listener|middleware|provider|plugin|job|task|tool|consumer)|"
            r"handlefunc|(?:^|\.)handle$|"
            r"(?:^|\.)use$|warm(?:up)?$|preload|bootstrap|initiali[sz]e|(?:^|\.)init|load(?:plugins|"
            r"config|defaults|schemas?)"
        ),
    ),
    (
        "auth_changed",
        0.7,
        (
            r"authori[sz]|authenticat|settoken|bearer|credential|apikey|sign(?:ed|er)?$|header\.set|"
            r"setheader|withscopes?|assume_?role|refreshtoken"
        ),
    ),
    ("validation_removed", 0.6, r"valid|saniti[sz]e|verify|ensure|require|escape|normali[sz]e|checksum|parse"),
    ("release_removed", 0.8, r"commit|(?:^|\.)n?ack$|flush|fsync|checkpoint|heartbeat"),
)
_CLASSES = tuple((kind, clear, re.compile(pattern, re.IGNORECASE)) for kind, clear, pattern in _RAW_CLASSES)


def calls(lines: Iterable[str], path: str = "") -> tuple[str, ...]:
    """Names called, in order, without declarations, keywords and built-ins."""
    found = []
    for line in bare_lines(lines, path):
        names = _CALL.findall(line)
        if _DECLARATION.match(line):
            names = names[1:]
        found += [name for name in names if name.lower() not in _KEYWORDS]
    return tuple(found)


def is_observing(call: str) -> bool:
    """Whether a call only logs, counts or traces."""
    return OBSERVING.search(call) is not None


def call_effects(file: FileDiff) -> list[Effect]:
    found: list[Effect] = []
    everywhere = set(calls(file.added, file.path))
    for hunk in file.hunks:
        for edit in hunk.edits:
            gone = lost(calls(edit.removed, file.path), calls(edit.added, file.path))
            fresh = lost(calls(edit.added, file.path), calls(edit.removed, file.path))
            for call in gone:
                if is_observing(call) or call in everywhere or _replaced(call, fresh):
                    continue
                found.append(_removed(call, edit.removed, edit.added, file.path))
    return found


def scope_effects(file: FileDiff) -> list[Effect]:
    """Scopes that gave something back whatever happened, and are gone: `with`, `using`, `defer`, `finally`."""
    if file.role != "code":
        return []
    old, new = bare_lines(file.removed, file.path), bare_lines(file.added, file.path)
    gone = lost(_scopes(old), _scopes(new))
    return [
        Effect(
            kind="release_removed",
            key=_held(rest),
            path=file.path,
            quote=f"- {_scope_line(old, rest)}",
            old=rest,
            clear=0.85,
        )
        for rest in gone
        if not is_observing(_held(rest))
    ]


def target_effects(file: FileDiff) -> list[Effect]:
    """The same call on another object: `primary.query` that is now `replica.query`."""
    if file.role != "code":
        return []
    found = []
    for edit in file.edits:
        gone, come = calls(edit.removed, file.path), calls(edit.added, file.path)
        for old, new in zip(lost(gone, come), lost(come, gone), strict=False):
            (head, _, name), (other, _, same) = old.rpartition("."), new.rpartition(".")
            if (
                name == same
                and head
                and other
                and head != other
                and not is_observing(old)
                and terms(head) != terms(other)
            ):
                line = next((text.strip() for text in edit.added if new in text), new)
                found.append(Effect(kind="target_changed", key=f"{head} {other}", path=file.path,
                                    quote=f"- {old}(...) + {line}", old=old, new=new, clear=0.6))  # fmt: skip
    return found


def _scopes(lines: Sequence[str]) -> list[str]:
    return [_SCOPE.sub("", line) for line in lines if _SCOPE.match(line)]


def _held(rest: str) -> str:
    names = _CALL.findall(rest)
    return names[0] if names else rest.strip("(){:; ")[:60]


def _scope_line(lines: Sequence[str], rest: str) -> str:
    return next((line for line in lines if line.endswith(rest)), rest)


def _replaced(call: str, fresh: Sequence[str]) -> bool:
    """Whether a new call does its work under a near name: a helper, a generic form, a variant with options."""
    telling = terms(call)
    last = call.rpartition(".")[2].lower()
    return any(
        (telling and telling <= terms(name)) or last == name.rpartition(".")[2].lower() or last in name.lower()
        for name in fresh
    )


def _removed(call: str, removed: Sequence[str], added: Sequence[str], path: str) -> Effect:
    kind, clear = next(
        ((kind, clear) for kind, clear, pattern in _CLASSES if pattern.search(call)), ("call_removed", 0.4)
    )
    line = next((line.strip() for line in removed if call in line), "")
    if added and kind not in {"release_removed", "protection_removed"}:
        clear *= 0.6
    return Effect(kind=kind, key=call, path=path, quote=f"- {line}", old=call, clear=clear)


def context_text(hunk: Hunk) -> str:
    return "\n".join((hunk.header, *hunk.context))
