"""How DuckDB reads a file: as text columns whatever the values look like, so that nothing is guessed.

The SQL has `FILES` where the paths belong: files that are read alike share one table expression.
"""

import contextlib
import csv
import io
import json
from collections.abc import Callable
from typing import NamedTuple

import duckdb

from .files import SourceFile
from .scan import LONG_LINE, FileScan
from .sql import ident, literal

FILES = "@files@"
KEY_SAMPLE = 20_000
"""Records whose keys are looked at to learn a JSON file's columns."""
MAX_COLUMNS = 1000
_CSV_LINE = 2 * 2**20


class Readable(NamedTuple):
    """A file as DuckDB will read it; `origin` is how the bundle names it."""

    file: SourceFile
    scan: FileScan
    origin: SourceFile


class Reader(NamedTuple):
    sql: str
    """A table expression."""
    columns: dict[str, str]
    """Column as the file names it, to the SQL that names it in the table expression; text but for `instants`."""
    instants: frozenset[str] = frozenset()
    """SQL names of columns that are instants already: TIMESTAMP in UTC."""


NOTHING = Reader("(SELECT 1 AS nothing WHERE false)", {})


def reader_of(cursor: duckdb.DuckDBPyConnection, readable: Readable) -> Reader:
    """Raise duckdb.Error or ValueError for a file that cannot be read."""
    reader = _READERS[readable.file.format](cursor, readable)
    if len(reader.columns) > MAX_COLUMNS:
        raise ValueError(f"{len(reader.columns)} columns, more than {MAX_COLUMNS}")
    if any(FILES in name for name in reader.columns):
        raise ValueError(f"a column's name holds {FILES!r}")
    return reader


def _text(_: duckdb.DuckDBPyConnection, readable: Readable) -> Reader:
    longest = f", max_line_size={readable.scan.longest + 1024}" if readable.scan.longest > _CSV_LINE - 1024 else ""
    sql = (
        f"(SELECT line FROM read_csv({FILES}, columns={{'line': 'VARCHAR'}}, "  # noqa: S608  # quoted
        f"auto_detect=false, header=false, delim=E'\\x1f', quote='', escape='', strict_mode=false, ignore_errors=true, "
        f"compression={_compression(readable.file)}{longest}) WHERE line <> '')"
    )
    return Reader(sql, {"line": "line"})


def _csv(_: duckdb.DuckDBPyConnection, readable: Readable) -> Reader:
    first = readable.scan.head.decode("utf-8", "replace").split("\n", 1)[0].rstrip("\r")
    delimiter = max(",\t;|", key=lambda d: (first.count(d), d == ","))
    header = next(csv.reader(io.StringIO(first), delimiter=delimiter), [])
    columns: dict[str, str] = {}
    for number, name in enumerate(header):
        columns.setdefault(name.strip() or f"column{number}", f"c{number}")
    if not columns:
        return NOTHING
    kinds = ", ".join(f"'c{number}': 'VARCHAR'" for number in range(len(header)))
    longest = f", max_line_size={readable.scan.longest + 1024}" if readable.scan.longest > _CSV_LINE - 1024 else ""
    escaped = "E'\\t'" if delimiter == "\t" else literal(delimiter)
    return Reader(
        f"read_csv({FILES}, columns={{{kinds}}}, auto_detect=false, header=true, "
        f"delim={escaped}, quote='\"', escape='\"', ignore_errors=true, strict_mode=false, null_padding=true, "
        f"parallel=false, compression={_compression(readable.file)}{longest})",
        columns,
    )


def _json(cursor: duckdb.DuckDBPyConnection, readable: Readable) -> Reader:
    options = f"format={_json_shape(readable)}, ignore_errors=true, compression={_compression(readable.file)}"
    names: dict[str, str] = {}
    for name in sorted(_keys(cursor, readable, options)):
        names.setdefault(name.lower(), name)
    if not names:
        return NOTHING
    kinds = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names.values())
    gone = " AND ".join(f"{ident(name)} IS NULL" for name in names.values())
    return Reader(
        f"(SELECT * FROM read_json({FILES}, columns={{{kinds}}}, {options}) WHERE NOT ({gone}))",  # noqa: S608  # quoted
        {name: ident(name) for name in names.values()},
    )


def _keys(cursor: duckdb.DuckDBPyConnection, readable: Readable, options: str) -> set[str]:
    """Of the file's objects: a small file's by reading it here, a larger one's by a sample."""
    small = _keys_here(readable) if readable.scan.expanded <= len(readable.scan.head) else None
    if small is not None:
        return small
    found = cursor.execute(
        "SELECT DISTINCT unnest(json_keys(json)) FROM (SELECT json FROM "  # noqa: S608  # quoted
        f"read_json_objects({literal(str(readable.file.path))}, {options}) "
        f"WHERE json_type(json) = 'OBJECT' LIMIT {KEY_SAMPLE})"
    ).fetchall()
    return {name for (name,) in found if name}


def _keys_here(readable: Readable) -> set[str] | None:
    """None where the text is not simply JSON lines or one array."""
    text = readable.scan.head.decode("utf-8", "replace")
    records: list[object] = []
    try:
        if readable.file.format == "jsonl":
            for line in text.splitlines():
                with contextlib.suppress(ValueError):
                    records.append(json.loads(line))
        else:
            found = json.loads(text)
            records = found if isinstance(found, list) else [found]
    except (ValueError, RecursionError):
        return None
    return {name for record in records if isinstance(record, dict) for name in record if name}


def _parquet(cursor: duckdb.DuckDBPyConnection, readable: Readable) -> Reader:
    one = f"read_parquet({literal(str(readable.file.path))})"
    columns: dict[str, str] = {}
    casts = []
    instants = set()
    for name, kind, *_ in cursor.execute(f"DESCRIBE SELECT * FROM {one}").fetchall():  # noqa: S608  # quoted
        columns[name] = ident(name)
        if kind == "TIMESTAMP WITH TIME ZONE":
            instants.add(ident(name))
            casts.append(f"{ident(name)} AT TIME ZONE 'UTC' AS {ident(name)}")
        else:
            casts.append(f"{_as_text(ident(name), kind)} AS {ident(name)}")
    return Reader(f"(SELECT {', '.join(casts)} FROM read_parquet({FILES}))", columns, frozenset(instants))  # noqa: S608  # quoted


def _as_text(column: str, kind: str) -> str:
    if kind == "VARCHAR":
        return column
    if kind == "BLOB":
        return f"hex({column})"
    if kind.startswith(("STRUCT", "MAP")) or kind.endswith("]"):
        return f"CAST(to_json({column}) AS VARCHAR)"
    return f"CAST({column} AS VARCHAR)"


_READERS: dict[str, Callable[[duckdb.DuckDBPyConnection, Readable], Reader]] = {
    "text": _text, "csv": _csv, "json": _json, "jsonl": _json, "parquet": _parquet,
}  # fmt: skip


def _json_shape(readable: Readable) -> str:
    if readable.file.format == "jsonl":
        return "'newline_delimited'"
    return "'array'" if readable.scan.head.lstrip(b" \t\r\n").startswith(b"[") else "'unstructured'"


def _compression(file: SourceFile) -> str:
    return {"": "'none'", "gz": "'gzip'", "zst": "'zstd'", "xz": "'none'"}[file.compression]


def cut_to_limit(expression: str) -> str:
    """Text beyond the limit is never looked at."""
    return f"left({expression}, {LONG_LINE})"
