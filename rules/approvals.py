"""When a person is asked, what exactly, and which answers count."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from pydantic import JsonValue

from ..contracts.approval import ApprovalDecision, ApprovalRequest, UptimeMark
from ..contracts.base import RunId, derived_id, digest_of
from ..contracts.errors import ApprovalRefused
from ..contracts.event import Event, EventKind
from ..contracts.task import Risk
from ..contracts.team import HumanPoint
from .actions.asking import is_expired, may_answer

NEXT = "leadline show RUN"


def is_asked(point: HumanPoint, risk: Risk) -> bool:
    return point.when == "always" or (point.when == "high_risk" and risk == "high")


def make_request(
    run_id: RunId,
    point: HumanPoint,
    question: str,
    content: Mapping[str, JsonValue],
    *,
    risk: Risk,
    at: datetime,
) -> ApprovalRequest:
    """Bound to the digest of the content, so that what is approved is what happens."""
    digest = digest_of(dict(content))
    waits = point.on_timeout == "keep_waiting" or (point.on_timeout == "escalate" and not point.escalate_to)
    escalates = point.on_timeout == "escalate" and bool(point.escalate_to)
    ignored = "the run keeps waiting" if waits else "the run is cancelled"
    return ApprovalRequest(
        approval_id=derived_id("apr", run_id, point.name, digest),
        run_id=run_id,
        point=point.name,
        question=question,
        subject_digest=digest,
        content=dict(content),
        risk=risk,
        asked_at=at,
        expires_at=None if waits else at + timedelta(seconds=point.timeout_seconds),
        on_ignore=f"{point.escalate_to} is asked" if escalates else ignored,
        escalate_to=point.escalate_to if escalates else "",
    )


def escalated(request: ApprovalRequest, now: datetime, uptime: UptimeMark | None) -> ApprovalRequest | None:
    """The same question, now put to the next person too, with no end; None where it is not due."""
    if not request.escalate_to or not is_expired(request, now, uptime):
        return None
    approvers = (*request.approvers, request.escalate_to) if request.approvers else ()
    return request.model_copy(
        update={
            "approvers": approvers,
            "escalate_to": "",
            "expires_at": None,
            "on_ignore": f"the run keeps waiting for {request.escalate_to}",
        }
    )


def check_answer(
    request: ApprovalRequest, decision: ApprovalDecision, now: datetime, uptime: UptimeMark | None = None
) -> None:
    """Raise `ApprovalRefused` for an answer that does not fit the question."""
    if request.approvers and not may_answer(request, decision.by):
        who = "a person" if "*" in request.approvers else " or ".join(request.approvers)
        raise ApprovalRefused(f"{decision.by!r} may not answer {request.approval_id}", why=f"it takes {who}", hint=NEXT)
    if decision.subject_digest != request.subject_digest:
        raise ApprovalRefused(
            f"the answer to {request.approval_id} is for other content", why="it changed since it was shown", hint=NEXT
        )
    if request.expires_at is not None and is_expired(request, now, uptime):
        raise ApprovalRefused(f"approval {request.approval_id} expired at {request.expires_at.isoformat()}", hint=NEXT)
    if decision.decision == "rejected" and not decision.reason.strip():
        raise ApprovalRefused(f"rejecting {request.approval_id} needs a reason", hint="--reject 'REASON'")
    if decision.decision == "edited" and not decision.edit:
        raise ApprovalRefused(
            f"the edit of {request.approval_id} is empty", hint="--edit FILE with the changed content"
        )


def approval_event(request: ApprovalRequest, by: str, kind: EventKind, reason: str, at: datetime) -> Event:
    """The same for whoever tells of it, so that it stands once in the history."""
    return Event(
        event_id=derived_id("evt", request.run_id, request.approval_id, kind, by, reason, str(at)),
        kind=kind,
        subject=request.approval_id,
        by=by,
        reason=reason,
        at=at,
    )
