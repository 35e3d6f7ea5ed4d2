"""Whether what a task is to start from is there."""

from ..contracts.arbitration import DecisionRecord
from ..contracts.base import Digest, TaskId
from ..contracts.message import AgentMessage
from ..contracts.ports import Deps
from ..contracts.task import InputRef, Task


async def missing_inputs(task: Task, known: frozenset[TaskId], deps: Deps) -> tuple[str, ...]:
    """What the task's contract refers to and nobody can look up: it is not begun without, never answered by guess."""
    refs = task.spec.input_refs
    there = [await _is_there(ref, known, deps) for ref in refs]
    lost = (ref for ref, found in zip(refs, there, strict=True) if not found)
    return tuple(f"its input {r.kind} {r.ref} is not there ({r.reason})" for r in lost)


async def _is_there(ref: InputRef, known: frozenset[TaskId], deps: Deps) -> bool:
    if ref.kind == "task":
        return TaskId(ref.ref) in known
    if ref.kind == "artifact":
        return await deps.ledger.artifact(Digest(ref.ref)) is not None
    if ref.kind == "decision":
        return await deps.ledger.get(DecisionRecord, ref.ref) is not None
    if ref.kind == "message":
        return await deps.ledger.get(AgentMessage, ref.ref) is not None
    return ref.kind == "file"  # of the bundle; there is no store for memories and addresses yet


async def undone_dependencies(task: Task, deps: Deps) -> tuple[str, ...]:
    """Titles of tasks that this one builds on and that nobody finished: it goes on without, and says so."""
    needed = [await deps.ledger.get(Task, key) for key in task.spec.dependencies]
    return tuple(t.spec.title for t in needed if t is not None and t.state == "cancelled")
