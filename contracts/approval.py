"""Questions for a person: bound to exactly what will happen, answered once."""

from typing import Literal

from pydantic import JsonValue

from .base import Contract, Digest, Record, RunId, Utc
from .lifecycle import ApprovalState
from .task import Risk
from .team import HumanPointName


class UptimeMark(Contract):
    """A point on the machine's own time since it was started, which setting the wall clock does not move."""

    boot: str
    """Which start of which machine; marks of two are not comparable."""
    seconds: float


class ApprovalRequest(Record):
    record_kind = "approval"

    approval_id: str
    run_id: RunId
    point: HumanPointName
    question: str
    subject_digest: Digest
    """Of the exact content that is approved."""
    content: dict[str, JsonValue]
    """What the person is shown, canonical, from code."""
    risk: Risk
    asked_at: Utc
    expires_at: Utc | None
    """None: it keeps waiting."""
    on_ignore: str
    """What happens if nobody answers."""
    approvers: tuple[str, ...] = ()
    """Who may answer; empty or `*`: whoever may answer for this database."""
    escalate_to: str = ""
    """Who is asked besides once the time is over; empty where nobody is, or was already."""
    asked_uptime: UptimeMark | None = None
    """When it was asked by a clock that nobody can set."""
    state: ApprovalState = "open"

    @property
    def key(self) -> str:
        return self.approval_id


class ApprovalDecision(Record):
    """A person's answer; stored once per request, the first one wins."""

    record_kind = "approval_decision"

    approval_id: str
    decision: Literal["approved", "edited", "rejected", "expired"]
    by: str
    """Who answered, from the settings."""
    reason: str = ""
    edit: dict[str, JsonValue] | None = None
    """The edited content; it passes the same checks as a proposal."""
    subject_digest: Digest
    decided_at: Utc

    @property
    def key(self) -> str:
        return self.approval_id
