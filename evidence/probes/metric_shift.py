"""Which metrics left their usual range, when, and how far?

Method: for each series, median and MAD of the time before the split with a floor for the unit (robust.py); the
stretch after it that lies farthest off, so that a late onset is found, against stretches before it that are as long;
the distance in spreads, less that of the baseline's own farthest stretches. Shares that are usually full are judged by
what they lack. Where the first half of the time before shows far more, it is the baseline: an incident may creep in.
Onset: the first of three points in a row that lie a quarter of the way. Counters are read as rates. Strength: z / (z +
6), times 0.5 to 1 by how large the move is (1 from a doubling on), times 0.6 where fewer than eight baseline points or
three later ones stand behind it. Cost: one pass over the metrics, at most 900 points a series.
"""

from datetime import datetime

from pydantic import Field

from ...contracts.claim import Fact, Relation
from ...contracts.evidence import Answer
from ...contracts.incident import TimeWindow
from ..robust import Shift
from ..series import Series, load_series
from ..shifts import judge, onset_of
from ..subjects import subject_for
from ..tables import Periods, Tables
from .base import Params, Probe, ServiceNames, answered, rounded, strength, undated

MIN_STRENGTH = 0.25


class MetricShift(Params):
    services: tuple[str, ...] = ServiceNames
    """Only these; empty means all."""
    metrics: tuple[str, ...] = Field(default=(), max_length=200)
    """Only these, and what did not change is said too; empty means all."""
    split_at: datetime | None = None
    """Where before ends; the default is docs/probes.md's."""
    window: TimeWindow | None = None
    """Only this part of the time after the split."""


def answer(tables: Tables, params: MetricShift) -> Answer:
    periods = tables.periods(params.split_at, sparse=True)
    if periods is None:
        return undated("metrics")
    if params.window is not None:
        periods = Periods(periods.before, params.window)
    loaded = load_series(tables, periods, services=params.services, metrics=params.metrics)
    facts = [
        fact for series in loaded.series if (fact := _fact(tables, series, periods, say_unchanged=bool(params.metrics)))
    ]
    note = f"{loaded.left_out} series left out" if loaded.left_out else ""
    return answered(tables, "metrics", facts, window=periods.whole, rows_read=loaded.rows, note=note)


def _fact(tables: Tables, series: Series, periods: Periods, *, say_unchanged: bool) -> Fact | None:
    judged = judge(series, periods)
    if judged is None:
        return None
    if judged.strength < MIN_STRENGTH:
        return (
            _said(tables, series, "unchanged", judged.found, strength(1 - judged.strength), None)
            if say_unchanged
            else None
        )
    relation: Relation = "rises" if judged.found.z > 0 else "falls"
    began = onset_of(series, periods, judged.baseline, judged.found)
    return _said(tables, series, relation, judged.found, judged.strength, began)


def _said(tables: Tables, series: Series, relation: Relation, found: Shift, strong: float, at: datetime | None) -> Fact:
    return Fact(
        subject=subject_for(tables.incident, series.service, series.instance), signal=f"metric:{series.metric}",
        relation=relation,
        value=rounded(found.value), baseline=rounded(found.baseline),
        unit=f"{series.unit or '1'}/s" if series.is_rate else series.unit, at=at, strength=strong,
    )  # fmt: skip


PROBE = Probe(
    name="metric_shift",
    question="Which metrics left their usual range, when, and how far?",
    sources=("metrics",),
    cost="moderate",
    params=MetricShift,
    answer=answer,
)
