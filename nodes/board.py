"""The task board of one run while its agents pull from it: states, not conversations.

Claiming is no owning: only a granted lease is. All of it happens in one process, which holds the run; a lease that an
earlier process granted is void, and its task is announced anew.
"""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from ..contracts.assignment import TaskLease
from ..contracts.base import AgentId, Record, TaskId, derived_id
from ..contracts.delegation import DelegationBrief
from ..contracts.event import Event
from ..contracts.lifecycle import MESSAGE_OVER, TASK_OVER
from ..contracts.ports import Deps, Writes
from ..contracts.task import Task
from ..contracts.team import AgentSpec
from ..rules import leases
from ..rules.allocation import allocate, given_by_person, why_not
from ..rules.communication import letters
from ..rules.delegation import compile_brief
from ..rules.modes import is_sensitive, redundancy
from ..rules.redundancy import as_a_person_wants, twin_of
from ..rules.transition import Grounds, Stamp, transition
from .correspondence import correspond
from .fuses import FuseBook, best_findings
from .inputs import missing_inputs
from .messaging import Postbox
from .outcome import stamp
from .performing import Performed
from .shelf import OPEN, Shelf


class Told(NamedTuple):
    """A task that moved, and the events that tell of it."""

    task: Task
    events: tuple[Event, ...]


@dataclass(frozen=True)
class Held:
    """A task in an agent's hands."""

    task: Task
    lease: TaskLease
    brief: DelegationBrief


@dataclass
class Board:
    deps: Deps
    tasks: dict[TaskId, Task]
    leases: dict[TaskId, TaskLease]
    """The latest lease of each task."""
    box: Postbox
    isolated: dict[AgentId, str]
    """Agents that get no work now, and why."""
    best: dict[TaskId, float]
    """Confidence of the best finding of earlier attempts."""
    expiries: Counter[TaskId] = field(default_factory=Counter)
    submitted: list[TaskId] = field(default_factory=list)
    _writing: asyncio.Lock = field(default_factory=asyncio.Lock)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _open: Shelf = field(default_factory=Shelf)
    _active: dict[TaskId, TaskLease] = field(default_factory=dict)
    _twins: dict[TaskId, tuple[TaskId, TaskId]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for task in self.tasks.values():
            self._shelve(task)
        self._active = {key: lease for key, lease in self.leases.items() if lease.state == "active"}

    @classmethod
    async def load(cls, deps: Deps) -> "Board":
        """As the ledger has it; leases of a process that is gone are over at once."""
        found = await deps.ledger.all(TaskLease)
        latest: dict[TaskId, TaskLease] = {}
        for lease in sorted(found, key=lambda one: one.epoch):
            latest[lease.task_id] = lease
        expired = Counter(lease.task_id for lease in found if lease.state == "expired")
        tasks = {t.spec.task_id: t for t in await deps.ledger.all(Task)}
        done = [t for t, task in tasks.items() if task.state == "report_submitted"]
        isolated = (await FuseBook.open(deps)).isolated
        best = await best_findings(tasks.values(), deps)
        return cls(deps, tasks, latest, await Postbox.open(deps), isolated, best, expired, done)

    # --- what an agent sees -------------------------------------------------------------------------------------------
    def pick(self, agent: AgentSpec) -> Task | None:
        """The first open task, in the plan's order, that the agent may do; a revision goes to its owner."""
        able = set(agent.capabilities)
        for task in self._open:
            if able.issuperset(task.spec.required_capabilities) and self._may_have(agent, task):
                return task
        return None

    def _may_have(self, agent: AgentSpec, task: Task) -> bool:
        if task.state == "revision_requested":
            return agent.id == task.spec.assignment.owner
        return agent.id not in self.isolated and not why_not(agent, task, 0) and not self._is_rival(agent, task)

    def _is_rival(self, agent: AgentSpec, task: Task) -> bool:
        """Whether it has the other half of work that two are to do."""
        twins = self._twins.get(task.spec.assignment.parent_task_id or task.spec.task_id, ())
        return any(self.tasks[t].spec.assignment.owner == agent.id for t in twins if t != task.spec.task_id)

    def active(self) -> tuple[TaskLease, ...]:
        return tuple(self._active.values())

    async def wait(self) -> None:
        """Until something changes on the board or the next lease runs out."""
        self._changed.clear()
        ends = min((lease.expires_at for lease in self.active()), default=None)
        left = None if ends is None else max(0.0, (ends - self.deps.clock.now()).total_seconds())
        try:
            await asyncio.wait_for(self._changed.wait(), left)
        except TimeoutError:
            await self.reap()

    # --- what changes it ----------------------------------------------------------------------------------------------
    async def take(self, agent: AgentSpec) -> Held | None:
        """The next task for an agent, claimed and granted at once; None where nothing is open for it."""
        async with self._writing:
            task = self.pick(agent)
            return await self._granted(task, agent, stamp(self.deps, agent.id)) if task is not None else None

    async def claim(self, agent: AgentSpec, task_id: TaskId) -> Held | None:
        """A lease where the task is still open, else None and a record of the claim that came too late."""
        async with self._writing:
            task, mark = self.tasks[task_id], stamp(self.deps, agent.id)
            if task.state not in OPEN:
                await self._commit((), (self._refusal(task, agent.id, f"the task is {task.state}", mark),))
                return None
            return await self._granted(task, agent, mark)

    async def beat(self, held: Held, progress: str) -> None:
        async with self._writing:
            lease = self.leases[held.task.spec.task_id]
            if lease.lease_id == held.lease.lease_id and lease.state == "active":
                seconds = self.deps.team.lease_seconds
                alive = leases.beat(lease, self.deps.clock.now(), seconds=seconds, progress=progress)
                self._hold(alive)
                await self._commit((alive,), ())

    async def submit(self, held: Held, done: Performed) -> bool:
        """Take a report under a lease that still holds; one that comes too late is refused and recorded."""
        async with self._writing:
            task_id = held.task.spec.task_id
            task, lease = self.tasks[task_id], self.leases[task_id]
            mark = stamp(self.deps, held.lease.agent_id)
            if lease.lease_id != held.lease.lease_id or not leases.holds(lease, task, mark.at):
                late = f"lease {held.lease.lease_id} of epoch {held.lease.epoch} is over"
                await self._commit((), (self._refusal(task, held.lease.agent_id, late, mark),))
                return False
            completed, first = transition(lease, "completed", mark)
            correspond(task, done, (mark.at - held.lease.granted_at).total_seconds(), self.box)
            handed, second = transition(task, "report_submitted", mark, reason=done.report.summary)
            self._put(handed, completed)
            self.submitted.append(task_id)
            await self._commit((*done.records, completed, handed), (*done.events, first, second))
            return True

    async def release(self, held: Held, done: Performed, why: str) -> None:
        """Give a task back: its owner asks to be rid of it, and whoever claims it next is told to have it."""
        async with self._writing:
            task_id = held.task.spec.task_id
            task, lease = self.tasks[task_id], self.leases[task_id]
            mark = stamp(self.deps, held.lease.agent_id)
            if lease.lease_id != held.lease.lease_id or not leases.holds(lease, task, mark.at):
                return
            self.box.post(letters.handoff_requested(task, held.lease.agent_id, why, held.brief.from_agent))
            freed = leases.give_back(task, lease, mark, why)
            told = self._announced(freed.task, stamp(self.deps, "board"))
            self._put(told.task, freed.lease)
            await self._commit((*done.records, freed.lease, told.task), (*done.events, *freed.events, *told.events))

    def others_can(self, held: Held) -> bool:
        """Whether somebody else could do a task."""
        return any(a != held.lease.agent_id for a in self._able(held.task))

    async def reap(self) -> None:
        """Free the tasks of agents that fell silent; repeated silence goes to the lead, then to a person."""
        async with self._writing:
            epoch, mark = self.deps.ledger.lease.epoch, stamp(self.deps, "board")
            for lease in self.active():
                if leases.is_over(lease, mark.at, epoch):
                    await self._reaped(lease, mark, epoch)

    async def announce(self) -> int:
        """Put up every task whose dependencies are over; say how many are open."""
        async with self._writing:
            over = {t for t, task in self.tasks.items() if task.state in TASK_OVER}
            mark, known = stamp(self.deps, "board"), frozenset(self.tasks)
            moved: list[Told] = []
            for task in list(self.tasks.values()):
                if task.state in {"ready", "reassigned"} and over.issuperset(task.spec.dependencies):
                    lacking = await missing_inputs(task, known, self.deps)
                    moved += [_cancelled(task, "; ".join(lacking), mark)] if lacking else self._put_up(task, mark)
                elif task.state == "announced" and self.isolated and not self._able(task):
                    moved.append(_cancelled(task, "every agent that could do it is isolated", mark))
            for told in moved:
                self._put(told.task)
            await self._commit(tuple(t.task for t in moved), tuple(e for t in moved for e in t.events))
            return sum(task.state in OPEN for task in self.tasks.values())

    # --- within -------------------------------------------------------------------------------------------------------
    def _put_up(self, task: Task, mark: Stamp) -> list[Told]:
        """The task, and a second of it where two are to do it."""
        team, key = self.deps.team, task.spec.task_id
        up = [self._announced(as_a_person_wants(task, list(self.tasks.values()), team), mark)]
        twice = redundancy(task, team, self.best.get(key)) and len(self._able(task)) > 1
        if twice and key not in self._twins:
            twin, made = transition(twin_of(task), "ready", mark, reason=f"second owner of {task.key}")
            moved, told = self._announced(twin, mark)
            up.append(Told(moved, (made, *told)))
        return up

    def _able(self, task: Task) -> tuple[AgentId, ...]:
        team = self.deps.team
        if is_sensitive(task, team) and not given_by_person(task):
            return ()
        return tuple(a.id for a in team.agents if a.id not in self.isolated and not why_not(a, task, 0))

    def _announced(self, task: Task, mark: Stamp) -> Told:
        able = self._able(task)
        if not able:
            return _cancelled(task, "no agent is eligible", mark)
        chosen, first = transition(task, "candidate_selected", mark, grounds=Grounds(candidates=able))
        assignment = chosen.spec.assignment.model_copy(update={"candidates": able})
        chosen = chosen.model_copy(update={"spec": chosen.spec.model_copy(update={"assignment": assignment})})
        announced, second = transition(chosen, "announced", mark, reason=f"{len(able)} agents may claim it")
        return Told(announced, (first, second))

    async def _granted(self, task: Task, agent: AgentSpec, mark: Stamp) -> Held:
        deps = self.deps
        before = self.leases.get(task.spec.task_id)
        epoch = before.epoch + 1 if before else 1
        run_epoch, seconds = deps.ledger.lease.epoch, deps.team.lease_seconds
        if task.state == "announced":
            granted = leases.grant(task, agent.id, mark, seconds=seconds, epoch=epoch, run_epoch=run_epoch)
        else:
            granted = leases.regrant(task, agent.id, mark, seconds=seconds, epoch=epoch, run_epoch=run_epoch)
        running, started = transition(granted.task, "running", mark)
        decision = allocate(task, deps.team, load={}, success={}, at=mark.at, claimed_by=agent.id)
        brief = compile_brief(running, agent, deps.team, deps.config, deps.evidence.incident, deps.evidence.probes())
        self._put(running, granted.lease)
        self.box.post(letters.assigned(running, brief, brief.from_agent))
        for asked in self.box.of_task(task.spec.task_id, "handoff_requested"):
            accepted = letters.handoff_accepted(asked, decision.decision_id, agent.id, brief.from_agent)
            sent = self.box.post(accepted) if asked.state not in MESSAGE_OVER else None
            if sent is not None:
                self.box.resolve(asked, brief.from_agent, sent.message_id)
                self.box.resolve(sent, agent.id, reason="read")
        await self._commit((decision, brief, granted.lease, running), (*granted.events, started))
        return Held(running, granted.lease, brief)

    async def _reaped(self, lease: TaskLease, mark: Stamp, epoch: int) -> None:
        task = self.tasks[lease.task_id]
        if task.state != "running":
            over, event = transition(lease, "expired", mark, grounds=Grounds(now=mark.at, run_epoch=epoch))
            self._hold(over)
            await self._commit((over,), (event,))
            return
        self.expiries[lease.task_id] += 1
        freed = leases.reap(task, lease, mark, run_epoch=epoch)
        follows = leases.after_expiry(freed.task, self.deps.team, self.expiries[lease.task_id])
        moved, told = self._announced(freed.task, mark)
        if follows != "announce":
            moved, told = self._escalated(freed.task, follows, mark)
        self._put(moved, freed.lease)
        await self._commit((freed.lease, moved), (*freed.events, *told))

    def _escalated(self, task: Task, to: str, mark: Stamp) -> Told:
        """The lead keeps it from being tried for ever: what nobody finishes is cancelled and told to a person."""
        reason = f"{self.expiries[task.spec.task_id]} leases on it expired: escalated to the {to}"
        self.box.post(letters.escalated(task, reason, self.deps.team.root_owner))
        return _cancelled(task, reason, mark)

    def _put(self, task: Task, lease: TaskLease | None = None) -> None:
        self.tasks[task.spec.task_id] = task
        self.box.see((task,))
        self._shelve(task)
        if lease is not None:
            self._hold(lease)

    def _shelve(self, task: Task) -> None:
        key, parent = task.spec.task_id, task.spec.assignment.parent_task_id
        if self._open.put(task):
            self._changed.set()
        if parent is not None:
            self._twins[parent] = (parent, key)

    def _hold(self, lease: TaskLease) -> None:
        """Keep a lease; whoever waits for work hears when nobody is left who could bring some."""
        self.leases[lease.task_id] = lease
        if lease.state == "active":
            self._active[lease.task_id] = lease
        else:
            self._active.pop(lease.task_id, None)
        if not self._active:
            self._changed.set()

    def _refusal(self, task: Task, agent: AgentId, why: str, mark: Stamp) -> Event:
        return Event(
            event_id=derived_id("evt", self.deps.run_id, task.key, task.attempt, "lease", agent, why),
            kind="lease.refused",
            subject=task.key,
            by=agent,
            reason=why,
            at=mark.at,
        )

    async def _commit(self, records: tuple[Record, ...], events: tuple[Event, ...]) -> None:
        """With the mail that goes with it."""
        written, told = self.box.emptied()
        if records or events or told:
            await self.deps.ledger.commit(Writes(records=(*records, *written), events=(*events, *told)))


def _cancelled(task: Task, reason: str, mark: Stamp) -> Told:
    moved, event = transition(task, "cancelled", mark, reason=reason)
    return Told(moved, (event,))
