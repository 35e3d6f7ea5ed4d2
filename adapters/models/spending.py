"""What a run has spent on its model, and whether one more call is covered; asked before the call, not after."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ...contracts.errors import ModelError
from ...contracts.ports import Clock
from ...contracts.proposal_record import ProposalRecord
from ...contracts.report import Usage
from ...contracts.task import Budget


@dataclass
class Spending:
    budget: Budget
    clock: Clock
    max_calls: int
    started: float
    """Monotonic start of this process's part of the run."""
    usage: Usage = field(default_factory=Usage)
    earlier_seconds: float = 0.0
    """Spent in calls by earlier processes of the run."""
    pending_tokens: int = 0
    pending_calls: int = 0

    def add(self, record: ProposalRecord) -> None:
        spent = self.usage
        self.usage = Usage(
            model_calls=spent.model_calls + record.attempts,
            tokens_in=spent.tokens_in + record.tokens_in,
            tokens_out=spent.tokens_out + record.tokens_out,
            prompt_chars=spent.prompt_chars + record.prompt_chars,
            shared_chars=spent.shared_chars + record.shared_prefix_chars,
            seconds=spent.seconds + record.seconds,
        )

    def seconds_left(self) -> float:
        return self.budget.seconds - self.earlier_seconds - (self.clock.monotonic() - self.started)

    @contextmanager
    def reserve(self, tokens: int, unrecorded_tokens: int, unrecorded_calls: int) -> Iterator[None]:
        """Hold what a call may cost while it runs, so that calls at once do not overspend together.

        What the same question's earlier calls cost is not in the records yet. Raise ModelError of kind `budget`.
        """
        spent = self.usage.tokens_in + self.usage.tokens_out + self.pending_tokens + unrecorded_tokens
        calls = self.usage.model_calls + self.pending_calls + unrecorded_calls
        if spent + tokens > self.budget.tokens:
            raise ModelError(f"{spent} of {self.budget.tokens} tokens are spent, this needs {tokens}", kind="budget")
        if calls >= self.max_calls:
            raise ModelError(f"all {self.max_calls} model calls are spent", kind="budget")
        if self.seconds_left() <= 0:
            raise ModelError(f"the run's {self.budget.seconds:.0f} seconds are over", kind="budget")
        self.pending_tokens += tokens
        self.pending_calls += 1
        try:
            yield
        finally:
            self.pending_tokens -= tokens
            self.pending_calls -= 1
