"""Where do callers wait longer than their callees work, and which calls went missing or were repeated?

Method: for each call between two services, the caller's span less the callee's (network, queues, connection pools):
median before and after against its usual spread, floor 20 % and 0.5 ms. For each caller, calls to a callee per span
of the caller: fewer than before means missing children, more means repeats (retries, a query per row). Strength: x /
(x + 2) for a wait of x usual spreads; for the number of calls, how far the share moved. Cost: one self-join of the
spans.
"""

import math
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from ...contracts.claim import Fact
from ...contracts.evidence import Answer
from ..subjects import edge
from ..tables import Tables, utc
from .base import Params, Probe, ServiceNames, answered, in_list, rounded, saturating, strength, undated

MIN_CALLS = 4
MIN_STRENGTH = 0.2


class TraceGap(Params):
    services: tuple[str, ...] = ServiceNames
    """Only calls that these make; empty means all."""
    split_at: datetime | None = None


class _Row(NamedTuple):
    caller: str
    callee: str
    calls_before: int
    calls_after: int
    parents_before: int
    parents_after: int
    gap_before: float | None
    high_before: float | None
    gap_after: float | None
    first: datetime | None


def answer(tables: Tables, params: TraceGap) -> Answer:
    periods = tables.periods(params.split_at)
    if periods is None:
        return undated("traces")
    at = periods.sql
    values: list[object] = [at["b0"], at["b1"], at["a0"], at["a1"], at["b0"], at["b1"], at["a0"], at["a1"]]
    chosen = in_list("calls.caller", params.services, values)
    rows = [
        _Row(*row)
        for row in tables.rows(
            f"""WITH pairs AS (
                SELECT p.service AS caller, s.service AS callee, s.start, p.start AS parent_start,
                       greatest(p.duration_ms - s.duration_ms, 0) AS gap
                FROM spans s JOIN spans p ON p.trace_id = s.trace_id AND p.span_id = s.parent_id
                WHERE s.parent_id <> '' AND s.service <> p.service AND s.service <> '' AND p.service <> ''
                  AND s.start IS NOT NULL AND p.start IS NOT NULL),
            marked AS (SELECT *, parent_start >= ? AND parent_start < ? AS before,
                              parent_start >= ? AND parent_start <= ? AS after FROM pairs),
            calls AS (
                SELECT caller, callee, count(*) FILTER (before) AS cb, count(*) FILTER (after) AS ca,
                       quantile_cont(gap, [0.5, 0.9]) FILTER (before) AS gb, median(gap) FILTER (after) AS ga,
                       min(start) FILTER (after) AS first
                FROM marked WHERE before OR after GROUP BY caller, callee),
            parents AS (
                SELECT service, count(*) FILTER (start >= ? AND start < ?) AS pb,
                       count(*) FILTER (start >= ? AND start <= ?) AS pa FROM spans GROUP BY service)
            SELECT caller, callee, cb, ca, pb, pa, gb[1], gb[2], ga, first
            FROM calls JOIN parents ON parents.service = calls.caller WHERE true{chosen}
            ORDER BY caller, callee""",  # noqa: S608  # placeholders only
            values,
        )
    ]
    facts = [fact for row in rows for fact in (*_waits(row), *_numbers(row))]
    read = sum(row.calls_before + row.calls_after for row in rows)
    return answered(tables, "traces", facts, window=periods.whole, rows_read=read)


def _waits(row: _Row) -> Iterable[Fact]:
    if row.calls_before < MIN_CALLS or not row.calls_after or None in {row.gap_before, row.high_before, row.gap_after}:
        return
    assert row.gap_before is not None
    assert row.high_before is not None
    assert row.gap_after is not None
    usual = max(row.high_before - row.gap_before, 0.2 * row.gap_before, 0.5)
    rise = (row.gap_after - row.gap_before) / usual
    strong = strength(saturating(rise, 2.0) * (1 - math.exp(-min(row.calls_before, row.calls_after) / 4)))
    if strong >= MIN_STRENGTH:
        yield Fact(
            subject=edge(row.caller, row.callee), signal="trace:gap", relation="slows", value=rounded(row.gap_after),
            baseline=rounded(row.gap_before), unit="ms", at=utc(row.first) if row.first else None, strength=strong,
        )  # fmt: skip


def _numbers(row: _Row) -> Iterable[Fact]:
    if row.parents_before < MIN_CALLS or row.parents_after < MIN_CALLS:
        return
    was, now = row.calls_before / row.parents_before, row.calls_after / row.parents_after
    spread = (
        math.sqrt(max(row.calls_before, 1)) / row.parents_before
        + math.sqrt(max(row.calls_after, 1)) / row.parents_after
    )
    moved = abs(now - was) / max(spread, 0.1 * was, 1e-9)
    strong = strength(saturating(moved, 4.0) * abs(now - was) / max(now, was, 1e-9))
    if strong >= MIN_STRENGTH:
        yield Fact(
            subject=edge(row.caller, row.callee), signal="trace:calls_per_span",
            relation="vanishes" if not row.calls_after else ("falls" if now < was else "rises"), value=rounded(now),
            baseline=rounded(was), unit="calls", at=utc(row.first) if row.first and now > was else None,
            strength=strong,
        )  # fmt: skip


PROBE = Probe(
    name="trace_gap",
    question="Where do callers wait longer than their callees work, and which calls are missing or repeated?",
    sources=("traces",),
    cost="heavy",
    params=TraceGap,
    answer=answer,
)
