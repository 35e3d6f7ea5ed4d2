"""What rules agents ask each other, and how they answer: from claims, with the evidence that carries them."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ...contracts.base import AgentId, TaskId
from ...contracts.claim import Claim
from ...contracts.lifecycle import TASK_OVER
from ...contracts.message import AgentMessage, Draft, ExpectedResponse
from ...contracts.message_payload import DependencyAnswer, DependencyQuestion, SubtaskRequest
from ...contracts.report import AgentReport, Finding
from ...contracts.task import Task
from ...contracts.team import TeamSpec
from ..wording import say
from .letters import short
from .relations import lead_of, tied

ASKS: Mapping[str, tuple[str, str]] = {
    "analyze_logs": ("analyze_changes", "Does a change touch what these lines speak of"),
    "analyze_resources": ("analyze_changes", "Does a change touch the resources that are not healthy"),
}
"""Capability of who asks: capability of who knows, and the question."""
MOST_ABOUT = 4
MOST_REFS = 6


class Asker(NamedTuple):
    """An owner at the end of its work."""

    task: Task
    report: AgentReport
    tasks: Mapping[TaskId, Task]
    team: TeamSpec
    who: Callable[[Task], AgentId | None]
    """Who has a task that is not over, or would be given it."""


def question_of(asker: Asker) -> Draft | None:
    """What the owner wants to know of a task still to come; None where it saw nothing worth asking about.

    Where the topology keeps agents from each other, the wish goes to the lead as a subtask.
    """
    wanted = next((ASKS[c] for c in asker.task.spec.required_capabilities if c in ASKS), None)
    seen = [f for f in asker.report.findings if f.claim.subject.owner and f.claim.strength > 0][:MOST_REFS]
    if wanted is None or not seen:
        return None
    capability, question = wanted
    other = next((t for t in asker.tasks.values() if _is_due(t, capability, asker)), None)
    them = asker.who(other) if other is not None else None
    if other is None or them is None or them == asker.report.agent_id:
        return None
    about = tuple(dict.fromkeys(f.claim.subject.owner[:120] for f in seen))[:MOST_ABOUT]
    worded = short(f"{question}: {', '.join(about)}?")
    if asker.team.topology in {"single", "star"}:
        return _by_the_lead(asker, other, them, capability, worded, about, seen)
    return ask_about(asker, other, them, worded, about, seen)


def _is_due(task: Task, capability: str, asker: Asker) -> bool:
    able = capability in task.spec.required_capabilities and task.state not in TASK_OVER
    mine = asker.task.spec.task_id
    return able and task.spec.task_id != mine and tied(mine, task.spec.task_id, asker.tasks)


def ask_about(
    asker: Asker, other: Task, them: AgentId, question: str, about: tuple[str, ...], seen: Sequence[Finding]
) -> Draft:
    """Directly where both are on one board or in one domain, else by way of one's own lead."""
    me = asker.report.agent_id
    across = asker.team.topology == "hierarchical" and (
        asker.task.spec.assignment.domain_scope != other.spec.assignment.domain_scope
    )
    return Draft(
        from_agent=me,
        to_agent=lead_of(asker.task, asker.team) if across else them,
        task_id=asker.task.spec.task_id,
        related_task_ids=(other.spec.task_id,),
        summary=question,
        payload=DependencyQuestion(question=question, about=about, answer_fields=("change", "touches", "evidence")),
        context_refs=tuple(f.claim.id for f in seen),
        evidence_refs=tuple(dict.fromkeys(o for f in seen for o in f.claim.observations))[:20],
        expected_response=_answer_due(asker.task),
    )


def _by_the_lead(
    asker: Asker,
    other: Task,
    them: AgentId,
    capability: str,
    question: str,
    about: tuple[str, ...],
    seen: Sequence[Finding],
) -> Draft:
    return Draft(
        from_agent=asker.report.agent_id,
        to_agent=lead_of(asker.task, asker.team),
        task_id=asker.task.spec.task_id,
        related_task_ids=(other.spec.task_id,),
        summary=question,
        payload=SubtaskRequest(
            title=question[:120],
            reason=question,
            capability=capability,
            suggested_agent=them,
            services=about,
        ),
        context_refs=tuple(f.claim.id for f in seen),
        expected_response=_answer_due(asker.task),
    )


def _answer_due(task: Task) -> ExpectedResponse:
    return ExpectedResponse(format="dependency_answer", deadline_ms=int(task.spec.budget.wait_seconds * 1000))


def relayed(question: AgentMessage, lead: AgentId, to: AgentId, task: TaskId) -> Draft:
    """A lead passes on what may not be asked directly, in the same thread and with the same references."""
    asked = question.payload
    about = asked.about if isinstance(asked, DependencyQuestion) else ()
    wanted = asked.services if isinstance(asked, SubtaskRequest) else about
    fields = asked.answer_fields if isinstance(asked, DependencyQuestion) else ("change", "touches", "evidence")
    return Draft(
        from_agent=lead,
        to_agent=to,
        task_id=question.task_id,
        related_task_ids=(task,),
        summary=question.content_summary,
        payload=DependencyQuestion(question=question.content_summary, about=wanted, answer_fields=fields),
        context_refs=question.context_refs,
        evidence_refs=question.evidence_refs,
        expected_response=question.expected_response,
        thread_id=question.thread_id,
    )


def answer_to(question: AgentMessage, by: AgentId, task: TaskId, claims: Sequence[Claim]) -> Draft | None:
    """What the claims say about the subjects asked for, the clearest first; that nothing does is an answer too."""
    asked = question.payload
    if not isinstance(asked, DependencyQuestion):
        return None
    wanted = set(asked.about)
    speaking = [c for c in claims if not wanted or wanted & {c.subject.owner, c.subject.ref, c.object}]
    first = max(speaking, key=lambda c: (c.strength, c.id), default=None)
    said = say(first) if first else f"nothing that was found speaks of {', '.join(asked.about) or 'it'}"
    return Draft(
        from_agent=by,
        to_agent=question.from_agent,
        task_id=task,
        related_task_ids=tuple(t for t in (question.task_id,) if t is not None and t != task),
        summary=short(said),
        payload=DependencyAnswer(
            question_id=question.message_id, answer=short(said), confidence=round(first.strength, 3) if first else 0.0
        ),
        evidence_refs=(first.id, *first.observations)[:20] if first else (),
        thread_id=question.thread_id,
    )


def passed_back(answer: AgentMessage, question: AgentMessage, lead: AgentId) -> Draft:
    """A lead hands an answer on to whoever asked it."""
    said = answer.payload
    confidence = said.confidence if isinstance(said, DependencyAnswer) else 0.0
    return Draft(
        from_agent=lead,
        to_agent=question.from_agent,
        task_id=question.task_id,
        related_task_ids=tuple(t for t in (answer.task_id,) if t is not None and t != question.task_id),
        summary=answer.content_summary,
        payload=DependencyAnswer(
            question_id=question.message_id, answer=answer.content_summary, confidence=confidence
        ),
        evidence_refs=answer.evidence_refs,
        thread_id=answer.thread_id,
    )  # fmt: skip
