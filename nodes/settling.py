"""Conflicts of a run on their way to a ruling."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from ..contracts.approval import ApprovalDecision, ApprovalRequest
from ..contracts.arbitration import Conflict
from ..contracts.base import ClaimId, TaskId
from ..contracts.claim import Claim
from ..contracts.ports import Deps
from ..contracts.report import Ranking, Remedy
from ..contracts.task import Risk
from ..rules.approvals import make_request
from ..rules.conflicts import Ruling, fact_conflicts, plan_conflicts, requirement_conflicts, rule_on


def rule_facts(claims: Sequence[Claim], tasks: Mapping[ClaimId, TaskId], deps: Deps) -> tuple[Ruling, ...]:
    """Both sides were asked again a moment ago, so both hold: the rest of the rule decides."""
    at = deps.clock.now()
    return tuple(rule_on(c, run_id=deps.run_id, at=at) for c in fact_conflicts(claims, tasks))


def remedy_conflicts(ranking: Ranking, deps: Deps) -> tuple[Conflict, ...]:
    remedies = ranking.remediation
    return (*plan_conflicts(remedies), *requirement_conflicts(remedies, deps.team.requirements))


def owned_by_a_person(conflicts: Sequence[Conflict]) -> tuple[Conflict, ...]:
    return tuple(c for c in conflicts if c.authority.type == "person")


def ask_owner(conflicts: Sequence[Conflict], risk: Risk, deps: Deps) -> ApprovalRequest:
    """Both sides with what they rest on, for the person whose decision it is."""
    shown: list[JsonValue] = [
        {
            "subject": c.subject,
            "description": c.description,
            "owner": c.authority.ref,
            "sides": [{"says": s.says, "by": s.by, "evidence": list(s.evidence)} for s in c.sides],
            "options": list(c.options),
        }
        for c in conflicts
    ]
    question = "Set these requirements aside? Rejecting keeps them."
    point = deps.team.point("decision")
    return make_request(deps.run_id, point, question, {"conflicts": shown}, risk=risk, at=deps.clock.now())


async def rule_remedies(conflicts: Sequence[Conflict], approval: str, deps: Deps) -> tuple[Ruling, ...]:
    decision = await deps.ledger.get(ApprovalDecision, approval) if approval else None
    person = "" if decision is None else "set_aside" if decision.decision == "approved" else "keep"
    at = deps.clock.now()
    return tuple(
        rule_on(c, run_id=deps.run_id, at=at, person=person if c.authority.type == "person" else "") for c in conflicts
    )


def standing_remedies(ranking: Ranking, rulings: Sequence[Ruling]) -> tuple[Remedy, ...]:
    lost = {ref for r in rulings for ref in r.record.lost}
    return tuple(r for r in ranking.remediation if f"{r.action}:{r.target}" not in lost)
