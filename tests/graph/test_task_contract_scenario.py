"""The small experiment of the task contract: one task, a registry of workers, and what the protocol itself finds."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from leadline.adapters.store.memory import MemoryRunStore
from leadline.contracts.assignment import AssignmentDecision
from leadline.contracts.base import AgentId, TaskId, derived_id
from leadline.contracts.delegation import DelegationBrief
from leadline.contracts.evidence import Observation
from leadline.contracts.ports import Deps, Writes
from leadline.contracts.report import AgentReport
from leadline.contracts.task import InputRef, Task
from leadline.contracts.team import AgentSpec, TeamSpec
from leadline.contracts.verification import VerificationResult
from leadline.nodes.delegate import delegate
from leadline.nodes.execute import execute
from leadline.nodes.outcome import Outcome
from leadline.nodes.select import select
from leadline.nodes.verify import verify
from leadline.runtime.outcome import StartRequest
from tests.doubles.paper import PaperAnalyst, PaperEvidence
from tests.graph.conftest import deps_of


def registry(*workers: tuple[str, str]) -> TeamSpec:
    """Deterministic workers by capability; a lead and a verifier that take no tasks."""
    return TeamSpec(
        name="registry", version="1", root_owner=AgentId("lead"),
        agents=(
            AgentSpec(id=AgentId("lead"), description="leads", capabilities=("plan",), accepts_delegation=False),
            AgentSpec(id=AgentId("verifier"), description="v", capabilities=("verify",), accepts_delegation=False),
            *(
                AgentSpec(id=AgentId(name), description=name, capabilities=(capability,), probes=("*",))
                for name, capability in workers
            ),
        ),
    )  # fmt: skip


METRICS = ("metrics_analyst", "analyze_metrics")


class Experiment:
    """One task by hand through the steps of a star."""

    def __init__(self, deps: Deps) -> None:
        self.deps = replace(deps, team=deps.team.model_copy(update={"topology": "star"}))

    async def do(self, outcome: Outcome) -> Any:
        await self.deps.ledger.commit(outcome.writes)
        return outcome.update

    async def task(self) -> Task:
        return (await self.deps.ledger.all(Task))[0]

    async def hand_out(self) -> Task:
        await self.do(await select({"domain": ""}, self.deps))
        await self.do(await delegate({"round": 0, "domain": ""}, self.deps))
        return await self.task()

    async def work(self) -> AgentReport:
        await self.do(await execute({"task_id": (await self.task()).key}, self.deps))
        return (await self.deps.ledger.all(AgentReport))[0]

    async def judged(self) -> VerificationResult:
        await self.do(await verify({"wave": [(await self.task()).key]}, self.deps))
        return (await self.deps.ledger.all(VerificationResult))[0]

    async def put(self, *records: Any) -> None:
        await self.deps.ledger.commit(Writes(records=records))


@pytest.fixture
def begin() -> Callable[..., Any]:
    async def opened(*workers: tuple[str, str]) -> Experiment:
        paper = PaperEvidence(crew=(PaperAnalyst("analyze_metrics", "metric_shift", ("metrics",)),))
        deps, _store = await deps_of(MemoryRunStore, paper, registry(*workers))
        return Experiment(deps)

    return opened


async def test_six_objects_for_one_task(begin: Callable[..., Any]) -> None:
    """Agent, task, assignment, result, artifact (its observation) and events, each a record of its own."""
    experiment = await begin(METRICS)
    assert (await experiment.hand_out()).state == "assigned"
    report = await experiment.work()
    result = await experiment.judged()
    task = await experiment.task()
    assignment = (await experiment.deps.ledger.all(AssignmentDecision))[0]
    observed = {o.id for o in await experiment.deps.ledger.all(Observation)}
    assert (assignment.selected[0].agent_id, report.task_id, result.decision, task.state) == (
        "metrics_analyst",
        task.key,
        "accept",
        "accepted",
    )
    assert {ref for f in report.findings for ref in f.claim.observations} <= observed
    states = [e.to_state for e in await experiment.deps.ledger.events() if e.lifecycle == "task"]
    assert states == [
        "ready", "candidate_selected", "assigned", "running", "report_submitted", "verifying", "accepted",
    ]  # fmt: skip


async def test_a_capability_that_nobody_has_is_refused_before_anything_runs(begin: Callable[..., Any]) -> None:
    experiment = await begin(("log_analyst", "analyze_logs"))
    task = await experiment.hand_out()
    assignment = (await experiment.deps.ledger.all(AssignmentDecision))[0]
    assert (task.state, assignment.selected) == ("cancelled", ())
    assert {r.agent_id: r.reason for r in assignment.rejected}["log_analyst"] == "lacks analyze_metrics"
    assert experiment.deps.evidence.asked == []  # type: ignore[attr-defined]


async def test_a_result_with_another_tasks_id_is_found_by_the_protocol(begin: Callable[..., Any]) -> None:
    experiment = await begin(METRICS)
    await experiment.hand_out()
    report = await experiment.work()
    await experiment.put(report.model_copy(update={"task_id": TaskId("tsk-other")}))
    result = await experiment.judged()
    assert result.decision == "reject"
    assert f"it answers task tsk-other, not {(await experiment.task()).key}" in result.checks.failed
    assert (await experiment.task()).state == "cancelled"


@pytest.mark.parametrize("kind", ["artifact", "decision", "message", "task"])
async def test_missing_evidence_in_the_input_is_a_structured_failure(begin: Callable[..., Any], kind: Any) -> None:
    experiment = await begin(METRICS)
    task = await experiment.task()
    lost = InputRef(kind=kind, ref="not-there", reason="the release to compare with")
    spec = task.spec.model_copy(update={"input_refs": (*task.spec.input_refs, lost)})
    await experiment.put(task.model_copy(update={"spec": spec}))
    task = await experiment.hand_out()
    told = [e for e in await experiment.deps.ledger.events() if e.to_state == "cancelled"]
    assert task.state == "cancelled"
    assert [e.reason for e in told] == [f"its input {kind} not-there is not there (the release to compare with)"]
    assert experiment.deps.evidence.asked == []  # type: ignore[attr-defined]


async def test_a_brief_whose_contract_changed_is_stale(begin: Callable[..., Any]) -> None:
    experiment = await begin(METRICS)
    await experiment.hand_out()
    report = await experiment.work()
    task = await experiment.task()
    moved = task.spec.model_copy(update={"goal": "something else entirely"})
    await experiment.put(task.model_copy(update={"spec": moved}))
    result = await experiment.judged()
    assert "its contract version is stale" in result.checks.failed
    brief = await experiment.deps.ledger.get(
        DelegationBrief, derived_id("dlg", "run-1", task.key, report.attempt, report.agent_id)
    )
    assert brief.contract_version == report.contract_version


async def test_a_lost_task_costs_the_others_a_note_and_nothing_else(settings: Any) -> None:
    """What builds on a task that nobody could do goes on without it, and says so."""
    from leadline.runtime.service import open_service
    from tests.graph.conftest import parts_of

    team = registry(("change_analyst", "analyze_changes"))
    async with open_service(settings, parts_of(PaperEvidence(), team=team)) as service:
        outcome = await service.start(StartRequest(bundle=Path("paper"), graph="star@1"))
        reports = await service.store.reader(outcome.run.run_id).all(AgentReport)
    assert [r.open_questions for r in reports] == [("built without: Metrics: what shifted, and when",)]
