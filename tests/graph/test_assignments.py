"""Whole runs in which a person gives out tasks, two owners do the same, or an agent is isolated."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leadline.contracts.assignment import AssignmentDecision, TaskLease
from leadline.contracts.base import AgentId
from leadline.contracts.evidence import Answer, ProbeCall
from leadline.contracts.fuse import AgentFuse
from leadline.contracts.report import AgentReport
from leadline.contracts.task import Task
from leadline.contracts.team import AgentSpec, Fuse, TeamSpec
from leadline.graph.versions import VERSIONS
from leadline.runtime.outcome import PersonAnswer, StartRequest
from leadline.runtime.service import open_service
from leadline.runtime.team import load_team
from tests.doubles.paper import PaperEvidence
from tests.graph.conftest import parts_of

BUNDLE = Path("paper")
Serve = Callable[..., Any]


@pytest.fixture
def serving(settings: Any, paper: PaperEvidence) -> Callable[[TeamSpec], Any]:
    return lambda team: open_service(settings, parts_of(paper, team=team))


def second_reader(team: TeamSpec) -> TeamSpec:
    again = team.agent(AgentId("metrics_analyst")).model_copy(update={"id": AgentId("second_metrics")})
    return team.model_copy(update={"agents": (*team.agents, again)})


def owners_of(tasks: tuple[Task, ...]) -> dict[str, str]:
    return {t.spec.required_capabilities[0]: str(t.spec.assignment.owner) for t in tasks}


class TestAPerson:
    def team(self) -> TeamSpec:
        return second_reader(load_team()).model_copy(update={"person_assigns": ("analyze_metrics",)})

    @pytest.mark.parametrize("graph", [v for v in VERSIONS if v != "single@1"])
    async def test_is_asked_who_does_a_sensitive_task(self, serving: Callable[..., Any], graph: str) -> None:
        async with serving(self.team()) as service:
            first = await service.start(StartRequest(bundle=BUNDLE, graph=graph))
            assert (first.exit_code, first.waiting.point) == (5, "assignment")
            shown = first.waiting.content["tasks"][0]
            assert (shown["task"], shown["suggested"]) == ("Metrics: what shifted, and when", "metrics_analyst")
            edit = {"owners": {shown["task"]: "second_metrics"}}
            done = await service.resume(first.run.run_id, PersonAnswer(None, "edited", "she knows it", edit))
            reader = service.store.reader(first.run.run_id)
            tasks, decisions = await reader.all(Task), await reader.all(AssignmentDecision)
            events = await reader.events()
        assert done.exit_code == 0
        assert owners_of(tasks)["analyze_metrics"] == "second_metrics"
        chosen = next(d for d in decisions if d.mode == "human_assignment")
        assert (chosen.created_by, chosen.required_approvals) == ("human", ("human", "verifier"))
        assert [(e.by, e.reason) for e in events if e.kind == "task.given"] == [("ada", "to second_metrics")]

    async def test_who_approves_takes_the_suggestion(self, serving: Callable[..., Any]) -> None:
        async with serving(self.team()) as service:
            first = await service.start(StartRequest(bundle=BUNDLE))
            await service.resume(first.run.run_id, PersonAnswer(None, "approved"))
            tasks = await service.store.reader(first.run.run_id).all(Task)
        assert owners_of(tasks)["analyze_metrics"] == "metrics_analyst"

    async def test_who_rejects_keeps_it_from_everybody(self, serving: Callable[..., Any], paper: PaperEvidence) -> None:
        async with serving(self.team()) as service:
            first = await service.start(StartRequest(bundle=BUNDLE))
            done = await service.resume(first.run.run_id, PersonAnswer(None, "rejected", "not today"))
            tasks = await service.store.reader(first.run.run_id).all(Task)
        assert {t.spec.required_capabilities[0]: t.state for t in tasks}["analyze_metrics"] == "cancelled"
        assert "metric_shift" not in paper.asked
        assert done.run.state == "concluded"

    async def test_whom_the_task_is_nothing_for_does_not_get_it(self, serving: Callable[..., Any]) -> None:
        async with serving(self.team()) as service:
            first = await service.start(StartRequest(bundle=BUNDLE))
            edit = {"owners": {"Metrics: what shifted, and when": "change_analyst"}}
            await service.resume(first.run.run_id, PersonAnswer(None, "edited", "", edit))
            reader = service.store.reader(first.run.run_id)
            refused = [e for e in await reader.events() if e.kind == "claim.refused"]
        assert [e.reason for e in refused if "change_analyst" in e.subject] == ["lacks analyze_metrics"]

    @pytest.mark.parametrize(
        "owners", [["metrics_analyst"], "metrics_analyst", {"No such task": "metrics_analyst"}, {}]
    )
    async def test_an_edit_that_names_nothing_takes_the_suggestion(
        self, serving: Callable[..., Any], owners: Any
    ) -> None:
        async with serving(self.team()) as service:
            first = await service.start(StartRequest(bundle=BUNDLE))
            done = await service.resume(first.run.run_id, PersonAnswer(None, "edited", "", {"owners": owners}))
            tasks = await service.store.reader(first.run.run_id).all(Task)
        assert done.exit_code == 0
        assert owners_of(tasks)["analyze_metrics"] == "metrics_analyst"

    async def test_without_sensitive_tasks_nobody_is_asked(self, serve: Serve) -> None:
        async with serve() as service:
            assert (await service.start(StartRequest(bundle=BUNDLE))).exit_code == 0


def make_risky(paper: PaperEvidence) -> None:
    """Three services page critically at once."""
    first = paper.incident.alerts[0]
    alerts = tuple(first.model_copy(update={"severity": "critical", "service": s}) for s in ("till", "door", "cellar"))
    paper.incident = paper.incident.model_copy(update={"alerts": alerts})


class TestTwoOwners:
    async def test_of_a_risky_task_on_the_bus_are_rival_candidates(self, settings: Any, paper: PaperEvidence) -> None:
        team = second_reader(load_team()).model_copy(update={"redundant_when": ("risk_high",)})
        make_risky(paper)
        async with open_service(settings, parts_of(paper, team=team)) as service:
            outcome = await service.start(StartRequest(bundle=BUNDLE, graph="bus@1"))
            reader = service.store.reader(outcome.run.run_id)
            tasks, reports = await reader.all(Task), await reader.all(AgentReport)
            leases = await reader.all(TaskLease)
        twins = [t for t in tasks if t.spec.assignment.parent_task_id]
        assert {t.state for t in tasks} == {"merged"}
        assert twins
        by_task = {r.task_id: r.agent_id for r in reports}
        assert all(by_task[t.spec.task_id] != by_task[t.spec.assignment.parent_task_id] for t in twins)
        assert len({lease.task_id for lease in leases}) == len(tasks)
        assert [c.ref for c in outcome.report.causes] == ["c1", "c2"]

    async def test_a_second_owner_changes_no_confidence(self, settings: Any) -> None:
        """The same evidence twice is no more evidence."""
        found = []
        for conditions in ((), ("risk_high",)):
            paper = PaperEvidence()
            make_risky(paper)
            team = second_reader(load_team()).model_copy(update={"redundant_when": conditions})
            async with open_service(settings, parts_of(paper, team=team)) as service:
                outcome = await service.start(StartRequest(bundle=BUNDLE, graph="bus@1"))
                found.append([(c.ref, c.confidence) for c in outcome.report.causes])
        assert found[0] == found[1]


class Unreadable(PaperEvidence):
    """The first reader of metrics never gets an answer that it can hand in."""

    async def ask(self, call: ProbeCall) -> Answer:
        self.asked.append(call.probe)
        if call.probe == "metric_shift" and self.asked.count("metric_shift") <= 1:
            return Answer(status="failed", note="timed out")
        return self.answers[call.probe]


class TestFuses:
    def team(self, fuse: Fuse) -> TeamSpec:
        team = load_team()
        agents = tuple(a.model_copy(update={"fuse": fuse}) if isinstance(a, AgentSpec) else a for a in team.agents)
        return team.model_copy(update={"agents": agents})

    @pytest.mark.parametrize("graph", ["star@1", "bus@1", "hierarchy@1"])
    async def test_an_agent_that_breaks_its_contract_is_isolated_and_others_take_over(
        self, settings: Any, graph: str
    ) -> None:
        team = self.team(Fuse(contract_failures=1))
        async with open_service(settings, parts_of(Unreadable(), team=team)) as service:
            outcome = await service.start(StartRequest(bundle=BUNDLE, graph=graph))
            reader = service.store.reader(outcome.run.run_id)
            fuses, events = await reader.all(AgentFuse), await reader.events()
            tasks = await reader.all(Task)
        opened = [e for e in events if e.lifecycle == "fuse" and e.to_state == "open"]
        assert [f.agent_id for f in fuses if f.state == "open"] == [e.subject for e in opened]
        assert opened
        assert outcome.run.state == "concluded"
        shut = {e.subject: e.seq for e in opened}
        assert all(e.seq < shut[e.by] for e in events if e.to_state == "running" and e.by in shut)
        assert any("isolated" in line for line in outcome.report.degraded)
        assert {t.state for t in tasks} <= {"merged", "cancelled"}

    async def test_a_slow_agent_is_warned_about(self, settings: Any, paper: PaperEvidence) -> None:
        team = self.team(Fuse(slow_seconds=1e-9))
        async with open_service(settings, parts_of(paper, team=team)) as service:
            outcome = await service.start(StartRequest(bundle=BUNDLE))
            fuses = await service.store.reader(outcome.run.run_id).all(AgentFuse)
        assert {f.state for f in fuses} == {"warned"}
        assert outcome.exit_code == 0
