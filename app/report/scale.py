"""Axes: round tick positions in time and value, and how their labels read."""

import math
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

_TIME_STEPS = (
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800,
)  # fmt: skip


class Tick(NamedTuple):
    at: float
    """Pixels along its axis."""
    label: str


class TimeScale(NamedTuple):
    """Instants to pixels."""

    start: datetime
    end: datetime
    left: float
    right: float

    def x(self, at: datetime) -> float:
        share = (at - self.start) / (self.end - self.start)
        return round(self.left + share * (self.right - self.left), 1)

    def holds(self, at: datetime) -> bool:
        return self.start <= at <= self.end

    def ticks(self, most: int = 7) -> tuple[Tick, ...]:
        seconds = (self.end - self.start).total_seconds()
        step = next((s for s in _TIME_STEPS if seconds / s <= most), 604_800 * math.ceil(seconds / 604_800 / most))
        form = "%m-%d %H:%M" if seconds > 86_400 else ("%H:%M:%S" if step < 60 else "%H:%M")
        first = math.ceil(self.start.timestamp() / step) * step
        instants = (datetime.fromtimestamp(first + i * step, UTC) for i in range(most + 2))
        return tuple(Tick(self.x(at), f"{at:{form}}") for at in instants if self.holds(at))


def time_scale(instants: list[datetime], left: float, right: float) -> TimeScale:
    """Over all `instants`, never of zero length."""
    start, end = min(instants), max(instants)
    if end - start < timedelta(seconds=2):
        start, end = start - timedelta(seconds=30), end + timedelta(seconds=30)
    return TimeScale(start, end, left, right)


class ValueScale(NamedTuple):
    """Values to pixels, upwards."""

    low: float
    high: float
    top: float
    bottom: float

    def y(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(self.bottom - share * (self.bottom - self.top), 1)

    def ticks(self, most: int = 4) -> tuple[Tick, ...]:
        step = _round_step((self.high - self.low) / most)
        first = math.ceil(self.low / step - 1e-9)
        values = ((first + i) * step for i in range(most * 3))
        return tuple(Tick(self.y(v), number(v)) for v in values if v <= self.high + step * 1e-6)


def value_scale(values: list[float], top: float, bottom: float) -> ValueScale:
    """From zero where the values come near it, with some air; never of zero height."""
    low, high = min(values), max(values)
    if 0 <= low <= 0.5 * high:
        low = 0.0
    air = (high - low) * 0.06 or abs(high) * 0.1 or 1.0
    return ValueScale(low if low == 0 else low - air, high + air, top, bottom)


def number(value: float) -> str:
    """Three telling digits: `0.012`, `340`, `12.5k`, `3.2M`."""
    size = abs(value)
    for limit, suffix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")):
        if size >= limit:
            return f"{value / (1e3 if suffix == 'k' else limit):.3g}{suffix}"
    return f"{value:.3g}" if size < 1000 else f"{value:,.0f}"


def _round_step(raw: float) -> float:
    power = 10.0 ** math.floor(math.log10(raw))
    return next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= raw - power * 1e-9)
