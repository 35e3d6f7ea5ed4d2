"""Arguments against their description: every one is known, of its type, in its bounds, and no shell syntax."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import re2
from pydantic import JsonValue

from ...contracts.action_catalog import ActionSpec, ArgumentSpec
from .identity import normalised

SHELL = re2.compile(r"[;&|`$<>(){}\[\]\\'\"*?!~#\r\n\x00]|^-")
"""What a shell would read as more than a word, and what a program would read as an option."""


class Arguments(NamedTuple):
    values: dict[str, JsonValue]
    faults: tuple[str, ...]


def check_arguments(spec: ActionSpec, given: Mapping[str, JsonValue]) -> Arguments:
    """The normalised arguments, with the optional ones filled in, or why they cannot stand."""
    faults = [f"{spec.kind} takes no argument {name[:60]!r}" for name in given if name not in spec.arguments]
    values: dict[str, JsonValue] = {}
    for name, described in spec.arguments.items():
        value = given.get(name, described.default)
        if value is None:
            if described.required:
                faults.append(f"argument {name!r} is missing")
            continue
        fault = _fault(value, described)
        if fault:
            faults.append(f"argument {name!r} {fault}")
        else:
            values[name] = normalised(value)
    return Arguments(dict(sorted(values.items())), tuple(faults))


def _fault(value: JsonValue, described: ArgumentSpec) -> str:
    if described.type == "boolean":
        return "" if isinstance(value, bool) else "is neither true nor false"
    if described.type == "string":
        return _text_fault(value, described)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return f"is no {described.type}"
    return _number_fault(value, described)


def _number_fault(value: float, described: ArgumentSpec) -> str:
    low, high = described.minimum, described.maximum
    checks = (
        (described.type == "integer" and value != int(value), "is no whole number"),
        (low is not None and value < low, f"is below {low}"),
        (high is not None and value > high, f"is above {high}"),
        (bool(described.choices) and value not in described.choices, _none_of(described)),
    )
    return next((fault for bad, fault in checks if bad), "")


def _text_fault(value: JsonValue, described: ArgumentSpec) -> str:
    if not isinstance(value, str):
        return "is no text"
    if described.choices:
        return "" if value in described.choices else _none_of(described)
    checks = (
        (len(value) > described.max_length, f"is longer than {described.max_length} characters"),
        (value in {".", ".."}, "is a way through folders"),
        (bool(SHELL.search(value)), f"holds shell syntax: {value[:60]!r}"),
        (re2.fullmatch(described.pattern, value) is None, f"does not match {described.pattern}: {value[:60]!r}"),
    )
    return next((fault for bad, fault in checks if bad), "")


def _none_of(described: ArgumentSpec) -> str:
    return f"is none of {', '.join(map(str, described.choices))}"


def is_plain_name(name: str) -> bool:
    """Whether a resource's name can be handed on: it begins as names do, and holds nothing that a shell would read."""
    plain = bool(name) and len(name) <= 253 and name[0].isalnum() and name.isprintable()
    return plain and " " not in name and not SHELL.search(name)
