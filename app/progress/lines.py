"""Progress as lines: what a log or a pipe should hold of it, and no more."""

from ...contracts.event import Event
from ..visible import one_line
from .board import Board

_TOLD_STATES = frozenset(
    {"running", "blocked", "accepted", "revision_requested", "rejected", "reassigned", "cancelled"}
)
_TOLD_KINDS = frozenset({
    "approval.asked", "approval.decided", "approval.refused", "budget.spent", "claim.refused",
    "run.waiting", "run.concluded", "run.failed", "run.cancelled", "run.resumed",
})  # fmt: skip


def progress_line(event: Event, board: Board) -> str:
    """Empty for what need not be told."""
    if event.kind == "transition" and event.lifecycle == "task" and event.to_state in _TOLD_STATES:
        task = board.tasks[event.subject]
        agent = f" ({task.agent})" if task.agent else ""
        reason = f": {event.reason}" if event.to_state not in {"running", "accepted"} and event.reason else ""
        return one_line(f"{task.title}{agent}: {event.to_state.replace('_', ' ')}{reason}", 200)
    if event.kind == "proposal.degraded":  # each fault once: a server that is down fails every question
        node, form = (str(event.data.get(key, "")) for key in ("node", "form"))
        first = board.faults[event.reason] == 1
        return one_line(f"{node}: {form} answered by rules: {event.reason}", 200) if first else ""
    if event.kind in _TOLD_KINDS:
        reason = f": {event.reason}" if event.reason else ""
        return one_line(f"{event.kind.replace('.', ' ')} {event.subject}{reason}", 200)
    return ""


def summary_line(board: Board, elapsed: str) -> str:
    parts = [f"{board.done} of {len(board.tasks)} tasks done", f"{board.questions} questions to the data"]
    if board.model_calls:
        parts.append(f"{board.model_calls} model calls, {board.tokens:,} tokens")
    if board.degraded:
        parts.append(f"{board.degraded} answered by rules instead")
    return ", ".join([*parts, elapsed])
