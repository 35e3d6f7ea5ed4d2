"""Traces as visits: what one request did in one service, from its entry to the calls that it made."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from .tables import Periods, Tables
from .templates import MASKED_SQL

MAX_SPANS = 250_000
"""Beyond it only some of the traces are read, always the same ones."""
MAX_LINES = 250_000
MAX_DEPTH = 80
_SITE = r"\b(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\s+(\S+[#:][0-9]+)"
"""Where in the code a line was written, as many loggers say it behind the level: `o.shop.Cart#42`, `cart.py:42`."""

Key = tuple[str, str]
"""Trace and span."""
Path = tuple[tuple[str, str], ...]
"""The visits that led to a visit and itself, as service and operation: the same work asked for in the same way."""


class Event(NamedTuple):
    """Something that a visit did."""

    kind: str
    """`log`, `call` to another service, `step` inside."""
    name: str
    """Of a line where it was written or its template; of a call `service operation`; of a step its operation."""
    failed: bool
    """Whether it tells of a failure."""


class Visit(NamedTuple):
    path: Path
    after: bool
    """Whether it belongs to the time of the incident."""
    events: tuple[Event, ...]
    """Lines in their order, then calls and steps."""
    start: int
    """Microseconds since 1970."""
    duration_ms: float
    own_ms: float
    """Less what the services that it called took."""


class Visits(NamedTuple):
    found: tuple[Visit, ...]
    quotes: Mapping[str, str]
    """A line of each name, as it was written."""
    spans: int


class _Span(NamedTuple):
    parent: str
    service: str
    name: str
    start: int
    duration_ms: float
    failed: bool
    after: bool


def visits_of(tables: Tables, periods: Periods) -> Visits:
    at = periods.sql
    bounds = [at["b0"], at["b1"], at["a0"], at["a1"]]
    spans = _spans(tables, bounds)
    entries = _entries(spans)
    paths: dict[Key, Path] = {}
    for key in spans:
        if entries[key] == key:
            _path(key, spans, entries, paths)
    done: dict[Key, dict[Event, None]] = {key: {} for key in paths}
    quotes = _add_lines(tables, entries, done)
    inside: dict[Key, float] = dict.fromkeys(paths, 0.0)
    for key, span in spans.items():
        parent = (key[0], span.parent)
        if entries[key] != key:
            done[entries[key]].setdefault(Event("step", span.name, span.failed or "error" in span.name.lower()))
        elif parent in spans:
            done[entries[parent]].setdefault(Event("call", f"{span.service} {span.name}", failed=False))
            inside[entries[parent]] += span.duration_ms
    found = tuple(
        Visit(
            path, spans[key].after, tuple(done[key]), spans[key].start, spans[key].duration_ms,
            max(spans[key].duration_ms - inside[key], 0.0),
        )
        for key, path in paths.items()
    )  # fmt: skip
    return Visits(found, quotes, len(spans))


def _spans(tables: Tables, bounds: list[datetime]) -> dict[Key, _Span]:
    inside = "((start >= ? AND start < ?) OR (start >= ? AND start <= ?))"
    (count,) = tables.rows(f"SELECT count(*) FROM spans WHERE {inside}", bounds)[0]  # noqa: S608  # ours
    share = min(1.0, MAX_SPANS / count) if count else 1.0
    rows = tables.rows(
        f"""SELECT trace_id, span_id, parent_id, service, name, epoch_us(start), coalesce(duration_ms, 0),
                   status = 'ERROR', start >= ? AND start <= ?
        FROM spans WHERE {inside} AND service <> '' AND md5(trace_id) <= ?
        ORDER BY trace_id, span_id, start LIMIT {MAX_SPANS}""",  # noqa: S608  # placeholders, and constants of ours
        [*bounds[2:], *bounds, f"{int(share * 0xFFFFFFFF):08x}g"],
    )
    return {
        (trace, span): _Span(parent or "", service, name or "", int(start), float(took), failed is True, after)
        for trace, span, parent, service, name, start, took, failed, after in rows
    }


def _entries(spans: Mapping[Key, _Span]) -> dict[Key, Key]:
    """The span by which each span's service was entered."""
    entries: dict[Key, Key] = {}
    for key in spans:
        climbed = []
        at = key
        while at not in entries:
            climbed.append(at)
            parent = (at[0], spans[at].parent)
            if parent in climbed or parent not in spans or spans[parent].service != spans[at].service:
                entries[at] = at
            else:
                at = parent
        for one in climbed:
            entries[one] = entries[at]
    return entries


def _path(key: Key, spans: Mapping[Key, _Span], entries: Mapping[Key, Key], paths: dict[Key, Path]) -> None:
    climbed: list[Key] = []
    at = key
    while at not in paths and at not in climbed and len(climbed) < MAX_DEPTH:
        climbed.append(at)
        parent = (at[0], spans[at].parent)
        if parent not in spans:
            break
        at = entries[parent]
    known: Path = paths.get(at, ())
    for one in reversed(climbed):
        known = (*known, (spans[one].service, spans[one].name))
        paths[one] = known


def _add_lines(tables: Tables, entries: Mapping[Key, Key], done: dict[Key, dict[Event, None]]) -> dict[str, str]:
    """Lines that name their span; returns one of each kind."""
    quotes: dict[str, str] = {}
    rows = tables.rows(
        f"""SELECT trace_id, span_id, severity, regexp_extract(left(body, 240), ?, 1) AS site,
                   CASE WHEN site = '' THEN {MASKED_SQL} ELSE '' END AS masked, left(body, 300) AS line
        FROM logs WHERE trace_id <> '' AND span_id <> ''
        ORDER BY ts NULLS LAST, trace_id, span_id, line LIMIT {MAX_LINES}""",  # noqa: S608  # ours
        [_SITE],
    )
    for trace, span, severity, site, masked, line in rows:
        entry = entries.get((trace, span))
        if entry is not None:
            name = site or masked
            done[entry].setdefault(Event("log", name, severity in {"ERROR", "FATAL"}))
            if name not in quotes or line < quotes[name]:
                quotes[name] = line
    return quotes
