"""Stops asking a model that does not answer, for a while."""

from dataclasses import dataclass

from ...contracts.errors import ModelError

TRIPPING = frozenset({"down", "timeout", "server_error", "model_missing", "format_ignored"})
"""Faults that the next question will meet as well; a form filled wrongly is none, the next one may be filled right."""


@dataclass
class Breaker:
    """After `threshold` such faults in a row nothing is asked for `cooldown` seconds, then one question tries again."""

    threshold: int = 3
    cooldown: float = 30.0
    faults: int = 0
    last: ModelError | None = None
    closed_again: float = 0.0
    """Monotonic time from which it is asked again."""

    def check(self, now: float) -> None:
        """Raise ModelError of the last fault's kind while the model is left alone."""
        if self.last is not None and self.faults >= self.threshold and now < self.closed_again:
            why = f"{self.threshold} questions in a row failed, the last: {self.last}"
            raise ModelError("the model was not asked", kind=self.last.kind, why=why)

    def failed(self, fault: ModelError, now: float) -> None:
        if fault.kind not in TRIPPING:
            self.answered()
        else:
            self.faults += 1
            self.last = fault
            self.closed_again = now + self.cooldown

    def answered(self) -> None:
        self.faults, self.last = 0, None
