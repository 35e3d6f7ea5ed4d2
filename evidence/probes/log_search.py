"""Which log lines speak of these terms?

Method: plain substring search without regard to case; a line counts for every term that it holds. Strength: 0.5, more
by 0.1 for a WARN and by 0.3 for an ERROR or FATAL line. Cost: one pass over the logs.
"""

from typing import Annotated

from pydantic import Field, StringConstraints

from ...contracts.claim import Fact
from ...contracts.evidence import Answer
from ..subjects import subject_for
from ..tables import Tables, utc
from .base import MAX_EXCERPT, Params, Probe, ServiceNames, answered, cut, in_list, strength, undated

_RANK = "CASE severity WHEN 'FATAL' THEN 3 WHEN 'ERROR' THEN 3 WHEN 'WARN' THEN 1 ELSE 0 END"


class LogSearch(Params):
    terms: tuple[Annotated[str, StringConstraints(min_length=2, max_length=100)], ...] = Field(
        min_length=1, max_length=12
    )
    """Words or phrases; each is looked for by itself."""
    services: tuple[str, ...] = ServiceNames
    """Only these; empty means all."""


def answer(tables: Tables, params: LogSearch) -> Answer:
    facts: list[Fact] = []
    excerpt: list[str] = []
    read = 0
    for term in params.terms:
        values: list[object] = [term.lower()]
        chosen = in_list("service", params.services, values)
        rows = tables.rows(
            f"""SELECT service, count(*), max({_RANK}), min(ts), min(left(body, 300)) FROM logs
            WHERE contains(lower(body), ?){chosen} GROUP BY service ORDER BY service""",  # noqa: S608  # placeholders only
            values,
        )
        for service, count, rank, first, sample in rows:
            read += count
            excerpt.append(f"{first.isoformat() + 'Z ' if first else ''}{service} {sample}")
            facts.append(
                Fact(
                    subject=subject_for(tables.incident, service), signal="log:text", relation="matches", object=term,
                    value=float(count), unit="lines", at=utc(first) if first else None,
                    strength=strength(0.5 + 0.1 * rank), quote=cut(sample),
                )
            )  # fmt: skip
    window = tables.window
    if window is None and not facts:
        return undated("logs")
    return answered(tables, "logs", facts, window=window, rows_read=read, excerpt=excerpt[:MAX_EXCERPT])


PROBE = Probe(
    name="log_search",
    question="Which services' log lines speak of these terms, and since when?",
    sources=("logs",),
    cost="moderate",
    params=LogSearch,
    answer=answer,
)
