"""Let a person say who does what no rule may give out: sensitive tasks."""

from collections.abc import Sequence
from typing import TypedDict, cast

from pydantic import JsonValue

from ..contracts.approval import ApprovalDecision, ApprovalRequest
from ..contracts.assignment import AssignmentDecision
from ..contracts.base import AgentId, Record, derived_id
from ..contracts.event import Event
from ..contracts.lifecycle import TASK_OVER
from ..contracts.ports import Deps, Writes
from ..contracts.task import Risk, Task
from ..rules.allocation import allocate, given_by_person, why_not
from ..rules.approvals import approval_event, make_request
from ..rules.modes import is_sensitive
from ..rules.planning import Refusal
from ..rules.redundancy import give
from ..rules.transition import transition
from .asking import refusals
from .outcome import Outcome, stamp

GIVEN = frozenset({"approved", "edited"})


class PresentAssignmentsInput(TypedDict):
    risk: str
    approval: str
    assignment: str


class PresentAssignmentsUpdate(TypedDict):
    approval: str
    assignment: str


async def present_assignments(state: PresentAssignmentsInput, deps: Deps) -> Outcome:
    """Adds the question who does each sensitive task, or, once it is answered, its owner; a task that a person keeps
    from everybody is cancelled.
    """
    waiting = [t for t in await deps.ledger.all(Task) if t.state not in TASK_OVER and _is_open(t, deps)]
    if state["assignment"] not in {"", "free"}:
        return await _given(waiting, state, deps)
    if not waiting:
        return Outcome(PresentAssignmentsUpdate(approval=state["approval"], assignment="free"))
    request = _request(waiting, cast(Risk, state["risk"]), deps)
    asked = approval_event(request, "present_assignments", "approval.asked", request.question, request.asked_at)
    update = PresentAssignmentsUpdate(approval=request.approval_id, assignment="ask")
    return Outcome(update, Writes(records=(request,), events=(asked,)))


def _is_open(task: Task, deps: Deps) -> bool:
    return is_sensitive(task, deps.team) and not given_by_person(task)


def _suggested(task: Task, deps: Deps) -> AssignmentDecision:
    """Whom the rules would take, were it theirs to decide: as if each candidate had been given it."""
    at = deps.clock.now()
    able = [a.id for a in deps.team.agents if not why_not(a, task, 0)]
    each = [allocate(give(task, a), deps.team, load={}, success={}, at=at) for a in able]
    scores = tuple(sorted((s for d in each for s in d.scores), key=lambda s: (-s.total, s.agent_id)))
    return allocate(task, deps.team, load={}, success={}, at=at).model_copy(update={"scores": scores})


def _request(tasks: Sequence[Task], risk: Risk, deps: Deps) -> ApprovalRequest:
    shown: list[JsonValue] = []
    for task in tasks:
        scores = _suggested(task, deps).scores
        shown.append(
            {
                "task": task.spec.title,
                "goal": task.spec.goal,
                "writes": task.spec.scope.write_scope,
                "suggested": scores[0].agent_id if scores else "nobody",
                "candidates": {s.agent_id: s.total for s in scores},
            }
        )
    question = "Give these tasks to the agents suggested? An edit names others: {owners: {TASK: AGENT}}."
    point = deps.team.point("assignment")
    return make_request(deps.run_id, point, question, {"tasks": shown}, risk=risk, at=deps.clock.now())


async def _given(waiting: Sequence[Task], state: PresentAssignmentsInput, deps: Deps) -> Outcome:
    decision = await deps.ledger.get(ApprovalDecision, state["approval"])
    wanted_owners = decision.edit.get("owners") if decision is not None and decision.edit else None
    owners = wanted_owners if isinstance(wanted_owners, dict) else {}
    mark = stamp(deps, decision.by if decision else "person")
    records: list[Record] = []
    events: list[Event] = []
    titles = {t.spec.title for t in waiting}
    refused = [Refusal(title[:120], "no task that waits has this title") for title in owners if title not in titles]
    for task in waiting:
        scores = _suggested(task, deps).scores
        wanted = AgentId(str(owners.get(task.spec.title, scores[0].agent_id if scores else "")))
        why = _fault(task, wanted, state["assignment"], deps)
        if why:
            refused.append(Refusal(f"{task.spec.title}: {wanted or 'nobody'}", why))
            cancelled, event = transition(task, "cancelled", mark, reason=why)
            records.append(cancelled)
            events.append(event)
        else:
            records.append(give(task, wanted))
            events.append(_told(task, wanted, deps, mark.by))
    update = PresentAssignmentsUpdate(approval=state["approval"], assignment="done")
    told = refusals(deps, "present_assignments", refused)
    return Outcome(update, Writes(records=tuple(records), events=(*events, *told)))


def _fault(task: Task, wanted: AgentId, decision: str, deps: Deps) -> str:
    if decision not in GIVEN:
        return f"a person gave it to nobody: {decision}"
    agent = next((a for a in deps.team.agents if a.id == wanted), None)
    return f"there is no agent {wanted!r}" if agent is None else why_not(agent, task, 0)


def _told(task: Task, owner: AgentId, deps: Deps, by: str) -> Event:
    return Event(
        event_id=derived_id("evt", deps.run_id, task.key, "given", owner),
        kind="task.given",
        subject=task.key,
        by=by,
        reason=f"to {owner}",
        at=deps.clock.now(),
    )
