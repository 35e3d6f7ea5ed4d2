"""Metric series as arrays: one point per time bucket, counters as rates, nothing that is not finite."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .tables import Periods, Tables, naive, utc

Floats = NDArray[np.float64]
Times = NDArray[np.int64]

MAX_BUCKETS = 900
MAX_SERIES = 6000
_COUNTER = re.compile(r"(_total|_count|_sum|\.count)$")
_UNIX = datetime(1970, 1, 1)  # noqa: DTZ001  # tables hold UTC without a zone


class Series(NamedTuple):
    service: str
    instance: str
    metric: str
    unit: str
    times: Times
    """Microseconds since 1970, sorted, no two equal."""
    values: Floats
    is_rate: bool
    """Whether a counter was turned into a rate per second."""

    @property
    def key(self) -> tuple[str, str, str]:
        return self.service, self.instance, self.metric

    def part(self, start: datetime, end: datetime, *, include_end: bool) -> Floats:
        low, high = micros(start), micros(end)
        chosen = (self.times >= low) & ((self.times <= high) if include_end else (self.times < high))
        return self.values[chosen]


class Loaded(NamedTuple):
    series: list[Series]
    rows: int
    """Points that were read."""
    left_out: int
    """Series beyond the bound."""


def micros(time: datetime) -> int:
    return (naive(time) - _UNIX) // timedelta(microseconds=1)


def moment(microseconds: int) -> datetime:
    return utc(_UNIX + timedelta(microseconds=int(microseconds)))


def load_series(
    tables: Tables, periods: Periods, *, services: Sequence[str] = (), metrics: Sequence[str] = ()
) -> Loaded:
    """Series inside both periods, sorted by service, instance and metric."""
    seconds = sum((w.end - w.start).total_seconds() for w in (periods.before, periods.after))
    width = max(int(seconds / MAX_BUCKETS), 1) * 1_000_000
    at = periods.sql
    params: list[Any] = [at["b0"], at["b1"], at["a0"], at["a1"], *services, *metrics]
    chosen = "".join(
        f" AND {column} IN ({', '.join('?' for _ in names)})"
        for column, names in (("service", services), ("metric", metrics))
        if names
    )
    found = tables.arrays(
        f"""SELECT service, instance, metric, max(unit) AS unit, epoch_us(min(ts)) AS t, median(value) AS v,
                   count(*) AS n
        FROM metrics
        WHERE value IS NOT NULL AND ts IS NOT NULL
          AND ((ts >= ? AND ts < ?) OR (ts >= ? AND ts <= ?)){chosen}
        GROUP BY service, instance, metric, epoch_us(ts) // {width}
        ORDER BY service, instance, metric, t""",  # noqa: S608  # placeholders, and an integer of ours
        params,
    )
    series: list[Series] = []
    left_out = 0
    for one in _split(found):
        if len(series) < MAX_SERIES:
            series.append(one)
        else:
            left_out += 1
    return Loaded(series, int(found["n"].sum()) if len(found["n"]) else 0, left_out)


def _split(found: dict[str, Any]) -> Iterator[Series]:
    names = [np.asarray(found[column], dtype=object) for column in ("service", "instance", "metric", "unit")]
    times, values = np.asarray(found["t"], dtype=np.int64), np.asarray(found["v"], dtype=np.float64)
    if not len(times):
        return
    same = np.ones(len(times) - 1, dtype=bool)
    for column in names[:3]:
        same &= column[1:] == column[:-1]
    starts = [0, *(np.flatnonzero(~same) + 1).tolist(), len(times)]
    for low, high in pairwise(starts):
        service, instance, metric, unit = (str(column[low]) for column in names)
        yield _as_rate(Series(service, instance, metric, unit, times[low:high], values[low:high], is_rate=False))


def _as_rate(series: Series) -> Series:
    """A counter's growth per second; a reset counts as growth from zero, as Prometheus' `rate` does."""
    if len(series.values) < 4 or not _COUNTER.search(series.metric):
        return series
    steps = np.diff(series.values)
    if (steps < 0).mean() > 0.1 or not (steps > 0).any():
        return series
    growth = np.where(steps < 0, series.values[1:], steps)
    seconds = np.diff(series.times) / 1e6
    return series._replace(times=series.times[1:], values=growth / seconds, is_rate=True)
