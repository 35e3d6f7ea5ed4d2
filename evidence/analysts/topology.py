"""Topology: who calls whom, and where on that graph the anomaly ends."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...contracts.delegation import CaseView
from ...contracts.evidence import Observation, ProbeCall, Source
from .base import FieldAnalyst


@dataclass(frozen=True, kw_only=True)
class TopologyAnalyst(FieldAnalyst):
    capability: str = "analyze_topology"
    sources: tuple[Source, ...] = ("topology", "traces", "metrics")
    after: tuple[str, ...] = ("analyze_metrics", "analyze_logs", "analyze_traces")

    def plan(self, view: CaseView, observed: Sequence[Observation]) -> Iterable[ProbeCall]:
        del view, observed
        yield ProbeCall(probe="call_graph")
        yield ProbeCall(probe="deepest_anomalous_callee")
