"""What is known of a run under way, from its events alone."""

from collections import Counter
from dataclasses import dataclass, field

from ...contracts.event import Event
from ...contracts.lifecycle import TASK_DONE
from ...contracts.run import Run


@dataclass
class TaskLine:
    title: str
    state: str = "ready"
    agent: str = ""
    revisions: int = 0


@dataclass
class Board:
    run: Run | None = None
    step: str = ""
    """The graph node that was finished last."""
    tasks: dict[str, TaskLine] = field(default_factory=dict)
    questions: int = 0
    model_calls: int = 0
    tokens: int = 0
    degraded: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    """Why the rules answered for a model, and how often."""

    def apply(self, event: Event) -> None:
        match event.kind:
            case "transition" if event.lifecycle == "task":
                self._move(event)
            case "node.finished":
                self.step = event.subject
            case "probe.answered":
                self.questions += 1
            case "proposal.made" | "proposal.degraded":
                if event.kind == "proposal.degraded":
                    self.degraded += 1
                    self.faults[event.reason] += 1
                self.model_calls += _count(event, "attempts")
                self.tokens += _count(event, "tokens_in") + _count(event, "tokens_out")
            case _:
                pass

    @property
    def done(self) -> int:
        return sum(line.state in TASK_DONE for line in self.tasks.values())

    def _move(self, event: Event) -> None:
        line = self.tasks.setdefault(event.subject, TaskLine(title=event.subject))
        line.state = event.to_state
        if event.to_state == "ready" and event.reason:
            line.title = event.reason
        elif event.to_state == "running":
            line.agent = event.by
        line.revisions += event.to_state == "revision_requested"


def _count(event: Event, name: str) -> int:
    value = event.data.get(name)
    return value if isinstance(value, int) else 0
