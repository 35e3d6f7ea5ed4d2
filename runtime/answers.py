"""A person's answer on its way to the interrupt that waits for it."""

from datetime import datetime

from ..contracts.approval import ApprovalDecision, ApprovalRequest, UptimeMark
from ..contracts.base import RunId
from ..contracts.errors import ApprovalRefused
from ..contracts.ports import Clock, Ledger, LedgerReader, RunStore, Writes
from ..rules.actions.asking import is_expired
from ..rules.approvals import approval_event, check_answer, escalated
from .outcome import PersonAnswer


async def open_request(
    reader: LedgerReader, approval_id: str | None, pending: frozenset[str], run_id: RunId
) -> ApprovalRequest:
    """The question that an answer is for; raise `ApprovalRefused` where there is none, or more than one."""
    requests = {r.approval_id: r for r in await reader.all(ApprovalRequest)}
    if approval_id is None:
        if len(pending) != 1:
            what = "waits for no answer" if not pending else f"waits for {len(pending)} answers"
            raise ApprovalRefused(f"run {run_id} {what}", hint=f"leadline show {run_id}")
        return requests[next(iter(pending))]
    if approval_id not in requests:
        raise ApprovalRefused(f"run {run_id} never asked {approval_id!r}", hint=f"leadline show {run_id}")
    if approval_id not in pending:
        decided = await reader.get(ApprovalDecision, approval_id)
        why = (
            f"{decided.decision} by {decided.by} at {decided.decided_at.isoformat()}" if decided else "the run went on"
        )
        raise ApprovalRefused(f"{approval_id} is not open any more", why=why, hint=f"leadline show {run_id}")
    return requests[approval_id]


async def decide(
    store: RunStore,
    ledger: Ledger,
    request: ApprovalRequest,
    answer: PersonAnswer,
    *,
    user: str,
    clock: Clock,
    uptime: UptimeMark | None = None,
) -> ApprovalDecision:
    """Store the one answer. What is refused is an event too."""
    now = clock.now()
    request = await escalate(ledger, request, now, uptime)
    try:
        decision = await put(store, request, answer, user=user, now=now, uptime=uptime)
    except ApprovalRefused as refused:
        await ledger.commit(Writes(events=(approval_event(request, user, "approval.refused", str(refused), now),)))
        raise
    await ledger.commit(Writes(events=(approval_event(request, user, "approval.decided", decision.decision, now),)))
    return decision


async def put(
    store: RunStore, request: ApprovalRequest, answer: PersonAnswer, *, user: str, now: datetime,
    uptime: UptimeMark | None,
) -> ApprovalDecision:  # fmt: skip
    """Check an answer and store it if it is the first; needs no lease, and raises `ApprovalRefused`."""
    decision = ApprovalDecision(
        approval_id=request.approval_id,
        decision=answer.decision,
        by=user,
        reason=answer.reason,
        edit=answer.edit,
        subject_digest=request.subject_digest,
        decided_at=now,
    )
    check_answer(request, decision, now, uptime)
    await store.decide(request, decision)
    return decision


async def escalate(
    ledger: Ledger, request: ApprovalRequest, now: datetime, uptime: UptimeMark | None
) -> ApprovalRequest:
    """Put an overdue question to the next person, where the team file names one."""
    further = escalated(request, now, uptime)
    if further is None:
        return request
    told = approval_event(further, "policy:timeout", "approval.asked", f"overdue: {request.on_ignore}", now)
    await ledger.commit(Writes(records=(further,), events=(told,)))
    return further


async def expire(
    ledger: Ledger, request: ApprovalRequest, clock: Clock, uptime: UptimeMark | None = None
) -> ApprovalDecision | None:
    """Nobody answered in time: what the team file says then happens, once."""
    now = clock.now()
    request = await escalate(ledger, request, now, uptime)
    if request.expires_at is None or not is_expired(request, now, uptime):
        return None
    decision = ApprovalDecision(
        approval_id=request.approval_id,
        decision="expired",
        by="policy:timeout",
        reason=f"nobody answered until {request.expires_at.isoformat()}: {request.on_ignore}",
        subject_digest=request.subject_digest,
        decided_at=now,
    )
    await ledger.commit(
        Writes(records=(decision,), events=(approval_event(request, decision.by, "approval.decided", "expired", now),))
    )
    return decision
