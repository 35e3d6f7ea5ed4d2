"""Which services and operations take longer themselves, their callees' time taken off?

Method: self time = a span's duration less its children's, not below zero, in whole microseconds; median and 90th
percentile per service and operation before and after. A rise is held against the usual distance of the two percentiles,
with a floor of 20 % and 0.2 ms, and weighted by how many spans stand behind it (after Sage and MicroRank, which rank by
exclusive latency). Strength: x / (x + 2) for a rise of x usual distances. Where no span of the time
before is known, who holds the time is said instead (`states holds_time`, strength half its share). Cost: one self-join
of the spans.
"""

import math
from datetime import datetime
from typing import NamedTuple

from ...contracts.claim import Fact, Subject
from ...contracts.evidence import Answer
from ..subjects import subject_for
from ..tables import Tables, utc
from .base import Params, Probe, ServiceNames, answered, cut, in_list, rounded, saturating, strength, undated

MIN_SPANS = 3
MIN_STRENGTH = 0.2


class TraceSelfTime(Params):
    services: tuple[str, ...] = ServiceNames
    """Only these; empty means all."""
    split_at: datetime | None = None
    by_operation: bool = True
    """Whether operations are told apart too; services always are, and instances where spans name them."""


class _Row(NamedTuple):
    service: str
    instance: str
    name: str
    before: int
    after: int
    usual: list[float] | None
    """Median and 90th percentile, before."""
    later: list[float] | None
    """The same, after."""
    first: datetime | None


def answer(tables: Tables, params: TraceSelfTime) -> Answer:
    periods = tables.periods(params.split_at)
    if periods is None:
        return undated("traces")
    at = periods.sql
    values: list[object] = []
    chosen = in_list("s.service", params.services, values)
    values.extend([at["b0"], at["b1"], at["a0"], at["a1"]])
    levels = "(service), (service, instance), (service, name)"
    rows = [
        _Row(*row)
        for row in tables.rows(
            f"""WITH children AS (
                SELECT trace_id, parent_id, sum(CAST(duration_ms * 1000 AS BIGINT)) AS inside FROM spans
                WHERE parent_id <> '' AND duration_ms IS NOT NULL GROUP BY trace_id, parent_id),
            selves AS (
                SELECT s.service, s.instance, s.name, s.start,
                       greatest(CAST(s.duration_ms * 1000 AS BIGINT) - coalesce(c.inside, 0), 0) / 1000.0 AS own
                FROM spans s LEFT JOIN children c ON c.trace_id = s.trace_id AND c.parent_id = s.span_id
                WHERE s.duration_ms IS NOT NULL AND s.start IS NOT NULL{chosen}),
            marked AS (
                SELECT *, start >= ? AND start < ? AS before, start >= ? AND start <= ? AS after FROM selves)
            SELECT service, coalesce(instance, ''), coalesce(name, ''),
                   count(*) FILTER (before), count(*) FILTER (after),
                   quantile_cont(own, [0.5, 0.9]) FILTER (before), quantile_cont(own, [0.5, 0.9]) FILTER (after),
                   min(start) FILTER (after)
            FROM marked WHERE before OR after
            GROUP BY GROUPING SETS ({levels})
            HAVING (grouping(instance) = 1 OR instance <> '') AND (grouping(name) = 1 OR name <> '')
            ORDER BY ALL""",  # noqa: S608  # placeholders, and names of ours
            values,
        )
    ]
    facts = [fact for row in rows if (params.by_operation or not row.name) and (fact := _fact(tables, row))]
    if not any(row.before for row in rows):
        facts = _shares(tables, rows)
    read = sum(row.before + row.after for row in rows if not row.name and not row.instance)
    return answered(tables, "traces", facts, window=periods.whole, rows_read=read)


def _fact(tables: Tables, row: _Row) -> Fact | None:
    if row.before < MIN_SPANS or not row.after or not row.service:
        return None
    assert row.usual is not None
    assert row.later is not None
    (mid, high), (mid_now, high_now) = row.usual, row.later
    distance = max(high - mid, 0.2 * mid, 0.2)
    by_mid, by_high = (mid_now - mid) / distance, 0.7 * (high_now - high) / distance
    strong = strength(saturating(max(by_mid, by_high), 2.0) * (1 - math.exp(-min(row.before, row.after) / 4)))
    if strong < MIN_STRENGTH:
        return None
    value, baseline = (high_now, high) if by_high > by_mid else (mid_now, mid)
    subject: Subject = subject_for(tables.incident, row.service, row.instance)
    return Fact(
        subject=subject, signal="trace:self_time", relation="slows", object=cut(row.name, 200), value=rounded(value),
        baseline=rounded(baseline), unit="ms", at=utc(row.first) if row.first else None, strength=strong,
    )  # fmt: skip


def _shares(tables: Tables, rows: list[_Row]) -> list[Fact]:
    """Nothing to compare with, as where only slow traces were kept: who holds the time in them."""
    found = [
        (row, (row.later or [0.0])[0] * row.after) for row in rows if row.service and not row.name and not row.instance
    ]
    total = math.fsum(held for _, held in found)
    return [
        Fact(
            subject=subject_for(tables.incident, row.service), signal="trace:self_time", relation="states",
            object="holds_time", value=rounded(held / total), unit="ratio", at=utc(row.first) if row.first else None,
            strength=strength(0.5 * held / total),
        )
        for row, held in found
        if total > 0 and held / total >= 0.2
    ]  # fmt: skip


PROBE = Probe(
    name="trace_self_time",
    question="Which services and operations take longer themselves, without their callees?",
    sources=("traces",),
    cost="heavy",
    params=TraceSelfTime,
    answer=answer,
)
