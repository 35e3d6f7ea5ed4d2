"""What happened, in order."""

from typing import Literal

from pydantic import Field, JsonValue

from .base import Contract, Utc

EventKind = Literal[
    "run.started",
    "run.resumed",
    "run.waiting",
    "run.concluded",
    "run.failed",
    "run.cancelled",
    "transition",
    "node.finished",
    "probe.answered",
    "probe.refused",
    "proposal.made",
    "proposal.degraded",
    "claim.refused",
    "approval.asked",
    "approval.decided",
    "approval.refused",
    "action.proposed",
    "action.refused",
    "action.dry_run",
    "action.attempted",
    "action.receipt",
    "action.checked",
    "budget.spent",
    "lease.refused",
    "message.refused",
    "task.given",
]


class Event(Contract):
    """One line of the run's history. The store gives `seq`; equal `event_id`s are one event."""

    event_id: str
    kind: EventKind
    subject: str = ""
    """The record, node or agent that it is about."""
    lifecycle: str = ""
    from_state: str = ""
    to_state: str = ""
    by: str = ""
    """The agent, node, rule or person that caused it."""
    reason: str = ""
    forced: bool = False
    input_hash: str = ""
    """Digest of what the step was given, empty where that says nothing."""
    duration_ms: float | None = None
    data: dict[str, JsonValue] = Field(default_factory=dict)
    at: Utc
    seq: int = 0
    """Place in the run's history from 1; 0 until stored."""
