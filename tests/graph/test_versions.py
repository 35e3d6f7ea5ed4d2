"""All graph versions on one incident, and what a version must be."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from leadline.contracts.assignment import AssignmentDecision, TaskLease
from leadline.contracts.report import DomainSummary
from leadline.contracts.task import Task
from leadline.graph.state import DomainState, State
from leadline.graph.versions import VERSIONS, compile_version, structure_hash
from leadline.runtime.outcome import StartRequest
from tests.doubles.paper import PaperEvidence

Serve = Callable[..., Any]
BUNDLE = Path("paper")


@pytest.mark.parametrize("name", VERSIONS)
async def test_every_version_comes_to_the_same_verdict(serve: Serve, name: str) -> None:
    async with serve() as service:
        outcome = await service.start(StartRequest(bundle=BUNDLE, graph=name))
        tasks = await service.store.reader(outcome.run.run_id).all(Task)
    assert outcome.exit_code == 0
    assert [c.ref for c in outcome.report.causes] == ["c1", "c2"]
    assert {t.state for t in tasks} == {"merged"}


@pytest.mark.parametrize("name", VERSIONS)
async def test_the_plan_can_be_approved_on_every_version(serve: Serve, name: str) -> None:
    from leadline.runtime.outcome import PersonAnswer

    async with serve() as service:
        first = await service.start(StartRequest(bundle=BUNDLE, graph=name, ask=frozenset({"plan", "report"})))
        second = await service.resume(first.run.run_id, PersonAnswer(None, "approved"))
        done = await service.resume(first.run.run_id, PersonAnswer(None, "approved"))
    assert [first.waiting.point, second.waiting.point, done.exit_code] == ["plan", "report", 0]


@pytest.mark.parametrize("name", VERSIONS)
def test_langgraph_has_nothing_to_warn_about(name: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="langgraph"):
        compile_version(name, None)
    assert caplog.records == []


def test_structure_hashes_tell_versions_apart() -> None:
    assert len({structure_hash(name) for name in VERSIONS}) == len(VERSIONS)


@pytest.mark.parametrize("name", VERSIONS)
def test_every_step_can_be_reached_and_left(name: str) -> None:
    drawn = compile_version(name, None).get_graph(xray=True)
    sources, targets = {e.source for e in drawn.edges}, {e.target for e in drawn.edges}
    inner = {n for n in drawn.nodes if n not in {"__start__", "__end__"}}
    assert inner <= sources
    assert inner <= targets


def _typed_dicts() -> list[tuple[str, dict[str, Any]]]:
    import importlib
    import pkgutil

    import leadline.nodes

    found = []
    for module in pkgutil.iter_modules(leadline.nodes.__path__):
        loaded = importlib.import_module(f"leadline.nodes.{module.name}")
        found += [
            (name, get_type_hints(value))
            for name, value in vars(loaded).items()
            if name.endswith(("Input", "Update")) and hasattr(value, "__total__")
        ]
    return found


@pytest.mark.parametrize(("name", "keys"), _typed_dicts(), ids=lambda v: v if isinstance(v, str) else "")
def test_every_key_of_a_node_is_a_key_of_the_state(name: str, keys: dict[str, Any]) -> None:
    """LangGraph drops unknown keys without a word."""
    state = get_type_hints(State) | get_type_hints(DomainState) | {"task_id": str}
    assert {k: state.get(k) for k in keys} == keys


def test_the_state_stays_small() -> None:
    assert len(get_type_hints(State)) <= 15
    plain = {str, int, list[str]}
    assert set(get_type_hints(State).values()) <= plain


async def test_on_the_bus_every_task_is_claimed_under_a_lease(serve: Serve) -> None:
    async with serve() as service:
        outcome = await service.start(StartRequest(bundle=BUNDLE, graph="bus@1"))
        reader = service.store.reader(outcome.run.run_id)
        leases = await reader.all(TaskLease)
        decisions = await reader.all(AssignmentDecision)
    assert {(lease.state, lease.epoch) for lease in leases} == {("completed", 1)}
    assert len(leases) == 2
    assert {d.mode for d in decisions} == {"claim_with_lease"}


async def test_in_the_hierarchy_the_root_sees_summaries(serve: Serve, paper: PaperEvidence) -> None:
    async with serve() as service:
        outcome = await service.start(StartRequest(bundle=BUNDLE, graph="hierarchy@1"))
        reader = service.store.reader(outcome.run.run_id)
        summaries = await reader.all(DomainSummary)
        decisions = [d for d in await reader.all(AssignmentDecision) if d.mode == "recursive_delegation"]
    assert [(s.domain, s.lead, len(s.tasks)) for s in summaries] == [
        ("telemetry", "telemetry_lead", 1),
        ("change", "change_lead", 1),
    ]
    assert {d.selected[0].role for d in decisions} == {"domain_lead"}
    assert paper.asked.index("metric_shift") < paper.asked.index("change_diff")
