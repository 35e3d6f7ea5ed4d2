"""Nodes that are done once: what a node gave is committed with its records, and given again if it is run again.

LangGraph runs a node anew after a crash, under the same task id (FACTS.md 1.1). That id names the step in the ledger.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from langgraph.runtime import Runtime

from ..contracts.base import derived_id
from ..contracts.event import Event
from ..contracts.ports import Deps
from ..nodes.outcome import Outcome

FIRST = 1
"""The epoch of the process that began the run: no step of it can have been done before."""

Step = Callable[[Any, Deps], Awaitable[Outcome]]


class GraphNode(Protocol):
    """What LangGraph calls."""

    async def __call__(self, state: Any, *, runtime: Runtime[Deps]) -> Mapping[str, Any]: ...


def recorded(name: str, step: Step) -> GraphNode:
    """The LangGraph node of a step: asks the ledger first, commits once at the end."""

    async def node(state: Any, *, runtime: Runtime[Deps]) -> Mapping[str, Any]:
        deps, info = runtime.context, runtime.execution_info
        key = f"{name}:{info.task_id if info else ''}"
        if deps.ledger.lease.epoch > FIRST:
            done = await deps.ledger.recall(key)
            if done is not None:
                return done
        started = deps.clock.monotonic()
        outcome = await step(state, deps)
        finished = Event(
            event_id=derived_id("evt", deps.run_id, key),
            kind="node.finished",
            subject=name,
            by=name,
            reason=str(state.get("task_id", "")),
            duration_ms=round((deps.clock.monotonic() - started) * 1000, 3),
            at=deps.clock.now(),
        )
        update = dict(outcome.update)
        records, events = outcome.writes
        await deps.ledger.commit(type(outcome.writes)(records, (*events, finished)), step=key, update=update)
        return update

    node.__name__ = name
    return node
