"""Traces: which work itself became slow, and where errors begin."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...contracts.claim import Fact
from ...contracts.delegation import CaseView
from ...contracts.evidence import Observation, ProbeCall, Source
from .base import FieldAnalyst, scoped

MAX_RATES = 10


@dataclass(frozen=True, kw_only=True)
class TracesAnalyst(FieldAnalyst):
    capability: str = "analyze_traces"
    sources: tuple[Source, ...] = ("traces",)
    after: tuple[str, ...] = ()

    def plan(self, view: CaseView, observed: Sequence[Observation]) -> Iterable[ProbeCall]:
        del observed
        for probe in ("trace_course", "trace_self_time", "trace_errors", "trace_gap", "trace_rate"):
            yield ProbeCall(probe=probe, params=dict(scoped(view)))

    def chosen(self, observed: Sequence[Observation]) -> Iterator[tuple[Fact, Observation]]:
        """How often something is called is context: a few clear changes are enough, and a first call is none."""
        rates = 0
        for fact, observation in super().chosen(observed):
            if fact.signal == "trace:rate":
                rates += 1
                if fact.relation == "appears" or rates > MAX_RATES:
                    continue
            yield fact, observation
