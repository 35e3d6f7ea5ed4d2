"""Logs: which lines are new or risen, and whose errors."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...contracts.delegation import CaseView
from ...contracts.evidence import Observation, ProbeCall, Source
from .base import FieldAnalyst, scoped


@dataclass(frozen=True, kw_only=True)
class LogsAnalyst(FieldAnalyst):
    capability: str = "analyze_logs"
    sources: tuple[Source, ...] = ("logs",)
    after: tuple[str, ...] = ()

    def plan(self, view: CaseView, observed: Sequence[Observation]) -> Iterable[ProbeCall]:
        del observed
        yield ProbeCall(probe="log_templates", params=dict(scoped(view)))
        yield ProbeCall(probe="log_error_rate", params=dict(scoped(view)))
