"""What there is to see of a run's actions; read without the graph library."""

from typing import NamedTuple

from ..contracts.action import Action, ActionAttempt, ActionProposal, DryRun, ExecutionReceipt, OutcomeCheck
from ..contracts.approval import ApprovalDecision, ApprovalRequest
from ..contracts.errors import ApprovalRefused
from ..contracts.ports import LedgerReader
from ..contracts.run import Run
from ..nodes.action_book import Book, read_book
from ..rules.actions.replay import find_submission


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
    answer: bytes | None
    """What the target answered when it was decided, byte for byte: whoever submits it again is given this."""


class ActionsView(NamedTuple):
    run: Run
    lines: tuple[ActionLine, ...]
    refused: tuple[ActionProposal, ...]
    """Proposals that never became a command."""


async def view_actions(reader: LedgerReader, run: Run) -> ActionsView:
    book = await read_book(reader)
    checks = {c.command_id: c for c in await reader.all(OutcomeCheck)}
    proposals = {p.proposal_id: p for p in book.proposals}
    lines = [
        ActionLine(
            a,
            proposals.get(a.proposal_id),
            book.requests.get(a.approval_id),
            book.decisions.get(a.approval_id),
            book.dry_runs.get(a.key),
            book.attempts_of(a),
            book.receipts_of(a),
            checks.get(a.key),
            await _first_answer(a, book, reader),
        )
        for a in book.actions
    ]
    return ActionsView(run, tuple(lines), tuple(p for p in book.proposals if p.refused))


async def _first_answer(action: Action, book: Book, reader: LedgerReader) -> bytes | None:
    standing = find_submission(action.command, book.actions, book.receipts)
    receipt = standing.receipt if standing else None
    return await reader.artifact(receipt.response) if receipt and receipt.response else None


async def open_question(reader: LedgerReader, which: str | None, run: Run) -> ApprovalRequest:
    """The question that an answer is for, by its own id, by its command's, or the only one there is.

    Raises:
        ApprovalRefused: it is not open any more, and who answered it; or there is none, or more than one.
    """
    book = await read_book(reader)
    hint = f"leadline actions {run.run_id}"
    if which is None:
        still = [r for r in book.requests.values() if r.approval_id not in book.decisions]
        if len(still) == 1:
            return still[0]
        answered = [book.decisions[r] for r in book.requests if r in book.decisions]
        what = f"asks about {len(still)} actions" if still else "asks about no action"
        raise ApprovalRefused(f"run {run.run_id} {what}", why=_said(answered[-1]) if answered else "", hint=hint)
    of_command = next((a.approval_id for a in book.actions if a.key == which), which)
    request = book.requests.get(of_command)
    if request is None:
        raise ApprovalRefused(f"run {run.run_id} never asked about {which!r}", hint=hint)
    decided = book.decisions.get(of_command)
    if decided is not None:
        raise ApprovalRefused(f"{of_command} is not open any more", why=_said(decided), hint=hint)
    return request


def _said(decision: ApprovalDecision) -> str:
    return f"{decision.decision} by {decision.by} at {decision.decided_at.isoformat()}"
