"""Choose who does each task."""

from collections import Counter
from typing import TypedDict

from ..contracts.assignment import AssignmentDecision
from ..contracts.base import AgentId, Record
from ..contracts.event import Event
from ..contracts.ports import Deps, Writes
from ..contracts.task import Task
from ..contracts.verification import VerificationResult
from ..rules.allocation import allocate, within
from ..rules.redundancy import as_a_person_wants, has_twin, rivals_of, twin_of
from ..rules.transition import Grounds, Stamp, transition
from .fuses import FuseBook, best_findings
from .inputs import missing_inputs
from .outcome import Outcome, stamp

SELECTABLE = frozenset({"ready", "reassigned"})
AT_WORK = frozenset({"running", "report_submitted", "verifying"})
"""Assigned tasks wait: delegate hands out no more of them at once than an agent can take."""


class SelectInput(TypedDict):
    domain: str


class SelectUpdate(TypedDict):
    pass


async def select(state: SelectInput, deps: Deps) -> Outcome:
    """Adds an allocation with its scores to each task that has no owner; a task that nobody can do is cancelled."""
    tasks = await deps.ledger.all(Task)
    load: Counter[AgentId] = Counter(
        t.spec.assignment.owner for t in tasks if t.state in AT_WORK and t.spec.assignment.owner
    )
    success, fuses, best = await _past_success(deps), await FuseBook.open(deps), await best_findings(tasks, deps)
    mark = stamp(deps, "select")
    records: list[Record] = []
    events: list[Event] = []
    open_tasks = [t for t in within(tasks, state["domain"]) if t.state in SELECTABLE]
    while open_tasks:
        task = as_a_person_wants(open_tasks.pop(0), tasks, deps.team)
        lacking = await missing_inputs(task, frozenset(t.spec.task_id for t in tasks), deps)
        if lacking:
            cancelled, event = transition(task, "cancelled", mark, reason="; ".join(lacking))
            records.append(cancelled)
            events.append(event)
            continue
        others = {AgentId(a): "has the same task as its first owner" for a in rivals_of(task, tasks)}
        decision = allocate(
            task, deps.team, load=load, success=success, at=mark.at, isolated=fuses.isolated | others,
            confidence=best.get(task.spec.task_id),
        )  # fmt: skip
        moved, told = _assigned(task, decision, mark)
        records += [decision, moved]
        events += told
        if any(s.role == "backup" for s in decision.selected) and not has_twin(task, tasks):
            twin, event = transition(twin_of(moved), "ready", mark, reason=f"second owner of {task.key}")
            events.append(event)
            tasks = (*tasks, moved, twin)
            open_tasks.append(twin)
    writes = Writes(records=(*records, *fuses.records), events=(*events, *fuses.events))
    return Outcome(SelectUpdate(), writes)


async def _past_success(deps: Deps) -> dict[AgentId, float]:
    """Share of this run's reports that were accepted, by the task's owner at the time; 0.5 where there is none."""
    accepted: Counter[AgentId] = Counter()
    judged: Counter[AgentId] = Counter()
    owners = {t.key: t.spec.assignment.owner for t in await deps.ledger.all(Task)}
    for result in await deps.ledger.all(VerificationResult):
        owner = owners.get(result.task_id)
        if owner is not None:
            judged[owner] += 1
            accepted[owner] += result.passed
    return {agent: accepted[agent] / count for agent, count in judged.items()}


def _assigned(task: Task, decision: AssignmentDecision, mark: Stamp) -> tuple[Task, list[Event]]:
    if not decision.selected:
        cancelled, event = transition(task, "cancelled", mark, reason=decision.rationale)
        return cancelled, [event]
    owner = decision.selected[0].agent_id
    verifier = next((s.agent_id for s in decision.selected if s.role == "verifier"), None)
    candidates = tuple(s.agent_id for s in decision.scores)
    chosen, first = transition(task, "candidate_selected", mark, grounds=Grounds(candidates=candidates))
    assignment = task.spec.assignment.model_copy(
        update={
            "mode": decision.mode,
            "owner": owner,
            "candidates": candidates,
            "reviewer": next((s.agent_id for s in decision.selected if s.role == "backup"), None),
            "verifier": verifier,
        }
    )
    chosen = chosen.model_copy(update={"spec": chosen.spec.model_copy(update={"assignment": assignment}), "rounds": 0})
    assigned, second = transition(chosen, "assigned", mark, reason=decision.rationale)
    return assigned, [first, second]
