"""Who holds a task, until when, and what follows when they fall silent."""

from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from ..contracts.assignment import TaskLease
from ..contracts.base import AgentId, derived_id
from ..contracts.event import Event
from ..contracts.task import Task
from ..contracts.team import TeamSpec
from .transition import Grounds, Stamp, transition


class Granted(NamedTuple):
    task: Task
    lease: TaskLease
    events: tuple[Event, ...]


def grant(task: Task, agent: AgentId, stamp: Stamp, *, seconds: float, epoch: int, run_epoch: int) -> Granted:
    """Turn a claim into a lease: an announced task gets an owner, then the right to be worked on."""
    owned, lease = _leased(task, agent, stamp, seconds=seconds, epoch=epoch, run_epoch=run_epoch)
    claimed, first = transition(owned, "claimed", stamp, reason=f"claimed by {agent}")
    held, second = transition(claimed, "lease_granted", stamp, reason=f"lease {lease.lease_id}, epoch {epoch}")
    return Granted(held, lease, (first, second))


def regrant(task: Task, agent: AgentId, stamp: Stamp, *, seconds: float, epoch: int, run_epoch: int) -> Granted:
    """A revision: its owner goes on, under a lease of its own time."""
    owned, lease = _leased(task, agent, stamp, seconds=seconds, epoch=epoch, run_epoch=run_epoch)
    return Granted(owned, lease, ())


def _leased(
    task: Task, agent: AgentId, stamp: Stamp, *, seconds: float, epoch: int, run_epoch: int
) -> tuple[Task, TaskLease]:
    lease = TaskLease(
        lease_id=derived_id("lse", stamp.run_id, task.key, epoch),
        task_id=task.spec.task_id,
        agent_id=agent,
        epoch=epoch,
        run_epoch=run_epoch,
        granted_at=stamp.at,
        expires_at=stamp.at + timedelta(seconds=seconds),
        heartbeat_at=stamp.at,
        retry_count=epoch - 1,
    )
    given = task.spec.assignment
    mode = given.mode if given.mode == "human_assignment" else "claim_with_lease"
    assignment = given.model_copy(update={"mode": mode, "owner": agent, "lease_id": lease.lease_id})
    return task.model_copy(update={"spec": task.spec.model_copy(update={"assignment": assignment})}), lease


def beat(lease: TaskLease, now: datetime, *, seconds: float, progress: str) -> TaskLease:
    """A sign of life extends the lease."""
    return lease.model_copy(
        update={"heartbeat_at": now, "expires_at": now + timedelta(seconds=seconds), "progress_summary": progress[:200]}
    )


def is_over(lease: TaskLease, now: datetime, run_epoch: int) -> bool:
    return lease.state == "active" and (now >= lease.expires_at or lease.run_epoch != run_epoch)


def holds(lease: TaskLease, task: Task, now: datetime) -> bool:
    """Whether a report under this lease may still be taken: active, not over, and the task's own."""
    return lease.state == "active" and now < lease.expires_at and task.spec.assignment.lease_id == lease.lease_id


class Reaped(NamedTuple):
    task: Task
    lease: TaskLease
    events: tuple[Event, ...]


def reap(task: Task, lease: TaskLease, stamp: Stamp, *, run_epoch: int) -> Reaped:
    """An expired lease frees its task for the others; the failure keeps its number."""
    expired, first = transition(
        lease,
        "expired",
        stamp,
        grounds=Grounds(now=stamp.at, run_epoch=run_epoch),
        reason=f"{lease.agent_id} fell silent",
    )
    freed, second = transition(task, "reassigned", stamp, reason=f"lease {lease.lease_id} expired")
    moved = _unheld(freed).model_copy(update={"attempt": task.attempt + 1})
    return Reaped(moved, expired, (first, second))


def _unheld(task: Task) -> Task:
    """Nobody's, so that nobody goes on under a lease that is over; whom a person chose stays chosen."""
    given = task.spec.assignment
    owner = given.owner if given.mode == "human_assignment" else None
    assignment = given.model_copy(update={"owner": owner, "lease_id": None})
    return task.model_copy(update={"spec": task.spec.model_copy(update={"assignment": assignment})})


def give_back(task: Task, lease: TaskLease, stamp: Stamp, why: str) -> Reaped:
    """Its holder cannot do it: the lease is released, and the task is for somebody who has not had it."""
    released, first = transition(lease, "released", stamp, reason=why)
    freed, second = transition(task, "reassigned", stamp, reason=f"{lease.agent_id} gave it back: {why}")
    moved = _unheld(freed).model_copy(
        update={"attempt": task.attempt + 1, "failed_owners": (*task.failed_owners, lease.agent_id)}
    )
    return Reaped(moved, released, (first, second))


def after_expiry(task: Task, team: TeamSpec, expiries: int) -> Literal["announce", "lead", "person"]:
    """Announce again; after `most_expiries` the lead appoints somebody; after one more a person has to act."""
    if expiries <= team.most_expiries:
        return "announce"
    return "lead" if expiries == team.most_expiries + 1 and task.spec.required else "person"
