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
SCALE_FLOOR = 0.005
"""Of the largest value: keeps a baseline of zeros from turning any value into infinity."""
TINY = 1e-12
MIN_BASELINE = 3


class Baseline(NamedTuple):
    center: float
    spread: float
    """Of stretches as long as those that are compared with it."""
    points: int
    usual: float
    """How far, in spreads, the farthest of as many of its own stretches lies off: what a change must exceed."""


class Shift(NamedTuple):
    z: float
    """Signed, in spreads; 0 where nothing changed."""
    value: float
    """Median of the stretch that lies farthest off."""
    baseline: float


def compare(before: Floats, after: Floats, floor: float) -> tuple[Baseline, Shift]:
    """The stretch of `after` that lies farthest off, against stretches of `before` that are as long.

    A late onset is found, a single outlier is not. `floor` is the least spread that the metric's unit allows.
    """
    width = min(max(3, len(after) // 5), len(after), max(len(before) // 2, 1))
    later, earlier = _medians(after, width), _medians(before, width)
    center = float(np.median(before))
    spread = _spread(np.abs(earlier - center), center, float(np.max(np.abs(later))), floor)
    offs = (later - center) / spread
    at = int(np.argmax(np.abs(offs)))
    share = min(max(1 - 1 / (len(later) + 1), 0.5), 0.97)
    usual = float(np.quantile(np.abs(earlier - center) / spread, share))
    z = float(offs[at])
    shrunk = max(abs(z) - usual, 0.0) * (1.0 if z > 0 else -1.0)
    return Baseline(center, spread, len(before), usual), Shift(shrunk, float(later[at]), center)


def _spread(deviations: Floats, center: float, largest: float, floor: float) -> float:
    """1.4826 MAD, or the 90th percentile's share of it where tails are heavy; never below the floors."""
    tails = float(np.quantile(deviations, 0.9)) / 1.645 * 0.7
    found = max(1.4826 * float(np.median(deviations)), tails, floor)
    return max(found, RELATIVE_FLOOR * abs(center), SCALE_FLOOR * max(largest, abs(center)), TINY)


def _medians(values: Floats, width: int) -> Floats:
    """Of all stretches of `width` values in a row."""
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
