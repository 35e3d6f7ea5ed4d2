"""Changes that cannot break anything by their kind, each named."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from typing import Literal

from .calls import calls, is_observing
from .constants import constants
from .dependencies import bumps
from .guards import guards
from .model import Diff, FileDiff, Role
from .operators import operator_effects
from .text import STRING, bare_lines, strings, tokens

Innocence = Literal[
    "not_production", "docs_only", "tests_only", "ci_only", "ui_only", "comment_only", "formatting_only", "text_only",
    "observability_only", "hardening_only", "refactor", "dependency_patch", "dependency_minor", "unknown_content",
]  # fmt: skip

HOW_SURE: dict[Innocence, float] = {
    "not_production": 0.95,
    "docs_only": 0.98,
    "tests_only": 0.98,
    "ci_only": 0.95,
    "ui_only": 0.95,
    "comment_only": 0.98,
    "formatting_only": 0.97,
    "text_only": 0.9,
    "observability_only": 0.8,
    "hardening_only": 0.8,
    "refactor": 0.75,
    "dependency_patch": 0.75,
    "dependency_minor": 0.5,
    "unknown_content": 0.5,
}
"""How sure each kind makes that the change did no harm, 0 to 1."""

_BY_ROLE: dict[Role, Innocence] = {"docs": "docs_only", "tests": "tests_only", "ci": "ci_only", "ui": "ui_only"}
_MARKUP = re.compile(r"^\s*(</?[A-Za-z][\w.]*|/?>|className|style=|[{}()&]|\w+=|\w+: [\"'#\d])|class(Name)?=")
_OBSERVED = re.compile(
    r"(?i)\b(log(ger|ging)?|slog|console|metrics?|prometheus|counter|histogram|gauge|span|"
    r"trace[rd]?|otel|attributes?|"
    r"telemetry|buckets|name:|help:|"
    r"labels?|observe|inc\(\)|fields)\b"
)
_HANDLER = re.compile(r"(?i)(health|ready|live|ping)(z|_?check|iness)?\b")
_HARDENS = re.compile(
    (
        r"^\s*(?:if\b.*(?:nil|null|None|len\(|empty|==\s*0|<\s*0|<=\s*0|>\s*len|undefined).*|"
        r"defer\b.*(?:close|unlock|put|cancel)\w*\(.*|return\b.*|[{}]\s*|\w+\s*=\s*len\(.*|"
        r"end\s*=.*|throw\b.*|raise\b.*|\w*once\.do\(.*|\}\)|else\s*\{?)$"
    ),
    re.IGNORECASE,
)


def innocence_of(diff: Diff) -> Innocence | None:
    """The mildest name that covers every file, or None where some line may matter."""
    files = [file for file in diff.files if not file.path.endswith((".sum", ".lock", "-lock.json"))] or list(diff.files)
    if not files:
        return "unknown_content"
    if all(not file.production for file in files):
        return "not_production"
    labels = [_file(file) for file in files]
    if None in labels:
        return None
    return min((label for label in labels if label), key=lambda label: HOW_SURE[label])


def _file(file: FileDiff) -> Innocence | None:
    by_role = _BY_ROLE.get(file.role)
    if by_role:
        return by_role
    if not file.production:
        return "not_production"
    if not file.removed and not file.added:
        return "unknown_content"
    if file.role == "manifest":
        return _manifest(file)
    return next((name for name, test in _TESTS if test(file)), None)


def _manifest(file: FileDiff) -> Innocence | None:
    levels = {bump.level for bump in bumps(file)}
    if not levels or levels & {"major", "other"}:
        return None
    return "dependency_minor" if "minor" in levels else "dependency_patch"


def _comment_only(file: FileDiff) -> bool:
    return not bare_lines(file.removed, file.path) and not bare_lines(file.added, file.path)


def _formatting_only(file: FileDiff) -> bool:
    old, new = bare_lines(file.removed, file.path), bare_lines(file.added, file.path)
    if tokens(old) == tokens(new):
        return True
    flat_old, flat_new = (Counter(" ".join(line.split()).rstrip(",;") for line in side) for side in (old, new))
    if file.role == "config":
        return bool(old) and not flat_old - flat_new and not _replaces(old, new)
    return bool(old) and flat_old == flat_new and file.role != "code"


def _replaces(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether an added key shadows a kept one."""
    kept = {line.partition(":")[0].strip() for line in old}
    fresh = [line.partition(":")[0].strip() for line in new]
    return any(fresh.count(key) > 1 for key in kept)


def _text_only(file: FileDiff) -> bool:
    """Only the prose of messages differs: a few letters inside a string of several words."""
    old, new = bare_lines(file.removed, file.path), bare_lines(file.added, file.path)
    if len(old) != len(new) or not old:
        return False
    if tuple(STRING.sub('""', line) for line in old) != tuple(STRING.sub('""', line) for line in new):
        return False
    pairs = [
        (a, b) for x, y in zip(old, new, strict=True) for a, b in zip(strings(x), strings(y), strict=False) if a != b
    ]
    return bool(pairs) and all(_reworded(a, b) for a, b in pairs)


def _reworded(old: str, new: str) -> bool:
    """Prose with a word spelled another way; no query, address or pattern."""
    prose = (
        len(old.split()) > 1
        and len(old.split()) == len(new.split())
        and not re.search(r"[/\\*=$<>|]|\bFROM\b|\d", old + new)
    )
    return prose and SequenceMatcher(None, old, new).ratio() > 0.8


def _ui_only(file: FileDiff) -> bool:
    lines = bare_lines((*file.removed, *file.added), file.path)
    return file.path.endswith((".tsx", ".jsx", ".vue", ".svelte")) and all(_MARKUP.search(line) for line in lines)


def _observability_only(file: FileDiff) -> bool:
    """Every changed line logs, counts, traces, labels a request, or belongs to a health endpoint."""
    removed, added = bare_lines(file.removed, file.path), bare_lines(file.added, file.path)
    if any(_HANDLER.search(line) for line in added) and not removed:
        return True
    names = calls((*removed, *added), file.path)
    lines = [line for line in (*removed, *added) if re.search(r"\w", line)]
    watched = re.search(
        r"(?i)(^|[/_-])(log(s|ging)?|metrics?|trac(e|ing)|telemetry|reqid|attrs|fields)([/_.-]|$)", file.path
    )
    telling = sum(
        bool(_OBSERVED.search(line)) or any(is_observing(c) for c in calls([line], file.path)) for line in lines
    )
    if watched and (telling or not removed):
        return not _lowers_level(added)
    return bool(lines) and telling == len(lines) and all(is_observing(name) or len(name) < 12 for name in names)


def _lowers_level(lines: Sequence[str]) -> bool:
    return any(re.search(r"(?i)log.?level.{0,6}(debug|trace)|setlevel\(", line) for line in lines)


def _hardening_only(file: FileDiff) -> bool:
    """Nothing goes but is set down again, and what comes are checks, bounds and releases."""
    old, new = list(bare_lines(file.removed, file.path)), list(bare_lines(file.added, file.path))
    flat = Counter(" ".join(line.split()) for line in new)
    if Counter(" ".join(line.split()) for line in old) - flat:
        return False
    fresh = [line for line in new if " ".join(line.split()) not in {" ".join(o.split()) for o in old}]
    return bool(fresh) and file.role == "code" and all(_one_line_guard(line) or _HARDENS.match(line) for line in fresh)


def _one_line_guard(line: str) -> bool:
    return (
        re.match(r"^if\b[^{]*(?:nil|null|len\(|<\s*0|== 0|\"\")[^{]*\{\s*(?:return|\w+\s*=)[^}]*\}$", line) is not None
    )


def _refactor(file: FileDiff) -> bool:
    """The same constants, guards and calls before and after, whatever helper they moved to."""
    if file.role != "code" or not file.removed or not file.added or operator_effects(file):
        return False
    old, new = file.removed, file.added
    if sorted(abs(c.quantity.value) for c in constants(old, file.path)) != sorted(
        abs(c.quantity.value) for c in constants(new, file.path)
    ):
        numbers_old, numbers_new = (
            sorted(re.findall(r"(?<![\w.])\d[\d_]*(?:\.\d+)?", "\n".join(bare_lines(s, file.path)))) for s in (old, new)
        )
        if numbers_old != numbers_new:
            return False
    if {g.operand for g in guards(old, file.path) if g.kind == "guard_removed"} - {
        g.operand for g in guards(new, file.path)
    }:
        return False
    before, after = set(_acting(old, file.path)), set(_acting(new, file.path))
    if not before and not re.search(r"[({=;]", "".join(old)):
        return False
    literal_old = {s for line in bare_lines(old, file.path) for s in strings(line) if len(s) > 1}
    literal_new = {s for line in bare_lines(new, file.path) for s in strings(line) if len(s) > 1}
    return (
        before <= after
        and len(after - before) <= 2
        and literal_old <= literal_new
        and len(literal_new - literal_old) <= 1
    )


def _acting(lines: Sequence[str], path: str) -> tuple[str, ...]:
    return tuple(name for name in calls(lines, path) if not is_observing(name) and not name.startswith(("err", "fmt.")))


_TESTS: tuple[tuple[Innocence, Callable[[FileDiff], bool]], ...] = (
    ("comment_only", _comment_only),
    ("formatting_only", _formatting_only),
    ("ui_only", _ui_only),
    ("text_only", _text_only),
    ("hardening_only", _hardening_only),
    ("observability_only", _observability_only),
    ("refactor", _refactor),
)
