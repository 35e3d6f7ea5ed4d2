"""Which services and operations are called more or less than before?

Method: spans per minute before and after, by a Poisson score on the variance-stabilised scale (counts.py). Strength:
z / (z + 8) times the share by which the rate moved. Cost: one pass over the spans.
"""

from datetime import datetime
from typing import NamedTuple

from ...contracts.claim import Fact, Relation
from ...contracts.evidence import Answer
from ..counts import per_minute, rate_score
from ..subjects import subject_for
from ..tables import Tables, utc
from .base import Params, Probe, ServiceNames, answered, cut, in_list, rounded, saturating, strength, undated

MIN_SCORE = 3.0
MIN_STRENGTH = 0.15


class TraceRate(Params):
    services: tuple[str, ...] = ServiceNames
    """Only these; empty means all."""
    split_at: datetime | None = None


class _Row(NamedTuple):
    service: str
    instance: str
    name: str
    before: int
    after: int
    first: datetime


def answer(tables: Tables, params: TraceRate) -> Answer:
    periods = tables.periods(params.split_at)
    if periods is None:
        return undated("traces")
    at = periods.sql
    values: list[object] = [at["b0"], at["b1"], at["a0"], at["a1"]]
    chosen = in_list("service", params.services, values)
    rows = [
        _Row(*row)
        for row in tables.rows(
            f"""WITH marked AS (
                SELECT service, instance, name, start, start >= ? AND start < ? AS before,
                       start >= ? AND start <= ? AS after
                FROM spans WHERE start IS NOT NULL AND service <> ''{chosen})
            SELECT service, coalesce(instance, ''), coalesce(name, ''), count(*) FILTER (before),
                   count(*) FILTER (after), min(start)
            FROM marked WHERE before OR after
            GROUP BY GROUPING SETS ((service), (service, instance), (service, name))
            HAVING (grouping(instance) = 1 OR instance <> '') AND (grouping(name) = 1 OR name <> '')
            ORDER BY ALL""",  # noqa: S608  # placeholders only
            values,
        )
    ]
    minutes = tables.minutes("traces", periods)
    facts = [fact for row in rows if (fact := _fact(tables, row, minutes))]
    read = sum(row.before + row.after for row in rows if not row.name and not row.instance)
    return answered(tables, "traces", facts, window=periods.whole, rows_read=read)


def _fact(tables: Tables, row: _Row, minutes: tuple[float, float]) -> Fact | None:
    minutes_before, minutes_after = minutes
    was, now = per_minute(row.before, minutes_before), per_minute(row.after, minutes_after)
    score = rate_score(row.before, minutes_before, row.after, minutes_after)
    strong = strength(saturating(abs(score), 8) * abs(now - was) / max(now, was))
    if abs(score) < MIN_SCORE or strong < MIN_STRENGTH:
        return None
    relation: Relation = "rises" if now > was else "falls"
    if not row.before or not row.after:
        relation = "appears" if row.after else "vanishes"
    return Fact(
        subject=subject_for(tables.incident, row.service, row.instance), signal="trace:rate", relation=relation,
        object=cut(row.name, 200), value=rounded(now), baseline=rounded(was), unit="per_min",
        at=utc(row.first) if relation == "appears" else None, strength=strong,
    )  # fmt: skip


PROBE = Probe(
    name="trace_rate",
    question="Which services and operations are called more or less than before?",
    sources=("traces",),
    cost="moderate",
    params=TraceRate,
    answer=answer,
)
