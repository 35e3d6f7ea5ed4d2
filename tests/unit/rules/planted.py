"""Small builders for planted reports, claims and wholes."""

from datetime import UTC, datetime, timedelta
from typing import Any

from leadline.contracts.base import AgentId, ClaimId, Digest, ObservationId, RunId, TaskId
from leadline.contracts.claim import Claim, Fact, Subject
from leadline.contracts.delegation import DelegationBrief
from leadline.contracts.evidence import Answer, Observation, ProbeCall
from leadline.contracts.incident import Alert, CauseRef, Incident
from leadline.contracts.report import ActionTaken, AgentReport, Finding, RankedCause, Ranking
from leadline.contracts.task import (
    Assignment,
    Budget,
    CommunicationPolicy,
    OutputContract,
    Scope,
    Task,
    TaskSpec,
)  # fmt: skip
from leadline.rules.claims import claim_of
from leadline.rules.merge import Whole
from leadline.rules.validation import Submission

NOON = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)
RUN, TASK, AGENT = RunId("run-1"), TaskId("tsk-1"), AgentId("ann")
BUNDLE = Digest("b" * 64)


def fact(**changes: Any) -> Fact:
    said = {
        "subject": Subject(kind="service", ref="till"), "signal": "metric:latency", "relation": "rises", "value": 9.0,
        "baseline": 1.0, "unit": "s", "at": NOON, "strength": 0.9,
    }  # fmt: skip
    return Fact.model_validate(said | changes)


def observation(*facts: Fact, probe: str = "metric_shift", bundle: Digest = BUNDLE, **changes: Any) -> Observation:
    call = ProbeCall(probe=probe)
    answer = Answer(status=changes.pop("status", "ok"), facts=facts, rows_read=5)
    said = {
        "id": Observation.id_for(call, bundle), "call": call, "probe_version": 1, "bundle_digest": bundle,
        "answer": answer, "answer_digest": answer.digest, "asked_by": AGENT, "task_id": TASK, "asked_for": "rules",
    }  # fmt: skip
    return Observation.model_validate(said | changes)


def claim(about: Fact | None = None, seen: str = "obs-1", **changes: Any) -> Claim:
    made = claim_of(about or fact(), ObservationId(seen), agent=AGENT, origin="rules", task=TASK)
    return made.model_copy(update=changes)


def task(**changes: Any) -> Task:
    spec = {
        "task_id": TASK, "run_id": RUN, "title": "Look", "goal": "look", "why_this_matters": "somebody waits",
        "required_capabilities": ("analyze_metrics",), "success_criteria": ("found",), "expected_output": "findings",
        "assignment": Assignment(owner=AGENT), "created_by": AgentId("lead"), "created_at": NOON, "updated_at": NOON,
    }  # fmt: skip
    spec |= changes.pop("spec", {})
    return Task.model_validate({"spec": TaskSpec.model_validate(spec), "state": "report_submitted"} | changes)


def brief(**changes: Any) -> DelegationBrief:
    said = {
        "delegation_id": "dlg-1", "contract_version": "v1", "task_id": TASK, "attempt": 1, "from_agent": "lead",
        "to_agent": AGENT, "objective": "look", "why_this_matters": "somebody waits", "non_goals": (),
        "context_summary": "slow", "input_refs": (), "constraints": (), "allowed_tools": ("metric_shift",),
        "forbidden_tools": (), "scope": Scope(), "success_criteria": ("found",), "output_contract": OutputContract(),
        "communication_policy": CommunicationPolicy(), "budget": Budget(),
    }  # fmt: skip
    return DelegationBrief.model_validate(said | changes)


def report(*claims: Claim, seen: tuple[Observation, ...] = (), **changes: Any) -> AgentReport:
    said = {
        "report_id": "rep-1", "delegation_id": "dlg-1", "contract_version": "v1", "task_id": TASK, "agent_id": AGENT,
        "attempt": 1, "summary": "looked", "findings": tuple(Finding(claim=c, confidence=0.5) for c in claims),
        "actions_taken": (ActionTaken(action="asked", observations=tuple(o.id for o in seen)),),
    }  # fmt: skip
    return AgentReport.model_validate(said | changes)


def submission(**changes: Any) -> Submission:
    """A report with one claim on one observation, and all of it in order."""
    seen = changes.pop("seen", (observation(fact()),))
    made = changes.pop("claims", tuple(claim(f, o.id) for o in seen for f in o.answer.facts))
    said = {
        "report": report(*made, seen=seen), "task": task(), "brief": brief(), "version": "v1",
        "observations": {o.id: o for o in seen}, "reruns": {o.id: o.answer for o in seen},
    }  # fmt: skip
    return Submission(**(said | changes))


def cause(ref: str = "c1", score: float = 0.8, claims: tuple[str, ...] = ("clm-1",), **changes: Any) -> RankedCause:
    said = {
        "cause": CauseRef(kind="change", ref=ref, service="till"), "score": score, "confidence": score, "onset": NOON,
        "claims_for": tuple(ClaimId(c) for c in claims),
    }  # fmt: skip
    return RankedCause.model_validate(said | changes)


def whole(**changes: Any) -> Whole:
    """A composite that holds."""
    kept = claim(id=ClaimId("clm-1"))
    said = {
        "ranking": Ranking(outcome="cause_found", causes=(cause(),), first_failing_service="till"),
        "claims": {kept.id: kept},
        "tasks": (task(state="accepted"),),
        "incident": Incident(
            id="i", title="slow", alerts=(Alert(service="till", fired_at=NOON + timedelta(minutes=2)),)
        ),
        "edges": frozenset({("door", "till")}),
        "budget": Budget(tokens=1000, seconds=60),
        "spent": Budget(tokens=10, seconds=1),
    }  # fmt: skip
    return Whole(**(said | changes))
