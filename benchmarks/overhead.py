"""What our wiring adds to plain LangGraph: the same graph, the same saver, the same updates, with and without it.

Three graphs take turns. *Plain* is LangGraph alone: nodes that return recorded updates. *Wired* is the same through
`graph.recording`: each step is looked up and committed with its event. *Whole* is the product: tasks, briefs, evidence,
verification, merge, report. All three on one SQLite file, one planner, six workers, one summary, no model.
"""

import asyncio
import json
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph._internal._runnable import coerce_to_runnable
from langgraph.graph import StateGraph

from leadline.adapters.clock import SystemClock
from leadline.adapters.models.rules import RulesProposer
from leadline.adapters.store.checkpoints import open_checkpointer
from leadline.contracts.base import RunId
from leadline.contracts.ports import Deps
from leadline.graph import star
from leadline.graph.recording import Step, recorded
from leadline.graph.state import State, initial
from leadline.nodes.outcome import Outcome
from leadline.runtime.outcome import StartRequest
from leadline.runtime.service import RunService

from .stage import BUNDLE, rules, stage, team
from .table import Figure

WORKERS = 6
ROUNDS = 15
LIMIT = 1.3

Updates = dict[str, list[dict[str, Any]]]


async def measure_async(folder: Path) -> list[Figure]:
    async with stage(folder, WORKERS, rules()) as service:
        crew = team(folder, WORKERS)
        first = await service.start(StartRequest(bundle=BUNDLE, team=crew))
        updates = _updates(service.settings.database, first.run.run_id)
        times: dict[str, list[float]] = {"plain": [], "wired": [], "whole": []}
        for _ in range(ROUNDS):
            times["plain"].append(await _graph_alone(service, first.run.run_id, updates, wired=False))
            times["wired"].append(await _graph_alone(service, first.run.run_id, updates, wired=True))
            begun = time.perf_counter()
            await service.start(StartRequest(bundle=BUNDLE, team=crew))
            times["whole"].append((time.perf_counter() - begun) * 1000)
        steps = 1 + sum(len(u) for name, u in updates.items() if name != "execute")

    def over_plain(kind: str) -> float:
        """Neighbours in time are compared, so that a busy machine slows both."""
        return statistics.median(mine / plain for mine, plain in zip(times[kind], times["plain"], strict=True))

    plain, wired, whole = (statistics.median(times[k]) for k in ("plain", "wired", "whole"))
    return [
        Figure(f"plain LangGraph, {steps} supersteps", plain, "ms"),
        Figure("the same through our wiring", wired, "ms"),
        Figure("a whole run: tasks, evidence, checks, report, lease", whole, "ms"),
        Figure("plain, a superstep", plain / steps, "ms"),
        Figure("wiring over plain", over_plain("wired"), "times", most=LIMIT),
        Figure("a whole run over plain", over_plain("whole"), "times"),
    ]


def _updates(database: Path, run_id: RunId) -> Updates:
    """What each node of a finished run returned, in order."""
    found: Updates = {}
    with closing(sqlite3.connect(database)) as raw:
        rows = raw.execute("SELECT step, body FROM step WHERE run_id = ? ORDER BY rowid", (run_id,)).fetchall()
    for step, body in rows:
        found.setdefault(step.partition(":")[0], []).append(json.loads(body))
    return found


def _replayed(updates: Updates, *, wired: bool) -> StateGraph[State, Deps, State, State]:
    """The product's graph with its steps replaced by what they returned; `execute` runs once a worker."""
    graph = star.build()
    left = {name: iter(rows) for name, rows in updates.items()}
    for name in updates:

        async def step(_state: Any, _deps: Deps, name: str = name) -> Outcome:
            return Outcome(next(left[name]))

        async def plain(state: Any, name: str = name) -> Mapping[str, Any]:  # noqa: ARG001
            return next(left[name])

        chosen: Step = step
        node = recorded(name, chosen) if wired else plain
        graph.nodes[name] = replace(graph.nodes[name], runnable=coerce_to_runnable(node, name=name, trace=False))
    return graph


async def _graph_alone(service: RunService, like: RunId, updates: Updates, *, wired: bool) -> float:
    """Milliseconds of one run of the graph, without a run's start and end."""
    model = await service.store.run(like)
    run = model.model_copy(update={"run_id": RunId(f"run-{time.monotonic_ns():x}"), "state": "running"})
    lease = await service.store.create(run, "bench:1", 600.0)
    deps = Deps(
        run_id=run.run_id,
        config=run.config,
        team=run.config.team,
        evidence=None,  # type: ignore[arg-type]  # no step asks
        proposer=RulesProposer(),
        ledger=service.store.ledger(lease),
        clock=SystemClock(),
    )
    config: RunnableConfig = {
        "configurable": {"thread_id": run.run_id},
        "recursion_limit": 400,
        "max_concurrency": run.config.max_concurrency,
    }
    async with open_checkpointer(service.store.database, lease) as saver:
        graph = _replayed(updates, wired=wired).compile(checkpointer=saver)
        begun = time.perf_counter()
        await graph.ainvoke(initial(run.run_id, "off"), config, context=deps, durability="sync", version="v2")
        return (time.perf_counter() - begun) * 1000


def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(measure_async(Path(folder)))
