"""Names and types that travel: fields of messages, required keys, columns of records."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .effects import Effect
from .model import FileDiff
from .text import bare_lines

_TAG = re.compile(
    r"""(?:json|xml|yaml|avro|bson|db|protobuf|msgpack|form):\s*["'](?P<tag>[\w.-]+)|@(?:JsonProperty|SerializedName|Column|XmlElement)\(\s*(?:name\s*=\s*)?["'](?P<anno>[\w.-]+)|(?:serialization_)?alias\s*=\s*["'](?P<alias>[\w.-]+)|#\[serde\(rename\s*=\s*"(?P<serde>[\w.-]+)"""
)
_PROTO = re.compile(
    r"^\s*(?:optional |repeated |required )?(?P<type>[\w.<>, ]+?)\s+(?P<name>\w+)\s*=\s*(?P<number>\d+)\s*[;\[]"
)
_REQUIRED = re.compile(r"required|mandatory|must_have|not_?null", re.IGNORECASE)
_LIST = re.compile(r"""["']([\w.-]+)["']""")
_TYPE = re.compile(
    (
        r"\b(u?int(?:8|16|32|64)?|long|short|float(?:32|64)?|double|decimal|string|str|varchar|"
        r"text|bool(?:ean)?|bigint|smallint|timestamp|datetime|date)\b"
    ),
    re.IGNORECASE,
)
_ACCESS = re.compile(r"""\[\s*["']([\w-]+)["']\s*\]|\.get\(\s*["']([\w-]+)["']|getString\(\s*["']([\w-]+)["']""")


class Field(NamedTuple):
    name: str
    line: str
    type: str = ""
    number: str = ""


def fields(lines: Sequence[str], path: str = "") -> tuple[Field, ...]:
    return tuple(_fields(lines, path))


def _fields(lines: Sequence[str], path: str) -> Iterator[Field]:
    for line in bare_lines(lines, path):
        proto = _PROTO.match(line) if path.endswith(".proto") else None
        if proto:
            yield Field(proto["name"], line, proto["type"].strip(), proto["number"])
            continue
        tag = _TAG.search(line)
        if tag:
            kind = _TYPE.search(line)
            yield Field(next(g for g in tag.groups() if g), line, kind.group(0) if kind else "")
        else:
            for access in _ACCESS.finditer(line):
                yield Field(next(g for g in access.groups() if g), line)


def field_effects(file: FileDiff) -> list[Effect]:
    if file.role in {"docs", "tests", "ui", "ci", "manifest"}:
        return []
    found: list[Effect] = []
    for edit in file.edits:
        old, new = fields(edit.removed, file.path), fields(edit.added, file.path)
        names_old, names_new = {f.name for f in old}, {f.name for f in new}
        gone = [f for f in old if f.name not in names_new]
        come = [f for f in new if f.name not in names_old]
        for one, other in zip(gone, come, strict=False):
            found.append(_renamed(one, other, file.path))
        found += [
            Effect(kind="field_removed", key=f.name, path=file.path, quote=f"- {f.line}", old=f.name, clear=0.7)
            for f in gone[len(come) :]
        ]
        found += _types(old, new, file.path)
        found += _required(edit.removed, edit.added, file.path)
    return found


def _renamed(one: Field, other: Field, path: str) -> Effect:
    return Effect(kind="field_renamed", key=one.name, path=path, quote=f"- {one.line} + {other.line}", old=one.name,
                  new=other.name, clear=0.9)  # fmt: skip


def _types(old: Sequence[Field], new: Sequence[Field], path: str) -> list[Effect]:
    found = []
    for before in old:
        after = next((f for f in new if f.name == before.name), None)
        if after and (after.type.lower(), after.number) != (before.type.lower(), before.number):
            found.append(
                Effect(
                    kind="type_changed",
                    key=before.name,
                    path=path,
                    quote=f"- {before.line} + {after.line}",
                    old=before.type or before.number,
                    new=after.type or after.number,
                    clear=0.8,
                )
            )
    return found


def _required(removed: Sequence[str], added: Sequence[str], path: str) -> list[Effect]:
    old = [name for line in bare_lines(removed, path) if _REQUIRED.search(line) for name in _LIST.findall(line)]
    new = [(name, line) for line in bare_lines(added, path) if _REQUIRED.search(line) for name in _LIST.findall(line)]
    fresh = [(name, line) for name, line in new if name not in old]
    gone = [name for name in old if name not in {name for name, _ in new}]
    found = []
    for at, (name, line) in enumerate(fresh):
        before = gone[at] if at < len(gone) else ""
        kind = "field_renamed" if before else "field_required"
        found.append(Effect(kind="field_renamed" if kind == "field_renamed" else "field_required", key=before or name,
                            path=path, quote=f"+ {line}", old=before, new=name, clear=0.9))  # fmt: skip
    return found
