"""Take in the answer about one action, and put the next one before a person."""

from dataclasses import dataclass, field
from typing import TypedDict

from ..contracts.action import Action, ActionProposal, DryRun
from ..contracts.action_catalog import ActionSpec
from ..contracts.approval import ApprovalDecision, ApprovalRequest
from ..contracts.base import Record
from ..contracts.claim import Claim
from ..contracts.event import Event
from ..contracts.ports import Deps, Writes
from ..rules.actions.asking import make_action_request, sheet
from ..rules.actions.guards import ActionGrounds
from ..rules.actions.joint import joint_check
from ..rules.actions.proposals import edited
from ..rules.approvals import approval_event
from ..rules.transition import Grounds, transition
from ..rules.wording import say
from .action_book import Book, action_event, call_of, desk_of, floor_of, proposed_events, read_book, spec_of, target_of
from .outcome import Outcome, stamp

NODE = "prepare_action"


class PrepareActionInput(TypedDict):
    approval: str


class PrepareActionUpdate(TypedDict):
    action: str
    approval: str
    acting: str


@dataclass
class Desk:
    """The act phase's records while this step changes them."""

    deps: Deps
    book: Book
    actions: dict[str, Action]
    records: dict[tuple[str, str], Record] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)

    def keep(self, *records: Record) -> None:
        for record in records:
            self.records[record.record_kind, record.key] = record
            if isinstance(record, Action):
                self.actions[record.key] = record

    def deny(self, action: Action, why: str) -> None:
        denied, event = transition(action, "denied", stamp(self.deps, NODE), reason=why)
        self.keep(denied.model_copy(update={"reason": why}))
        self.events.append(event)

    def proposal_of(self, action: Action) -> ActionProposal | None:
        made = [r for r in self.records.values() if isinstance(r, ActionProposal)]
        return next((p for p in (*self.book.proposals, *made) if p.proposal_id == action.proposal_id), None)

    def writes(self) -> Writes:
        return Writes(records=tuple(self.records.values()), events=tuple(self.events))


async def prepare_action(state: PrepareActionInput, deps: Deps) -> Outcome:
    """Adds a dry run and a question for the next command; with none left, which approved ones the run can bear.

    A person sees the command itself, what it is allowed to do and what the target says would happen. What the catalog
    no longer covers, or what a dry run says would fail where one is required, is not asked at all.
    """
    book = await read_book(deps.ledger)
    desk = Desk(deps, book, {a.key: a for a in book.actions})
    if state["approval"]:
        await _take_in(state["approval"], desk)
    for action in [a for a in desk.actions.values() if a.state == "proposed"]:
        if action.approval_id in book.decisions:
            continue
        request = book.requests.get(action.approval_id) or await _prepared(action, desk)
        if request is not None:
            update = PrepareActionUpdate(action=action.key, approval=request.approval_id, acting="asked")
            return Outcome(update, desk.writes())
    ready = _joined(desk)
    update = PrepareActionUpdate(action="", approval="", acting="execute" if ready else "done")
    return Outcome(update, desk.writes())


async def _take_in(approval_id: str, desk: Desk) -> None:
    decision, request = desk.book.decisions.get(approval_id), desk.book.requests.get(approval_id)
    action = next((a for a in desk.actions.values() if a.approval_id == approval_id), None)
    if decision is None or request is None or action is None or action.state != "proposed":
        return
    desk.events.append(approval_event(request, decision.by, "approval.decided", decision.decision, decision.decided_at))
    if decision.decision == "edited":
        await _edit(action, decision, desk)
    elif decision.decision != "approved":
        desk.deny(action, f"{decision.decision} by {decision.by}: {decision.reason}")


async def _edit(action: Action, decision: ApprovalDecision, desk: Desk) -> None:
    """An edit makes another command and ends this one; one that fails the checks leaves this one to be asked anew."""
    taken = edited(action, decision.edit or {}, await floor_of(desk.deps), by=decision.by)
    desk.keep(*taken.proposals)
    desk.events += proposed_events(desk.deps, taken, decision.by)
    if not taken.actions:
        why = f"edit refused: {taken.proposals[0].refused}"
        desk.keep(action.model_copy(update={"approval_id": "", "reason": why}))
        return
    made = taken.actions[0]
    desk.keep(made)
    desk.deny(action.model_copy(update={"replaced_by": made.key}), f"edited by {decision.by}: now {made.key}")


async def _prepared(action: Action, desk: Desk) -> ApprovalRequest | None:
    deps = desk.deps
    spec = spec_of(action, desk_of(deps))
    if spec is None:
        desk.deny(action, "the catalog changed since it was proposed")
        return None
    dry_run = await _dry_run(action, spec, desk)
    if spec.dry_run == "required" and (dry_run is None or dry_run.outcome != "would_work"):
        told = dry_run.preview[0] if dry_run and dry_run.preview else "its target gave no dry run"
        desk.deny(action, f"the dry run that it needs did not succeed: {told}")
        return None
    proposal = desk.proposal_of(action)
    cited = set(proposal.claims) if proposal else set()
    evidence = [say(c) for c in await deps.ledger.all(Claim) if c.id in cited]
    content = sheet(action, spec, proposal, dry_run, evidence)
    if action.reason:
        content["before"] = action.reason
    request = make_action_request(action, spec, content, at=deps.clock.now(), uptime=desk_of(deps).uptime.mark())
    desk.keep(request, action.model_copy(update={"approval_id": request.approval_id}))
    desk.events.append(approval_event(request, NODE, "approval.asked", request.question, request.asked_at))
    return request


async def _dry_run(action: Action, spec: ActionSpec, desk: Desk) -> DryRun | None:
    if spec.dry_run == "none":
        return None
    deps = desk.deps
    reply = await target_of(spec, desk_of(deps)).dry_run(call_of(action, spec, desk.book, deps, None))
    made = DryRun(
        command_id=action.key,
        outcome=reply.outcome,
        preview=tuple(line[:400] for line in reply.preview),
        precondition=reply.precondition,
        at=deps.clock.now(),
    )
    desk.keep(made)
    desk.events.append(
        action_event(deps, "action.dry_run", action.key, f"{reply.outcome}: {'; '.join(reply.preview[:2])}", by=NODE)
    )
    return made


def _joined(desk: Desk) -> bool:
    """Of the approved commands those become ready that the run can bear together."""
    deps, book = desk.deps, desk.book
    left = deps.team.budget.seconds - (deps.clock.monotonic() - deps.started)
    approved = [a for a in desk.actions.values() if a.state == "proposed" and _is_approved(a, book)]
    joint = joint_check(approved, tuple(desk.actions.values()), desk_of(deps).catalog, left)
    for action in joint.fit:
        grounds = Grounds(action=ActionGrounds(approval=book.decisions[action.approval_id]))
        ready, event = transition(action, "ready", stamp(deps, NODE), grounds=grounds, reason="approved")
        desk.keep(ready.model_copy(update={"reason": ""}))
        desk.events.append(event)
    for action, why in joint.excess:
        desk.deny(action, f"approved, but too much for this run: {why}")
    return any(a.state == "ready" for a in desk.actions.values())


def _is_approved(action: Action, book: Book) -> bool:
    decision = book.decisions.get(action.approval_id)
    return decision is not None and decision.decision == "approved"
