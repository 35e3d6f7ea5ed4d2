"""The root hands whole domains to their leads."""

from typing import TypedDict

from ..contracts.assignment import AssignmentDecision, SelectedAgent
from ..contracts.base import Record, TaskId, derived_id
from ..contracts.event import Event
from ..contracts.lifecycle import TASK_OVER
from ..contracts.ports import Deps, Writes
from ..contracts.task import Task
from ..rules.allocation import domain_lead, domain_of, given_by_person
from .delegate import overrun
from .outcome import Outcome

ELSEWHERE = "general"
"""Domain of tasks whose agents belong to none."""


class DivideInput(TypedDict):
    round: int


class DivideUpdate(TypedDict):
    round: int
    wave: list[str]
    stop: str


async def divide(state: DivideInput, deps: Deps) -> Outcome:
    """Adds a domain to every task and names the domains that can work now; their leads decide what happens inside."""
    tasks = tuple(_placed(t, deps) for t in await deps.ledger.all(Task))
    stop = overrun(deps)
    over = {t.spec.task_id for t in tasks if t.state in TASK_OVER}
    open_now = (t for t in tasks if t.state not in TASK_OVER and over.issuperset(t.spec.dependencies))
    wave = [] if stop else list(dict.fromkeys(t.spec.assignment.domain_scope for t in open_now))
    records: list[Record] = [*tasks, *(_decision(domain, deps) for domain in wave)]
    events = tuple(
        Event(event_id=derived_id("evt", deps.run_id, "budget", "seconds"), kind="budget.spent", subject="seconds",
              by="divide", reason=stop, at=deps.clock.now())
        for _ in range(bool(stop))
    )  # fmt: skip
    update = DivideUpdate(round=state["round"] + 1, wave=wave, stop=stop)
    return Outcome(update, Writes(records=tuple(records), events=events))


def _placed(task: Task, deps: Deps) -> Task:
    if task.spec.assignment.domain_scope:
        return task
    mode = "human_assignment" if given_by_person(task) else "recursive_delegation"
    assignment = task.spec.assignment.model_copy(
        update={"mode": mode, "domain_scope": domain_of(task, deps.team) or ELSEWHERE}
    )
    return task.model_copy(update={"spec": task.spec.model_copy(update={"assignment": assignment})})


def _decision(domain: str, deps: Deps) -> AssignmentDecision:
    lead = domain_lead(deps.team, domain)
    return AssignmentDecision(
        decision_id=derived_id("asg", deps.run_id, "domain", domain),
        task_id=TaskId(f"domain:{domain}"),
        attempt=1,
        topology=deps.team.topology,
        mode="recursive_delegation",
        selected=(SelectedAgent(agent_id=lead, role="domain_lead"),),
        rejected=(),
        scores=(),
        rationale=f"{lead} leads {domain}",
        required_approvals=("verifier",),
        created_by="lead_agent",
        created_at=deps.clock.now(),
    )
