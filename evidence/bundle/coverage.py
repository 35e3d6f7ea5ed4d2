"""What a source holds, counted over its table: rows, span, zones, and what could not be understood."""

from datetime import UTC, datetime

import duckdb

from ...contracts.evidence import Source, SourceCoverage, SourceStatus
from .columns import TABLES
from .loading import Loaded

MAX_ZONES = 12
CUT_SHARE = 0.01
"""A source that lost more of its records than this is `cut`: that something is absent from it says nothing."""
_TIMED: dict[Source, str] = {"metrics": "ts", "logs": "ts", "traces": "start", "changes": "ts", "resources": "ts"}


def cover(cursor: duckdb.DuckDBPyConnection, loaded: Loaded) -> SourceCoverage:
    source = loaded.source
    if not loaded.files and not loaded.broken:
        return SourceCoverage(source=source, status="missing")
    column = _TIMED.get(source)
    table = TABLES[source]
    try:
        if column is None:
            rows = _one(cursor, f"SELECT count(*) FROM {table}")[0]  # noqa: S608  # names of ours
            return _finish(loaded, rows, (None, None), (), [])
        return _timed(cursor, loaded, table, column)
    except duckdb.Error as error:
        why = str(error).strip().split("\n", 1)[0][:200]
        return SourceCoverage(
            source=source, status="unreadable", files=loaded.files, notes=(*loaded.notes, f"cannot be read: {why}")
        )


def _timed(cursor: duckdb.DuckDBPyConnection, loaded: Loaded, table: str, column: str) -> SourceCoverage:
    extra = "count(*) FILTER (value IS NULL)" if loaded.source == "metrics" else "0"
    rows, start, end, undated, lost, zones = _one(
        cursor,
        f"SELECT count(*), min({column}), max({column}), "  # noqa: S608  # names of ours
        f"count(*) FILTER ({column} IS NULL AND ts_text <> ''), {extra}, "
        f"coalesce(list_sort(list(DISTINCT zone_of(ts_text))), [])[:{MAX_ZONES * 10}] FROM {table}_all",
    )
    notes: list[str] = []
    if undated:
        notes.append(f"{undated} times could not be understood or lie outside 1980 to 2200")
    if lost:
        notes.append(f"{lost} values are no finite numbers")
    if "none" in zones:
        notes.append("times without a zone were read as UTC")
    return _finish(loaded, rows, (start, end), tuple(z for z in zones if z)[:MAX_ZONES], notes)


def _finish(
    loaded: Loaded, rows: int, span: tuple[datetime | None, datetime | None], zones: tuple[str, ...], notes: list[str]
) -> SourceCoverage:
    dropped = max(loaded.lines - rows, 0)
    if dropped and loaded.source != "metrics":
        notes.insert(0, f"{dropped} lines made no record")
    status: SourceStatus = "ok"
    if loaded.broken and not rows:
        status = "unreadable"
    elif not rows:
        status = "empty"
    elif loaded.cut or loaded.broken or (dropped > loaded.lines * CUT_SHARE and loaded.source != "metrics"):
        status = "cut"
    start, end = (t.replace(tzinfo=UTC) if t else None for t in span)
    return SourceCoverage(
        source=loaded.source, status=status, files=loaded.files, rows=rows, start=start, end=end, zones=zones,
        notes=(*notes, *loaded.notes),
    )  # fmt: skip


def _one(cursor: duckdb.DuckDBPyConnection, sql: str) -> tuple:  # type: ignore[type-arg]
    row = cursor.execute(sql).fetchone()
    assert row is not None
    return row
