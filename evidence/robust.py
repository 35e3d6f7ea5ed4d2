"""Change against a baseline by medians and spreads with floors: what one outlier cannot make, nor a flat line divide.

Median and MAD after Rousseeuw and Croux (1993), "Alternatives to the Median Absolute Deviation"; the floor keeps a flat
baseline from turning noise into infinity. Only order statistics are used: they are equal on every machine.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RELATIVE_FLOOR = 0.04
"""Of the baseline's size: less is never called a change."""
MIN_BASELINE = 3


class Baseline(NamedTuple):
    center: float
    spread: float
    points: int
    usual: float
    """How far, in spreads, its own stretches usually lie from the centre: what a change must exceed."""


class Shift(NamedTuple):
    z: float
    """Signed, in spreads; 0 where nothing changed."""
    value: float
    """Median of the stretch that lies farthest off."""
    baseline: float
    reach: float
    """The share of the later points that lie off in that direction."""


def baseline_of(before: Floats, scale: float, floor: float) -> Baseline:
    """`scale`: the size of the series' values; `floor`: the least spread that its unit allows."""
    center = float(np.median(before))
    deviations = np.abs(before - center)
    spread = max(1.4826 * float(np.median(deviations)), float(np.quantile(deviations, 0.9)) / 1.645 * 0.7)
    spread = max(spread, RELATIVE_FLOOR * abs(center), 0.005 * scale, floor)
    windows = np.abs(_windows(before) - center) / spread
    return Baseline(center, spread, len(before), float(np.quantile(windows, 0.75)) if len(windows) else 0.0)


def shift(baseline: Baseline, after: Floats) -> Shift:
    """The stretch of `after` that lies farthest off; a late onset is found, a single outlier is not."""
    windows = _windows(after)
    offs = (windows - baseline.center) / baseline.spread
    at = int(np.argmax(np.abs(offs)))
    z = float(offs[at])
    shrunk = max(abs(z) - baseline.usual, 0.0) * (1.0 if z > 0 else -1.0)
    toward = (after - baseline.center) * np.sign(z) > 2 * baseline.spread
    return Shift(shrunk, float(windows[at]), baseline.center, float(np.count_nonzero(toward)) / len(after))


def _windows(values: Floats) -> Floats:
    """Medians of sliding stretches, a fifth of the values long and at least three."""
    width = max(3, len(values) // 5)
    if len(values) <= width:
        return np.array([np.median(values)])
    return np.asarray(np.median(np.lib.stride_tricks.sliding_window_view(values, width), axis=1))


def onset_index(values: Floats, baseline: Baseline, found: Shift, sustained: int = 3) -> int | None:
    """The first of `sustained` points in a row that lie off as the shift does, by a quarter of it at least."""
    off = found.value - baseline.center
    limit = max(0.25 * abs(off), min(3 * baseline.spread, 0.6 * abs(off)))
    beyond = (values - baseline.center) * np.sign(off) >= limit
    run = min(sustained, len(values))
    if len(beyond) < run or not run:
        return None
    held = np.lib.stride_tricks.sliding_window_view(beyond, run).all(axis=1)
    hits = np.flatnonzero(held)
    return int(hits[0]) if len(hits) else None
