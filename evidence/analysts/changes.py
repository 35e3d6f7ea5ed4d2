"""Changes: which were live in time, and what their diffs do."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from ...contracts.base import AgentId
from ...contracts.claim import Claim, Fact
from ...contracts.delegation import CaseView
from ...contracts.evidence import Observation, ProbeCall, Source
from ...contracts.report import Finding
from .base import MAX_FINDINGS, FieldAnalyst, facts_of, finding_from
from .terms import anomaly_literals, anomaly_terms

MAX_DIFFS = 30
STEPWISE = ("rollout", "canary", "release")
"""Kinds of change that leave stable instances to compare with."""
LIKELY = 0.16
"""Least strength of a change's time for its diff to be read."""


@dataclass(frozen=True, kw_only=True)
class ChangesAnalyst(FieldAnalyst):
    capability: str = "analyze_changes"
    sources: tuple[Source, ...] = ("changes",)
    after: tuple[str, ...] = ("analyze_metrics", "analyze_logs", "analyze_traces", "analyze_topology")

    def plan(self, view: CaseView, observed: Sequence[Observation]) -> Iterable[ProbeCall]:
        onset = onset_of(view.upstream)
        yield ProbeCall(probe="change_before_onset", params={"before": onset.isoformat()} if onset else {})
        live = facts_of(observed, "change_before_onset")
        if any(fact.quote.startswith(STEPWISE) for fact in live):
            yield ProbeCall(probe="change_canary")
        spoken, literals = list(anomaly_terms(view.upstream)), list(anomaly_literals(view.upstream))
        for ref in likely(live)[:MAX_DIFFS]:
            yield ProbeCall(probe="change_diff", params={"ref": ref, "terms": spoken, "literals": literals})

    def findings(self, view: CaseView, observed: Sequence[Observation], agent: AgentId) -> Sequence[Finding]:
        """Of every change its time and its clearest effect, then further effects, as far as there is room."""
        del view
        groups: dict[str, list[tuple[Fact, Observation]]] = defaultdict(list)
        for fact, observation in self.chosen(observed):
            groups[fact.subject.ref].append((fact, observation))
        picked = list(_round_robin(groups))[:MAX_FINDINGS]
        found = [finding_from(fact, observation, agent) for fact, observation in picked]
        return sorted(found, key=lambda f: (-f.confidence, f.claim.id))


def onset_of(claims: Iterable[Claim]) -> datetime | None:
    """The earliest beginning of what changed clearly."""
    times = [
        c.at
        for c in claims
        if c.at is not None and c.strength >= 0.5 and c.relation in {"rises", "falls", "appears", "fails", "slows"}
    ]
    return min(times, default=None)


def likely(facts: Iterable[Fact]) -> tuple[str, ...]:
    """Changes whose diff is worth reading: surely live first, and of equally sure ones the nearest in time."""
    best: dict[str, tuple[float, float]] = {}
    for fact in facts:
        if fact.strength >= LIKELY:
            key = (-fact.strength, abs(fact.value or 0.0))
            best[fact.subject.ref] = min(best.get(fact.subject.ref, key), key)
    return tuple(sorted(best, key=lambda ref: (*best[ref], ref)))


def _round_robin(groups: dict[str, list[tuple[Fact, Observation]]]) -> Iterator[tuple[Fact, Observation]]:
    def weight(ref: str) -> tuple[float, str]:
        time = max((f.strength for f, _ in groups[ref] if f.signal == "change:time"), default=0.0)
        effect = max((f.strength for f, _ in groups[ref] if f.relation in {"sets", "touches"}), default=0.1)
        return (-time * effect, ref)

    queues = [_ordered(groups[ref]) for ref in sorted(groups, key=weight)]
    for depth in range(max((len(queue) for queue in queues), default=0)):
        for queue in queues:
            if depth == 0:
                yield from queue[:3]
            elif len(queue) > depth + 2:
                yield queue[depth + 2]


def _ordered(group: list[tuple[Fact, Observation]]) -> list[tuple[Fact, Observation]]:
    """Time, then what clears it, then effects by clearness, then words in common."""
    rank = {"precedes": 0, "states": 1, "sets": 2, "touches": 2, "matches": 3}

    def key(pair: tuple[Fact, Observation]) -> tuple[float, float, str]:
        fact = pair[0]
        first = 0 if fact.signal == "change:time" else rank.get(fact.relation, 3)
        return (first, -fact.strength, fact.object)

    ordered = sorted(group, key=key)
    times = [pair for pair in ordered if pair[0].signal == "change:time"]
    canary = [pair for pair in ordered if pair[0].signal == "change:canary"]
    rest = [pair for pair in ordered if pair[0].signal not in {"change:time", "change:canary"}]
    return [*times[:1], *canary, *rest, *times[1:]]
