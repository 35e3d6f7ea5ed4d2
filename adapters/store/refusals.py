"""The refusals of a store, worded once for the one in SQL and the one in memory."""

from datetime import datetime

from ...contracts.approval import ApprovalDecision, ApprovalRequest
from ...contracts.base import RunId
from ...contracts.errors import ApprovalRefused, LeaseLost, RunHeld, StoreError, UnknownRun
from ...contracts.run import Run, RunLease


def lease_lost(lease: RunLease, now_held_by: str = "") -> LeaseLost:
    return LeaseLost(
        f"run {lease.run_id!r} is not held by {lease.holder!r} any more",
        why=f"it was taken by {now_held_by!r}" if now_held_by else "it was released or taken over",
        hint=f"`leadline show {lease.run_id}` says how it stands",
    )


def run_held(run_id: RunId, holder: str, until: datetime) -> RunHeld:
    return RunHeld(
        f"run {run_id!r} is held by {holder!r} until {_time(until)}",
        why="another process works on it",
        hint="wait for it, or try again after that time",
    )


def run_exists(run: Run) -> StoreError:
    return StoreError(f"run {run.run_id!r} exists already", hint=f"`leadline resume {run.run_id}` goes on with it")


def unknown_run(run_id: str, candidates: tuple[str, ...] = ()) -> UnknownRun:
    why = f"it may be {', '.join(candidates)}" if candidates else "no run of this database has that id"
    return UnknownRun(f"unknown run {run_id!r}", why=why, hint="`leadline runs` lists them")


def check_answer(
    request: ApprovalRequest,
    stored: ApprovalRequest | None,
    earlier: ApprovalDecision | None,
    decision: ApprovalDecision,
    now: datetime,
) -> None:
    """What is stored counts, not what the caller believes; raise `ApprovalRefused`."""
    if earlier is not None:
        raise _refused(request, f"{earlier.by!r} answered {earlier.decision!r} at {_time(earlier.decided_at)}")
    if stored is None:
        raise _refused(request, f"no such question was asked in run {request.run_id!r}")
    if stored.state != "open":
        raise _refused(request, f"it is {stored.state} already")
    if decision.approval_id != stored.approval_id or decision.subject_digest != stored.subject_digest:
        raise _refused(request, "the answer is to something else than what is asked now")
    by_wall_clock = stored.asked_uptime is None  # otherwise the caller has compared the machine's own time
    if by_wall_clock and decision.decision != "expired" and stored.expires_at is not None and now > stored.expires_at:
        raise _refused(request, f"it expired at {_time(stored.expires_at)}")


def decided_already(approval_id: str) -> ApprovalRefused:
    return ApprovalRefused(f"approval {approval_id!r} takes no answer", why="another answer is stored already")


def _refused(request: ApprovalRequest, why: str) -> ApprovalRefused:
    return ApprovalRefused(
        f"approval {request.approval_id!r} takes no answer",
        why=why,
        hint=f"`leadline show {request.run_id}` says what the run waits for",
    )


def _time(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"
