"""The only function that changes a record's state."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple, TypeVar

from ..contracts.action import Action
from ..contracts.arbitration import Candidate
from ..contracts.assignment import TaskLease
from ..contracts.base import AgentId, RunId, derived_id, digest_of
from ..contracts.event import Event
from ..contracts.fuse import AgentFuse
from ..contracts.lifecycle import LIFECYCLES
from ..contracts.message import AgentMessage
from ..contracts.task import Task
from ..contracts.verification import VerificationResult
from .actions.guards import ACTION_GUARDS, ActionGrounds

Stateful = Task | Action | Candidate | TaskLease | AgentMessage | AgentFuse
S = TypeVar("S", Task, Action, Candidate, TaskLease, AgentMessage, AgentFuse)


class Refused(Exception):  # caught by who proposed the change
    """The table or a guard does not allow a change of state."""


class Grounds(NamedTuple):
    """What guards may look at besides the record."""

    candidates: tuple[AgentId, ...] = ()
    verification: VerificationResult | None = None
    action: ActionGrounds = ActionGrounds()
    now: datetime | None = None
    run_epoch: int | None = None
    """Of the process that holds the run now."""
    response: str = ""
    """Id of what answers a message: another message, a report."""
    task_over: bool = False
    """Whether the task that a message is about needs no answer any more."""
    most_failures: int = 0
    """Refused reports in a row that open an agent's fuse."""


class Stamp(NamedTuple):
    """Who changes something, in which run, when."""

    run_id: RunId
    by: str
    at: datetime


def transition(
    record: S, to: str, stamp: Stamp, *, grounds: Grounds | None = None, reason: str = "", forced: bool = False
) -> tuple[S, Event]:
    """Give the record in its new state and the event that tells of it.

    Raises:
        Refused: the table has no such step, or its guard does not hold. `forced` skips the guard, never the table,
            and is marked in the event.

    The event tells what the record was (`input_hash`) and how long it was in the state that it leaves (`duration_ms`).
    """
    steps = LIFECYCLES[record.record_kind][record.state]
    if to not in steps:
        raise Refused(f"{record.record_kind} {record.key!r} cannot go from {record.state} to {to}")
    guard = steps[to]
    if guard and not forced and not GUARDS[guard](record, grounds or Grounds()):
        raise Refused(f"{record.record_kind} {record.key!r} cannot go to {to}: guard {guard} does not hold")
    turn = record.attempt if isinstance(record, Task) else record.turns if isinstance(record, AgentFuse) else 0
    event = Event(
        event_id=derived_id("evt", stamp.run_id, record.record_kind, record.key, record.state, to, turn),
        kind="transition",
        subject=record.key,
        lifecycle=record.record_kind,
        from_state=record.state,
        to_state=to,
        by=stamp.by,
        reason=reason,
        forced=forced,
        input_hash=digest_of(record.model_dump_json().encode())[:16],
        duration_ms=_in_state_ms(record, stamp.at),
        at=stamp.at,
    )
    return _moved(record, to, stamp.at), event


def _moved(record: S, to: str, at: datetime) -> S:
    if isinstance(record, Task):
        return record.model_copy(update={"state": to, "spec": record.spec.model_copy(update={"updated_at": at})})
    if isinstance(record, AgentMessage):
        return record.model_copy(update={"state": to, "updated_at": at})
    if isinstance(record, AgentFuse):
        return record.model_copy(update={"state": to, "since": at, "turns": record.turns + 1})
    return record.model_copy(update={"state": to})


def _in_state_ms(record: Stateful, at: datetime) -> float | None:
    """None where the record does not say since when it is as it is."""
    if isinstance(record, Task):
        since = record.spec.updated_at
    elif isinstance(record, AgentMessage):
        since = record.updated_at
    elif isinstance(record, AgentFuse):
        since = record.since
    elif isinstance(record, TaskLease):
        since = record.granted_at
    else:
        return None
    return round((at - since).total_seconds() * 1000, 3)


def _has_candidates(_record: Stateful, grounds: Grounds) -> bool:
    return bool(grounds.candidates)


def _has_output_contract(record: Stateful, _grounds: Grounds) -> bool:
    return isinstance(record, Task) and record.spec.output_contract is not None


def _has_owner(record: Stateful, _grounds: Grounds) -> bool:
    return isinstance(record, Task) and record.spec.assignment.owner is not None


def _has_lease(record: Stateful, _grounds: Grounds) -> bool:
    return isinstance(record, Task) and record.spec.assignment.lease_id is not None


def _has_owner_and_lease(record: Stateful, grounds: Grounds) -> bool:
    return _has_owner(record, grounds) and _has_lease(record, grounds)


def _has_checked_evidence(_record: Stateful, grounds: Grounds) -> bool:
    checked = grounds.verification
    return checked is not None and checked.passed and bool(checked.reruns)


def _verification_passed(_record: Stateful, grounds: Grounds) -> bool:
    return grounds.verification is not None and grounds.verification.passed


def _lease_is_over(record: Stateful, grounds: Grounds) -> bool:
    """Its time is up, or the process that granted it is gone."""
    if not isinstance(record, TaskLease):
        return False
    late = grounds.now is not None and grounds.now >= record.expires_at
    return late or (grounds.run_epoch is not None and grounds.run_epoch != record.run_epoch)


def _answer_is_overdue(record: Stateful, grounds: Grounds) -> bool:
    """Its deadline has passed, or nobody needs the answer any more."""
    if not isinstance(record, AgentMessage):
        return False
    limit = record.expected_response.deadline_ms if record.expected_response else None
    if grounds.task_over or limit is None or grounds.now is None:
        return grounds.task_over
    return grounds.now >= record.created_at + timedelta(milliseconds=limit)


def _is_answered(record: Stateful, grounds: Grounds) -> bool:
    if not isinstance(record, AgentMessage):
        return False
    due = record.expected_response is not None and record.expected_response.required
    return not due or bool(grounds.response)


def _was_slow(record: Stateful, _grounds: Grounds) -> bool:
    return isinstance(record, AgentFuse) and record.slow > 0


def _failed_in_a_row(record: Stateful, grounds: Grounds) -> bool:
    return isinstance(record, AgentFuse) and 0 < grounds.most_failures <= record.failures


def _isolation_is_over(record: Stateful, grounds: Grounds) -> bool:
    if not isinstance(record, AgentFuse) or record.until is None or grounds.now is None:
        return False
    return grounds.now >= record.until


def _of_action(guard: Callable[[Action, ActionGrounds], bool]) -> Callable[[object, Grounds], bool]:
    return lambda record, grounds: isinstance(record, Action) and guard(record, grounds.action)


GUARDS: dict[str, Callable[[Stateful, Grounds], bool]] = {
    "has_candidates": _has_candidates,
    "has_output_contract": _has_output_contract,
    "has_owner": _has_owner,
    "has_lease": _has_lease,
    "has_owner_and_lease": _has_owner_and_lease,
    "has_checked_evidence": _has_checked_evidence,
    "verification_passed": _verification_passed,
    **{name: _of_action(guard) for name, guard in ACTION_GUARDS.items()},
    "lease_is_over": _lease_is_over,
    "answer_is_overdue": _answer_is_overdue,
    "is_answered": _is_answered,
    "was_slow": _was_slow,
    "failed_in_a_row": _failed_in_a_row,
    "isolation_is_over": _isolation_is_over,
}
