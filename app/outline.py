"""A JSON value as an indented outline: keys in order, every string on one line, nothing left out in silence."""

from collections.abc import Iterator

from pydantic import JsonValue

from .console import Hanging, line

LONGEST = 2000
"""Characters of one value; what is cut is said, so that nothing hides behind padding."""


def outline(value: JsonValue, indent: str = "  ") -> Iterator[Hanging]:
    if isinstance(value, dict):
        for key, inner in sorted(value.items()):
            yield from _entry(f"{key}:", inner, indent)
    elif isinstance(value, list):
        for inner in value:
            yield from _entry("-", inner, indent)
    else:
        yield Hanging(indent, line(_scalar(value)))


def _entry(label: str, inner: JsonValue, indent: str) -> Iterator[Hanging]:
    if isinstance(inner, dict | list) and inner:
        yield Hanging(indent, line(label, "dim"))
        yield from outline(inner, indent + "  ")
    else:
        yield Hanging(f"{indent}{line(label).plain} ", line(_scalar(inner)))


def _scalar(value: JsonValue) -> str:
    if value is None or value == "" or isinstance(value, dict | list):
        return "(none)"
    shown = str(value).lower() if isinstance(value, bool) else str(value)
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]} … ({len(shown) - LONGEST:,} more characters)"
