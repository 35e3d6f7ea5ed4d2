"""The table of contracts beside the wiring says what the steps really read and write."""

from collections import defaultdict
from contextvars import ContextVar
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from leadline.adapters.models.scripted import ScriptedProposer
from leadline.adapters.store.memory import MemoryRunStore
from leadline.contracts.base import RunId
from leadline.contracts.ports import Deps
from leadline.contracts.run import Run, RunConfig
from leadline.contracts.team import ASKS
from leadline.graph.interfaces import INTERFACES, POINTS, interface, passage
from leadline.graph.state import initial
from leadline.graph.versions import VERSIONS, compile_version
from leadline.runtime.team import load_team
from tests.doubles.paper import NOON, PaperEvidence
from tests.graph.conftest import MovedClock

STEP: ContextVar[str] = ContextVar("step", default="")
LIFE = frozenset({"__start__", "__end__"})


class Spied:
    """A ledger that notes which step reads and writes which kind of record."""

    def __init__(self, ledger: Any) -> None:
        self._ledger = ledger
        self.read: dict[str, set[str]] = defaultdict(set)
        self.written: dict[str, set[str]] = defaultdict(set)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    async def recall(self, step: str) -> Any:
        STEP.set(step.partition(":")[0])
        return await self._ledger.recall(step)

    async def get(self, kind: Any, key: str) -> Any:
        self.read[STEP.get()].add(kind.__name__)
        return await self._ledger.get(kind, key)

    async def all(self, kind: Any) -> Any:
        self.read[STEP.get()].add(kind.__name__)
        return await self._ledger.all(kind)

    async def commit(self, writes: Any, **more: Any) -> None:
        self.written[STEP.get()].update(type(r).__name__ for r in writes.records)
        await self._ledger.commit(writes, **more)


async def spied(graph: str) -> tuple[Spied, dict[str, set[str]]]:
    """One run of a version with a model that asks and answers by rule."""
    asked: dict[str, set[str]] = defaultdict(set)

    def script(ask: Any) -> Any:
        asked[ask.node].add(ask.form.__name__)
        return ask.baseline

    paper, clock = PaperEvidence(telling=("extra",)), MovedClock()
    team = load_team().model_copy(update={"topology": VERSIONS[graph].topology, "asks": ASKS})
    config = RunConfig(
        bundle_path="paper", bundle_digest=paper.bundle_digest, incident_id="inc-1", title="paper",
        graph_version=graph, structure_hash=paper.bundle_digest, prompt_hashes={}, model="scripted",
        model_reason="test", user="ada", team=team,
    )  # fmt: skip
    store = MemoryRunStore(clock)
    run = Run(run_id=RunId("run-1"), config=config, created_at=NOON, updated_at=NOON)
    kept = store.ledger(await store.create(run, "here:1", 600))
    ledger, proposer = Spied(kept), ScriptedProposer(script, ledger=kept, clock=clock)
    deps = Deps(
        run_id=run.run_id, config=config, team=team, evidence=paper, proposer=proposer, ledger=ledger, clock=clock
    )  # type: ignore[arg-type]
    compiled = compile_version(graph, InMemorySaver())
    await compiled.ainvoke(
        initial(run.run_id, "off"), {"configurable": {"thread_id": "t"}, "recursion_limit": 100}, context=deps
    )
    return ledger, asked


def names(types: Any) -> set[str]:
    return {t.__name__ for t in types}


@pytest.mark.parametrize("graph", VERSIONS)
async def test_steps_keep_to_their_interfaces(graph: str) -> None:
    ledger, asked = await spied(graph)
    strays = {
        step: sorted(extra)
        for step, seen in ledger.read.items()
        if step and (extra := seen - names(INTERFACES[step].takes) - names(INTERFACES[step].gives))
    }
    assert strays == {}
    ungiven = {
        step: sorted(extra)
        for step, seen in ledger.written.items()
        if step and (extra := seen - names(INTERFACES[step].gives) - {"ProposalRecord"})
    }
    assert ungiven == {}
    of_step = {"execute": "work"} if graph == "bus@1" else {}
    unasked = {node: sorted(forms - names(INTERFACES[of_step.get(node, node)].asks)) for node, forms in asked.items()}
    assert {node: forms for node, forms in unasked.items() if forms} == {}


async def test_what_a_step_is_there_for_it_gives() -> None:
    """The first contract of each step that ran is among what it wrote."""
    for graph in ("star@1", "bus@1", "hierarchy@1"):
        ledger, _asked = await spied(graph)
        skipped = {
            "intake",
            "classify",
            "present_plan",
            "present_assignments",
            "announce",
        }  # nothing to change or ask here
        for step, written in ledger.written.items():
            if step and step not in skipped:
                assert INTERFACES[step].gives[0].__name__ in written, (graph, step, written)


@pytest.mark.parametrize("graph", VERSIONS)
def test_every_step_of_every_version_has_an_interface(graph: str) -> None:
    drawn = compile_version(graph, None).get_graph(xray=True)
    for node in drawn.nodes:
        assert interface(str(node))
    for edge in drawn.edges:
        assert passage(edge.source, edge.target).output


def test_the_table_names_no_step_that_no_version_has() -> None:
    steps = {str(n).rpartition(":")[2] for g in VERSIONS for n in compile_version(g, None).get_graph(xray=True).nodes}
    assert set(INTERFACES) == steps
    assert set(POINTS) == {s for s in steps if s.startswith("approve_")}
