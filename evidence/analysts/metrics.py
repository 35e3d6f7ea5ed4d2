"""Metrics: what left its usual range, and when."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...contracts.delegation import CaseView
from ...contracts.evidence import Observation, ProbeCall, Source
from .base import FieldAnalyst, scoped


@dataclass(frozen=True, kw_only=True)
class MetricsAnalyst(FieldAnalyst):
    capability: str = "analyze_metrics"
    sources: tuple[Source, ...] = ("metrics",)
    after: tuple[str, ...] = ()

    def plan(self, view: CaseView, observed: Sequence[Observation]) -> Iterable[ProbeCall]:
        del observed
        yield ProbeCall(probe="metric_shift", params=dict(scoped(view)))
