"""Which other metrics move with this one, and which of them move first?

Method: the series are put on one grid of times by the last value seen; Spearman's rank correlation at every lag up to
`lag_s`, the lag with the largest magnitude wins, the shortest of equals. A positive lag means that the other series
moved first (`precedes`), else it `matches`. Strength: the correlation's magnitude. Cost: at most 300 series of 900
points.
"""

from typing import NamedTuple

import numpy as np
from pydantic import Field

from ...contracts.claim import Fact
from ...contracts.evidence import Answer
from ..robust import Floats
from ..series import Series, Times, load_series
from ..subjects import subject_for
from ..tables import Tables
from .base import Params, Probe, answered, rounded, strength, undated
from .metric_onset import ranks_of

MAX_OTHERS = 300
MAX_LAGS = 40
MIN_POINTS = 12
MIN_CORRELATION = 0.6


class MetricComovement(Params):
    service: str = Field(default="", max_length=300)
    metric: str = Field(min_length=1, max_length=300)
    lag_s: float = Field(default=600.0, ge=0, le=86_400)
    """The longest lead or lag that is tried, in seconds."""


class _Best(NamedTuple):
    correlation: float
    lag: int


def answer(tables: Tables, params: MetricComovement) -> Answer:
    periods = tables.periods(sparse=True)
    if periods is None:
        return undated("metrics")
    loaded = load_series(tables, periods)
    mine = next((s for s in loaded.series if s.metric == params.metric and params.service in {"", s.service}), None)
    if mine is None or len(mine.values) < MIN_POINTS:
        return answered(tables, "metrics", [], window=periods.whole, rows_read=loaded.rows, note="no such series")
    step = max(int(np.median(np.diff(mine.times))), 1)
    lags = min(int(params.lag_s * 1e6 // step), MAX_LAGS, len(mine.values) // 3)
    others = [s for s in loaded.series if s.key != mine.key and float(np.ptp(s.values)) > 0][:MAX_OTHERS]
    facts = [fact for other in others if (fact := _fact(tables, mine, other, lags, step / 1e6))]
    note = f"only {MAX_OTHERS} series were compared" if len(loaded.series) > MAX_OTHERS + 1 else ""
    return answered(tables, "metrics", facts, window=periods.whole, rows_read=loaded.rows, note=note)


def _fact(tables: Tables, mine: Series, other: Series, lags: int, step: float) -> Fact | None:
    aligned = _on(mine.times, other)
    known = ~np.isnan(aligned)
    if int(known.sum()) < MIN_POINTS:
        return None
    best = _best(ranks_of(mine.values[known]), ranks_of(aligned[known]), lags)
    if abs(best.correlation) < MIN_CORRELATION:
        return None
    return Fact(
        subject=subject_for(tables.incident, other.service, other.instance), signal=f"metric:{other.metric}",
        relation="precedes" if best.lag > 0 else "matches", object=f"{mine.service} {mine.metric}".strip(),
        value=rounded(best.correlation, 3), baseline=rounded(best.lag * step), unit="correlation at lag seconds",
        strength=strength(abs(best.correlation)),
    )  # fmt: skip


def _on(times: Times, other: Series) -> Floats:
    """The last value that `other` had at each time; NaN before its first."""
    at = np.searchsorted(other.times, times, side="right") - 1
    return np.where(at >= 0, other.values[np.maximum(at, 0)], np.nan)


def _best(mine: Floats, other: Floats, lags: int) -> _Best:
    found = [_Best(0.0, 0)]
    for lag in range(-lags, lags + 1):
        left, right = (mine[lag:], other[: len(other) - lag]) if lag >= 0 else (mine[:lag], other[-lag:])
        found.append(_Best(_correlation(left, right), lag))
    return max(found, key=lambda b: (round(abs(b.correlation), 3), -abs(b.lag), b.lag))


def _correlation(left: Floats, right: Floats) -> float:
    """Of half-integer ranks, in whole numbers: exact, so that its digits are equal on every machine."""
    if len(left) < MIN_POINTS:
        return 0.0
    x, y = (left * 2).astype(np.int64), (right * 2).astype(np.int64)
    n = len(x)
    sx, sy = int(x.sum()), int(y.sum())
    covariance = n * int((x * y).sum()) - sx * sy
    spread = (n * int((x * x).sum()) - sx * sx) * (n * int((y * y).sum()) - sy * sy)
    return covariance / spread**0.5 if spread > 0 else 0.0


PROBE = Probe(
    name="metric_comovement",
    question="Which other metrics move with this one, and which of them first?",
    sources=("metrics",),
    cost="moderate",
    params=MetricComovement,
    answer=answer,
)
