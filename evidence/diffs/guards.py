"""Checks that a change takes out: for nothing there, for bounds, for errors."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from .effects import Effect, EffectKind
from .model import FileDiff
from .text import bare_lines, terms

_NIL = re.compile(
    r"""(?P<a>[\w.\[\]"'()]+?)\s*(?:===?|!==?|\bis(?:\s+not)?)\s*(?:nil|null|None|undefined|nullptr|NULL)\b
    |(?P<b>[\w.\[\]]+)\?\.(?=\w)
    |(?:Optional\.ofNullable|Objects\.(?:nonNull|isNull|requireNonNull)|isset|empty|defined)\s*\(\s*(?P<c>[\w.$\[\]]+)
    |(?P<d>[\w.]+)\.(?:isPresent|is_some|is_none|has_value|HasField|orElse\w*|unwrap_or\w*|ok_or)\s*\(
    |\bif\s+(?:not\s+|!)?(?P<e>[a-z_][\w.]*)\s*[:{)]
    |,\s*(?P<f>ok|found|exists)\s*:?=
    |(?P<g>[\w.]+)\.get\(\s*["'][\w.-]+["']""",
    re.VERBOSE,
)
_BOUNDS = re.compile(
    r"(?P<a>(?:len|size|count|length)\s*\(\s*[\w.]+\s*\)|[\w.]+(?:\.(?:length|size\(\)|"
    r"len\(\)))?)\s*(?:<=|>=|<|>)\s*-?[\w.()]+"
)
_ERROR = re.compile(
    (
        r"\bif\s+(?:\w+\s*:?=.*;\s*)?err\w*\s*!=\s*nil|\bcatch\s*[({]|\bexcept\b|\brescue\b|"
        r"\.catch\(|\bif\s*\(?\s*err(?:or)?\s*\)|"
        r"\bon_?error\b|\.map_err\(|\brecover\s*\(|\bfinally\b|\bdefer func\b"
    ),
    re.IGNORECASE,
)
_AWAIT = re.compile(r"\bawait\s+")
_PASSES_ON = re.compile(r"^\s*return\s+(?:await\s+)?[\w.\[\]]+\(.*\)?;?$|\?;?\s*$")


_LENGTH = re.compile(
    r"(?:len|size|count)\s*\(\s*(?P<a>[\w.]+)\s*\)\s*[=!]=|(?P<b>[\w.]+)\.(?:length|size\(\)|isEmpty\(\)|is_empty\(\)|empty\(\))"
)


class Guard(NamedTuple):
    kind: EffectKind
    operand: str
    line: str


def guards(lines: Sequence[str], path: str = "") -> tuple[Guard, ...]:
    found = []
    for line in bare_lines(lines, path):
        if _ERROR.search(line):
            found.append(Guard("error_handling_removed", "err", line))
            continue
        for match in _NIL.finditer(line):
            operand = next(group for group in match.groups() if group is not None)
            found.append(Guard("guard_removed", operand.strip("("), line))
        if re.match(r"\s*(?:\}?\s*(?:else\s+)?if|elif|while|assert|require)\b|.*\?.*:", line):
            found += [Guard("bounds_removed", match.group("a"), line) for match in _BOUNDS.finditer(line)]
            found += [
                Guard("bounds_removed", match.group("a") or match.group("b"), line) for match in _LENGTH.finditer(line)
            ]
    return tuple(found)


def guard_effects(file: FileDiff) -> list[Effect]:
    if file.role in {"docs", "ui", "tests", "ci", "manifest"}:
        return []
    before, after = guards(file.removed, file.path), guards(file.added, file.path)
    kept = {(guard.kind, guard.operand) for guard in after}
    new_text = "\n".join(bare_lines(file.added, file.path))
    found = []
    for guard in before:
        if guard.kind == "error_handling_removed" or (guard.kind, guard.operand) in kept:
            continue
        if guard.kind == "bounds_removed" and _numbers_live_on(guard.line, new_text):
            continue
        found.append(_effect(guard, file, new_text))
    awaited = [line for line in bare_lines(file.removed, file.path) if _AWAIT.search(line)]
    dropped = next((line for line in awaited if _AWAIT.sub("", line) in new_text.splitlines()), "")
    if dropped:
        found.append(
            Effect(
                kind="error_handling_removed", key=_called_on(dropped), path=file.path, quote=f"- {dropped}", clear=0.8
            )
        )
    errors = [guard for guard in before if guard.kind == "error_handling_removed"]
    if len(errors) > sum(guard.kind == "error_handling_removed" for guard in after) and not _passed_on(file):
        found.append(Effect(kind="error_handling_removed", key=_called_on(errors[0].line), path=file.path,
                            quote=f"- {errors[0].line}", clear=0.55))  # fmt: skip
    return found


def _effect(guard: Guard, file: FileDiff, new_text: str) -> Effect:
    """Clearest where the operand is still used although nobody looks first whether it is there."""
    used = re.search(rf"(?<![\w.]){re.escape(guard.operand)}(?:\.|\[|->)", new_text) is not None
    after = next((line.strip() for line in new_text.splitlines() if guard.operand in line), "")
    return Effect(
        kind=guard.kind, key=guard.operand, path=file.path, quote=f"- {guard.line}" + (f" + {after}" if after else ""),
        old=guard.line, new=after, clear=0.95 if used else 0.55 if not _helper(guard, new_text) else 0.2,
    )  # fmt: skip


def _helper(guard: Guard, new_text: str) -> bool:
    """Whether the check went into a call that is handed the same thing."""
    return re.search(rf"\w+\([^)]*\b{re.escape(guard.operand)}\b[^.\[]", new_text) is not None


def _numbers_live_on(line: str, new_text: str) -> bool:
    numbers = [n for n in re.findall(r"-?\d+(?:\.\d+)?", line) if n not in {"0", "1"}]
    return bool(numbers) and all(
        re.search(rf"(?<![\d.]){re.escape(n.lstrip('-'))}(?![\d.])", new_text) for n in numbers
    )


def _passed_on(file: FileDiff) -> bool:
    """Whether the new code returns the call itself, or hands its error on, so that the caller still sees it."""
    lines = bare_lines(file.added, file.path)
    return any(_PASSES_ON.search(line) for line in lines) or any(
        "err" in terms(line) or "err)" in line for line in lines
    )


def _called_on(line: str) -> str:
    found = re.search(r"=\s*([\w.]+)\(", line)
    return found.group(1) if found else "err"
