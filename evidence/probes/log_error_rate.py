"""Which services log more errors than before?

Method: ERROR and FATAL lines of each service per minute, before and after the split, by a Poisson score on the
variance-stabilised scale (counts.py); where a service logs enough of both, the share of errors is scored too and the
larger of the two counts, so that neither more traffic nor a quieter log hides it. Strength: z / (z + 4) times how much
it grew. Cost: one pass over the logs.
"""

from datetime import datetime
from typing import NamedTuple

from ...contracts.claim import Fact
from ...contracts.evidence import Answer
from ..counts import per_minute, rate_score, share_score
from ..subjects import subject_for
from ..tables import Tables, utc
from .base import Params, Probe, ServiceNames, answered, in_list, rounded, saturating, strength, undated

MIN_ERRORS = 3
MIN_SCORE = 2.0


class LogErrorRate(Params):
    services: tuple[str, ...] = ServiceNames
    """Only these; empty means all. What did not change is said for those that are named."""
    split_at: datetime | None = None
    """Where before ends; the default is docs/probes.md's."""


class _Row(NamedTuple):
    service: str
    before: int
    errors_before: int
    after: int
    errors_after: int
    first: datetime | None


def answer(tables: Tables, params: LogErrorRate) -> Answer:
    periods = tables.periods(params.split_at)
    if periods is None:
        return undated("logs")
    at = periods.sql
    values: list[object] = [at["b0"], at["b1"], at["a0"], at["a1"]]
    chosen = in_list("service", params.services, values)
    rows = [
        _Row(*row)
        for row in tables.rows(
            f"""WITH marked AS (
                SELECT service, ts, severity IN ('ERROR', 'FATAL') AS failed,
                       ts >= ? AND ts < ? AS before, ts >= ? AND ts <= ? AS after
                FROM logs WHERE ts IS NOT NULL{chosen})
            SELECT service, count(*) FILTER (before), count(*) FILTER (before AND failed),
                   count(*) FILTER (after), count(*) FILTER (after AND failed), min(ts) FILTER (after AND failed)
            FROM marked GROUP BY service ORDER BY service""",  # noqa: S608  # placeholders only
            values,
        )
    ]
    minutes = tables.minutes("logs", periods)
    facts = [fact for row in rows if (fact := _fact(tables, row, minutes, set(params.services)))]
    return answered(tables, "logs", facts, window=periods.whole, rows_read=sum(row.before + row.after for row in rows))


def _fact(tables: Tables, row: _Row, minutes: tuple[float, float], named: set[str]) -> Fact | None:
    minutes_before, minutes_after = minutes
    was, now = per_minute(row.errors_before, minutes_before), per_minute(row.errors_after, minutes_after)
    scores = [rate_score(row.errors_before, minutes_before, row.errors_after, minutes_after)]
    if row.before and row.after:
        scores.append(share_score(row.errors_before, row.before, row.errors_after, row.after))
    said = Fact(
        subject=subject_for(tables.incident, row.service), signal="log:error_rate", relation="unchanged",
        value=rounded(now), baseline=rounded(was), unit="per_min", strength=0.3,
    )  # fmt: skip
    up, down = max(scores), min(scores)
    if up > MIN_SCORE and row.errors_after >= MIN_ERRORS and now > was:
        grown = 0.4 + 0.6 * (1 - was / now)
        return said.model_copy(
            update={
                "relation": "rises",
                "strength": strength(saturating(up, 4) * grown),
                "at": row.first and utc(row.first),
            }
        )
    if down < -MIN_SCORE and row.errors_before >= MIN_ERRORS and now < was:
        return said.model_copy(update={"relation": "falls", "strength": saturating(-down, 16)})
    return said if row.service in named else None


PROBE = Probe(
    name="log_error_rate",
    question="Which services log more errors than before?",
    sources=("logs",),
    cost="cheap",
    params=LogErrorRate,
    answer=answer,
)
