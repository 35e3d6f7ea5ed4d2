"""Which services and calls fail more often, and whose own failure is it?

Method: share of failed spans per service, per edge caller->callee, and per service of failures with no failed child in
the same trace (`trace:own_error_rate`): what a service merely passes on is not its own. Two-proportion z score
(counts.py). Strength: z / (z + 4) times how much the share grew; where no trace of the time before is known, 0.6 times
the share. Cost: one self-join of the spans.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from ...contracts.claim import Fact, Subject
from ...contracts.evidence import Answer
from ..counts import share_score
from ..subjects import edge, subject_for
from ..tables import Tables, utc
from .base import Params, Probe, ServiceNames, answered, rounded, saturating, strength, undated

MIN_FAILED = 2


class TraceErrors(Params):
    services: tuple[str, ...] = ServiceNames
    """Only these and calls to or from them; empty means all."""
    split_at: datetime | None = None


class _Row(NamedTuple):
    caller: str
    service: str
    before: int
    failed_before: int
    own_before: int
    after: int
    failed_after: int
    own_after: int
    first: datetime | None
    first_own: datetime | None


def answer(tables: Tables, params: TraceErrors) -> Answer:
    periods = tables.periods(params.split_at)
    if periods is None:
        return undated("traces")
    at = periods.sql
    rows = [
        _Row(*row)
        for row in tables.rows(
            """WITH failing AS (
                SELECT DISTINCT trace_id, parent_id FROM spans WHERE status = 'ERROR' AND parent_id <> ''),
            marked AS (
                SELECT coalesce(p.service, '') AS caller, s.service, s.start, s.status = 'ERROR' AS failed,
                       s.status = 'ERROR' AND f.parent_id IS NULL AS own,
                       s.start >= ? AND s.start < ? AS before, s.start >= ? AND s.start <= ? AS after
                FROM spans s
                LEFT JOIN failing f ON f.trace_id = s.trace_id AND f.parent_id = s.span_id
                LEFT JOIN spans p ON p.trace_id = s.trace_id AND p.span_id = s.parent_id AND s.parent_id <> ''
                WHERE s.start IS NOT NULL AND s.service <> '')
            SELECT CASE WHEN caller = service THEN '' ELSE caller END AS c, service,
                   count(*) FILTER (before), count(*) FILTER (before AND failed), count(*) FILTER (before AND own),
                   count(*) FILTER (after), count(*) FILTER (after AND failed), count(*) FILTER (after AND own),
                   min(start) FILTER (after AND failed), min(start) FILTER (after AND own)
            FROM marked WHERE before OR after GROUP BY c, service ORDER BY c, service""",
            [at["b0"], at["b1"], at["a0"], at["a1"]],
        )
    ]
    facts = list(_facts(tables, rows, set(params.services)))
    read = sum(row.before + row.after for row in rows)
    return answered(tables, "traces", facts, window=periods.whole, rows_read=read)


def _facts(tables: Tables, rows: list[_Row], named: set[str]) -> Iterable[Fact]:
    by_service: dict[str, list[_Row]] = {}
    for row in rows:
        by_service.setdefault(row.service, []).append(row)
        if row.caller and (not named or {row.caller, row.service} & named):
            yield from _fact(edge(row.caller, row.service), "trace:error_rate", row.before, row.failed_before,
                             row.after, row.failed_after, row.first)  # fmt: skip
    for service, found in sorted(by_service.items()):
        if named and service not in named:
            continue
        subject = subject_for(tables.incident, service)
        before, after = sum(r.before for r in found), sum(r.after for r in found)
        yield from _fact(subject, "trace:error_rate", before, sum(r.failed_before for r in found), after,
                         sum(r.failed_after for r in found), _least(r.first for r in found))  # fmt: skip
        yield from _fact(subject, "trace:own_error_rate", before, sum(r.own_before for r in found), after,
                         sum(r.own_after for r in found), _least(r.first_own for r in found))  # fmt: skip


def _fact(
    subject: Subject,
    signal: str,
    before: int,
    failed_before: int,
    after: int,
    failed_after: int,
    first: datetime | None,
) -> Iterable[Fact]:
    if failed_after < MIN_FAILED or first is None:
        return
    now = failed_after / after
    was = failed_before / before if before else None
    if was is None:
        strong = strength(0.6 * now)
    else:
        score = share_score(failed_before, before, failed_after, after)
        strong = strength(saturating(score, 4) * (0.4 + 0.6 * (1 - was / now))) if now > was else 0.0
    if strong > 0.1:
        yield Fact(
            subject=subject, signal=signal, relation="fails", value=rounded(now), baseline=rounded(was), unit="ratio",
            at=utc(first), strength=strong,
        )  # fmt: skip


def _least(times: Iterable[datetime | None]) -> datetime | None:
    return min((t for t in times if t is not None), default=None)


PROBE = Probe(
    name="trace_errors",
    question="Which services and calls fail more often, and whose own failure is it?",
    sources=("traces",),
    cost="heavy",
    params=TraceErrors,
    answer=answer,
)
