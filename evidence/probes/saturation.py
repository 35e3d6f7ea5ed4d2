"""What runs at its limit?

Method: pairs of metrics of one service or instance whose names differ only in a word for use (`in_use`, `used`,
`active`, `current`, ...) and one for its limit (`max`, `limit`, `size`, `capacity`, ...), by the median share of the
last fifth after the split; and single metrics that are a percentage or ratio of use by name. At 90 % it is near its
limit. Strength: from 0.5 at 90 % to 1 at 100 %, halved where the time before was as full. Cost: one pass over the
metrics.
"""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

import numpy as np

from ...contracts.claim import Fact
from ...contracts.evidence import Answer
from ..robust import Floats
from ..series import Series, load_series, moment
from ..subjects import subject_for
from ..tables import Periods, Tables
from .base import Params, Probe, ServiceNames, answered, rounded, strength, undated

NEAR = 0.9
_USE = re.compile(r"(?:^|_)(?:in_use|inuse|used|active|current|open|usage|allocated|busy)(?=_|$)")
_LIMIT = re.compile(r"(?:^|_)(?:max|limit|limits|size|capacity|quota|maximum)(?=_|$)")
_PLAIN = re.compile(r"(?:^|_)(?:conns|connections|count|bytes|total)(?=_|$)")
_SHARE = re.compile(r"util|usage|used|saturat|percent|pct|cpu|memory|disk|pool", re.IGNORECASE)
_NO_SHARE = re.compile(
    r"success|hit|avail|error|fail|free|idle|_ms|seconds|latency|duration|bytes|_total|rate|per_", re.IGNORECASE
)


class Saturation(Params):
    services: tuple[str, ...] = ServiceNames
    """Only these; empty means all."""
    split_at: datetime | None = None


class _Use(NamedTuple):
    series: Series
    name: str
    before: float | None
    after: float
    limit: float | None
    at: datetime | None


def answer(tables: Tables, params: Saturation) -> Answer:
    periods = tables.periods(params.split_at, sparse=True)
    if periods is None:
        return undated("metrics")
    loaded = load_series(tables, periods, services=params.services)
    owners: dict[tuple[str, str], list[Series]] = {}
    for series in loaded.series:
        owners.setdefault((series.service, series.instance), []).append(series)
    uses = [use for found in owners.values() for use in (*_pairs(found, periods), *_shares(found, periods))]
    facts = [_fact(tables, use) for use in uses if use.after >= NEAR]
    return answered(tables, "metrics", facts, window=periods.whole, rows_read=loaded.rows)


def _pairs(found: list[Series], periods: Periods) -> Iterable[_Use]:
    """Use and limit of one thing: the same name but for the words that say which of the two it is."""
    limits = {_stem(s.metric): s for s in found if _LIMIT.search(s.metric) and not _USE.search(s.metric)}
    for series in found:
        limit = limits.get(_stem(series.metric))
        if limit is None or _LIMIT.search(series.metric) or series.is_rate:
            continue
        ceiling = _late(limit.part(periods.after.start, periods.after.end, include_end=True))
        if ceiling is not None and ceiling > 0:
            yield from _used(series, periods, ceiling, f"{series.metric}/{limit.metric}", ceiling)


def _shares(found: list[Series], periods: Periods) -> Iterable[_Use]:
    for series in found:
        if series.is_rate or not _SHARE.search(series.metric) or _NO_SHARE.search(series.metric):
            continue
        largest = float(series.values.max())
        by_name = re.search(r"percent|pct|%", series.metric + series.unit)
        whole = 1.0 if largest <= 1.0 and not by_name else 100.0
        if largest <= whole * 1.05 and (whole == 1.0 or by_name or "util" in series.metric.lower()):
            yield from _used(series, periods, whole, series.metric, None)


def _used(series: Series, periods: Periods, ceiling: float, name: str, limit: float | None) -> Iterable[_Use]:
    after = series.part(periods.after.start, periods.after.end, include_end=True)
    used = _late(after)
    if used is None:
        return
    before = series.part(periods.before.start, periods.before.end, include_end=False)
    full = np.flatnonzero(series.values >= NEAR * ceiling)
    at = moment(int(series.times[full[0]])) if len(full) else None
    yield _Use(series, name, float(np.median(before)) / ceiling if len(before) else None, used / ceiling, limit, at)


def _late(values: Floats) -> float | None:
    """The median of the fullest fifth: what it came to."""
    return float(np.quantile(values, 0.9)) if len(values) else None


def _stem(metric: str) -> str:
    return _PLAIN.sub("", _LIMIT.sub("", _USE.sub("", metric)))


def _fact(tables: Tables, use: _Use) -> Fact:
    strong = 0.5 + 0.5 * min((use.after - NEAR) / (1 - NEAR), 1.0)
    usual = use.before is not None and use.before >= NEAR
    return Fact(
        subject=subject_for(tables.incident, use.series.service, use.series.instance),
        signal=f"metric:{use.series.metric}",
        relation="states", object="saturated", value=rounded(use.after), baseline=rounded(use.before), unit="ratio",
        at=None if usual else use.at, strength=strength(strong / 2 if usual else strong),
        quote=f"{use.name} at {use.after:.0%}" + (f" of {use.limit:g}" if use.limit else ""),
    )  # fmt: skip


PROBE = Probe(
    name="saturation",
    question="What runs at its limit?",
    sources=("metrics",),
    cost="moderate",
    params=Saturation,
    answer=answer,
)
