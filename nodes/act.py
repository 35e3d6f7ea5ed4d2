"""Carry out one approved command: intent first, then the call, then what came of it."""

import asyncio
from typing import NamedTuple, TypedDict

from ..contracts.action import Action, ActionAttempt, ExecutionReceipt
from ..contracts.action_catalog import ActionSpec
from ..contracts.base import derived_id
from ..contracts.errors import KeyConflict
from ..contracts.event import Event
from ..contracts.ports import Deps, TargetReply, Writes
from ..rules.actions.asking import Leave, why_not
from ..rules.actions.guards import ActionGrounds
from ..rules.actions.receipts import judge
from ..rules.actions.replay import find_submission
from ..rules.transition import Grounds, transition
from .action_book import Book, action_event, call_of, desk_of, read_book, spec_of, target_of
from .outcome import Outcome, stamp

NODE = "act"
LOST = "there is an attempt without a receipt: the process ended between the call and its answer"


class ActInput(TypedDict):
    acting: str


class ActUpdate(TypedDict):
    action: str
    acting: str


class Tried(NamedTuple):
    action: Action
    receipt: ExecutionReceipt


async def act(_state: ActInput, deps: Deps) -> Outcome:
    """Adds one command's attempts and the receipt of the last.

    An attempt without a receipt, left behind by a process that died, makes its command unknown: it is never called
    again. A command that no longer has its leave is denied. Gives up on nothing else: every call ends in a receipt.
    """
    book = await read_book(deps.ledger)
    lost = [a for a in book.actions if a.state == "running"]
    if lost:
        moved = [transition(a, "unknown", stamp(deps, NODE), reason=LOST) for a in lost]
        records = tuple(a.model_copy(update={"reason": LOST}) for a, _ in moved)
        return Outcome(
            ActUpdate(action=lost[0].key, acting="reconcile"),
            Writes(records=records, events=tuple(e for _, e in moved)),
        )
    ready = [a for a in book.actions if a.state == "ready"]
    if not ready:
        unsettled = any(a.state in {"pending", "unknown"} for a in book.actions)
        return Outcome(ActUpdate(action="", acting="reconcile" if unsettled else "check"))
    action, spec = ready[0], spec_of(ready[0], desk_of(deps))
    why = why_not(leave_of(action, book, deps)) or _submitted(action, book)
    if why or spec is None:
        return _denied(action, why or "the catalog changed since it was approved", more=len(ready) > 1, deps=deps)
    tried = await _try(action, spec, book, deps)
    return _concluded(tried, more=len(ready) > 1, deps=deps)


def _submitted(action: Action, book: Book) -> str:
    """Whether its key was used by any other command."""
    others = [a for a in book.actions if a.key != action.key]
    try:
        standing = find_submission(action.command, others, book.receipts)
    except KeyConflict as conflict:
        return str(conflict)
    return f"it was submitted already, as {standing.action.key}: {standing.action.state}" if standing else ""


def leave_of(action: Action, book: Book, deps: Deps) -> Leave:
    desk = desk_of(deps)
    return Leave(
        action=action,
        request=book.requests.get(action.approval_id),
        decision=book.decisions.get(action.approval_id),
        dry_run=book.dry_runs.get(action.key),
        attempts=book.attempts,
        revisions=[a for a in book.actions if a.command.intent_id == action.command.intent_id],
        catalog=desk.catalog,
        now=book.latest(deps.clock.now()),
        uptime=desk.uptime.mark(),
    )


async def _try(action: Action, spec: ActionSpec, book: Book, deps: Deps) -> Tried:
    """Again only where it is certain that nothing reached the target."""
    while True:
        attempt = _attempt(action, spec, deps)
        if action.state == "ready":
            grounds = Grounds(action=ActionGrounds(attempt=attempt))
            action, event = transition(action, "running", stamp(deps, NODE), grounds=grounds)
            events: tuple[Event, ...] = (event,)
        else:
            events = ()
        action = action.model_copy(update={"attempts": attempt.n})
        told = action_event(deps, "action.attempted", action.key, f"attempt {attempt.n}", attempt.attempt_id, by=NODE)
        since = deps.clock.monotonic()
        await deps.ledger.commit(Writes(records=(action, attempt), events=(*events, told)))
        receipt = await _called(action, attempt, spec, book, deps, since)
        if receipt.delivered or attempt.n >= spec.attempts:
            return Tried(action, receipt)
        await deps.ledger.commit(Writes(records=(receipt,), events=(_told(receipt, deps),)))


def _attempt(action: Action, spec: ActionSpec, deps: Deps) -> ActionAttempt:
    command, lease, n = action.command, deps.ledger.lease, action.attempts + 1
    return ActionAttempt(
        attempt_id=derived_id("att", command.command_id, n),
        command_id=command.command_id,
        n=n,
        epoch=lease.epoch,
        holder=lease.holder,
        idempotency_key=command.idempotency_key,
        fingerprint=command.fingerprint,
        approval_id=action.approval_id,
        call_seconds=spec.call_seconds,
        started_at=deps.clock.now(),
    )


async def _called(
    action: Action, attempt: ActionAttempt, spec: ActionSpec, book: Book, deps: Deps, since: float
) -> ExecutionReceipt:
    """The intent was committed under the present epoch; the call follows at once or not at all.

    A process that stood still in between may have lost the run to another by now.
    """
    desk = desk_of(deps)
    call = call_of(action, spec, book, deps, attempt)
    stood = deps.clock.monotonic() - since
    if stood > desk.stall_seconds:
        reply = TargetReply("failed", delivered=False, detail=f"not called: this process stood still for {stood:.1f} s")
    else:
        try:
            async with asyncio.timeout(spec.call_seconds):
                reply = await target_of(spec, desk).execute(call)
        except TimeoutError:
            reply = TargetReply("unknown", detail=f"no answer within {spec.call_seconds:g} s")
    if reply.body:
        await deps.ledger.save_artifact(reply.body, "application/octet-stream")
    return judge(reply, action.command, attempt, source="response", at=deps.clock.now())


def _concluded(tried: Tried, *, more: bool, deps: Deps) -> Outcome:
    action, receipt = tried
    grounds = Grounds(action=ActionGrounds(receipt=receipt))
    moved, event = transition(action, receipt.outcome, stamp(deps, NODE), grounds=grounds, reason=receipt.detail)
    moved = moved.model_copy(update={"reason": receipt.detail})
    acting = "reconcile" if receipt.outcome in {"pending", "unknown"} else _onwards(more=more)
    return Outcome(
        ActUpdate(action=action.key, acting=acting),
        Writes(records=(moved, receipt), events=(_told(receipt, deps), event)),
    )


def _denied(action: Action, why: str, *, more: bool, deps: Deps) -> Outcome:
    denied, event = transition(action, "denied", stamp(deps, NODE), reason=why)
    refused = action_event(deps, "action.refused", action.key, why, "execution", by=NODE)
    record = denied.model_copy(update={"reason": why})
    return Outcome(
        ActUpdate(action=action.key, acting=_onwards(more=more)), Writes(records=(record,), events=(event, refused))
    )


def _onwards(*, more: bool) -> str:
    return "execute" if more else "check"


def _told(receipt: ExecutionReceipt, deps: Deps) -> Event:
    said = f"{receipt.outcome}: {receipt.detail}".removesuffix(": ")
    return action_event(deps, "action.receipt", receipt.command_id, said, receipt.receipt_id, by=NODE)
