"""Hand out what can be worked on now, each with its brief."""

from collections import Counter
from typing import TypedDict

from ..contracts.base import AgentId, Record, derived_id
from ..contracts.event import Event
from ..contracts.lifecycle import TASK_OVER
from ..contracts.ports import Deps, Writes
from ..contracts.task import Task
from ..rules.allocation import within
from ..rules.communication.letters import assigned
from ..rules.delegation import compile_brief
from ..rules.transition import transition
from .messaging import Postbox
from .outcome import Outcome, stamp

WAITING = frozenset({"assigned", "revision_requested"})


class DelegateInput(TypedDict):
    round: int
    domain: str


class DelegateUpdate(TypedDict):
    round: int
    wave: list[str]
    stop: str


async def delegate(state: DelegateInput, deps: Deps) -> Outcome:
    """Adds a brief for every task whose dependencies are over and whose agent is free: the next wave.

    Gives up when the time budget is spent: what has not begun is cancelled, and the run concludes with what it has.
    """
    tasks = await deps.ledger.all(Task)
    stop = overrun(deps)
    if stop:
        return _stopped(state, within(tasks, state["domain"]), stop, deps)
    wave = ready_tasks(tasks, state["domain"], deps)
    incident, probes = deps.evidence.incident, deps.evidence.probes()
    briefs = tuple(
        compile_brief(t, deps.team.agent(t.spec.assignment.owner), deps.team, deps.config, incident, probes)
        for t in wave
        if t.spec.assignment.owner is not None
    )
    box = await Postbox.open(deps)
    for task, brief in zip(wave, briefs, strict=True):
        box.post(assigned(task, brief, brief.from_agent))
    update = DelegateUpdate(round=state["round"] + 1, wave=[t.key for t in wave], stop="")
    return Outcome(update, Writes(records=(*briefs, *box.records()), events=box.events()))


def ready_tasks(tasks: tuple[Task, ...], domain: str, deps: Deps) -> list[Task]:
    """In the plan's order; an agent gets no more at once than it can take."""
    over = {t.spec.task_id for t in tasks if t.state in TASK_OVER}
    busy: Counter[AgentId] = Counter()
    wave: list[Task] = []
    for task in sorted(within(tasks, domain), key=lambda t: t.position):
        owner = task.spec.assignment.owner
        if task.state not in WAITING or owner is None or not over.issuperset(task.spec.dependencies):
            continue
        if busy[owner] < deps.team.agent(owner).max_concurrency:
            busy[owner] += 1
            wave.append(task)
    return wave


def overrun(deps: Deps) -> str:
    """Why the run has to stop now; empty while it may go on."""
    spent = deps.clock.monotonic() - deps.started
    allowed = deps.team.budget.seconds
    return f"{allowed:g} s of wall-clock time are spent" if spent > allowed else ""


def _stopped(state: DelegateInput, tasks: tuple[Task, ...], why: str, deps: Deps) -> Outcome:
    mark = stamp(deps, "delegate")
    records: list[Record] = []
    events = [
        Event(event_id=derived_id("evt", deps.run_id, "budget", "seconds"), kind="budget.spent", subject="seconds",
              by="delegate", reason=why, at=mark.at)
    ]  # fmt: skip
    for task in (t for t in tasks if t.state in WAITING):
        cancelled, event = transition(task, "cancelled", mark, reason=why)
        records.append(cancelled)
        events.append(event)
    update = DelegateUpdate(round=state["round"], wave=[], stop=why)
    return Outcome(update, Writes(records=tuple(records), events=tuple(events)))
