"""Metrics: what left its usual range, when, and where along the alerted service's calls."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...contracts.claim import Fact
from ...contracts.delegation import CaseView
from ...contracts.evidence import Observation, ProbeCall, Source
from .base import FieldAnalyst, early_split, first_said, scoped


@dataclass(frozen=True, kw_only=True)
class MetricsAnalyst(FieldAnalyst):
    capability: str = "analyze_metrics"
    sources: tuple[Source, ...] = ("metrics",)
    after: tuple[str, ...] = ()

    def plan(self, view: CaseView, observed: Sequence[Observation]) -> Iterable[ProbeCall]:
        first = ProbeCall(probe="metric_shift", params=dict(scoped(view)))
        yield first
        if not view.services:
            yield ProbeCall(probe="alert_path")
        early = early_split(observed, first)
        if early:
            yield ProbeCall(probe="metric_shift", params={**scoped(view), "split_at": early})

    def chosen(self, observed: Sequence[Observation]) -> Iterator[tuple[Fact, Observation]]:
        return first_said(super().chosen(observed))
