"""A JSON value as an indented outline: keys in order, every string on one line, nothing left out in silence."""

import re
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
    if label == "-" and isinstance(inner, dict) and inner:
        first, *rest = outline(inner, indent + "  ")
        yield Hanging(f"{indent}- {first.prefix.plain.removeprefix(indent + '  ')}", first.body)
        yield from rest
    elif isinstance(inner, dict | list) and inner and not _is_plain_list(inner):
        yield Hanging(indent, line(label, "dim"))
        yield from outline(inner, indent + "  ")
    else:
        yield Hanging(f"{indent}{line(label).plain} ", line(_scalar(inner)))


def _is_plain_list(value: JsonValue) -> bool:
    """Names without blanks or commas can stand on one line and still be told apart."""
    return isinstance(value, list) and all(isinstance(v, str) and re.fullmatch(r"[\w.:@/-]+", v) for v in value)


def _scalar(value: JsonValue) -> str:
    if value is None or value in ("", [], {}):
        return "(none)"
    if isinstance(value, list):
        return ", ".join(str(inner) for inner in value)
    shown = str(value).lower() if isinstance(value, bool) else str(value)
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]} … ({len(shown) - LONGEST:,} more characters)"
