"""The task board under silence, crowding and late reports."""

import asyncio
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from leadline.contracts.assignment import TaskLease
from leadline.contracts.base import AgentId
from leadline.contracts.errors import AgentLost
from leadline.contracts.evidence import Answer, ProbeCall
from leadline.contracts.report import AgentReport
from leadline.contracts.task import Task
from leadline.contracts.team import AgentSpec, TeamSpec
from leadline.runtime.outcome import StartRequest
from tests.doubles.paper import PaperAnalyst, PaperEvidence, shift

Serve = Callable[..., Any]
BUNDLE = Path("paper")


def crowd(agents: int, tasks: int, lease_seconds: float) -> tuple[TeamSpec, PaperEvidence]:
    capabilities = tuple(f"scan_{n:04d}" for n in range(tasks))
    team = TeamSpec(
        name="crowd",
        version="1",
        root_owner=AgentId("lead"),
        lease_seconds=lease_seconds,
        agents=(
            AgentSpec(id=AgentId("lead"), description="leads", capabilities=("plan",), accepts_delegation=False),
            *(
                AgentSpec(id=AgentId(f"agent-{n:02d}"), description="scans", capabilities=capabilities, probes=("*",))
                for n in range(agents)
            ),
        ),
    )
    paper = PaperEvidence(
        answers={c: Answer(status="ok", facts=(shift(f"s-{c}"),), rows_read=1) for c in capabilities},
        crew=tuple(PaperAnalyst(c, c, ("metrics",)) for c in capabilities),
    )
    return team, paper


class Dying:
    """Every tenth first asking of a question kills the agent that asks."""

    def __init__(self, paper: PaperEvidence) -> None:
        self.deaths = 0
        self._seen: Counter[str] = Counter()
        self._answers = paper.answers

    async def __call__(self, call: ProbeCall) -> Answer:
        await asyncio.sleep(0.001)
        self._seen[call.probe] += 1
        if self._seen[call.probe] == 1 and int(call.probe[-4:]) % 10 == 3:
            self.deaths += 1
            raise AgentLost("fell silent")
        return self._answers[call.probe]


async def test_silent_agents_cost_time_and_no_task(settings: Any) -> None:
    from leadline.runtime.service import open_service
    from tests.graph.conftest import parts_of

    team, paper = crowd(agents=12, tasks=40, lease_seconds=0.5)
    dying = Dying(paper)
    paper.ask = dying  # type: ignore[method-assign]
    async with open_service(settings, parts_of(paper, team=team)) as service:
        outcome = await service.start(StartRequest(bundle=BUNDLE, graph="bus@1"))
        reader = service.store.reader(outcome.run.run_id)
        tasks, leases, reports = [await reader.all(kind) for kind in (Task, TaskLease, AgentReport)]
        events = await reader.events()
    assert dying.deaths == 4
    assert {t.state for t in tasks} == {"merged"}
    assert Counter(r.task_id for r in reports) == {t.key: 1 for t in tasks}
    assert Counter((lease.task_id, lease.epoch) for lease in leases).most_common(1)[0][1] == 1
    assert Counter(lease.state for lease in leases) == {"completed": 40, "expired": 4}
    assert sum(e.lifecycle == "task" and e.to_state == "accepted" for e in events) == 40


async def test_repeated_silence_escalates_and_the_run_ends(settings: Any) -> None:
    from leadline.runtime.service import open_service
    from tests.graph.conftest import parts_of

    team, paper = crowd(agents=6, tasks=2, lease_seconds=0.2)
    calm = paper.answers["scan_0000"]

    async def ask(call: ProbeCall) -> Answer:
        if call.probe == "scan_0001":
            raise AgentLost("fell silent")
        return calm

    paper.ask = ask  # type: ignore[method-assign]
    async with open_service(settings, parts_of(paper, team=team.model_copy(update={"most_expiries": 2}))) as service:
        outcome = await service.start(StartRequest(bundle=BUNDLE, graph="bus@1"))
        tasks = await service.store.reader(outcome.run.run_id).all(Task)
    states = {t.spec.required_capabilities[0]: t.state for t in tasks}
    assert states == {"scan_0000": "merged", "scan_0001": "cancelled"}
    assert any(m.startswith("not done") for m in outcome.report.missing)


class TestOneTask:
    @pytest.fixture
    async def opened(self) -> Any:
        from leadline.adapters.store.memory import MemoryRunStore
        from tests.graph.conftest import deps_of

        team, paper = crowd(agents=3, tasks=1, lease_seconds=5.0)
        return await deps_of(MemoryRunStore, paper, team)

    @pytest.fixture
    async def board(self, opened: Any) -> Any:
        from leadline.nodes.board import Board

        board = await Board.load(opened[0])
        await board.announce()
        return board

    async def test_of_many_claims_one_gets_the_lease_and_the_others_are_recorded(self, board: Any) -> None:
        agents = [a for a in board.deps.team.agents if a.accepts_delegation]
        task = board.pick(agents[0])
        held = await asyncio.gather(*(board.claim(a, task.spec.task_id) for a in agents))
        assert [h is not None for h in held] == [True, False, False]
        refused = [e for e in await board.deps.ledger.events() if e.kind == "lease.refused"]
        assert [e.by for e in refused] == ["agent-01", "agent-02"]

    async def test_a_report_after_the_lease_is_refused_and_the_next_one_counts(self, board: Any) -> None:
        from leadline.nodes.performing import perform

        first, second = (board.deps.team.agent(AgentId(f"agent-0{n}")) for n in (0, 1))
        slow = await board.claim(first, board.pick(first).spec.task_id)
        done = await perform(slow.task, slow.brief, board.deps)
        board.deps.clock.shift(timedelta(seconds=6))
        await board.reap()
        quick = await board.claim(second, board.pick(second).spec.task_id)
        assert not await board.submit(slow, done)
        assert await board.submit(quick, await perform(quick.task, quick.brief, board.deps))
        assert [(lease.agent_id, lease.epoch, lease.state) for lease in board.leases.values()] == [
            ("agent-01", 2, "completed")
        ]

    async def test_a_sign_of_life_keeps_the_lease(self, board: Any) -> None:
        agent = board.deps.team.agent(AgentId("agent-00"))
        held = await board.claim(agent, board.pick(agent).spec.task_id)
        for _ in range(3):
            board.deps.clock.shift(timedelta(seconds=4))
            await board.beat(held, "still at it")
        await board.reap()
        assert [lease.state for lease in board.leases.values()] == ["active"]

    async def test_leases_of_a_process_that_is_gone_are_void(self, board: Any, opened: Any) -> None:
        from dataclasses import replace

        from leadline.nodes.board import Board

        agent = board.deps.team.agent(AgentId("agent-00"))
        await board.claim(agent, board.pick(agent).spec.task_id)
        deps, store = opened
        await store.release(deps.ledger.lease)
        later = await Board.load(replace(deps, ledger=store.ledger(await store.take(deps.run_id, "here:2", 600))))
        await later.reap()
        assert [t.state for t in later.tasks.values()] == ["announced"]


async def test_a_task_that_its_owner_may_not_do_is_given_back_and_claimed_by_another(settings: Any) -> None:
    from leadline.contracts.message import AgentMessage
    from leadline.runtime.service import open_service
    from tests.graph.conftest import parts_of

    team, paper = crowd(agents=2, tasks=1, lease_seconds=5.0)
    agents = tuple(a.model_copy(update={"probes": ("other",)}) if a.id == "agent-00" else a for a in team.agents)
    async with open_service(settings, parts_of(paper, team=team.model_copy(update={"agents": agents}))) as service:
        outcome = await service.start(StartRequest(bundle=BUNDLE, graph="bus@1"))
        reader = service.store.reader(outcome.run.run_id)
        tasks, leases, messages = [await reader.all(kind) for kind in (Task, TaskLease, AgentMessage)]
        refused = [e for e in await reader.events() if e.kind == "message.refused"]
    assert [(t.state, t.spec.assignment.owner, t.failed_owners) for t in tasks] == [
        ("merged", "agent-01", ("agent-00",))
    ]
    assert [(lease.agent_id, lease.epoch, lease.state) for lease in leases] == [
        ("agent-00", 1, "released"),
        ("agent-01", 2, "completed"),
    ]
    moved = [(m.kind, m.from_agent, m.to_agent, m.state) for m in messages if m.kind.startswith("handoff")]
    assert moved == [
        ("handoff_requested", "agent-00", "lead", "resolved"),
        ("handoff_accepted", "lead", "agent-01", "resolved"),
    ]
    assert refused == []
