"""How an action without a clear receipt ends: by the target's record, by the state itself, else by a person."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from ...contracts.action import ActionAttempt, ExecutionReceipt
from ...contracts.ports import ProbedOutcome

Next = Literal["succeeded", "failed", "pending", "manual_review"]


class Settled(NamedTuple):
    to: Next
    why: str


def settle(status: ExecutionReceipt | None, probed: ProbedOutcome) -> Settled:
    """Of an unknown: what the target's own record says, then what the state shows; nothing else counts.

    A state that shows no effect says nothing while a call of ours could be on its way: wait for that first.
    """
    if status is not None and status.outcome in {"succeeded", "failed", "pending"}:
        return Settled(status.outcome, status.detail or "the target says so")
    if probed.outcome == "done":
        return Settled("succeeded", probed.detail or "its effect is there")
    if probed.outcome == "not_done":
        return Settled("failed", probed.detail or "its effect is not there")
    told = status.detail if status is not None else ""
    return Settled("manual_review", told or probed.detail or "neither the target nor the state says how it went")


def seconds_on_its_way(
    attempt: ActionAttempt, receipts: Sequence[ExecutionReceipt], settle_seconds: float, now: datetime
) -> float:
    """For how much longer an attempt's effect could still come; bounded, whatever the clock says.

    A call that was given up on may wait in the target's queue. One that the target answered is through.
    """
    if any(r.attempt_id == attempt.attempt_id and r.source == "response" and r.response for r in receipts):
        return 0.0
    most = attempt.call_seconds + settle_seconds
    return min(most, max(0.0, most - (now - attempt.started_at).total_seconds()))
