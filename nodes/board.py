"""The task board of one run while its agents pull from it: states, not conversations.

Claiming is no owning: only a granted lease is. All of it happens in one process, which holds the run; a lease that an
earlier process granted is void, and its task is announced anew.
"""

import asyncio
from collections import Counter
from dataclasses import dataclass, field

from ..contracts.assignment import TaskLease
from ..contracts.base import AgentId, Record, TaskId, derived_id
from ..contracts.delegation import DelegationBrief
from ..contracts.event import Event
from ..contracts.lifecycle import TASK_OVER
from ..contracts.ports import Deps, Writes
from ..contracts.task import Task
from ..contracts.team import AgentSpec
from ..rules import leases
from ..rules.allocation import allocate, why_not
from ..rules.communication import letters
from ..rules.delegation import compile_brief
from ..rules.transition import Grounds, Stamp, transition
from .correspondence import correspond
from .messaging import Postbox
from .outcome import stamp
from .performing import Performed

OPEN = frozenset({"announced", "revision_requested"})


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
    expiries: Counter[TaskId] = field(default_factory=Counter)
    submitted: list[TaskId] = field(default_factory=list)
    _writing: asyncio.Lock = field(default_factory=asyncio.Lock)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

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
        return cls(deps, tasks, latest, await Postbox.open(deps), expired, done)

    # --- what an agent sees -------------------------------------------------------------------------------------------
    def pick(self, agent: AgentSpec) -> Task | None:
        """The first open task, in the plan's order, that the agent may do; a revision goes to its owner."""
        for task in self.tasks.values():
            if task.state == "announced" and not why_not(agent, task, 0):
                return task
            if task.state == "revision_requested" and task.spec.assignment.owner == agent.id:
                return task
        return None

    def active(self) -> tuple[TaskLease, ...]:
        return tuple(lease for lease in self.leases.values() if lease.state == "active")

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
                self.leases[lease.task_id] = alive
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
            correspond(task, done.report, (mark.at - held.lease.granted_at).total_seconds(), self.box)
            handed, second = transition(task, "report_submitted", mark, reason=done.report.summary)
            self._put(handed, completed)
            self.submitted.append(task_id)
            await self._commit((*done.records, completed, handed), (*done.events, first, second))
            return True

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
            mark = stamp(self.deps, "board")
            records: list[Record] = []
            events: list[Event] = []
            for task in list(self.tasks.values()):
                if task.state in {"ready", "reassigned"} and over.issuperset(task.spec.dependencies):
                    moved, told = self._announced(task, mark)
                    self._put(moved)
                    records.append(moved)
                    events += told
            await self._commit(tuple(records), tuple(events))
            return sum(task.state in OPEN for task in self.tasks.values())

    # --- within -------------------------------------------------------------------------------------------------------
    def _announced(self, task: Task, mark: Stamp) -> tuple[Task, list[Event]]:
        able = tuple(a.id for a in self.deps.team.agents if not why_not(a, task, 0))
        if not able:
            cancelled, event = transition(task, "cancelled", mark, reason="no agent is eligible")
            return cancelled, [event]
        chosen, first = transition(task, "candidate_selected", mark, grounds=Grounds(candidates=able))
        announced, second = transition(chosen, "announced", mark, reason=f"{len(able)} agents may claim it")
        return announced, [first, second]

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
        await self._commit((decision, brief, granted.lease, running), (*granted.events, started))
        return Held(running, granted.lease, brief)

    async def _reaped(self, lease: TaskLease, mark: Stamp, epoch: int) -> None:
        task = self.tasks[lease.task_id]
        if task.state != "running":
            over, event = transition(lease, "expired", mark, grounds=Grounds(now=mark.at, run_epoch=epoch))
            self.leases[lease.task_id] = over
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

    def _escalated(self, task: Task, to: str, mark: Stamp) -> tuple[Task, list[Event]]:
        """The lead keeps it from being tried for ever: what nobody finishes is cancelled and told to a person."""
        reason = f"{self.expiries[task.spec.task_id]} leases on it expired: escalated to the {to}"
        cancelled, event = transition(task, "cancelled", mark, reason=reason)
        self.box.post(letters.escalated(task, reason, self.deps.team.root_owner))
        return cancelled, [event]

    def _put(self, task: Task, lease: TaskLease | None = None) -> None:
        self.tasks[task.spec.task_id] = task
        self.box.see((task,))
        if lease is not None:
            self.leases[task.spec.task_id] = lease

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
            self._changed.set()
