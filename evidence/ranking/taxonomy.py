"""The fault kinds of taxonomy.yaml, read once."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from ruamel.yaml import YAML

from ...contracts.incident import CauseKind

ALIKE = 0.6
Direction = Literal["raised", "lowered", ""]


@dataclass(frozen=True)
class DiffRule:
    """What a change does that produces the fault."""

    effects: frozenset[str]
    keys: re.Pattern[str] | None
    but: re.Pattern[str] | None
    direction: Direction
    factor: float
    weight: float


@dataclass(frozen=True)
class MetricRule:
    name: re.Pattern[str]
    moves: Literal["rises", "falls"]


@dataclass(frozen=True)
class Reason:
    name: str
    kind: CauseKind
    operational: bool
    diff: tuple[DiffRule, ...]
    text: tuple[re.Pattern[str], ...]
    metrics: tuple[MetricRule, ...]
    resources: re.Pattern[str] | None
    remedy: str
    also: tuple[str, ...] = ()
    """Other names that askers give it."""
    group: str = ""
    """The class that it belongs to, where an asker only tells classes apart."""


@cache
def _file() -> dict[str, Any]:
    text = files(__package__).joinpath("taxonomy.yaml").read_text(encoding="utf-8")
    return dict(YAML(typ="safe", pure=True).load(text))


@cache
def taxonomy() -> tuple[Reason, ...]:
    return tuple(_reason(entry) for entry in _file()["reasons"])


@cache
def reason(name: str) -> Reason | None:
    return next((found for found in taxonomy() if found.name == name), None)


def listed_name(name: str, listed: Sequence[str]) -> str:
    """What the asker's list calls a fault kind: the same name, another name for it, the only one alike, or none."""
    known = reason(name)
    names = (name, *(known.also if known else ()))
    found = next((other for other in names if other in listed), "")
    if found or not name:
        return found
    alike = {other for other in listed if max(_alike(one, other) for one in names) >= ALIKE}
    if alike:
        return alike.pop() if len(alike) == 1 else ""
    return _class_name(known.group, listed) if known is not None else ""


def _class_name(group: str, listed: Sequence[str]) -> str:
    """Of a list of coarse kinds, the one whose words are all of the class; two are as good as none."""
    classes = _file()["classes"]
    words, filler = set(classes.get(group, ())), set(classes["any"])
    found = [name for name in listed if (told := set(name.split("_")) - filler) and told <= words]
    return found[0] if len(found) == 1 else ""


def _alike(one: str, other: str) -> float:
    """The share of words that two names have in common."""
    words, others = set(one.split("_")), set(other.split("_"))
    return len(words & others) / len(words | others)


def _reason(entry: dict[str, Any]) -> Reason:
    return Reason(
        name=entry["name"], kind=entry["kind"], operational=entry.get("operational", False),
        diff=tuple(_diff(rule) for rule in entry.get("diff", ())),
        text=tuple(re.compile(pattern, re.IGNORECASE) for pattern in entry.get("text", ())),
        metrics=tuple(MetricRule(_words(rule["name"]), rule["moves"]) for rule in entry.get("metrics", ())),
        resources=_pattern(entry.get("resources")), remedy=entry["remedy"], also=tuple(entry.get("also", ())),
        group=entry.get("class", entry["kind"]),
    )  # fmt: skip


def _diff(rule: dict[str, Any]) -> DiffRule:
    return DiffRule(
        effects=frozenset(rule["effects"]), keys=_words(rule["keys"]) if "keys" in rule else None,
        but=_words(rule["but"]) if "but" in rule else None,
        direction=rule.get("direction", ""), factor=float(rule.get("factor", 1.0)), weight=float(rule["weight"]),
    )  # fmt: skip


def _words(pattern: str) -> re.Pattern[str]:
    """Searched in words: every alternative begins where a word begins, so that `port` is not found in `transport`."""
    return re.compile(rf"\b(?:{pattern})", re.IGNORECASE)


def _pattern(text: str | None) -> re.Pattern[str] | None:
    return re.compile(text, re.IGNORECASE) if text else None
