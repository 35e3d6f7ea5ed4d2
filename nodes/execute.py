"""Do one task that was handed out."""

from typing import TypedDict

from ..contracts.base import derived_id
from ..contracts.delegation import DelegationBrief
from ..contracts.ports import Deps, Writes
from ..contracts.task import Task
from ..rules.transition import transition
from .correspondence import corresponded
from .drafting import drafted
from .outcome import Outcome, stamp
from .performing import perform


class ExecuteInput(TypedDict):
    task_id: str


class ExecuteUpdate(TypedDict):
    pass


async def execute(state: ExecuteInput, deps: Deps) -> Outcome:
    """Adds one agent's report; what cannot be asked is a blocker in it."""
    task = await _begun(state["task_id"], deps)
    brief, began = await _brief(task, deps), deps.clock.monotonic()
    worked = await drafted(task, brief, await perform(task, brief, deps), deps)
    done = await corresponded(task, worked, deps.clock.monotonic() - began, deps)
    mark = stamp(deps, done.report.agent_id)
    submitted, event = transition(task, "report_submitted", mark, reason=done.report.summary)
    return Outcome(ExecuteUpdate(), Writes(records=(*done.records, submitted), events=(*done.events, event)))


async def _begun(task_id: str, deps: Deps) -> Task:
    """The task, marked as running at once so that anyone watching sees it."""
    task = await deps.ledger.get(Task, task_id)
    if task is None:
        raise LookupError(f"task {task_id!r} is not in the ledger")
    if task.state == "running":
        return task
    running, event = transition(task, "running", stamp(deps, task.spec.assignment.owner or "execute"))
    await deps.ledger.commit(Writes(records=(running,), events=(event,)))
    return running


async def _brief(task: Task, deps: Deps) -> DelegationBrief:
    key = derived_id("dlg", deps.run_id, task.key, task.attempt, task.spec.assignment.owner or "")
    brief = await deps.ledger.get(DelegationBrief, key)
    if brief is None:
        raise LookupError(f"task {task.key!r} was handed out without a brief")
    return brief
