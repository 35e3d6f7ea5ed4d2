"""Logs: which lines are new or risen, and whose errors."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...contracts.claim import Fact
from ...contracts.delegation import CaseView
from ...contracts.evidence import Observation, ProbeCall, Source
from ..ranking.signals import is_trouble
from .base import FieldAnalyst, early_split, first_said, scoped


@dataclass(frozen=True, kw_only=True)
class LogsAnalyst(FieldAnalyst):
    capability: str = "analyze_logs"
    sources: tuple[Source, ...] = ("logs",)
    after: tuple[str, ...] = ()

    def plan(self, view: CaseView, observed: Sequence[Observation]) -> Iterable[ProbeCall]:
        first = ProbeCall(probe="log_templates", params=dict(scoped(view)))
        yield first
        yield ProbeCall(probe="log_error_rate", params=dict(scoped(view)))
        early = early_split(observed, first)
        if early:
            yield ProbeCall(probe="log_templates", params={**scoped(view), "split_at": early})

    def chosen(self, observed: Sequence[Observation]) -> Iterator[tuple[Fact, Observation]]:
        """Lines that tell of trouble or fade; a new line of routine is a claim only where nothing else was found."""
        found = list(first_said(super().chosen(observed)))
        telling = [(f, o) for f, o in found if f.relation in {"vanishes", "falls"} or is_trouble(f)]
        yield from telling or found
