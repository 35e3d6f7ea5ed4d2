"""When did one metric change?

Method: change points by PELT on ranks with an L2 cost (ruptures; Killick et al., 2012), which neither outliers nor
scale move; the change nearest the split whose sides differ most, then the first sustained crossing (robust.py) near
it. NaN and infinity were dropped when the series was read. Strength: how clearly the ranks on both sides part, 0 to
1. Cost: one series, at most 900 points.
"""

from datetime import datetime

import numpy as np
from pydantic import Field

from ...contracts.claim import Fact, Relation
from ...contracts.evidence import Answer
from ..robust import Floats
from ..series import Series, load_series, moment
from ..subjects import subject_for
from ..tables import Tables
from .base import Params, Probe, answered, rounded, strength, undated

MIN_POINTS = 8
MIN_SIDE = 3
MAX_SERIES = 40


class MetricOnset(Params):
    service: str = Field(default="", max_length=300)
    """Empty: whichever has the metric."""
    metric: str = Field(min_length=1, max_length=300)


def answer(tables: Tables, params: MetricOnset) -> Answer:
    periods = tables.periods(sparse=True)
    if periods is None:
        return undated("metrics")
    services = (params.service,) if params.service else ()
    loaded = load_series(tables, periods, services=services, metrics=(params.metric,))
    facts = [fact for series in loaded.series[:MAX_SERIES] if (fact := _fact(tables, series))]
    return answered(tables, "metrics", facts, window=periods.whole, rows_read=loaded.rows)


def _fact(tables: Tables, series: Series) -> Fact | None:
    at = change_point(series.values)
    if at is None:
        return None
    before, after = float(np.median(series.values[:at])), float(np.median(series.values[at:]))
    if before == after:
        return None
    relation: Relation = "rises" if after > before else "falls"
    began: datetime = moment(int(series.times[at]))
    return Fact(
        subject=subject_for(tables.incident, series.service, series.instance), signal=f"metric:{series.metric}",
        relation=relation, value=rounded(after), baseline=rounded(before), unit=series.unit, at=began,
        strength=_parting(series.values, at),
    )  # fmt: skip


def change_point(values: Floats) -> int | None:
    """Index of the first point after the clearest change; None where there is none."""
    if len(values) < MIN_POINTS or float(np.ptp(values)) == 0.0:
        return None
    import ruptures  # noqa: PLC0415  # it brings SciPy: seconds that only this question is worth

    ranks = ranks_of(values) / len(values)
    found = ruptures.Pelt(model="l2", min_size=MIN_SIDE, jump=1).fit(ranks.reshape(-1, 1))
    points = found.predict(pen=0.5 * np.log(len(values)) * 0.15)[:-1]
    return max(points, key=lambda p: (_parting(values, p), -p), default=None)


def _parting(values: Floats, at: int) -> float:
    """|2 AUC - 1| of both sides: the chance that a later value lies beyond an earlier one (Mann and Whitney, 1947)."""
    low, high = np.sort(values[:at]), values[at:]
    below = np.searchsorted(low, high, side="left") + np.searchsorted(low, high, side="right")
    auc = int(below.sum()) / (2 * len(low) * len(high))
    return strength(abs(2 * auc - 1))


def ranks_of(values: Floats) -> Floats:
    """Mean ranks, so that ties are equal."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[inverse], dtype=np.float64)


PROBE = Probe(
    name="metric_onset",
    question="When did this metric change?",
    sources=("metrics",),
    cost="cheap",
    params=MetricOnset,
    answer=answer,
)
