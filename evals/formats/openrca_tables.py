"""OpenRCA's telemetry files as tables of a bundle; which columns a file has tells what it is."""

import csv
from collections.abc import Sequence
from pathlib import Path

from ...contracts.incident import TimeWindow
from .tables import TableWriter

MILLIS = 100_000_000_000
"""Epochs above this are in milliseconds."""
KPIS = {"rr": "request_rate", "sr": "success_rate", "mrt": "response_time", "cnt": "requests", "count": "requests",
        "avg_time": "response_time", "num": "requests", "succee_rate": "success_rate"}  # fmt: skip


def write_tables(tables: TableWriter, days: Sequence[Path], window: TimeWindow) -> int:
    """Rows of all files inside the window; returns how many."""
    rows = 0
    for kind, convert in (("metric", _metric), ("log", _log), ("trace", _trace)):
        for day in days:
            for path in sorted((day / kind).glob("*.csv")):
                sql = convert(path, _header(path))
                if sql:
                    when = "start" if kind == "trace" else "ts"
                    inside = (
                        f"SELECT * FROM ({sql}) WHERE {when} BETWEEN TIMESTAMPTZ '{window.start.isoformat()}'"  # noqa: S608 - our own SQL
                        f" AND TIMESTAMPTZ '{window.end.isoformat()}'"
                    )
                    rows += tables.query(_source(kind), inside, name=f"{day.name}-{path.stem}")
    return rows


def _source(kind: str) -> str:
    return {"metric": "metrics", "log": "logs", "trace": "traces"}[kind]


def _header(path: Path) -> list[str]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return next(csv.reader(file), [])


def _read(path: Path) -> str:
    return f"read_csv('{path}', all_varchar=true, header=true)"


def _ts(column: str) -> str:
    number = f"try_cast({column} AS DOUBLE)"
    return f"to_timestamp(CASE WHEN {number} > {MILLIS} THEN {number} / 1000 ELSE {number} END)"


def _component(column: str) -> str:
    """`node-1.x-0` is the pod `x-0`."""
    return f"regexp_replace({column}, '^node-\\d+\\.', '')"


def _service(column: str) -> str:
    """A pod's service: without its number; other components are their own."""
    return (
        f"regexp_replace(regexp_replace({_component(column)}, '-grpc$|\\.ts:\\d+$', ''), '^([a-z]+?)2?-\\d+$', '\\1')"
    )


def _metric(path: Path, header: list[str]) -> str:
    if {"cmdb_id", "value"} <= set(header):
        name = "kpi_name" if "kpi_name" in header else "name"
        return (
            f"SELECT {_ts('timestamp')} AS ts, {_service('cmdb_id')} AS service, {_component('cmdb_id')} AS instance,"  # noqa: S608 - our own path
            f" {name} AS metric, try_cast(value AS DOUBLE) AS value FROM {_read(path)}"
        )
    owner = next((column for column in ("tc", "service", "serviceName") if column in header), "")
    at = "startTime" if "startTime" in header else "timestamp"
    measured = [column for column in header if column in KPIS]
    if not owner or not measured:
        return ""
    parts = [
        f"SELECT {_ts(at)} AS ts, {_service(owner)} AS service, {owner} AS instance, '{KPIS[column]}' AS metric,"  # noqa: S608 - our own path
        f" try_cast({column} AS DOUBLE) AS value FROM {_read(path)}"
        for column in measured
    ]
    return " UNION ALL ".join(parts)


def _log(path: Path, header: list[str]) -> str:
    if not {"timestamp", "cmdb_id", "value"} <= set(header):
        return ""
    return (
        f"SELECT {_ts('timestamp')} AS ts, {_service('cmdb_id')} AS service, {_component('cmdb_id')} AS instance,"  # noqa: S608 - our own path
        f" value AS body, log_name, upper(regexp_extract(value, '(?i)\\b(info|warn|warning|error|fatal)\\b', 1))"
        f" AS severity FROM {_read(path)}"
    )


def _trace(path: Path, header: list[str]) -> str:
    if "elapsedTime" in header:
        return (
            f"SELECT traceId AS trace_id, id AS span_id, nullif(pid, 'None') AS parent_id,"  # noqa: S608 - our own path
            f" {_service('cmdb_id')} AS service, cmdb_id AS instance,"
            f" coalesce(nullif(serviceName, ''), callType) AS name,"
            f" {_ts('startTime')} AS start, try_cast(elapsedTime AS DOUBLE) AS duration_ms,"
            f" CASE WHEN lower(success) = 'true' THEN 'ok' ELSE 'error' END AS status, dsName AS target"
            f" FROM {_read(path)}"
        )
    if not {"trace_id", "span_id", "duration"} <= set(header):
        return ""
    parent = "parent_span" if "parent_span" in header else "parent_id"
    named = "operation_name" if "operation_name" in header else "''"
    status = "status_code" if "status_code" in header else "''"
    unit = 1000 if "operation_name" in header else 1
    return (
        f"SELECT trace_id, span_id, nullif({parent}, '') AS parent_id, {_service('cmdb_id')} AS service,"  # noqa: S608 - our own path
        f" {_component('cmdb_id')} AS instance, {named} AS name, {_ts('timestamp')} AS start,"
        f" try_cast(duration AS DOUBLE) / {unit} AS duration_ms, {status} AS status FROM {_read(path)}"
    )
