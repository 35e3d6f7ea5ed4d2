"""Which services log more errors than before?

Method: share of ERROR and FATAL lines of each service, before and after the split; a two-proportion z score with
add-one smoothing, as in the "golden signals" of the Google SRE book. Strength: z / (z + 4), times how much the share
grew, so that 0.5 is a clear change and a busy service's tiny drift stays weak. Cost: one pass over the logs.
"""

import math
from datetime import datetime

from ...contracts.claim import Fact, Subject
from ...contracts.evidence import Answer
from ..tables import Tables, utc
from .base import Params, Probe, ServiceNames, answered, in_list, rounded, saturating, strength, undated

MIN_ERRORS = 3


class LogErrorRate(Params):
    services: tuple[str, ...] = ServiceNames
    """Only these; empty means all."""
    split_at: datetime | None = None
    """Where before ends; the default is docs/probes.md's."""


def answer(tables: Tables, params: LogErrorRate) -> Answer:
    periods = tables.periods(params.split_at)
    if periods is None:
        return undated("logs")
    at = periods.sql
    values: list[object] = [at["b0"], at["b1"], at["a0"], at["a1"]]
    errors = "severity IN ('ERROR', 'FATAL')"
    chosen = in_list("service", params.services, values)
    rows = tables.rows(
        f"""WITH marked AS (
            SELECT service, ts, {errors} AS failed, ts >= ? AND ts < ? AS before, ts >= ? AND ts <= ? AS after
            FROM logs WHERE ts IS NOT NULL{chosen})
        SELECT service, count(*) FILTER (before), count(*) FILTER (before AND failed),
               count(*) FILTER (after), count(*) FILTER (after AND failed), min(ts) FILTER (after AND failed)
        FROM marked GROUP BY service ORDER BY service""",  # noqa: S608  # placeholders only
        values,
    )
    facts = [fact for row in rows if (fact := _fact(row, set(params.services)))]
    return answered(tables, "logs", facts, window=periods.whole, rows_read=sum(row[1] + row[3] for row in rows))


def _fact(row: tuple[str, int, int, int, int, datetime | None], named: set[str]) -> Fact | None:
    service, before, errors_before, after, errors_after, first = row
    if not after or not service:
        return None
    was, now = (errors_before + 1) / (before + 2), (errors_after + 1) / (after + 2)
    pooled = (errors_before + errors_after + 2) / (before + after + 4)
    z = (now - was) / math.sqrt(pooled * (1 - pooled) * (1 / (before + 2) + 1 / (after + 2)))
    subject = Subject(kind="service", ref=service)
    shares = {
        "value": rounded(errors_after / after),
        "baseline": rounded(errors_before / before) if before else None,
        "unit": "ratio",
    }
    if z > 2 and errors_after >= MIN_ERRORS:
        grown = 1 - was / now
        return Fact(
            subject=subject, signal="log:error_rate", relation="rises", **shares, at=utc(first) if first else None,
            strength=strength(saturating(z, 4) * (0.5 + 0.5 * grown)),
        )  # fmt: skip
    if z < -2 and errors_before >= MIN_ERRORS:
        return Fact(subject=subject, signal="log:error_rate", relation="falls", **shares, strength=saturating(-z, 16))
    if service in named:
        return Fact(subject=subject, signal="log:error_rate", relation="unchanged", **shares, strength=0.2)
    return None


PROBE = Probe(
    name="log_error_rate",
    question="Which services log a larger share of errors than before?",
    sources=("logs",),
    cost="cheap",
    params=LogErrorRate,
    answer=answer,
)
