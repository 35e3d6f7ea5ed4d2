"""What has been said already, counted for the budgets."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from ...contracts.message import AgentMessage
from ...contracts.task import Budget

LONGEST_THREAD = 8
"""Messages of one thread; who needs more asks the lead to decide."""
ROUNDS: dict[str, str] = {
    "clarification_requested": "clarification_rounds",
    "review_requested": "review_rounds",
}
"""Kinds that the task's budget counts for themselves, besides as messages."""


def key_of(message: AgentMessage) -> str:
    """Whose budget it is: its task's, or the run's where it is about none."""
    return message.task_id or ""


@dataclass
class Traffic:
    """Counts over the admitted messages of a run."""

    ids: set[str] = field(default_factory=set)
    threads: Counter[str] = field(default_factory=Counter)
    _counted: Counter[tuple[str, str]] = field(default_factory=Counter)
    _waiting_ms: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, messages: Iterable[AgentMessage]) -> "Traffic":
        traffic = cls()
        for message in messages:
            traffic.add(message)
        return traffic

    def add(self, message: AgentMessage) -> None:
        self.ids.add(message.message_id)
        self.threads[message.thread_id] += 1
        about = key_of(message)
        self._counted[about, "messages"] += 1
        if message.kind in ROUNDS:
            self._counted[about, ROUNDS[message.kind]] += 1
        if message.to_agent is None:
            self._counted[about, "broadcasts"] += 1
        self._waiting_ms[about] += waits_ms(message)

    def spent(self, message: AgentMessage, budget: Budget) -> str:
        """Which budget the message would overdraw; empty where it fits."""
        about = key_of(message)
        wanted = ["messages"]
        if message.kind in ROUNDS:
            wanted.append(ROUNDS[message.kind])
        if message.to_agent is None:
            wanted.append("broadcasts")
        for name in wanted:
            most = getattr(budget, name)
            if self._counted[about, name] >= most:
                return f"its budget of {most} {name.replace('_', ' ')} is spent"
        if waits_ms(message) and self._waiting_ms[about] + waits_ms(message) > budget.wait_seconds * 1000:
            return f"its budget of {budget.wait_seconds:g} s of waiting is spent"
        return ""

    def waiting_left_ms(self, about: str, budget: Budget) -> int:
        return max(0, int(budget.wait_seconds * 1000) - self._waiting_ms[about])


def waits_ms(message: AgentMessage) -> int:
    """How long a sender that cannot go on would wait for the answer."""
    expected = message.expected_response
    return (expected.deadline_ms or 0) if message.blocking and expected is not None else 0
