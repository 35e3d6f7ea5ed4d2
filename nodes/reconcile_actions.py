"""Find out how actions went whose receipt is missing or says that they are still under way."""

import asyncio
from dataclasses import dataclass, field
from typing import TypedDict

from ..contracts.action import Action, ActionAttempt, ExecutionReceipt, ReceiptOutcome, ReceiptSource
from ..contracts.action_catalog import ActionSpec
from ..contracts.base import Record
from ..contracts.event import Event
from ..contracts.ports import ActionCall, Deps, ProbedOutcome, TargetReply, Writes
from ..rules.actions.guards import ActionGrounds
from ..rules.actions.receipts import judge
from ..rules.actions.settling import Settled, seconds_on_its_way, settle
from ..rules.transition import Grounds, transition
from .action_book import Book, action_event, call_of, desk_of, read_book, spec_of, target_of
from .outcome import Outcome, stamp

NODE = "reconcile_actions"
UNSETTLED = "an earlier action's outcome is not known"


class ReconcileActionsInput(TypedDict):
    acting: str


class ReconcileActionsUpdate(TypedDict):
    acting: str


@dataclass
class Case:
    """One action while its outcome is found out."""

    deps: Deps
    book: Book
    action: Action
    spec: ActionSpec | None
    records: list[Record] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    @property
    def attempt(self) -> ActionAttempt:
        return self.book.attempts_of(self.action)[-1]

    def move(self, to: str, why: str, receipt: ExecutionReceipt | None = None) -> None:
        grounds = Grounds(action=ActionGrounds(receipt=receipt))
        moved, event = transition(self.action, to, stamp(self.deps, NODE), grounds=grounds, reason=why)
        self.action = moved.model_copy(update={"reason": why})
        self.records.append(self.action)
        self.events.append(event)

    async def asked(self, call: ActionCall, source: ReceiptSource) -> ExecutionReceipt | None:
        """The target's own record of it; None where it cannot be asked."""
        if self.spec is None:
            return None
        reply = await target_of(self.spec, desk_of(self.deps)).status(call)
        return await self.judged(reply, source)

    async def judged(self, reply: TargetReply, source: ReceiptSource) -> ExecutionReceipt:
        if reply.body:
            await self.deps.ledger.save_artifact(reply.body, "application/octet-stream")
        return judge(reply, self.action.command, self.attempt, source=source, at=self.deps.clock.now())

    def keep(self, receipt: ExecutionReceipt) -> None:
        self.records.append(receipt)
        said = f"{receipt.source}: {receipt.outcome}: {receipt.detail}".removesuffix(": ")
        self.events.append(
            action_event(self.deps, "action.receipt", self.action.key, said, receipt.receipt_id, by=NODE)
        )


async def reconcile_actions(_state: ReconcileActionsInput, deps: Deps) -> Outcome:
    """Adds receipts from polling and from reconciliation; what nobody can tell is left to a person.

    Nothing here has an effect on a target. While one outcome is unknown, no further action is begun.
    """
    book = await read_book(deps.ledger)
    records: list[Record] = []
    events: list[Event] = []
    unsettled = False
    for action in (a for a in book.actions if a.state in {"pending", "unknown"}):
        case = await settled(action, book, deps)
        records += case.records
        events += case.events
        unsettled |= case.action.state == "manual_review"
    ready = [a for a in book.actions if a.state == "ready"]
    if unsettled:
        for action in ready:
            denied, event = transition(action, "denied", stamp(deps, NODE), reason=UNSETTLED)
            records.append(denied.model_copy(update={"reason": UNSETTLED}))
            events.append(event)
    update = ReconcileActionsUpdate(acting="execute" if ready and not unsettled else "check")
    return Outcome(update, Writes(records=tuple(records), events=tuple(events)))


async def settled(action: Action, book: Book, deps: Deps) -> Case:
    """Poll what is pending; then ask the target's record and the state itself; else a person has to look.

    What is in a person's hands already stays there unless the target or the state now says how it went.
    """
    case = Case(deps, book, action, spec_of(action, desk_of(deps)))
    call = None if case.spec is None else call_of(action, case.spec, book, deps, case.attempt)
    if case.action.state == "pending":
        await _poll(case, call)
    if case.action.state in {"unknown", "manual_review"}:
        await _find_out(case, call)
    return case


async def _poll(case: Case, call: ActionCall | None) -> None:
    polling = case.spec.polling if case.spec else None
    for n in range(polling.at_most if polling else 0):
        if n and polling:
            await asyncio.sleep(polling.every_seconds)
        receipt = await case.asked(call, "poll") if call else None
        if receipt is not None and receipt.outcome in {"succeeded", "failed"}:
            case.keep(receipt)
            case.move(receipt.outcome, receipt.detail, receipt)
            return
    case.move("unknown", "the target did not finish it in time")


async def _find_out(case: Case, call: ActionCall | None) -> None:
    status, probed = await _record_of(case, call), await _state_of(case, call)
    left = _on_its_way(case)
    while left > 0 and settle(status, probed).to == "failed" and probed.outcome == "not_done":
        pause = min(left, case.spec.polling.every_seconds) if case.spec else left
        await asyncio.sleep(pause)
        left -= pause
        status, probed = await _record_of(case, call), await _state_of(case, call)
    end = settle(status, probed)
    if end.to == "pending":
        end = Settled("manual_review", "the target still works on it")
    if end.to == "manual_review":
        if status is not None:
            case.keep(status)
        if case.action.state == "unknown":
            case.move("manual_review", end.why)
        return
    proof = status if status is not None and status.outcome == end.to else await _by_state(case, end)
    case.keep(proof)
    case.move(end.to, end.why, proof)


def _on_its_way(case: Case) -> float:
    now = case.book.latest(case.deps.clock.now())
    return seconds_on_its_way(case.attempt, case.book.receipts, case.spec.settle_seconds if case.spec else 0.0, now)


async def _record_of(case: Case, call: ActionCall | None) -> ExecutionReceipt | None:
    """Asked as often as polling allows while the target says that it is at work."""
    polling = case.spec.polling if case.spec else None
    receipt = None
    for n in range(polling.at_most if polling and call else 0):
        if n and polling:
            await asyncio.sleep(polling.every_seconds)
        receipt = await case.asked(call, "reconciliation") if call else None
        if receipt is None or receipt.outcome != "pending":
            break
    return receipt


async def _state_of(case: Case, call: ActionCall | None) -> ProbedOutcome:
    if case.spec is None or call is None:
        return ProbedOutcome("unclear", "the catalog changed: its target is not asked any more")
    return await target_of(case.spec, desk_of(case.deps)).outcome(call)


async def _by_state(case: Case, end: Settled) -> ExecutionReceipt:
    """The receipt of what the state itself showed."""
    outcome: ReceiptOutcome = "succeeded" if end.to == "succeeded" else "failed"
    reply = TargetReply(outcome, reference=case.book.reference_of(case.action), detail=end.why)
    return await case.judged(reply, "reconciliation")
