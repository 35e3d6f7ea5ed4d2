"""All that a run's ledger knows of actions, read at once; and what the nodes of the act phase share."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from ..contracts.action import Action, ActionAttempt, ActionProposal, DryRun, ExecutionReceipt
from ..contracts.action_catalog import ActionSpec
from ..contracts.approval import ApprovalDecision, ApprovalRequest
from ..contracts.arbitration import Composite
from ..contracts.base import ClaimId, derived_id
from ..contracts.claim import Claim
from ..contracts.event import Event, EventKind
from ..contracts.ports import ActionCall, ActionDesk, ActionTarget, Deps, LedgerReader
from ..rules.actions.proposals import Floor, Taken


@dataclass(frozen=True, kw_only=True)
class Book:
    actions: tuple[Action, ...]
    proposals: tuple[ActionProposal, ...]
    requests: Mapping[str, ApprovalRequest]
    decisions: Mapping[str, ApprovalDecision]
    dry_runs: Mapping[str, DryRun]
    attempts: tuple[ActionAttempt, ...]
    receipts: tuple[ExecutionReceipt, ...]

    def attempts_of(self, action: Action) -> tuple[ActionAttempt, ...]:
        return tuple(a for a in self.attempts if a.command_id == action.key)

    def receipts_of(self, action: Action) -> tuple[ExecutionReceipt, ...]:
        return tuple(r for r in self.receipts if r.command_id == action.key)

    def reference_of(self, action: Action) -> str:
        """What the target called it, by the newest receipt that says."""
        return next((r.external_reference for r in reversed(self.receipts_of(action)) if r.external_reference), "")

    def latest(self, now: datetime) -> datetime:
        """A wall clock that was set back does not undo what is recorded: time goes on from there."""
        times = [
            *(r.asked_at for r in self.requests.values()),
            *(d.decided_at for d in self.decisions.values()),
            *(a.started_at for a in self.attempts),
            *(r.at for r in self.receipts),
        ]
        return max((now, *times))


async def read_book(ledger: LedgerReader) -> Book:
    return Book(
        actions=await ledger.all(Action),
        proposals=await ledger.all(ActionProposal),
        requests={r.approval_id: r for r in await ledger.all(ApprovalRequest) if r.point == "action"},
        decisions={d.approval_id: d for d in await ledger.all(ApprovalDecision)},
        dry_runs={d.command_id: d for d in await ledger.all(DryRun)},
        attempts=await ledger.all(ActionAttempt),
        receipts=await ledger.all(ExecutionReceipt),
    )


def desk_of(deps: Deps) -> ActionDesk:
    if deps.actions is None:
        raise LookupError(f"run {deps.run_id} may act, but was given no catalog and no targets")
    return deps.actions


async def floor_of(deps: Deps) -> Floor:
    desk = desk_of(deps)
    composite = await deps.ledger.get(Composite, "composite")
    claims: frozenset[ClaimId] = frozenset(c.id for c in await deps.ledger.all(Claim))
    return Floor(
        run_id=deps.run_id,
        catalog=desk.catalog,
        tenant=desk.tenant,
        user=desk.user,
        services=frozenset(deps.evidence.services()),
        claims=claims,
        at=deps.clock.now(),
        requirements=deps.team.requirements,
        standing=frozenset((r.action, r.target) for r in composite.ranking.remediation) if composite else frozenset(),
    )


def spec_of(action: Action, desk: ActionDesk) -> ActionSpec | None:
    """None where the catalog is another one by now: then nothing may be done."""
    return desk.catalog.spec(action.command.kind) if action.command.policy == desk.catalog.version else None


def target_of(spec: ActionSpec, desk: ActionDesk) -> ActionTarget:
    return desk.targets[spec.target]


def call_of(action: Action, spec: ActionSpec, book: Book, deps: Deps, attempt: ActionAttempt | None) -> ActionCall:
    seen = book.dry_runs.get(action.key)
    return ActionCall(
        command=action.command,
        spec=spec,
        precondition=seen.precondition if seen else "",
        attempt_id=attempt.attempt_id if attempt else "",
        epoch=deps.ledger.lease.epoch,
        reference=book.reference_of(action),
    )


def action_event(deps: Deps, kind: EventKind, subject: str, reason: str, *about: str, by: str = "act") -> Event:
    return Event(
        event_id=derived_id("evt", deps.run_id, kind, subject, *about),
        kind=kind,
        subject=subject,
        by=by,
        reason=reason[:400],
        at=deps.clock.now(),
    )


def proposed_events(deps: Deps, taken: Taken, by: str) -> tuple[Event, ...]:
    """One for each command that came of it, one for each proposal that was refused."""
    made = [
        action_event(deps, "action.proposed", a.key, f"{a.command.kind} on {a.command.target}", by=by)
        for a in taken.actions
    ]
    refused = [
        action_event(deps, "action.refused", p.proposal_id, p.refused, by=by) for p in taken.proposals if p.refused
    ]
    return (*made, *refused)
