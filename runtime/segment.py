"""One stretch of a run, from where its checkpoints stand to an interrupt or its end."""

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.types import Command, Interrupt

from ..contracts.errors import LeadlineError, StaleRun
from ..contracts.ports import Deps
from ..graph.state import State, initial
from ..graph.versions import Compiled, compile_version

STRICT = "__pregel_strict_resume"
"""LangGraph's own key: an answer to an interrupt that is not pending is refused (FACTS.md 1.2); a test holds it."""


class Standing(NamedTuple):
    """Where a run's checkpoints stand."""

    started: bool
    values: State
    interrupts: tuple[Interrupt, ...]
    more: bool
    """Whether nodes are left to run."""


class Segment:
    """The compiled graph over one run's saver and deps."""

    def __init__(self, saver: BaseCheckpointSaver[Any], deps: Deps) -> None:
        self._deps = deps
        self._graph: Compiled = compile_version(deps.config.graph_version, saver)
        self._saver = saver
        self._config: RunnableConfig = {
            "configurable": {"thread_id": deps.run_id, STRICT: True},
            "metadata": {"graph_version": deps.config.graph_version},
            "recursion_limit": deps.limits.recursion,
            "max_concurrency": deps.config.max_concurrency,
        }

    async def standing(self) -> Standing:
        await self._refuse_orphans()
        seen = await self._graph.aget_state(self._config)
        return Standing(
            started=seen.created_at is not None,
            values=cast(State, seen.values),
            interrupts=seen.interrupts,
            more=bool(seen.tasks),  # not `next`: that is empty where a step is done and its checkpoint is not
        )

    async def go(self, answers: Mapping[str, Mapping[str, Any]] | None = None) -> Standing:
        """Start, answer or go on, whichever is due; with nothing due, say where it stands."""
        here = await self.standing()
        if not here.started:
            await self._run(initial(self._deps.run_id, self._deps.team.actions.mode))
        elif answers:
            await self._run(Command(resume=dict(answers)))
        elif here.more and not here.interrupts:
            await self._run(None)
        else:
            return here
        return await self.standing()

    async def _run(self, given: State | Command[Any] | None) -> None:
        from langgraph.errors import GraphRecursionError  # noqa: PLC0415 - with the graph, not at import

        try:
            await self._graph.ainvoke(given, self._config, context=self._deps, durability="sync", version="v2")
        except GraphRecursionError as fault:
            raise LeadlineError(
                f"run {self._deps.run_id} took more than {self._deps.limits.recursion} steps",
                why=str(fault).splitlines()[0],
                hint=f"leadline events {self._deps.run_id}",
            ) from fault

    async def _refuse_orphans(self) -> None:
        """Pending work for a node or channel that this build lacks would be dropped in silence (FACTS.md 3.4)."""
        config: RunnableConfig = {"configurable": {"thread_id": self._deps.run_id, "checkpoint_ns": ""}}
        stored = await self._saver.aget_tuple(config)
        if stored is None:
            return
        values = stored.checkpoint["channel_values"]
        lost = [c for c in values if c.startswith(("branch:to:", "join:")) and c not in self._graph.channels]
        lost += [f"send:{s.node}" for s in values.get("__pregel_tasks", []) if s.node not in self._graph.nodes]
        if lost:
            raise StaleRun(
                f"run {self._deps.run_id} has work pending for steps that this build lacks",
                why=", ".join(lost),
                hint="install the version that started it",
            )


def asked_in(interrupt: Interrupt) -> str:
    """The approval that an interrupt waits for."""
    return str(interrupt.value["approval_id"])
