"""Named numbers, strings and switches whose value a change moves."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .effects import Effect
from .model import FileDiff, Hunk
from .roles import role_of
from .text import bare, strings
from .values import Quantity, quantities

_KEY = re.compile(
    r"""["']?([A-Za-z_][\w.-]*)["']?\s*(?:\w*\s*)?(?::=|=>|[:=](?!=)|<=|>=|<|>|==)\s*$   # key before a value
    |["']([A-Za-z_][\w.-]*)["']\s*,\s*$                                                # "key", value
    |([A-Za-z_][\w.]*)\s*\((?:[^()]|\([^()]*\))*$                                      # call(..., value
    |\b(LIMIT|OFFSET|LIMIT\s+BY)\s*$""",
    re.VERBOSE,
)
_DECLARED = re.compile(
    r"^\s*(?:(?:export|const|var|let|val|final|static|public|private|protected|readonly|int|"
    r"long|float|double|"
    r"string|String|boolean|bool|if|return|else|elif|while)\s+)+"
)
_PAIR = re.compile(
    r"""^[\s{,-]*["']?([A-Za-z_][\w.-]*)["']?\s*(?::=|=>|[:=])\s*["'`]?([^"'`,;{}()\[\]]+?)["'`]?\s*[,;]?\s*$"""
)
_CHANNEL = re.compile(r"\bmake\(\s*chan\b")
_ASSIGNED = re.compile(r"^(?:(?:const|var|let|final|val)\s+)?([A-Za-z_][\w.]*)\s*:?=\s*[\w.]+\(")
_ITEM = re.compile(r"^\s*-\s+(?!\w+:\s)")
_SWITCH = re.compile(r"([A-Za-z_][\w.-]*)\s*[:=]\s*(true|false)\b")
_BOOLEANS = {"true": 1.0, "false": 0.0, "on": 1.0, "off": 0.0, "yes": 1.0, "no": 0.0, "enabled": 1.0, "disabled": 0.0}
_VERSION = re.compile(r"^v?\d+(\.\d+){1,3}([-+.]\w+)*$|^v\d{4}[\d.-]*$")
_VERSION_KEY = re.compile(r"version|revision|build|release", re.IGNORECASE)


class Constant(NamedTuple):
    key: str
    quantity: Quantity
    line: str


class Value(NamedTuple):
    key: str
    text: str
    line: str


def constants(lines: Iterable[str], path: str, parents: Sequence[str] = ()) -> tuple[Constant, ...]:
    """Every number that has a name, in order; `parents` are the keys that a nested file has above it."""
    return tuple(_constants(lines, path, parents))


def _constants(lines: Iterable[str], path: str, parents: Sequence[str]) -> Iterator[Constant]:
    prefix = ".".join(parents)
    for line in lines:
        text = bare(line, path)
        for rough in quantities(text):
            key = key_before(text, rough.at)
            if not key:
                continue
            exact = next((q for q in quantities(text, key) if q.at == rough.at), rough)
            yield Constant(f"{prefix}.{key}" if prefix else key, exact, line.strip())


def key_before(text: str, at: int) -> str:
    """The name that the value at this place goes by: a key, a variable, or the call it is handed to."""
    text = _DECLARED.sub(lambda m: " " * len(m.group(0)), text)
    head = text[:at].rstrip(" \"'`")
    found = _KEY.search(head) or _KEY.search(text[:at])
    key = next((group for group in found.groups() if group), "") if found else ""
    return "channel buffer" if key == "make" and _CHANNEL.search(head) else key


def constant_effects(file: FileDiff) -> list[Effect]:
    found: list[Effect] = []
    if file.role == "manifest":
        return found
    for hunk in file.hunks:
        parents = _parents(hunk) if file.path.endswith((".yaml", ".yml")) else ()
        old = constants((line.text for line in hunk.lines if line.mark == "-"), file.path, parents)
        new = constants((line.text for line in hunk.lines if line.mark == "+"), file.path, parents)
        found += _paired(old, new, file.path)
        found += _texts(hunk, file.path)
        found += _settings(hunk, file)
    return found


def _paired(old: Sequence[Constant], new: Sequence[Constant], path: str) -> list[Effect]:
    left, right = list(old), list(new)
    for constant in old:
        same = next((c for c in right if c.key == constant.key and c.quantity[:2] == constant.quantity[:2]), None)
        if same is not None:
            left.remove(constant)
            right.remove(same)
    found = []
    for constant in list(left):
        partner = next((c for c in right if _same_name(c.key, constant.key)), None)
        if partner is not None:
            left.remove(constant)
            right.remove(partner)
            found.append(_changed(constant, partner, path))
    values = [c.quantity.value for c in old]
    found += [_single("constant_added", c, path) for c in right if c.quantity.value not in values]
    values = [c.quantity.value for c in new]
    found += [_single("constant_removed", c, path) for c in left if c.quantity.value not in values]
    return found


def _same_name(one: str, other: str) -> bool:
    return one.rpartition(".")[2].replace("_", "").lower() == other.rpartition(".")[2].replace("_", "").lower()


def _changed(old: Constant, new: Constant, path: str) -> Effect:
    before, after = old.quantity, new.quantity
    version = _VERSION_KEY.search(old.key) is not None
    return Effect(
        kind="behaviour_changed" if version else "constant_changed", key=new.key, path=path,
        quote=f"- {old.line} + {new.line}", old=before.text, new=after.text, old_value=before.value,
        new_value=after.value, unit=before.unit if before.unit == after.unit else "1", clear=0.05 if version else 0.9,
    )  # fmt: skip


def _single(kind: str, constant: Constant, path: str) -> Effect:
    added = kind == "constant_added"
    quantity = constant.quantity
    return Effect(
        kind="constant_added" if added else "constant_removed", key=constant.key, path=path,
        quote=f"{'+' if added else '-'} {constant.line}", old="" if added else quantity.text,
        new=quantity.text if added else "", old_value=None if added else quantity.value,
        new_value=quantity.value if added else None, unit=quantity.unit, clear=0.45,
    )  # fmt: skip


def _texts(hunk: Hunk, path: str) -> list[Effect]:
    old = {v.key: v for line in hunk.lines if line.mark == "-" for v in _values(line.text, path)}
    new = {v.key: v for line in hunk.lines if line.mark == "+" for v in _values(line.text, path)}
    found = []
    for key in old.keys() & new.keys():
        before, after = old[key], new[key]
        if before.text == after.text or _number(before.text) or _number(after.text):
            continue
        found.append(_text_changed(before, after, path))
    return sorted(found, key=lambda effect: effect.key)


def _settings(hunk: Hunk, file: FileDiff) -> list[Effect]:
    """Settings that are gone from a configuration file, and switches that are new in code."""
    old = [v for line in hunk.lines if line.mark == "-" for v in _values(line.text, file.path)]
    new = [v for line in hunk.lines if line.mark == "+" for v in _values(line.text, file.path)]
    kept = {v.key for v in new} | {v.text for v in new}
    moved = {v.text for v in new if v.key != "name" and v.text.lower() not in _BOOLEANS and len(v.text) > 4}
    gone = [Value(v.text if v.key == "name" else v.key, v.text, v.line) for v in old] if file.role == "config" else []
    found = [
        Effect(kind="constant_removed", key=v.key, path=file.path, quote=f"- {v.line}", old=v.text, unit="text",
               clear=0.6)
        for v in gone
        if v.key not in kept and not _number(v.text) and v.text not in moved
    ]  # fmt: skip
    return found + _items(hunk, file) + [
        Effect(kind="switch_changed", key=key, path=file.path, quote=f"+ {line.text.strip()}", new=value,
               new_value=_BOOLEANS[value], unit="bool", clear=0.6)
        for line in hunk.lines if line.mark == "+"
        for key, value in _SWITCH.findall(bare(line.text, file.path))
        if key not in {v.key for v in old}
    ]  # fmt: skip


def _items(hunk: Hunk, file: FileDiff) -> list[Effect]:
    """Members that a list of a configuration file loses."""
    if file.role != "config":
        return []
    kept = {line.text.strip() for line in hunk.lines if line.mark != "-"}
    gone = [
        line.text
        for line in hunk.lines
        if line.mark == "-" and _ITEM.match(line.text) and line.text.strip() not in kept
    ]
    parents = ".".join(_parents(hunk))
    return [
        Effect(kind="constant_removed", key=parents or "list", path=file.path, quote=f"- {text.strip()}",
               old=_ITEM.sub("", text).strip(), unit="text", clear=0.7)
        for text in gone
    ]  # fmt: skip


def _text_changed(before: Value, after: Value, path: str) -> Effect:
    flags = _BOOLEANS.get(before.text.lower()), _BOOLEANS.get(after.text.lower())
    switch = None not in flags
    version = bool(_VERSION.match(before.text) and _VERSION.match(after.text))
    return Effect(
        kind="switch_changed" if switch else "text_changed",
        key=after.key,
        path=path,
        quote=f"- {before.line} + {after.line}",
        old=before.text,
        new=after.text,
        old_value=flags[0] if switch else None,
        new_value=flags[1] if switch else None,
        unit="bool" if switch else "text",
        clear=0.05 if version else 0.8 if switch else 0.75 if role_of(path) == "config" else 0.6,
    )


def _values(line: str, path: str) -> Iterator[Value]:
    text = bare(line, path)
    whole = _PAIR.match(text)
    if whole:
        yield Value(whole.group(1), whole.group(2).strip(), line.strip())
        return
    quoted = strings(text)
    if len(quoted) == 1:
        assigned = _ASSIGNED.match(text)
        key = assigned.group(1) if assigned else key_before(text, text.find(quoted[0]) - 1)
        if key:
            yield Value(key, quoted[0], line.strip())


def _number(text: str) -> bool:
    return text[:1].isdigit() or text[:2].lstrip("-").isdigit()


def _parents(hunk: Hunk) -> tuple[str, ...]:
    """Keys of the lines above the first change that enclose it."""
    trail: list[tuple[int, str]] = []
    for mark, text in hunk.lines:
        indent = len(text) - len(text.lstrip())
        if mark != " ":
            nested = indent if not _ITEM.match(text) else indent + 1
            return tuple(key for depth, key in trail if depth < nested)
        name = re.match(r"\s*(?:- )?([\w.-]+):\s*(#.*)?$", text)
        trail = [(depth, key) for depth, key in trail if depth < indent]
        if name:
            trail.append((indent, name.group(1)))
    return ()
