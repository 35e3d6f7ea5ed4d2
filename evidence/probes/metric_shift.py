"""Which metrics left their usual range, when, and how far?

Method: for each series, median and MAD of the time before the split with a floor for the unit (robust.py); the
stretch after it that lies farthest off, so that a late onset is found; the distance in spreads, less what the
baseline's own stretches show. Onset: the first of three points in a row that lie a quarter of the way. Counters are
read as rates. Strength: z / (z + 6), times 0.6 where fewer than eight baseline points stand behind it. Cost: one pass
over the metrics, at most 900 points a series.
"""

import re
from datetime import datetime
from typing import NamedTuple

import numpy as np
from pydantic import Field

from ...contracts.claim import Fact, Relation
from ...contracts.evidence import Answer
from ...contracts.incident import TimeWindow
from ..robust import MIN_BASELINE, Baseline, Floats, Shift, baseline_of, onset_index, shift
from ..series import Series, load_series, moment
from ..subjects import subject_for
from ..tables import Periods, Tables
from .base import Params, Probe, ServiceNames, answered, rounded, saturating, strength, undated

MIN_STRENGTH = 0.25
HALF = 6.0
MIN_HALVED = 16
EARLY_TRUST = 0.85
"""How far the first half of the baseline is trusted against the whole."""
_FLOORS: tuple[tuple[re.Pattern[str], float, float], ...] = (
    # name, largest value it applies to, least spread
    (re.compile(r"ratio|rate|share|success|availab|error|fraction|saturation|util", re.IGNORECASE), 1.5, 0.004),
    (re.compile(r"percent|pct|util|%|cpu", re.IGNORECASE), 101.0, 0.5),
    (re.compile(r"_ms|millis|latency|duration", re.IGNORECASE), float("inf"), 0.2),
)


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
    periods = tables.periods(params.split_at)
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


class Judged(NamedTuple):
    baseline: Baseline
    found: Shift
    strength: float


def judge(series: Series, periods: Periods) -> Judged | None:
    """Against all of the time before, or against its first half where that shows far more.

    An incident that creeps in before the split would else hide in the baseline. A stated baseline is taken whole.
    """
    before = series.part(periods.before.start, periods.before.end, include_end=False)
    after = series.part(periods.after.start, periods.after.end, include_end=True)
    if len(before) < MIN_BASELINE or not len(after):
        return None
    whole = _against(series, before, after)
    if len(before) < MIN_HALVED or periods.before.end < periods.after.start:
        return whole
    half = _against(series, before[: len(before) // 2], after)
    return half if half.strength * EARLY_TRUST > whole.strength else whole


def _against(series: Series, before: Floats, after: Floats) -> Judged:
    scale = float(np.quantile(np.abs(series.values), 0.95))
    baseline = baseline_of(before, scale, floor_of(series.metric, scale))
    found = shift(baseline, after)
    return Judged(baseline, found, _strength(baseline, found, len(after)))


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


def _strength(baseline: Baseline, found: Shift, points: int) -> float:
    trust = (1.0 if baseline.points >= 8 else 0.6) * (1.0 if points >= 3 else 0.6)
    return strength(saturating(abs(found.z), HALF) * trust)


def onset_of(series: Series, periods: Periods, baseline: Baseline, found: Shift) -> datetime | None:
    """When it began; up to two thirds into the time before the split, which may have been set too late."""
    near = periods.before.end >= periods.after.start
    start = periods.before.start + (periods.before.end - periods.before.start) / 3 if near else periods.after.start
    low = int(np.searchsorted(series.times, int(start.timestamp() * 1e6)))
    at = onset_index(series.values[low:], baseline, found)
    if at is None:
        at = onset_index(series.values[low:], baseline, found, sustained=1)
    return moment(int(series.times[low + at])) if at is not None else None


def floor_of(metric: str, scale: float) -> float:
    """The least spread that a metric of this name is given, so that noise around zero is no change."""
    return next((least for name, largest, least in _FLOORS if name.search(metric) and scale <= largest), 0.0)


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
