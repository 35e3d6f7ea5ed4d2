"""Paired comparison over cases: bootstrap confidence interval and exact sign test, the same for the same seed."""

from collections.abc import Mapping, Sequence
from math import comb
from typing import NamedTuple

import numpy as np

SEED = 20_240_917
RESAMPLES = 4_000
LEVEL = 0.95


class Interval(NamedTuple):
    low: float
    high: float


class Paired(NamedTuple):
    """One measure of A against B over the cases that both have."""

    cases: int
    mean_a: float
    mean_b: float
    difference: float
    """B minus A."""
    interval: Interval
    """Of the difference, percentile bootstrap over cases."""
    better: int
    """Cases in which B is higher."""
    worse: int
    ties: int
    p: float
    """Two-sided exact sign test; ties say nothing."""

    @property
    def significant(self) -> bool:
        """Whether the interval leaves out zero."""
        return self.interval.low > 0 or self.interval.high < 0


def paired(a: Mapping[str, float], b: Mapping[str, float], *, resamples: int = RESAMPLES) -> Paired | None:
    """Compare by case name; None where they share no case."""
    shared = sorted(a.keys() & b.keys())
    if not shared:
        return None
    first, second = np.array([a[case] for case in shared]), np.array([b[case] for case in shared])
    change = second - first
    better, worse = int((change > 0).sum()), int((change < 0).sum())
    return Paired(
        cases=len(shared),
        mean_a=float(first.mean()),
        mean_b=float(second.mean()),
        difference=float(change.mean()),
        interval=bootstrap_mean(change.tolist(), resamples=resamples),
        better=better,
        worse=worse,
        ties=len(shared) - better - worse,
        p=sign_test(better, worse),
    )


def bootstrap_mean(values: Sequence[float], *, resamples: int = RESAMPLES, level: float = LEVEL) -> Interval:
    """Percentile interval of the mean, resampling cases."""
    data = np.array(values, dtype=float)
    if data.size == 0 or float(np.ptp(data)) == 0.0:
        only = float(data[0]) if data.size else 0.0
        return Interval(only, only)
    draws = np.random.default_rng(SEED).integers(0, data.size, size=(resamples, data.size))
    means = data[draws].mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def sign_test(better: int, worse: int) -> float:
    """Two-sided probability of so uneven a split, or a more uneven one, if both were equally likely."""
    total, fewer = better + worse, min(better, worse)
    if total == 0:
        return 1.0
    tail = sum(comb(total, successes) for successes in range(fewer + 1))
    return min(1.0, float(2 * tail / 2**total))


def mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
