"""Does load explain what is used up?

Method: for each service, metrics of traffic (requests, queries, messages per time) and of use (processor, memory,
pools, queues), each against its own past (shifts.py). Use that rises with traffic, at least half as much, is
`load_driven`; use that rises while traffic stays within 15 % is `cost_per_request`; traffic that rises while use does
not is `absorbed`. After the USE and RED methods (Gregg; Wilkie). Strength: the weaker of the two shifts' strengths,
for `cost_per_request` 0.8 times that of use. Cost: one pass over the metrics.
"""

import re
from datetime import datetime
from typing import NamedTuple

from ...contracts.claim import Fact
from ...contracts.evidence import Answer
from ..series import Series, load_series
from ..shifts import Judged, judge, onset_of
from ..subjects import subject_for
from ..tables import Periods, Tables
from .base import Params, Probe, ServiceNames, answered, rounded, strength, undated

_TRAFFIC = re.compile(
    r"request|rps|qps|tps|throughput|workload|per_sec|per_min|_ops|messages?_(?:in|received|consumed)|calls|visits|traffic",
    re.IGNORECASE,
)
_NO_TRAFFIC = re.compile(
    r"error|fail|5xx|4xx|latency|duration|_ms|ratio|retry|retries|timeout|p9[059]|size|bytes", re.IGNORECASE
)
_USE = re.compile(
    r"cpu|util|memory|mem_|heap|in_use|active|pool|queue|depth|lag|connections|threads|saturat|load", re.IGNORECASE
)
_NO_USE = re.compile(r"max|limit|capacity|idle|free|avail|latency|_ms|duration|wait|error|ratio_5xx", re.IGNORECASE)
SAME = 0.15
MIN_STRENGTH = 0.3


class TrafficCapacity(Params):
    services: tuple[str, ...] = ServiceNames
    """Only these; empty means all."""
    split_at: datetime | None = None


class _Moved(NamedTuple):
    series: Series
    judged: Judged

    @property
    def is_traffic(self) -> bool:
        return bool(_TRAFFIC.search(self.series.metric)) and not _NO_TRAFFIC.search(self.series.metric)

    @property
    def is_use(self) -> bool:
        return bool(_USE.search(self.series.metric)) and not _NO_USE.search(self.series.metric)

    @property
    def ratio(self) -> float:
        """After to before; 1 where before was nothing."""
        was = abs(self.judged.found.baseline)
        return abs(self.judged.found.value) / was if was > 0 else 1.0


def answer(tables: Tables, params: TrafficCapacity) -> Answer:
    periods = tables.periods(params.split_at)
    if periods is None:
        return undated("metrics")
    loaded = load_series(tables, periods, services=params.services)
    services: dict[str, list[_Moved]] = {}
    for series in loaded.series:
        judged = judge(series, periods) if series.service else None
        if judged is not None:
            services.setdefault(series.service, []).append(_Moved(series, judged))
    facts = [fact for moved in services.values() if (fact := _fact(tables, moved, periods))]
    return answered(tables, "metrics", facts, window=periods.whole, rows_read=loaded.rows)


def _fact(tables: Tables, moved: list[_Moved], periods: Periods) -> Fact | None:
    traffic = _strongest([m for m in moved if m.is_traffic])
    use = _strongest([m for m in moved if m.is_use and m.judged.found.z > 0])
    if traffic is None:
        return None
    more = traffic.judged.strength >= MIN_STRENGTH and traffic.ratio > 1 + SAME
    if use is None or use.judged.strength < MIN_STRENGTH:
        return _said(tables, traffic, traffic, "absorbed", 0.5 * traffic.judged.strength, periods) if more else None
    if more and traffic.ratio - 1 >= 0.5 * (use.ratio - 1):
        return _said(tables, traffic, use, "load_driven", min(traffic.judged.strength, use.judged.strength), periods)
    if abs(traffic.ratio - 1) <= SAME or traffic.judged.strength < MIN_STRENGTH:
        return _said(tables, traffic, use, "cost_per_request", 0.8 * use.judged.strength, periods)
    return None


def _strongest(moved: list[_Moved]) -> _Moved | None:
    return max(moved, key=lambda m: (m.judged.strength, m.series.metric, m.series.instance), default=None)


def _said(tables: Tables, traffic: _Moved, use: _Moved, said: str, strong: float, periods: Periods) -> Fact:
    began = onset_of(use.series, periods, use.judged.baseline, use.judged.found)
    return Fact(
        subject=subject_for(tables.incident, use.series.service), signal="capacity:load", relation="states",
        object=said,
        value=rounded(traffic.ratio, 4), baseline=1.0, unit="traffic ratio", at=began, strength=strength(strong),
        quote=f"{traffic.series.metric} {_change(traffic)}, {use.series.metric} {_change(use)}",
    )  # fmt: skip


def _change(moved: _Moved) -> str:
    return f"{moved.judged.found.baseline:.4g} to {moved.judged.found.value:.4g}"


PROBE = Probe(
    name="traffic_capacity",
    question="Does load explain what is used up?",
    sources=("metrics",),
    cost="moderate",
    params=TrafficCapacity,
    answer=answer,
)
