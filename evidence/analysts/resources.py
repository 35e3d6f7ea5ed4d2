"""Resources: states of pods, nodes, events and limits, and what runs full."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...contracts.delegation import CaseView
from ...contracts.evidence import Observation, ProbeCall, Source
from .base import FieldAnalyst


@dataclass(frozen=True, kw_only=True)
class ResourcesAnalyst(FieldAnalyst):
    capability: str = "analyze_resources"
    sources: tuple[Source, ...] = ("resources", "metrics")
    after: tuple[str, ...] = ()

    def plan(self, view: CaseView, observed: Sequence[Observation]) -> Iterable[ProbeCall]:
        del view, observed
        checks = sorted(name for name in self.probes or () if name.startswith("resource_"))
        for probe in checks or ["resource_state"]:
            yield ProbeCall(probe=probe)
        yield ProbeCall(probe="saturation")
