"""Documents: what status feeds say of the world outside, and where documents speak of the anomaly."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...contracts.delegation import CaseView
from ...contracts.evidence import Observation, ProbeCall, Source
from .base import FieldAnalyst

TELEMETRY = frozenset({"metric_shift", "log_templates"})
"""Where both can be asked, what is wrong is measured; else documents have to tell."""


@dataclass(frozen=True, kw_only=True)
class DocumentsAnalyst(FieldAnalyst):
    capability: str = "analyze_documents"
    sources: tuple[Source, ...] = ("documents",)
    after: tuple[str, ...] = ()

    def plan(self, view: CaseView, observed: Sequence[Observation]) -> Iterable[ProbeCall]:
        del view, observed
        yield ProbeCall(probe="external_status")
        if not (self.probes or frozenset()) >= TELEMETRY:
            yield ProbeCall(probe="document_lines")
            yield ProbeCall(probe="document_faults")
