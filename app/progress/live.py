"""Progress on a terminal: a table of tasks under one line of budgets, drawn anew a few times a second."""

from collections.abc import Callable

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from ..console import line
from ..times import span
from .board import Board, TaskLine

_STYLES = {
    "running": "bold cyan", "verifying": "cyan", "report_submitted": "cyan", "accepted": "green", "merged": "green",
    "revision_requested": "yellow", "reassigned": "yellow", "blocked": "yellow", "rejected": "red", "cancelled": "dim",
}  # fmt: skip
_MOST_ROWS = 20


class BoardView:
    """Renders itself afresh each time, so that the clock moves while nothing else does."""

    def __init__(self, board: Board, elapsed: Callable[[], float]) -> None:
        self._board, self._elapsed = board, elapsed

    def __rich__(self) -> RenderableType:
        return Group(self._head(), self._tasks())

    def _head(self) -> Text:
        board, run = self._board, self._board.run
        limits = run.config.team.budget if run else None
        time = span(self._elapsed()) + (f" of {span(limits.seconds)}" if limits else "")
        parts = [run.run_id if run else "starting", board.step or "intake", time, f"{board.questions} questions"]
        if run is not None and run.config.model != "rules":
            most = f" of {limits.tokens:,}" if limits else ""
            parts.append(f"{board.model_calls} model calls, {board.tokens:,}{most} tokens")
        if board.degraded:
            parts.append(f"{board.degraded} answered by rules instead")
        return line(" · ".join(parts), "dim")

    def _tasks(self) -> Table:
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True)
        table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
        table.add_column(no_wrap=True, overflow="ellipsis")
        shown = list(self._board.tasks.values())[:_MOST_ROWS]
        for task in shown:
            table.add_row(_state(task), line(task.title), line(task.agent, "dim"))
        left = len(self._board.tasks) - len(shown)
        if left:
            table.add_row("", Text(f"and {left} more", style="dim"), "")
        return table


def _state(task: TaskLine) -> Text:
    again = f" (attempt {task.revisions + 1})" if task.revisions else ""
    return line(f"{task.state.replace('_', ' ')}{again}", _STYLES.get(task.state, ""))


def can_live(console: Console) -> bool:
    return console.is_terminal and not console.is_dumb_terminal
