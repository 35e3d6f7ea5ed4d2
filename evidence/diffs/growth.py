"""What a change adds that costs: endless retries, growing stores, locks, heavy work, louder logs."""

import re
from collections.abc import Iterator

from .effects import Effect, EffectKind
from .model import FileDiff
from .text import bare_lines

_RAW_RULES: tuple[tuple[EffectKind, float, str], ...] = (
    (
        "retry_added",
        0.75,
        (
            r"(?i)\b(?:retry|retries|attempts?|redeliver|requeue|resubmit)\w*\b.*(?:\(|=|<|:)|"
            r"\bfor\s+(?:attempt|try|i|retry)\w*\b.*(?:retr|attempt)"
        ),
    ),
    (
        "unbounded_added",
        0.75,
        (
            r"(?i)^\s*(?:self\.|this\.|s\.|c\.|m\.)?\w*(?:cache|history|seen|buffer|pending|registry|"
            r"sessions?|events?|entries|listeners|queue|memo|tracked|store)\w*"
            r"(?:\[[^\]]+\]\s*=(?!=)|\.(?:append|push|add|put|set|Store)\s*\(|\s*=\s*append\()|"
            r"\bgo\s+func\s*\(|\bgo\s+\w+[\w.]*\(|new\s+Thread\(|Thread\(target|setInterval\(|"
            r"addEventListener\(|\bon\(\s*['\"]"
        ),
    ),
    (
        "lock_added",
        0.7,
        (
            r"(?i)\.(?:r?lock|acquire)\(\)|\bsynchronized\b|\bwith\s+\w*lock\b|\bmutex\b|"
            r"\bFOR UPDATE\b|pg_advisory_lock|setnx|isolation_?level|Serializable"
        ),
    ),
    (
        "work_added",
        0.5,
        (
            r"(?i)\b(?:bcrypt|scrypt|pbkdf2|argon2|gzip|compress|zlib|brotli|re\.compile|"
            r"regexp\.MustCompile|MustCompile|new RegExp|readall|"
            r"deepcopy|json\.(?:marshal|unmarshal|dumps|loads|parse|stringify)|marshalindent|"
            r"serialize|reflect\.)\w*\s*\(|"
            r"System\.gc"
        ),
    ),
    ("work_added", 0.8, r"(?i)\b(?:sleep|fsync|usleep|Thread\.sleep|time\.sleep)\w*\s*\(|\.Sync\(\)"),
    ("work_added", 0.85, r"\((?:\?:)?[^()]*[+*]\)[+*]"),  # a repeated group of repeats: backtracks without end
    (
        "client_per_call",
        0.75,
        r"(?i)^\s+.*(?:&|\bnew\s+|\bNew)\w*(?:\.\w+)*(?:Client|Session|Pool|Connection|Channel|Transport)\b\s*[({]",
    ),
)
_RULES = tuple((kind, clear, re.compile(pattern)) for kind, clear, pattern in _RAW_RULES)
_BOUND = re.compile(
    r"(?i)\b(?:delete|evict|expire|ttl|remove|pop|prune|limit|max\w*|cap|lru|clear|len|size|"
    r"maxlen)\b|setLimit|semaphore|errgroup|WaitGroup|workerpool|pool\."
)
_LEVEL = re.compile(
    r"(?i)\blog(?:_|\.|-)?level\b\s*[:=]\s*[\"']?(?P<level>debug|trace|all)|(?:SetLevel|"
    r"setLevel|WithLevel)\(\s*[\w.]*(?P<call>debug|trace)"
)
_ENDLESS = re.compile(r"^\s*(?:for\s*\{|for\s*\(\s*;\s*;\s*\)|while\s*\(?\s*(?:true|1)\s*\)?|loop\s*\{)")
_SLEEP = re.compile(r"(?i)sleep|backoff|after\(|delay|wait|ticker")


def growth_effects(file: FileDiff) -> list[Effect]:
    if file.role in {"docs", "tests", "ui", "ci", "manifest", "image", "migration", "schema"}:
        return []
    return list(_found(file))


def _found(file: FileDiff) -> Iterator[Effect]:
    removed, added = bare_lines(file.removed, file.path), bare_lines(file.added, file.path)
    old, new = "\n".join(removed), "\n".join(added)
    level = next((line for line in added if _LEVEL.search(line)), "")
    if level and not _LEVEL.search(old):
        yield Effect(kind="log_level_lowered", key="log level", path=file.path, quote=f"+ {level}", clear=0.75)
    if file.role != "code":
        return
    for kind, clear, pattern in _RULES:
        line = next((line for line in added if pattern.search(line)), "")
        if not line or pattern.search(old):
            continue
        bounded = kind == "unbounded_added" and _BOUND.search(new)
        yield Effect(
            kind=kind, key=_name(line), path=file.path, quote=f"+ {line}", clear=clear * (0.4 if bounded else 1.0)
        )
    endless = next((line for line in added if _ENDLESS.match(line)), "")
    if endless and not any(_ENDLESS.match(line) for line in removed):
        yield Effect(kind="retry_added", key="loop without end", path=file.path, quote=f"+ {endless}",
                     clear=0.3 if _SLEEP.search(new) else 0.7)  # fmt: skip
    sleep = next((line for line in removed if _SLEEP.search(line)), "")
    if sleep and not _SLEEP.search(new):
        yield Effect(kind="protection_removed", key=_name(sleep), path=file.path, quote=f"- {sleep}", clear=0.7)


def _name(line: str) -> str:
    found = re.search(r"[A-Za-z_][\w.]*", line)
    return found.group(0) if found else line[:40]
