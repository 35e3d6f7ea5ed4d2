"""How far an evaluation is, and when it will be done as far as anyone can tell."""

import time
from dataclasses import dataclass, field
from typing import NamedTuple

from .results import CellResult

LEAST = 3
"""Finished cells before a guess is worth anything."""


class Progress(NamedTuple):
    done: int
    total: int
    failed: int
    elapsed: float
    """Seconds of this call."""
    eta: float | None
    """Seconds until the end; None until enough cells of this call are done."""
    last: CellResult


@dataclass
class Tally:
    total: int
    done: int
    """Cells that earlier calls finished count as done, but tell nothing about speed."""
    failed: int = 0
    _began: float = field(default_factory=time.monotonic)
    _fresh: int = 0

    def took(self, result: CellResult) -> Progress:
        self.done += 1
        self._fresh += 1
        self.failed += result.state == "failed"
        elapsed = time.monotonic() - self._began
        return Progress(self.done, self.total, self.failed, elapsed, self._eta(elapsed), result)

    def _eta(self, elapsed: float) -> float | None:
        """By the throughput of this call, which parallelism, failures and slow cells have already shaped."""
        if self._fresh < min(LEAST, self.total):
            return None
        return (self.total - self.done) * elapsed / self._fresh
