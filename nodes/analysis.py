"""The analysts' part of a task: each field by rule, and what a model's questions add to it."""

from typing import NamedTuple

from ..contracts.arbitration import Candidate
from ..contracts.base import AgentId, ClaimId, derived_id
from ..contracts.claim import Claim
from ..contracts.delegation import CaseView
from ..contracts.evidence import Observation
from ..contracts.lifecycle import STANDING
from ..contracts.ports import Analyst, Deps
from ..contracts.report import Finding
from ..contracts.task import Task
from ..rules.claims import meaning
from .sounding import Sounding

MOST_SHOWN = 20
"""Findings that the rules may add from a model's questions."""


class Field(NamedTuple):
    """What one analyst has seen in this task."""

    analyst: Analyst
    view: CaseView
    observed: tuple[Observation, ...]


async def analyzed(task: Task, sounding: Sounding, deps: Deps) -> tuple[Finding, ...]:
    """Findings by rule, field after field; a later field builds on the claims of the earlier ones."""
    owner = task.spec.assignment.owner or deps.team.root_owner
    upstream = await _upstream(task, deps)
    found: tuple[Finding, ...] = ()
    fields: list[Field] = []
    pinned = await sounding.asked(task.spec.questions)
    for analyst in _analysts(task, deps):
        known = (*upstream, *(f.claim for f in found))
        view = CaseView(task_id=task.spec.task_id, services=task.spec.scope.allowed_domains, upstream=known)
        observed = (*pinned, *await sounding.by_rules(analyst, view))
        fields.append(Field(analyst, view, observed))
        found += tuple(analyst.findings(view, observed, owner)[: deps.limits.claims_per_report])
    if task.origin == "model":
        found = tuple(_contributed(f, task) for f in found)
    return (*found, *_besides(found, fields, await sounding.by_model(), task, owner))


def _analysts(task: Task, deps: Deps) -> tuple[Analyst, ...]:
    by_capability = {a.capability: a for a in deps.evidence.analysts()}
    return tuple(by_capability[c] for c in task.spec.required_capabilities)


async def _upstream(task: Task, deps: Deps) -> tuple[Claim, ...]:
    """What the tasks that this one builds on had accepted; nothing that a model added may steer the rules."""
    before = set(task.spec.dependencies)
    carried = {
        c
        for cand in await deps.ledger.all(Candidate)
        if cand.state in STANDING and cand.task_id in before
        for c in cand.claims
    }
    return tuple(c for c in await deps.ledger.all(Claim) if c.id in carried and c.origin != "model")


def _besides(
    found: tuple[Finding, ...], fields: list[Field], added: tuple[Observation, ...], task: Task, owner: AgentId
) -> tuple[Finding, ...]:
    """What the rules see in questions that a model thought of."""
    if not added:
        return ()
    said = {meaning(f.claim) for f in found}
    seen = [f for field in fields for f in field.analyst.findings(field.view, (*field.observed, *added), owner)]
    return tuple(_contributed(f, task) for f in seen if meaning(f.claim) not in said)[:MOST_SHOWN]


def _contributed(finding: Finding, task: Task) -> Finding:
    """Marked as a model's contribution: the run without a model would not have it."""
    claim = finding.claim
    marked = claim.model_copy(update={"origin": "model", "id": ClaimId(derived_id("clm", task.key, "asked", claim.id))})
    return finding.model_copy(update={"claim": marked})
