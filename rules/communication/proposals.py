"""What a model wants to write, as drafts: it chooses tasks, services and claims that exist, and words the rest."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ...contracts.base import AgentId, TaskId
from ...contracts.message import Draft, ExpectedResponse
from ...contracts.message_payload import Clarification, DependencyQuestion, SubtaskRequest
from ...contracts.proposal import (
    ClarificationProposal,
    DependencyQuestionProposal,
    MessagesProposal,
    SubtaskProposal,
)
from ...contracts.report import AgentReport
from ...contracts.task import Task
from ...contracts.team import TeamSpec
from ..planning import Refusal
from .letters import short
from .relations import lead_of


class Listed(NamedTuple):
    """What the model was shown, and may refer to."""

    task: Task
    report: AgentReport
    tasks: Mapping[str, Task]
    """By title in lower case."""
    services: frozenset[str]
    team: TeamSpec
    who: Callable[[Task], AgentId | None]


class Wanted(NamedTuple):
    drafts: tuple[Draft, ...]
    refused: tuple[Refusal, ...] = ()


def drafts_of(proposal: MessagesProposal, listed: Listed) -> Wanted:
    made = [
        *(_clarification(c, listed) for c in proposal.clarifications),
        *(_question(q, listed) for q in proposal.questions),
        *(_subtask(s, listed) for s in proposal.subtasks),
    ]
    return Wanted(
        tuple(m for m in made if isinstance(m, Draft)), tuple(m for m in made if isinstance(m, Refusal))
    )  # fmt: skip


def _claims(ids: Sequence[str], listed: Listed) -> tuple[str, ...]:
    own = {f.claim.id for f in listed.report.findings}
    return tuple(dict.fromkeys(i for i in ids if i in own))


def _clarification(asked: ClarificationProposal, listed: Listed) -> Draft | Refusal:
    if not asked.question.strip() or not all(o.strip() for o in asked.options):
        return Refusal("clarification", "it has no question or an empty option")
    return Draft(
        from_agent=listed.report.agent_id,
        to_agent=lead_of(listed.task, listed.team),
        task_id=listed.task.spec.task_id,
        summary=short(asked.question),
        payload=Clarification(
            question=short(asked.question),
            why_blocking=short(asked.why_blocking),
            options=tuple(short(o) for o in asked.options),
            needed_by="the report's verification",
        ),
        context_refs=(listed.report.report_id, *_claims(asked.claims, listed)),
        expected_response=_answer("decision_recorded", listed),
    )


def _question(asked: DependencyQuestionProposal, listed: Listed) -> Draft | Refusal:
    other = listed.tasks.get(asked.task.strip().casefold())
    claims, services = _claims(asked.claims, listed), tuple(s for s in asked.services if s in listed.services)
    to = listed.who(other) if other is not None else None
    if other is None or to is None or not claims or not asked.question.strip():
        return Refusal(f"question: {asked.task[:80]}", "it names no task or no claim that was listed, or asks nothing")
    topology = listed.team.topology
    across = topology == "hierarchical" and lead_of(other, listed.team) != lead_of(listed.task, listed.team)
    if topology in {"single", "star"}:
        capability = other.spec.required_capabilities[0]
        return _to_the_lead(listed, asked.question, asked.question, capability, services, claims, (other.spec.task_id,))
    return Draft(
        from_agent=listed.report.agent_id,
        to_agent=lead_of(listed.task, listed.team) if across else to,
        task_id=listed.task.spec.task_id,
        related_task_ids=(other.spec.task_id,),
        summary=short(asked.question),
        payload=DependencyQuestion(
            question=short(asked.question), about=services[:4], answer_fields=("answer", "evidence")
        ),
        context_refs=claims,
        expected_response=_answer("dependency_answer", listed),
    )


def _subtask(asked: SubtaskProposal, listed: Listed) -> Draft | Refusal:
    claims, services = _claims(asked.claims, listed), tuple(s for s in asked.services if s in listed.services)
    known = {c for a in listed.team.agents for c in a.capabilities}
    if not claims or asked.capability not in known or not asked.title.strip():
        return Refusal(f"subtask: {asked.title[:80]}", "it names no claim of its own or nothing that the team can do")
    return _to_the_lead(listed, asked.title, asked.reason, asked.capability, services, claims, ())


def _to_the_lead(
    listed: Listed, title: str, reason: str, capability: str, services: tuple[str, ...], claims: tuple[str, ...],
    related: tuple[TaskId, ...],
) -> Draft:  # fmt: skip
    return Draft(
        from_agent=listed.report.agent_id,
        to_agent=lead_of(listed.task, listed.team),
        task_id=listed.task.spec.task_id,
        related_task_ids=related,
        summary=short(reason),
        payload=SubtaskRequest(
            title=short(title)[:120], reason=short(reason), capability=capability, services=services[:4]
        ),
        context_refs=claims,
        expected_response=_answer("dependency_answer", listed),
    )


def _answer(form: str, listed: Listed) -> ExpectedResponse:
    return ExpectedResponse(format=form, deadline_ms=int(listed.task.spec.budget.wait_seconds * 1000))
