"""The open tasks of a board, in the plan's order."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..contracts.base import TaskId
from ..contracts.lifecycle import TaskState
from ..contracts.task import Task

OPEN: frozenset[TaskState] = frozenset({"announced", "revision_requested"})


@dataclass
class Shelf:
    _places: list[tuple[int, TaskId]] = field(default_factory=list)
    _tasks: dict[TaskId, Task] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Task]:
        return (self._tasks[key] for _, key in self._places)

    def put(self, task: Task) -> bool:
        """Keep a task where it is open, else take it off; say whether it is new here."""
        place = task.position, task.spec.task_id
        at = bisect_left(self._places, place)
        there = at < len(self._places) and self._places[at] == place
        if task.state in OPEN:
            self._tasks[task.spec.task_id] = task
            if not there:
                self._places.insert(at, place)
            return not there
        if there:
            del self._places[at]
        return False
