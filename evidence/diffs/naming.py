"""Names that others read: settings that are called another way, values on the wire, switches under a new call."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .effects import Effect
from .model import FileDiff
from .text import bare_lines, strings, terms, words

_PAIR = re.compile(r"""^[\s{,-]*["']?([A-Za-z_][\w.-]*)["']?\s*[:=]\s*["']?([^"',;{}\[\]]+?)["']?\s*[,;]?\s*$""")
_ENV_NAME = re.compile(r"""^\s*-?\s*name:\s*["']?([A-Za-z_][\w.-]*)["']?\s*$""")
_ENV_VALUE = re.compile(r"""^\s*value(?:From)?:\s*["']?(.+?)["']?\s*$""")
_BOOLEAN = re.compile(r"(?<![\w.\"'-])(true|false|True|False)(?![\w\"'-])")
_DECLARED = re.compile(r"(?:const|let|var|val|def|func|fn|final|static|export)\s+(?:\w+\s+)?([A-Za-z_]\w*)")
_TOKEN = re.compile(r"[a-z][\w-]*|[A-Z][A-Z0-9_]+")
_ENUM = re.compile(r"(?i)\benum\b|\bliteral\b|choices|iota|wire|serial")
_CONSTANT = re.compile(r"""\b([A-Z][A-Z0-9_]*|[A-Z]\w+)\s*(?:\(|=|:)\s*["'`]([\w.-]+)["'`]""")
_STRUCTURAL = frozenset({"name", "value", "key", "path", "type", "kind", "image", "tag", "version"})


class Setting(NamedTuple):
    key: str
    value: str
    line: str


def setting_effects(file: FileDiff) -> list[Effect]:
    """A key that went while another came with the same value is a key renamed."""
    if file.role != "config":
        return []
    old, new = tuple(_settings(file, file.removed)), tuple(_settings(file, file.added))
    kept = {setting.key for setting in new} | {s.key for s in _settings(file, _context(file))}
    found = []
    for gone in old:
        if gone.key in kept or gone.key in _STRUCTURAL:
            continue
        twin = next((s for s in new if s.key not in {o.key for o in old} and _same_setting(gone, s)), None)
        if twin is not None:
            found.append(_renamed(file, gone, twin))
    return found


def flip_effects(file: FileDiff) -> list[Effect]:
    """A true that became false in the same place, also where the call around it has another name now."""
    if file.role != "code":
        return []
    found = []
    for edit in file.edits:
        fresh = [line for line in bare_lines(edit.added, file.path) if len(_BOOLEAN.findall(line)) == 1]
        for old in bare_lines(edit.removed, file.path):
            flags = _BOOLEAN.findall(old)
            new = next((line for line in fresh if _same_place(old, line)), "") if len(flags) == 1 else ""
            if new and _BOOLEAN.findall(new)[0].lower() != flags[0].lower():
                found.append(_flipped(file, old, new, was=flags[0].lower() == "true"))
    return found


def wire_effects(file: FileDiff) -> list[Effect]:
    """The text of a named constant that travels: an enum's value, as others parse it."""
    if file.role not in {"code", "schema"}:
        return []
    found = []
    for hunk in file.hunks:
        around = " ".join((hunk.header, file.path.rpartition("/")[2], *hunk.context))
        for edit in hunk.edits:
            new = dict(pair for line in bare_lines(edit.added, file.path) for pair in _CONSTANT.findall(line))
            for line in bare_lines(edit.removed, file.path):
                for key, text in _CONSTANT.findall(line):
                    told = bool(_ENUM.search(around)) or words(key)[-len(words(text)) :] == words(text)
                    if told and new.get(key, text) != text and _TOKEN.fullmatch(text):
                        after = next(n for n in bare_lines(edit.added, file.path) if f"{new[key]}" in n)
                        found.append(
                            Effect(kind="wire_value_changed", key=f"{key} {text}", path=file.path,
                                   quote=f"- {line} + {after}", old=text, new=new[key], clear=0.85)
                        )  # fmt: skip
    return found


def _settings(file: FileDiff, lines: Sequence[str]) -> Iterator[Setting]:
    name = ""
    for line in bare_lines(lines, file.path):
        entry, value = _ENV_NAME.match(line), _ENV_VALUE.match(line)
        if entry:
            name = entry.group(1)
        elif value and name:
            yield Setting(name, value.group(1), f"{name}: {value.group(1)}")
            name = ""
        elif (pair := _PAIR.match(line)) is not None:
            yield Setting(pair.group(1), pair.group(2).strip(), line)


def _context(file: FileDiff) -> tuple[str, ...]:
    return tuple(text for hunk in file.hunks for text in hunk.context)


def _renamed(file: FileDiff, gone: Setting, twin: Setting) -> Effect:
    return Effect(kind="key_renamed", key=gone.key, path=file.path, quote=f"- {gone.line} + {twin.line}",
                  old=gone.key, new=twin.key, clear=0.85)  # fmt: skip


def _same_setting(gone: Setting, come: Setting) -> bool:
    """The same value, and one that is hardly the same by chance, unless the keys have a word in common."""
    telling = len(gone.value) > 4 and gone.value.lower() not in {"true", "false"} and not gone.value.isdigit()
    return gone.value == come.value and (telling or bool(terms(gone.key) & terms(come.key)))


def _same_place(old: str, new: str) -> bool:
    """The same literal is asked for, the same name declared, or the lines differ in nothing else."""
    if set(strings(old)) & set(strings(new)):
        return True
    one, other = _DECLARED.search(old), _DECLARED.search(new)
    return bool(one and other and one.group(1) == other.group(1))


def _flipped(file: FileDiff, old: str, new: str, *, was: bool) -> Effect:
    shared = sorted(set(strings(old)) & set(strings(new)), key=lambda text: (-len(text), text))
    declared = _DECLARED.search(new)
    return Effect(kind="switch_changed", key=shared[0] if shared else declared.group(1) if declared else "switch",
                  path=file.path, quote=f"- {old} + {new}", old=str(was).lower(), new=str(not was).lower(),
                  old_value=float(was), new_value=float(not was), unit="bool", clear=0.85)  # fmt: skip
