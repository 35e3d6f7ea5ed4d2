"""Seeded telemetry without a clock, a locale or a maths library: the same bytes on every machine."""

import csv
import io
import json
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

Curve = Callable[[float], float]
"""A level at a minute since the window's start."""


class Dice:
    """Only `random()` is promised to be equal between Python versions, so all else is made from it."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)  # noqa: S311 (a simulation)

    def uniform(self, low: float, high: float) -> float:
        return low + (high - low) * self._random.random()

    def below(self, n: int) -> int:
        return int(self._random.random() * n)

    def chance(self, p: float) -> bool:
        return self._random.random() < p

    def noise(self) -> float:
        """About normal, spread 1: twelve uniforms, so that no rounding of a logarithm matters."""
        return sum(self._random.random() for _ in range(12)) - 6.0

    def hex(self, digits: int) -> str:
        return "".join("0123456789abcdef"[self.below(16)] for _ in range(digits))


def steady(level: float) -> Curve:
    return lambda _: level


def ramp(before: float, after: float, *, start: float, end: float) -> Curve:
    """`before` until `start`, `after` from `end`, a straight line between."""

    def level(minute: float) -> float:
        share = min(1.0, max(0.0, (minute - start) / (end - start)))
        return before + (after - before) * share

    return level


@dataclass(frozen=True, kw_only=True)
class Series:
    """One metric of one service."""

    service: str
    metric: str
    unit: str
    curve: Curve
    spread: float = 0.04
    """Noise, as a share of the level."""
    digits: int = 1
    until: float | None = None
    """Minute after which nothing is reported."""
    most: float = float("inf")
    """A value that it cannot pass: a pool's size."""


@dataclass(kw_only=True)
class Recording:
    """What one bundle will hold."""

    start: datetime
    minutes: int
    dice: Dice
    metrics: list[Series]
    logs: list[dict[str, object]] = field(default_factory=list)
    spans: list[dict[str, object]] = field(default_factory=list)
    changes: list[dict[str, object]] = field(default_factory=list)
    edges: tuple[tuple[str, str, str], ...] = ()
    documents: Mapping[str, str] = field(default_factory=dict)
    incident: str = ""
    expected: str = ""

    def at(self, minute: float) -> str:
        """The instant `minute` minutes into the window, to the millisecond."""
        moment = self.start.astimezone(UTC) + timedelta(milliseconds=int(minute * 60_000))
        return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"

    def log(self, minute: float, service: str, instance: str, severity: str, body: str) -> None:
        self.logs.append(
            {"ts": self.at(minute), "service": service, "instance": instance, "severity": severity, "body": body}
        )

    def write(self, folder: Path) -> None:
        """The case `folder`: `bundle/` with every source that was recorded, `expected.yaml` beside it."""
        bundle = folder / "bundle"
        _put(bundle / "incident.yaml", self.incident)
        _put(folder / "expected.yaml", self.expected)
        _put(bundle / "metrics.csv", _table(("ts", "service", "metric", "value", "unit"), self._metric_rows()))
        _put(bundle / "logs.jsonl", _lines(self.logs, "ts"))
        _put(bundle / "traces.jsonl", _lines(self.spans, "start"))
        _put(bundle / "changes.jsonl", _lines(self.changes, "ts"))
        _put(bundle / "topology.csv", _table(("caller", "callee", "kind"), self.edges))
        for name, text in self.documents.items():
            _put(bundle / "documents" / name, text)

    def _metric_rows(self) -> Iterable[tuple[str, ...]]:
        for minute in range(self.minutes):
            ts = self.at(minute).replace(".000Z", "Z")
            for series in self.metrics:
                level = series.curve(minute)
                value = min(series.most, max(0.0, level * (1 + series.spread * self.dice.noise())))
                if series.until is None or minute <= series.until:
                    yield ts, series.service, series.metric, f"{value:.{series.digits}f}", series.unit


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Empty where there are no rows, so that an absent source has no file."""
    lines = list(rows)
    if not lines:
        return ""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([header, *lines])
    return out.getvalue()


def _lines(rows: list[dict[str, object]], by: str) -> str:
    ordered = sorted(rows, key=lambda row: str(row[by]))
    return "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in ordered)


def _put(path: Path, text: str) -> None:
    if text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
