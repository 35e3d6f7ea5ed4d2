"""One series against its own past: how far it moved, how sure that is, and when it began."""

import re
from datetime import datetime
from typing import NamedTuple

import numpy as np

from .numbers import saturating, strength
from .robust import MIN_BASELINE, Baseline, Floats, Shift, compare, onset_index
from .series import Series, micros, moment
from .tables import Periods

HALF = 6.0
MIN_HALVED = 16
EARLY_TRUST = 0.85
"""How far the first half of the baseline is trusted against the whole."""
_SHARE = re.compile(r"ratio|share|success|availab|hit|fraction|percent|pct|util", re.IGNORECASE)
_FLOORS: tuple[tuple[re.Pattern[str], float, float], ...] = (
    # name, largest value it applies to, least spread
    (re.compile(r"ratio|rate|share|success|availab|error|fraction|saturation|util", re.IGNORECASE), 1.5, 0.004),
    (re.compile(r"percent|pct|util|%|cpu", re.IGNORECASE), 101.0, 0.5),
    (re.compile(r"_ms(?:_|$)|millis", re.IGNORECASE), float("inf"), 0.2),
)


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
    if len(before) < MIN_HALVED or periods.before.end != periods.after.start:
        return whole
    half = _against(series, before[: len(before) // 2], after)
    return half if half.strength * EARLY_TRUST > whole.strength else whole


def _against(series: Series, before: Floats, after: Floats) -> Judged:
    """Shares that are usually full are judged by what they lack: 100 % to 96 % is much, 50 % to 46 % is little."""
    scale = float(np.quantile(np.abs(series.values), 0.95))
    full = _full(series)
    flipped = full is not None and float(np.median(before)) > full / 2
    if flipped and full is not None:
        before, after = full - before, full - after
    baseline, found = compare(before, after, floor_of(series.metric, scale))
    strong = _strength(baseline, found, len(after))
    if flipped and full is not None:
        baseline = baseline._replace(center=full - baseline.center)
        found = Shift(-found.z, full - found.value, full - found.baseline)
    return Judged(baseline, found, strong)


def _full(series: Series) -> float | None:
    """What a share cannot exceed; None where the metric is none."""
    largest = float(series.values.max())
    if float(series.values.min()) < 0 or not (_SHARE.search(series.metric) or series.unit in {"%", "percent"}):
        return None
    if largest <= 1.0 and series.unit not in {"%", "percent"}:
        return 1.0
    return 100.0 if largest <= 100.0 else None


def _strength(baseline: Baseline, found: Shift, points: int) -> float:
    trust = (1.0 if baseline.points >= 8 else 0.6) * (1.0 if points >= 3 else 0.6)
    moved = abs(found.value - found.baseline) / max(abs(found.value), abs(found.baseline), 1e-12)
    return strength(saturating(abs(found.z), HALF) * trust * (0.5 + min(moved, 0.5)))


def onset_of(series: Series, periods: Periods, baseline: Baseline, found: Shift) -> datetime | None:
    """When it began; up to two thirds into the time before the split, which may have been set too late."""
    start = periods.after.start
    if periods.before.end >= periods.after.start > periods.before.start:
        start = periods.before.start + (periods.before.end - periods.before.start) / 3
    low, high = np.searchsorted(series.times, [micros(start), micros(periods.after.end) + 1])
    values = series.values[low:high]
    at = onset_index(values, baseline, found)
    if at is None:
        at = onset_index(values, baseline, found, sustained=1)
    return moment(int(series.times[low + at])) if at is not None else None


def floor_of(metric: str, scale: float) -> float:
    """The least spread that a metric of this name is given, so that noise around zero is no change."""
    return next((least for name, largest, least in _FLOORS if name.search(metric) and scale <= largest), 0.0)
