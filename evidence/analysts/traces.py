"""Traces: which work itself became slow, and where errors begin."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...contracts.delegation import CaseView
from ...contracts.evidence import Observation, ProbeCall, Source
from .base import FieldAnalyst, scoped


@dataclass(frozen=True, kw_only=True)
class TracesAnalyst(FieldAnalyst):
    capability: str = "analyze_traces"
    sources: tuple[Source, ...] = ("traces",)
    after: tuple[str, ...] = ()

    def plan(self, view: CaseView, observed: Sequence[Observation]) -> Iterable[ProbeCall]:
        del observed
        for probe in ("trace_self_time", "trace_errors", "trace_gap", "trace_rate"):
            yield ProbeCall(probe=probe, params=dict(scoped(view)))
