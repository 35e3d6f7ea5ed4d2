"""What all analysts share: they ask what is not asked yet, and every claim repeats a fact."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from ...contracts.base import AgentId, ClaimId, canonical_json, derived_id
from ...contracts.claim import Claim, Fact
from ...contracts.delegation import CaseView
from ...contracts.evidence import Observation, ProbeCall
from ...contracts.report import Finding

MAX_FINDINGS = 60
MAX_ROUND = 8
"""Questions of one round; answers may make further ones needless."""

LONG, TOO_LONG = timedelta(minutes=100), timedelta(hours=48)
"""Spans of data in which a slow beginning is looked for."""

TRUST = {
    "metric_shift": 0.9,
    "metric_onset": 0.85,
    "log_templates": 0.9,
    "log_error_rate": 0.85,
    "trace_self_time": 0.85,
    "trace_errors": 0.9,
    "trace_course": 1.0,
    "alert_path": 0.9,
    "call_graph": 0.95,
    "deepest_anomalous_callee": 0.8,
    "resource_state": 0.95,
    "saturation": 0.85,
    "change_before_onset": 0.95,
    "change_diff": 0.9,
    "external_status": 0.9,
    "document_search": 0.6,
}
"""How far a probe's fact is to be trusted, 0 to 1: what is counted or read stands above what is estimated."""
DEFAULT_TRUST = 0.75


def claim_from(fact: Fact, observation: Observation, agent: AgentId) -> Claim:
    """The fact as a claim of this agent; the same fact of the same observation always gives the same id."""
    said = fact.model_dump(mode="json")
    return Claim(
        **fact.model_dump(), id=ClaimId(derived_id("clm", canonical_json(said), observation.id, agent)),
        observations=(observation.id,), made_by=agent, origin="rules",
    )  # fmt: skip


def finding_from(fact: Fact, observation: Observation, agent: AgentId) -> Finding:
    trust = TRUST.get(observation.call.probe, DEFAULT_TRUST)
    return Finding(claim=claim_from(fact, observation, agent), confidence=round(fact.strength * trust, 4))


@dataclass(frozen=True, kw_only=True)
class FieldAnalyst:
    """Asks a plan that grows with the answers, until it has nothing new to ask."""

    probes: frozenset[str] | None = None
    """Those that the bundle can answer; None where that is not known."""

    def plan(self, view: CaseView, observed: Sequence[Observation]) -> Iterable[ProbeCall]:
        """All questions that are due, those asked before among them, most telling first."""
        raise NotImplementedError

    def next_questions(self, view: CaseView, observed: Sequence[Observation]) -> Sequence[ProbeCall]:
        asked = {observation.call.fingerprint for observation in observed}
        fresh: dict[str, ProbeCall] = {}
        for call in self.plan(view, observed):
            if call.fingerprint not in asked and (self.probes is None or call.probe in self.probes):
                fresh.setdefault(call.fingerprint, call)
        return tuple(fresh.values())[:MAX_ROUND]

    def findings(self, view: CaseView, observed: Sequence[Observation], agent: AgentId) -> Sequence[Finding]:
        del view
        found = [finding_from(fact, observation, agent) for fact, observation in self.chosen(observed)]
        return bounded(found)

    def chosen(self, observed: Sequence[Observation]) -> Iterator[tuple[Fact, Observation]]:
        """Facts worth a claim; only an answer that is `ok` can carry one."""
        for observation in observed:
            if observation.answer.status == "ok":
                for fact in observation.answer.facts:
                    yield fact, observation


def bounded(found: Iterable[Finding], limit: int = MAX_FINDINGS) -> tuple[Finding, ...]:
    """Strongest first, each once."""
    distinct = {finding.claim.id: finding for finding in found}
    return tuple(sorted(distinct.values(), key=lambda f: (-f.confidence, f.claim.id))[:limit])


def facts_of(observed: Sequence[Observation], probe: str) -> tuple[Fact, ...]:
    return tuple(f for o in observed if o.call.probe == probe and o.answer.status == "ok" for f in o.answer.facts)


def early_split(observed: Sequence[Observation], first: ProbeCall) -> str | None:
    """A quarter into a long span, so that what grew slowly before the alert is seen as well; None for a short one."""
    answer = next((o.answer for o in observed if o.call.fingerprint == first.fingerprint), None)
    if answer is None or answer.window is None:
        return None
    length = answer.window.end - answer.window.start
    return (answer.window.start + length / 4).isoformat() if LONG <= length <= TOO_LONG else None


def first_said(pairs: Iterable[tuple[Fact, Observation]]) -> Iterator[tuple[Fact, Observation]]:
    """Of facts on the same thing, those of the question that was asked first."""
    taken: dict[tuple[str, str, str], str] = {}
    for fact, observation in pairs:
        key = (fact.subject.ref, fact.signal, fact.object)
        if taken.setdefault(key, observation.id) == observation.id:
            yield fact, observation


def scoped(view: CaseView) -> dict[str, list[str]]:
    """The services that a task is limited to, as a parameter; nothing where it is not."""
    return {"services": list(view.services)} if view.services else {}
