"""Which kinds of log lines are new, gone, more or fewer than before?

Method: variables are masked and lines grouped in SQL, like groups merged by Drain (templates.py); each template's
lines per minute are compared by a Poisson score on the variance-stabilised scale. What stood in the last sixth of the
time before only, counts as new since then: the split may have been set too late. Strength: how telling the severity
is (FATAL 1, ERROR .9, WARN .65, else .4; words such as `panic` or `refused` count as ERROR), times how new or risen
it is, so that one FATAL line outweighs hundreds of familiar ones. A FATAL line is said (`fails`) even where its rate
did not change, an ERROR line where no one knows when the incident began. Cost: one pass over the logs, at most 8,000
groups merged.
"""

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import re2
from pydantic import Field

from ...contracts.claim import Fact, Relation
from ...contracts.evidence import Answer
from ...contracts.incident import Incident
from ..counts import per_minute, rate_score
from ..subjects import subject_for
from ..tables import Periods, Tables, naive, utc
from ..templates import MASK, MASKED_SQL, Line, merge
from .base import Params, Probe, ServiceNames, answered, cut, in_list, rounded, saturating, strength, undated

MAX_GROUPS = 8_000
MIN_SCORE = 3.0
MIN_STRENGTH = 0.1
WEIGHTS = {"FATAL": 1.0, "ERROR": 0.9, "WARN": 0.65}
ALARMING = 0.75
"""The weight of a line that speaks of a failure."""
_ALARMING = re2.compile(
    r"(?i)\b(?:panic|fatal|exception|traceback|segfault|oom|out of memory|no space left|refused|unreachable|deadlock|"
    r"corrupt(?:ed)?|timed? ?out|timeout|denied|unauthorized|forbidden|crash(?:ed|loop)?|failed|failure|unavailable|"
    r"exhausted|nil pointer|null pointer|cannot|could not|does not exist|unknown|invalid)\b"
)


class LogTemplates(Params):
    services: tuple[str, ...] = ServiceNames
    """Only these; empty means all."""
    split_at: datetime | None = None
    """Where before ends; the default is docs/probes.md's."""
    limit: int = Field(default=80, ge=1, le=80)


class _Group(NamedTuple):
    service: str
    severity: str
    masked: str
    before: int
    after: int
    first: datetime
    first_after: datetime | None
    last: datetime
    sample: str


class _Asked(NamedTuple):
    incident: Incident
    periods: Periods
    minutes_before: float
    minutes_after: float
    usual: bool
    """Whether anything was logged before at all."""


class _Judged(NamedTuple):
    relation: Relation
    strength: float


def answer(tables: Tables, params: LogTemplates) -> Answer:
    periods = tables.periods(params.split_at)
    if periods is None:
        return undated("logs")
    groups = _groups(tables, params.services, periods)
    asked = _Asked(tables.incident, periods, *tables.minutes("logs", periods), usual=sum(g.before for g in groups) > 0)
    by_kind: dict[tuple[str, str], list[int]] = {}
    for number, group in enumerate(groups):
        by_kind.setdefault((group.service, group.severity), []).append(number)
    facts = []
    for numbers in by_kind.values():
        for found in merge(Line(groups[number].masked, number) for number in numbers):
            fact = _fact(asked, found.template, [groups[key] for key in found.keys])
            facts.extend([fact] if fact else [])
    facts.sort(key=lambda f: (-f.strength, f.subject.ref, f.object))
    note = f"only the {MAX_GROUPS} most telling groups of lines were looked at" if len(groups) == MAX_GROUPS else ""
    read = sum(group.before + group.after for group in groups)
    return answered(tables, "logs", facts[: params.limit], window=periods.whole, rows_read=read, note=note)


def _groups(tables: Tables, services: Sequence[str], periods: Periods) -> list[_Group]:
    at = periods.sql
    values: list[object] = [at["b0"], at["b1"], at["a0"], at["a1"]]
    chosen = in_list("service", services, values)
    rows = tables.rows(
        f"""WITH marked AS (
            SELECT service, severity, ts, left(body, 300) AS line, {MASKED_SQL} AS masked,
                   ts >= ? AND ts < ? AS before, ts >= ? AND ts <= ? AS after
            FROM logs WHERE ts IS NOT NULL{chosen})
        SELECT service, severity, masked, count(*) FILTER (before) AS b, count(*) FILTER (after) AS a, min(ts),
               min(ts) FILTER (after), max(ts), min(line)
        FROM marked WHERE before OR after GROUP BY service, severity, masked
        ORDER BY severity IN ('ERROR', 'FATAL') DESC, b = 0 DESC, a DESC, b DESC, service, severity, masked
        LIMIT {MAX_GROUPS}""",  # noqa: S608  # placeholders, and constants of ours
        values,
    )
    return [_Group(*row) for row in rows]


def _fact(asked: _Asked, template: str, groups: Sequence[_Group]) -> Fact | None:
    before, after = sum(g.before for g in groups), sum(g.after for g in groups)
    first = min(g.first for g in groups)
    firsts = [g.first_after for g in groups if g.first_after]
    new_late = _late(first, asked.periods) and after >= before
    score = rate_score(before, asked.minutes_before, after, asked.minutes_after)
    weight = _weight(groups[0].severity, template)
    expected = before / asked.minutes_before * asked.minutes_after
    judged = _judged(after, score, weight, new=before == 0 or new_late, expected=expected)
    standing = _Judged("fails", _standing(groups[0].severity, told=asked.periods.told))
    relation, strong = judged if judged is not None and judged.strength >= standing.strength else standing
    if relation == "appears" and not asked.usual:
        strong = strength(strong * 0.7)
    if strong < MIN_STRENGTH:
        return None
    at = first if relation in {"appears", "fails"} else min(firsts, default=None)
    return Fact(
        subject=subject_for(asked.incident, groups[0].service), signal="log:template", relation=relation,
        object=cut(template, 240), value=rounded(per_minute(after, asked.minutes_after)),
        baseline=rounded(per_minute(before, asked.minutes_before)), unit="per_min",
        at=utc(at) if at and relation in {"appears", "rises", "fails"} else None, strength=strong,
        quote=cut(min(g.sample for g in groups)),
    )  # fmt: skip


def _judged(after: int, score: float, weight: float, *, new: bool, expected: float) -> _Judged | None:
    if new and after:
        seen = 0.75 + 0.25 * (1 - math.exp(-(after - 1) / 3))
        return _Judged("appears", strength(weight * seen * (1.0 if weight >= ALARMING else saturating(score, 1.0))))
    if not after and expected >= 3:
        return _Judged("vanishes", strength(0.6 * saturating(-score, 3)))
    if score >= MIN_SCORE:
        return _Judged("rises", strength(weight * saturating(score, 6)))
    if score <= -MIN_SCORE:
        return _Judged("falls", strength(0.5 * saturating(-score, 6)))
    return None


def _standing(severity: str, *, told: bool) -> float:
    """A fatal line is worth saying whenever it was written; so is an error where nobody knows when it all began."""
    if severity == "FATAL":
        return 0.7 if not told else 0.4
    return 0.45 if severity == "ERROR" and not told else 0.0


def _late(first: datetime, periods: Periods) -> bool:
    """Whether it was first seen in the last sixth of the time before."""
    length: timedelta = periods.before.end - periods.before.start
    return periods.before.end == periods.after.start and first >= naive(periods.before.end - length / 6)


def _weight(severity: str, template: str) -> float:
    weight = WEIGHTS.get(severity, 0.4)
    return max(weight, ALARMING) if weight < ALARMING and _ALARMING.search(template.replace(MASK, " ")) else weight


PROBE = Probe(
    name="log_templates",
    question="Which kinds of log lines are new, gone, more or fewer than before?",
    sources=("logs",),
    cost="heavy",
    params=LogTemplates,
    answer=answer,
)
