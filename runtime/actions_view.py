"""What there is to see of a run's actions; read without the graph library."""

from typing import NamedTuple

from ..contracts.action import Action, ActionAttempt, ActionProposal, DryRun, ExecutionReceipt, OutcomeCheck
from ..contracts.approval import ApprovalDecision, ApprovalRequest
from ..contracts.ports import LedgerReader
from ..contracts.run import Run
from ..nodes.action_book import read_book


class ActionLine(NamedTuple):
    """One command and all that is known of it."""

    action: Action
    proposal: ActionProposal | None
    request: ApprovalRequest | None
    decision: ApprovalDecision | None
    dry_run: DryRun | None
    attempts: tuple[ActionAttempt, ...]
    receipts: tuple[ExecutionReceipt, ...]
    check: OutcomeCheck | None


class ActionsView(NamedTuple):
    run: Run
    lines: tuple[ActionLine, ...]
    refused: tuple[ActionProposal, ...]
    """Proposals that never became a command."""


async def view_actions(reader: LedgerReader, run: Run) -> ActionsView:
    book = await read_book(reader)
    checks = {c.command_id: c for c in await reader.all(OutcomeCheck)}
    proposals = {p.proposal_id: p for p in book.proposals}
    lines = tuple(
        ActionLine(
            a,
            proposals.get(a.proposal_id),
            book.requests.get(a.approval_id),
            book.decisions.get(a.approval_id),
            book.dry_runs.get(a.key),
            book.attempts_of(a),
            book.receipts_of(a),
            checks.get(a.key),
        )
        for a in book.actions
    )
    return ActionsView(run, lines, tuple(p for p in book.proposals if p.refused))
