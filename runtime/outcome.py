"""What the run service is asked, and what it gives."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import JsonValue

from ..contracts.approval import ApprovalRequest
from ..contracts.event import Event
from ..contracts.report import IncidentReport
from ..contracts.run import Run
from ..contracts.team import ActionMode, HumanPointName

Watcher = Callable[[Event], None]
"""Called with every event once it is committed."""


@dataclass(frozen=True, kw_only=True)
class StartRequest:
    bundle: Path
    graph: str | None = None
    """None: the setting."""
    model: str | None = None
    team: Path | None = None
    ask: frozenset[HumanPointName] = frozenset()
    """Human points to stop at in this run, whatever the team file says."""
    act: ActionMode | None = None
    """Whether it may do more than advise, whatever the team file says; an evaluation never does."""
    evaluation: bool = False


class PersonAnswer(NamedTuple):
    approval_id: str | None
    """None: the only question that is open."""
    decision: Literal["approved", "edited", "rejected"]
    reason: str = ""
    edit: dict[str, JsonValue] | None = None


class RunOutcome(NamedTuple):
    run: Run
    report: IncidentReport | None
    waiting: ApprovalRequest | None
    exit_code: int


def unwatched(_event: Event) -> None:
    """For callers who do not follow a run."""
