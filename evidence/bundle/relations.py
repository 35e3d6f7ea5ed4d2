"""One SELECT per file: the file's columns in, the table's columns out, everything else an attribute."""

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

import duckdb

from ...contracts.evidence import Source
from .columns import COLUMNS, map_columns
from .files import SourceFile
from .readers import Readable, Reader, cut_to_limit, reader_of
from .sql import literal


class Raw(NamedTuple):
    """The SQL of a file's columns, by the table's names, and of those that the table does not know."""

    known: Mapping[str, str]
    rest: Mapping[str, str]
    origin: SourceFile
    instants: frozenset[str] = frozenset()

    def time(self, column: str) -> str:
        """A TIMESTAMP in UTC; NULL for what is no time, or outside the years that telemetry has."""
        found = self.known.get(column)
        if found is None:
            return "CAST(NULL AS TIMESTAMP)"
        return f"sane_time({found if found in self.instants else f'written_time({found})'})"

    def written(self, column: str) -> str:
        """The time as the file writes it."""
        found = self.known.get(column)
        if found is None:
            return "CAST(NULL AS VARCHAR)"
        return f"strftime({found}, '%Y-%m-%dT%H:%M:%S.%fZ')" if found in self.instants else found

    def text(self, column: str) -> str:
        return f"coalesce({self.known[column]}, '')" if column in self.known else "''"

    def or_null(self, column: str) -> str:
        return self.known.get(column, "CAST(NULL AS VARCHAR)")


class Relation(NamedTuple):
    select: str
    unknown: tuple[str, ...]
    known: tuple[str, ...]


def relation_of(cursor: duckdb.DuckDBPyConnection, readable: Readable) -> Relation:
    """Raise duckdb.Error or ValueError for a file that cannot be read."""
    source = readable.file.source
    reader = reader_of(cursor, readable)
    mapped = map_columns(source, list(reader.columns))
    known = {column: f"r.{reader.columns[name]}" for column, name in mapped.known.items()}
    rest = {name: f"r.{reader.columns[name]}" for name in mapped.unknown}
    table = reader.sql
    if readable.file.format == "text":
        table, known, rest = _parsed_lines(reader), {c: f"r.{c}" for c in ("ts", "severity", "service", "body")}, {}
    elif source == "metrics" and not {"metric", "value"} & set(known):
        table, known, rest = _narrowed(reader, known, rest), {**known, "metric": "r.p.m", "value": "r.p.v"}, {}
    raw = Raw(known, rest, readable.origin, frozenset(f"r.{name}" for name in reader.instants))
    expressions = {**_SELECTS[source](raw), "ts_text": raw.written("start" if source == "traces" else "ts")}
    columns = ", ".join(f"{expressions[c]} AS {c}" for c in (*COLUMNS[source], "ts_text"))
    return Relation(f"SELECT {columns} FROM {table} AS r", tuple(rest), tuple(known))  # noqa: S608  # quoted


def _parsed_lines(reader: Reader) -> str:
    """A line of text: its time, its service and its severity where it begins with them; the body is all of it."""
    stamp = (
        r"^[\[(]?([0-9]{4}[-/][0-9]{2}[-/][0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?"
        r"(?: ?(?:Z|[+-][0-9]{2}:?[0-9]{2}))?|[0-9]{2}/[A-Z][a-z]{2}/[0-9]{4}:[0-9:]{8} [+-][0-9]{4}|[0-9]{10,19})"
        r"[\])]?[ \t]"
    )
    named = (
        r"^[^ \t]+[ \t]+([A-Za-z][A-Za-z0-9_.-]*)[ \t]+"
        r"\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b"
    )
    return (
        f"(SELECT nullif(regexp_extract(line, {literal(stamp)}, 1), '') AS ts, level_in(line) AS severity, "  # noqa: S608  # quoted
        f"regexp_extract(line, {literal(named)}, 1) AS service, line AS body FROM {reader.sql})"
    )


def _narrowed(reader: Reader, known: Mapping[str, str], rest: Mapping[str, str]) -> str:
    """A wide file, a column per metric, as one row per metric and time."""
    pairs = ", ".join(f"{{m: {literal(name)}, v: {expression}}}" for name, expression in rest.items())
    kept = ", ".join(dict.fromkeys([*known.values()])) or "1 AS nothing"
    unnested = f"unnest([{pairs}])" if pairs else "{m: '', v: ''}"
    return f"(SELECT {kept}, {unnested} AS p FROM {reader.sql} AS r)"  # noqa: S608  # quoted


# --- the tables -------------------------------------------------------------------------------------------------------
def _attributes(raw: Raw, more: Mapping[str, str] | None = None) -> str:
    """A JSON object of what the table has no column for; a column of that name is taken as it is."""
    kept = raw.known.get("attributes")
    fields = {**raw.rest, **(more or {})}
    if kept is not None:
        if not fields:
            return f"coalesce({kept}, '')"
        fields["attributes"] = kept
    pairs = ", ".join(f"{literal(name)}: {expression}" for name, expression in fields.items())
    return f"CAST(to_json({{{pairs}}}) AS VARCHAR)" if fields else "''"


def _service(raw: Raw, *, from_name: bool = False) -> str:
    options = [f"nullif({raw.known['service']}, '')"] if "service" in raw.known else []
    if "instance" in raw.known:
        options.append(f"workload_of(nullif({raw.known['instance']}, ''))")
    parts = PurePosixPath(raw.origin.name).parts
    if from_name and len(parts) > 1:
        options.append(literal(parts[1].split(".", 1)[0]))
    return f"coalesce({', '.join([*options, literal('')])})"


def _metrics(raw: Raw) -> dict[str, str]:
    return {
        "ts": raw.time("ts"), "service": _service(raw), "instance": raw.text("instance"),
        "metric": raw.text("metric"), "value": f"finite({raw.or_null('value')})", "unit": raw.text("unit"),
        "attributes": _attributes(raw),
    }  # fmt: skip


def _logs(raw: Raw) -> dict[str, str]:
    body = cut_to_limit(raw.text("body"))
    level = f"level_of({raw.known['severity']})" if "severity" in raw.known else f"level_in({raw.text('body')})"
    return {
        "ts": raw.time("ts"), "service": _service(raw, from_name=raw.origin.format == "text"),
        "instance": raw.text("instance"), "severity": f"coalesce({level}, '')", "body": body,
        "trace_id": raw.text("trace_id"), "span_id": raw.text("span_id"), "attributes": _attributes(raw),
    }  # fmt: skip


def _spans(raw: Raw) -> dict[str, str]:
    status = f"upper({raw.text('status')})"
    if "error" in raw.known:
        failed = f"lower({raw.text('error')}) NOT IN ('', 'false', '0', 'null', 'none')"
        status = f"CASE WHEN {failed} AND {status} IN ('', 'UNSET') THEN 'ERROR' ELSE {status} END"
    why = {"error": raw.known["error"]} if "error" in raw.known else {}
    return {
        "trace_id": raw.text("trace_id"), "span_id": raw.text("span_id"),
        "parent_id": f"CASE WHEN lower({raw.text('parent_id')}) IN ('root', 'null', '0', '0000000000000000') THEN '' "
                     f"ELSE {raw.text('parent_id')} END",
        "service": _service(raw), "instance": raw.text("instance"), "name": raw.text("name"),
        "start": raw.time("start"), "duration_ms": _duration(raw), "status": _status(status),
        "attributes": _attributes(raw, why),
    }  # fmt: skip


def _status(status: str) -> str:
    """OK, ERROR or what was written; HTTP and gRPC numbers are told apart by their size."""
    return (
        f"CASE WHEN {status} IN ('ERROR', 'STATUS_CODE_ERROR', 'FAILED', 'FAILURE', 'FAULT', 'TIMEOUT', 'EXCEPTION') "
        f"THEN 'ERROR' WHEN {status} IN ('', 'UNSET', 'STATUS_CODE_UNSET', 'OK', 'STATUS_CODE_OK', 'SUCCESS') "
        f"THEN 'OK' "
        f"WHEN try_cast({status} AS INTEGER) >= 500 THEN 'ERROR' "
        f"WHEN try_cast({status} AS INTEGER) BETWEEN 100 AND 499 THEN 'OK' "
        f"WHEN try_cast({status} AS INTEGER) = 2 THEN 'ERROR' WHEN try_cast({status} AS INTEGER) IN (0, 1) THEN 'OK' "
        f"ELSE {status} END"
    )


_UNITS = {"duration_ms": 1.0, "duration_us": 1e-3, "duration_ns": 1e-6, "duration_s": 1e3}


def _duration(raw: Raw) -> str:
    """The unit comes from the column's name; a bare `duration` stands behind start and end, and counts as ms."""
    options = [f"finite({raw.known[name]}) * {scale!r}" for name, scale in _UNITS.items() if name in raw.known]
    if "end" in raw.known:
        options.append(f"date_diff('microsecond', {raw.time('start')}, {raw.time('end')}) / 1000.0")
    if "duration" in raw.known:
        options.append(f"finite({raw.known['duration']})")
    return f"coalesce({', '.join([*options, 'CAST(NULL AS DOUBLE)'])})"


def _changes(raw: Raw) -> dict[str, str]:
    stem = PurePosixPath(raw.origin.name).name.split(".", 1)[0]
    named = stem.removesuffix("s") if stem != "changes" else "change"
    kind = f"coalesce(nullif({raw.known['kind']}, ''), {literal(named)})" if "kind" in raw.known else literal(named)
    return {
        "ts": raw.time("ts"), "kind": kind, "service": _service(raw), "ref": raw.text("ref"),
        "title": cut_to_limit(raw.text("title")), "diff": raw.text("diff"), "actor": raw.text("actor"),
        "attributes": _attributes(raw),
    }  # fmt: skip


def _edges(raw: Raw) -> dict[str, str]:
    return {
        "caller": raw.text("caller"), "callee": raw.text("callee"), "kind": raw.text("kind"),
        "weight": f"coalesce(finite({raw.or_null('weight')}), 1.0)",
    }  # fmt: skip


def _resources(raw: Raw) -> dict[str, str]:
    rest = _attributes(raw)
    body = f"CASE WHEN {raw.text('body')} = '' THEN {rest} ELSE {raw.text('body')} END"
    return {
        "ts": raw.time("ts"), "kind": raw.text("kind"), "namespace": raw.text("namespace"),
        "name": raw.text("name"), "status": raw.text("status"), "body": body,
    }  # fmt: skip


_SELECTS: dict[Source, Callable[[Raw], dict[str, str]]] = {
    "metrics": _metrics, "logs": _logs, "traces": _spans, "changes": _changes, "topology": _edges,
    "resources": _resources,
}  # fmt: skip
