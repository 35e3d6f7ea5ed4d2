"""What a lead does with what it is told: it answers, decides, passes on, or makes a task of a wish."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from ...contracts.arbitration import ArbitrationRecord, Authority, Conflict, ConflictSide, DecisionRecord
from ...contracts.base import AgentId, RunId, TaskId, derived_id
from ...contracts.lifecycle import TASK_OVER
from ...contracts.message import AgentMessage
from ...contracts.message_payload import (
    Clarification,
    ConflictNotice,
    DecisionProposed,
    HandoffRequested,
    SubtaskRequest,
)
from ...contracts.proposal import PlanProposal, ProposedTask
from ...contracts.task import InputRef, Task
from ..planning import PlanContext, join_proposed

MOST_SUBTASKS = 2
"""Tasks of one run that messages may bring about."""


class Wish(NamedTuple):
    """What becomes of a subtask request: a task that covers it already, a new one, or a reason against."""

    covered_by: TaskId | None = None
    new: Task | None = None
    declined: str = ""


def consider(request: AgentMessage, tasks: Mapping[TaskId, Task], context: PlanContext, *, may_grow: bool) -> Wish:
    """Judge a wish by the rules that a model's plan passes: capability, data, scope, no second task of the kind."""
    wanted = request.payload
    if not isinstance(wanted, SubtaskRequest):
        return Wish(declined="it asks for no task")
    able = [t for t in tasks.values() if wanted.capability in t.spec.required_capabilities]
    still = next((t for t in able if t.state not in TASK_OVER and _covers(t, wanted)), None)
    if still is not None:
        return Wish(covered_by=still.spec.task_id)
    if wished(tasks.values()) >= MOST_SUBTASKS or not may_grow:
        return Wish(declined="the run takes no more tasks")
    proposal = ProposedTask(
        title=wanted.title, goal=wanted.reason, capability=wanted.capability, needs=[], services=list(wanted.services)
    )
    known = tuple(sorted(tasks.values(), key=lambda t: t.position))
    plan = join_proposed(known, PlanProposal(why=wanted.reason, tasks=[proposal]), context, most=1)
    if plan.refused:
        return Wish(declined=plan.refused[0].why)
    made_of = InputRef(kind="message", ref=request.message_id, reason=f"{request.from_agent} asked for it")
    new = plan.tasks[-1]
    spec = new.spec.model_copy(update={"input_refs": (*new.spec.input_refs, made_of)})
    return Wish(new=new.model_copy(update={"spec": spec}))


def wished(tasks: Iterable[Task]) -> int:
    """How many tasks of a run messages brought about."""
    return sum(any(r.kind == "message" for r in t.spec.input_refs) for t in tasks)


def _covers(task: Task, wanted: SubtaskRequest) -> bool:
    return not task.spec.scope.allowed_domains or set(wanted.services) <= set(task.spec.scope.allowed_domains)


class Settled(NamedTuple):
    decision: DecisionRecord
    conflict: Conflict | None = None
    arbitration: ArbitrationRecord | None = None


def settle(message: AgentMessage, lead: AgentId, run_id: RunId, at: datetime) -> Settled | None:
    """The lead's word on a clarification, a conflict, a proposed decision or a wish to be rid of a task.

    It takes what the sender put first: whoever names the options knows most about them. What is of high risk is told
    to the person besides.
    """
    choice = _choice(message)
    if choice is None:
        return None
    decision = DecisionRecord(
        decision_id=derived_id("dec", run_id, message.message_id),
        subject=choice.subject,
        decision=choice.decision,
        reason=choice.reason,
        made_by=lead,
        created_at=at,
    )
    if isinstance(message.payload, ConflictNotice):
        return _with_conflict(message, message.payload, decision)
    return Settled(decision)


class Choice(NamedTuple):
    subject: str
    decision: str
    reason: str


def _choice(message: AgentMessage) -> Choice | None:
    said = message.payload
    if isinstance(said, Clarification):
        return Choice(said.question, said.options[0], f"asked by {message.from_agent}: {said.why_blocking}")
    if isinstance(said, DecisionProposed):
        return Choice(said.subject, said.preferred, f"of {len(said.options)} options")
    if isinstance(said, HandoffRequested):
        return Choice(f"hand over {message.task_id}", "its owner keeps it until its report is judged", said.reason)
    if isinstance(said, ConflictNotice):
        return Choice(said.description, said.suggested_resolution[0], "the first of the suggested resolutions")
    return None


def _with_conflict(message: AgentMessage, notice: ConflictNotice, decision: DecisionRecord) -> Settled:
    """A conflict that an agent found stands beside those that rules find, with its ruling."""
    if len(notice.involved_artifacts) < 2:
        return Settled(decision)
    authority = Authority(type="policy", ref="first-suggested@1")
    conflict = Conflict(
        conflict_id=notice.conflict_id,
        conflict_class="artifact",
        subject=notice.description,
        description=notice.description,
        tasks=tuple(t for t in (message.task_id, *message.related_task_ids) if t is not None),
        sides=tuple(ConflictSide(ref=a, says=a, by=message.from_agent) for a in notice.involved_artifacts),
        risk=notice.risk,
        options=notice.suggested_resolution,
        authority=authority,
        decision_owner=notice.decision_owner,
        ruling=f"{decision.decision}: {decision.reason}",
    )
    record = ArbitrationRecord(
        arbitration_id=derived_id("arb", message.run_id, notice.conflict_id),
        root_run_id=message.run_id,
        conflict_id=notice.conflict_id,
        conflict_type="artifact",
        subject=notice.description,
        candidates=notice.involved_artifacts,
        upheld=notice.involved_artifacts,
        authority=authority,
        decision=decision.decision,
        reason=decision.reason,
        decided_by=decision.made_by,
        created_at=decision.created_at,
    )
    return Settled(decision, conflict, record)
