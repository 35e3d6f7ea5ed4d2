"""Lists for people and for programs: an aligned table, JSON or YAML of the same rows."""

import io
import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import JsonValue

from .visible import one_line, visible_json

ListFormat = Literal["table", "json", "yaml"]
Row = Mapping[str, JsonValue]
SCHEMA = 1
MOST_TOLD = 4
"""Items of a list that a table's cell shows."""


def show_list(name: str, rows: Sequence[Row], columns: Mapping[str, str], form: ListFormat, empty: str = "") -> None:
    """Print `rows` on stdout; `columns` maps a table's headings to keys. `empty` is said where there is no row."""
    if form == "table":
        print(aligned(rows, columns) if rows else empty)  # noqa: T201 data goes to stdout
        return
    document: dict[str, JsonValue] = {"schema": SCHEMA, name: [dict(row) for row in rows]}
    print(as_json(document) if form == "json" else as_yaml(document), end="")  # noqa: T201 data goes to stdout


def as_json(document: JsonValue) -> str:
    return visible_json(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)) + "\n"


def as_yaml(document: JsonValue) -> str:
    from ruamel.yaml import YAML  # noqa: PLC0415 slow to load, and seldom asked for

    writer = YAML()
    writer.allow_unicode = False
    stream = io.StringIO()
    writer.dump(document, stream)
    return stream.getvalue()


def aligned(rows: Sequence[Row], columns: Mapping[str, str]) -> str:
    """Cut to the terminal's width where there is one; never cut when piped."""
    cells = [list(columns)] + [[_cell(row.get(key)) for key in columns.values()] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(columns))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
        lines = [one if len(one) <= width else one[: width - 1] + "…" for one in lines]
    return "\n".join(lines)


def _cell(value: JsonValue) -> str:
    if value is None:
        return "-"
    if isinstance(value, list):
        told = [str(item) for item in value]
        left = [f"{len(told) - MOST_TOLD} more"] if len(told) > MOST_TOLD + 1 else []
        return one_line(", ".join(told[:MOST_TOLD] + left if left else told)) or "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return one_line(str(value)) or "-"
