"""Where a source's rows are kept while a bundle is open: in memory, in a temporary file, or only in the bundle's files.

Small sources are asked often and are copied into memory. Larger text is parsed once into a column store in the opened
bundle's temporary folder, where the disk has room for it: a question then reads the columns that it needs. What is
larger still, and Parquet, is read in place each time.
"""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import duckdb

from ...contracts.evidence import Source
from .columns import COLUMNS, TABLES
from .readers import FILES
from .relations import Relation
from .sql import literal

IN_MEMORY = 24 * 2**20
"""Bytes of text of one source that are kept in memory."""
ON_DISK = 32 * 2**30
"""Bytes of text of one source that are copied into a temporary file."""
Place = Literal["memory", "disk", "files"]
_TYPES = {"ts": "TIMESTAMP", "start": "TIMESTAMP", "value": "DOUBLE", "duration_ms": "DOUBLE", "weight": "DOUBLE"}
_STORE = "store"


class Part(NamedTuple):
    """Files of a source that one SELECT reads."""

    relation: Relation
    files: tuple[tuple[str, Path], ...]
    """Name in the bundle, and where it is read from."""

    @property
    def select(self) -> str:
        paths = ", ".join(literal(str(path)) for _, path in self.files)
        return self.relation.select.replace(FILES, f"[{paths}]")


def grouped(parts: Sequence[Part]) -> list[Part]:
    """Files that are read alike become one part: hundreds of files are one scan."""
    groups: dict[Relation, list[tuple[str, Path]]] = {}
    for part in parts:
        groups.setdefault(part.relation, []).extend(part.files)
    return [Part(relation, tuple(files)) for relation, files in groups.items()]


def store(
    connection: duckdb.DuckDBPyConnection, source: Source, parts: Sequence[Part], size: int, temporary: Path
) -> list[str]:
    """Create `NAME_all`, with the times as they were written too, and `NAME`, which probes read; say what broke."""
    table = TABLES[source]
    place = _place(parts, size, temporary)
    broken: list[str] = []
    kept = grouped(parts)
    if place == "files" or not _copied(connection, table, kept, place, temporary):
        if place == "memory":
            working, broken = _that_work(connection, parts)
            kept = grouped(working)
        if not (broken and _copied(connection, table, kept, place, temporary)):
            connection.execute(f"CREATE VIEW {table}_all AS {_union(source, kept)}")
    connection.execute(f"CREATE VIEW {table} AS SELECT {', '.join(COLUMNS[source])} FROM {table}_all")  # noqa: S608  # ours
    return broken


def edges_of_spans(connection: duckdb.DuckDBPyConnection) -> None:
    """No topology: who calls whom is read off the spans, once, unless they are only in the bundle's files."""
    select = """SELECT p.service AS caller, s.service AS callee, 'trace' AS kind, CAST(count(*) AS DOUBLE) AS weight
        FROM spans s JOIN spans p ON p.trace_id = s.trace_id AND p.span_id = s.parent_id
        WHERE s.parent_id <> '' AND s.service <> p.service AND s.service <> '' AND p.service <> ''
        GROUP BY p.service, s.service"""
    connection.execute("DROP VIEW edges")
    held = connection.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'spans_all'").fetchone()
    kind = "TABLE" if held and held[0] else "VIEW"
    connection.execute(f"CREATE {kind} edges AS {select}")


def _place(parts: Sequence[Part], size: int, temporary: Path) -> Place:
    if size <= IN_MEMORY:
        return "memory"
    text = any("read_parquet" not in part.relation.select for part in parts)
    if text and size <= ON_DISK and shutil.disk_usage(temporary).free > 2 * size:
        return "disk"
    return "files"


def _copied(
    connection: duckdb.DuckDBPyConnection, table: str, parts: Sequence[Part], place: Place, temporary: Path
) -> bool:
    """Whether the copy was made; no room in memory or on disk, and a file that breaks, leave none."""
    source = next(s for s, name in TABLES.items() if name == table)
    if place == "disk":
        connection.execute(f"ATTACH IF NOT EXISTS {literal(str(temporary / 'tables.duckdb'))} AS {_STORE}")
    name = f"{_STORE}.{table}_all" if place == "disk" else f"{table}_all"
    try:
        connection.execute(f"CREATE TABLE {name} AS {_union(source, parts)}")
    except duckdb.Error:
        connection.execute(f"DROP TABLE IF EXISTS {name}")
        return False
    if place == "disk":
        connection.execute(f"CREATE VIEW {table}_all AS SELECT * FROM {name}")  # noqa: S608  # names of ours
    return True


def _that_work(connection: duckdb.DuckDBPyConnection, parts: Sequence[Part]) -> tuple[list[Part], list[str]]:
    """Files that can be read to their end, and what is wrong with the others."""
    kept: list[Part] = []
    broken: list[str] = []
    for part, error in _tried(connection, parts):
        if error:
            broken.append(f"{part.files[0][0]}: {error}")
        else:
            kept.append(part)
    return kept, broken


def _tried(connection: duckdb.DuckDBPyConnection, parts: Sequence[Part]) -> Iterator[tuple[Part, str]]:
    for part in parts:
        try:
            connection.execute(f"CREATE OR REPLACE TEMP TABLE trial AS {part.select}")
            connection.execute("DROP TABLE trial")
        except duckdb.Error as error:
            yield part, str(error).strip().split("\n", 1)[0][:200]
        else:
            yield part, ""


def _union(source: Source, parts: Sequence[Part]) -> str:
    columns = (*COLUMNS[source], "ts_text")
    none = ", ".join(f"CAST(NULL AS {_TYPES.get(column, 'VARCHAR')}) AS {column}" for column in columns)
    return " UNION ALL ".join(part.select for part in parts) or f"SELECT {none} WHERE false"
