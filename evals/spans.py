"""When tasks waited and worked, from their transitions."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from ..contracts.event import Event
from ..contracts.task import Task

WAITING = frozenset({"ready", "announced", "assigned", "candidate_selected"})
"""States in which a task could begin if only an agent took it up."""


class Span(NamedTuple):
    started: datetime
    """Of its first work."""
    ended: datetime
    """Of its last work."""
    worked: float
    """Seconds."""
    waited: float
    """Seconds between ready and working, over all attempts."""


def spans(events: Sequence[Event]) -> dict[str, Span]:
    """By task id; tasks that never ran are left out."""
    moves: dict[str, list[Event]] = {}
    for event in events:
        if event.kind == "transition" and event.lifecycle == "task":
            moves.setdefault(event.subject, []).append(event)
    found = {task: _span(sorted(steps, key=lambda step: (step.seq, step.at))) for task, steps in moves.items()}
    return {task: span for task, span in found.items() if span is not None}


def _span(steps: Sequence[Event]) -> Span | None:
    starts, ends, worked, waited = [], [], 0.0, 0.0
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        until = following.at if following is not None else step.at
        if step.to_state == "running":
            starts.append(step.at)
            ends.append(until)
            worked += (until - step.at).total_seconds()
        elif step.to_state in WAITING:
            waited += (until - step.at).total_seconds()
    return Span(min(starts), max(ends), worked, waited) if starts else None


def critical_path(tasks: Sequence[Task], found: Mapping[str, Span]) -> float:
    """Seconds of the longest chain of tasks that depend on each other, by their work alone."""
    needs = {task.spec.task_id: task.spec.dependencies for task in tasks}
    longest: dict[str, float] = {}

    def until(task: str, path: frozenset[str]) -> float:
        if task in path or task not in needs:  # a cycle or an unknown task adds nothing
            return 0.0
        if task not in longest:
            before = max((until(need, path | {task}) for need in needs[task]), default=0.0)  # type: ignore[index]
            longest[task] = before + (found[task].worked if task in found else 0.0)
        return longest[task]

    return max((until(task, frozenset()) for task in needs), default=0.0)
