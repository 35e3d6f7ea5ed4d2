"""Two owners of one piece of work, and owners that a person chose."""

from collections.abc import Iterable, Sequence

from ..contracts.base import AgentId, TaskId, derived_id
from ..contracts.task import Task
from ..contracts.team import TeamSpec
from .allocation import given_by_person
from .modes import is_sensitive


def twin_of(task: Task) -> Task:
    """The same contract for a second owner. Their reports become rival candidates: conflicts are found and ruled on as
    between any two, and nothing downstream waits for the second.
    """
    spec = task.spec
    assignment = spec.assignment.model_copy(
        update={"mode": "capability_matching", "owner": None, "lease_id": None, "parent_task_id": spec.task_id}
    )
    twin = spec.model_copy(
        update={
            "task_id": TaskId(derived_id("tsk", spec.run_id, spec.task_id, "twin")),
            "title": f"{spec.title} (second owner)",
            "required": False,
            "assignment": assignment,
        }
    )
    return Task(spec=twin, position=task.position, origin=task.origin)


def has_twin(task: Task, tasks: Iterable[Task]) -> bool:
    return any(t.spec.assignment.parent_task_id == task.spec.task_id for t in tasks)


def rivals_of(task: Task, tasks: Iterable[Task]) -> frozenset[AgentId]:
    """Owners of the same work; whoever has the one does not get the other."""
    mine, parent = task.spec.task_id, task.spec.assignment.parent_task_id
    same = (t for t in tasks if t.spec.task_id != mine)
    found = (
        t.spec.assignment.owner for t in same if t.spec.task_id == parent or t.spec.assignment.parent_task_id == mine
    )
    return frozenset(owner for owner in found if owner is not None)


def as_a_person_wants(task: Task, tasks: Sequence[Task], team: TeamSpec) -> Task:
    """A sensitive task that came up later goes to whom a person gave the same kind of task before."""
    if not is_sensitive(task, team) or given_by_person(task):
        return task
    kind = set(task.spec.required_capabilities)
    before = [t for t in tasks if given_by_person(t) and set(t.spec.required_capabilities) == kind]
    owner = before[0].spec.assignment.owner if before else None
    return give(task, owner) if owner is not None else task


def give(task: Task, owner: AgentId) -> Task:
    """A person's choice."""
    assignment = task.spec.assignment.model_copy(update={"mode": "human_assignment", "owner": owner})
    return task.model_copy(update={"spec": task.spec.model_copy(update={"assignment": assignment})})
