"""When was a pattern first seen in the logs, and in which services?

Method: RE2 (linear in the input, whatever the pattern) over every line; first and last match and a count per service.
Strength: 0.6, and 0.8 where nothing matched before the split. Cost: one pass over the logs.
"""

from datetime import datetime

import re2
from pydantic import Field, field_validator

from ...contracts.claim import Fact
from ...contracts.evidence import Answer
from ..counts import per_minute
from ..subjects import subject_for
from ..tables import Tables, utc
from .base import Params, Probe, ServiceNames, answered, cut, in_list, rounded, undated


class LogFirstSeen(Params):
    pattern: str = Field(min_length=1, max_length=300)
    """An RE2 regular expression."""
    services: tuple[str, ...] = ServiceNames
    """Only these; empty means all."""
    split_at: datetime | None = None

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        try:
            re2.compile(pattern)
        except re2.error as error:
            raise ValueError(f"not an RE2 pattern: {error}") from None
        return pattern


def answer(tables: Tables, params: LogFirstSeen) -> Answer:
    periods = tables.periods(params.split_at)
    if periods is None:
        return undated("logs")
    at = periods.sql
    values: list[object] = [at["b0"], at["b1"], at["a0"], at["a1"], params.pattern]
    chosen = in_list("service", params.services, values)
    rows = tables.rows(
        f"""SELECT service, count(*) FILTER (ts >= ? AND ts < ?) AS b, count(*) FILTER (ts >= ? AND ts <= ?) AS a,
                   min(ts), min(left(body, 300))
        FROM logs WHERE ts IS NOT NULL AND regexp_matches(body, ?){chosen}
        GROUP BY service ORDER BY service""",  # noqa: S608  # placeholders only
        values,
    )
    minutes_before, minutes_after = tables.minutes("logs", periods)
    facts = [
        Fact(
            subject=subject_for(tables.incident, service), signal="log:pattern",
            relation="matches" if before else "appears", object=cut(params.pattern, 240),
            value=rounded(per_minute(after, minutes_after)), baseline=rounded(per_minute(before, minutes_before)),
            unit="per_min", at=utc(first), strength=0.6 if before else 0.8, quote=cut(sample),
        )
        for service, before, after, first, sample in rows
    ]  # fmt: skip
    return answered(tables, "logs", facts, window=periods.whole, rows_read=sum(row[1] + row[2] for row in rows))


PROBE = Probe(
    name="log_first_seen",
    question="When was a pattern first seen in the logs, and where?",
    sources=("logs",),
    cost="moderate",
    params=LogFirstSeen,
    answer=answer,
)
