"""A watcher for the time that a command works."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.text import Text

from ...contracts.event import Event
from ...contracts.run import Run
from ...contracts.task import Task
from ..console import line, talk
from ..times import span
from .board import Board, TaskLine
from .lines import progress_line, summary_line
from .live import BoardView, can_live


class Following:
    """Hand `began` and `watch` to the run service."""

    def __init__(self, console: Console, *, quiet: bool, lines: bool) -> None:
        self.board = Board()
        self._quiet, self._lines = quiet, lines
        self._console = console
        self._start = time.monotonic()

    def began(self, run: Run) -> None:
        """Says first of all who answers the questions, and why."""
        self.board.run = run
        config = run.config
        self._say(line(f"proposer: {config.model} ({config.model_reason})"))
        self._say(line(f"run {run.run_id}: {config.title}, graph {config.graph_version}"))

    def resumed(self, run: Run, tasks: Iterable[Task]) -> None:
        """A run that this process did not start, and what it has already."""
        self.board.run = run
        for task in tasks:
            agent = task.spec.assignment.owner or ""
            self.board.tasks[task.key] = TaskLine(task.spec.title, task.state, agent, task.rounds)
        self._say(line(f"run {run.run_id}: {run.config.title}, proposer {run.config.model}"))

    def watch(self, event: Event) -> None:
        self.board.apply(event)
        if self._lines:
            told = progress_line(event, self.board)
            if told:
                self._say(Text(f"{self.elapsed():7.1f} s  ").append_text(line(told)))

    def _say(self, told: Text) -> None:
        if not self._quiet:
            self._console.print(told, soft_wrap=True)

    def elapsed(self) -> float:
        return time.monotonic() - self._start


@contextmanager
def following(*, quiet: bool = False) -> Iterator[Following]:
    """Live where stderr is a terminal, lines where it is not, nothing where it should be quiet."""
    console = talk()
    live = can_live(console) and not quiet
    follow = Following(console, quiet=quiet, lines=not live and not quiet)
    if not live:
        yield follow
    else:
        with Live(BoardView(follow.board, follow.elapsed), console=console, transient=True, refresh_per_second=8):
            yield follow
    if not quiet and follow.board.tasks:
        console.print(line(summary_line(follow.board, span(follow.elapsed())), "dim"), soft_wrap=True)
