"""The task board: 1,000 tasks on bus@1, 50 agents, every tenth first attempt dies, claims come in crowds.

Every task is accepted once, no lease is held twice at one epoch, and the faults cost no more than the expiries that
have to be waited for and three tenths of the run.
"""

import asyncio
import random
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from leadline.adapters.models.rules import RulesProposer
from leadline.adapters.store.memory import MemoryRunStore
from leadline.contracts.assignment import TaskLease
from leadline.contracts.base import AgentId
from leadline.contracts.errors import AgentLost
from leadline.contracts.event import Event
from leadline.contracts.evidence import Answer, ProbeCall
from leadline.contracts.ports import Clock, Ledger, Proposer
from leadline.contracts.report import AgentReport
from leadline.contracts.run import RunConfig
from leadline.contracts.task import Task
from leadline.contracts.team import AgentSpec, TeamSpec
from leadline.nodes.board import Board
from leadline.runtime.outcome import StartRequest
from leadline.runtime.service import open_service
from leadline.runtime.settings import load_settings
from leadline.runtime.wiring import Parts
from tests.doubles.paper import PaperEvidence, shift
from tests.graph.conftest import deps_of

from .stage import Worker
from .table import Figure

TASKS, AGENTS, DYING = 1000, 50, 10
LEASE_SECONDS = 20.0
BOUND = 1.3


def crowd(tasks: int, agents: int) -> TeamSpec:
    """Everybody can do everything, so that every claim has rivals; twice as many hands, so that deaths leave enough."""
    able = names(tasks)
    return TeamSpec(
        name="crowd", version="1", root_owner=AgentId("lead"), lease_seconds=LEASE_SECONDS,
        agents=(
            AgentSpec(id=AgentId("lead"), description="leads", capabilities=("plan",), accepts_delegation=False),
            AgentSpec(id=AgentId("verifier"), description="v", capabilities=("verify",), accepts_delegation=False),
            *(
                AgentSpec(
                    id=AgentId(f"agent-{n:02d}"), description="scans", capabilities=able, probes=("*",),
                    max_concurrency=4,
                )
                for n in range(agents)
            ),
        ),
    )  # fmt: skip


@dataclass
class Faults:
    """Deaths on first attempts, spread by a fixed seed."""

    answers: dict[str, Answer]
    doomed: set[str]
    deaths: int = 0

    async def ask(self, call: ProbeCall) -> Answer:
        await asyncio.sleep(0)
        part = str(call.params["part"])
        if part in self.doomed:
            self.doomed.discard(part)
            self.deaths += 1
            raise AgentLost("fell silent")
        return self.answers[part]


class Measured(NamedTuple):
    seconds: float
    deaths: int
    tasks: tuple[Task, ...]
    leases: tuple[TaskLease, ...]
    reports: tuple[AgentReport, ...]
    events: tuple[Event, ...]


def names(tasks: int) -> tuple[str, ...]:
    return tuple(f"scan_{n:04d}" for n in range(tasks))


def paper(parts: tuple[str, ...], *, faults: bool) -> tuple[PaperEvidence, Faults]:
    answers = {n: Answer(status="ok", facts=(shift(f"s-{n}"),), rows_read=1) for n in parts}
    doomed = set(random.Random(7).sample(parts, len(parts) // DYING)) if faults else set()
    harm = Faults(answers, doomed)
    evidence = PaperEvidence(
        answers={"scan": answers[parts[0]]}, crew=tuple(Worker(n, "scan", ("metrics",)) for n in parts)
    )
    evidence.ask = harm.ask  # type: ignore[method-assign]
    return evidence, harm


async def investigate(folder: Path, tasks: int, agents: int, *, faults: bool) -> Measured:
    evidence, harm = paper(names(tasks), faults=faults)
    settings = load_settings(
        database=folder / f"board-{faults}.db", model="rules", user="bench", max_concurrency=agents
    )
    team = crowd(tasks, agents)
    parts = Parts(open_evidence=lambda _path: evidence, make_proposer=_rules, load_team=lambda _path: team)
    async with open_service(settings, parts) as service:
        began = time.monotonic()
        outcome = await service.start(StartRequest(bundle=Path("paper"), graph="bus@1"))
        seconds = time.monotonic() - began
        reader = service.store.reader(outcome.run.run_id)
        return Measured(
            seconds, harm.deaths, await reader.all(Task), await reader.all(TaskLease), await reader.all(AgentReport),
            await reader.events(),
        )  # fmt: skip


async def crowded_claims(tasks: int, rivals: int) -> tuple[int, int]:
    """Claims that several agents make for each task at once: how many got a lease, how many were refused."""
    evidence, _ = paper(names(tasks), faults=False)
    deps, _store = await deps_of(MemoryRunStore, evidence, crowd(tasks, rivals))
    board = await Board.load(deps)
    await board.announce()
    agents = [a for a in deps.team.agents if a.accepts_delegation]
    held = [h for key in list(board.tasks) for h in await asyncio.gather(*(board.claim(a, key) for a in agents))]
    refused = [e for e in await deps.ledger.events() if e.kind == "lease.refused"]
    granted = [h for h in held if h is not None]
    assert Counter((h.lease.task_id, h.lease.epoch) for h in granted) == {(key, 1): 1 for key in board.tasks}
    return len(granted), len(refused)


async def _rules(_config: RunConfig, _ledger: Ledger, _clock: Clock) -> Proposer:
    return RulesProposer()


def check(got: Measured) -> None:
    """Raise AssertionError where a task was lost, done twice, or held twice."""
    accepted = Counter(e.subject for e in got.events if e.lifecycle == "task" and e.to_state == "accepted")
    assert set(accepted.values()) == {1}
    assert len(accepted) == len(got.tasks)
    assert {t.state for t in got.tasks} == {"merged"}
    assert Counter(r.task_id for r in got.reports) == {t.key: 1 for t in got.tasks}
    held = Counter((lease.task_id, lease.epoch) for lease in got.leases)
    assert set(held.values()) == {1}
    assert Counter(lease.state for lease in got.leases)["expired"] == got.deaths


def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        calm = asyncio.run(investigate(Path(folder), TASKS, AGENTS, faults=False))
        rough = asyncio.run(investigate(Path(folder), TASKS, AGENTS, faults=True))
    for got in (calm, rough):
        check(got)
    granted, refused = asyncio.run(crowded_claims(TASKS, 3))
    return [
        Figure(f"{TASKS} tasks, {AGENTS} agents, no faults", calm.seconds, "s"),
        Figure(f"the same, {rough.deaths} deaths", rough.seconds, "s", BOUND * calm.seconds + LEASE_SECONDS),
        Figure("expiries waited for, at most", LEASE_SECONDS, "s"),
        Figure("tasks accepted once", float(len(rough.tasks)), "tasks"),
        Figure("leases granted", float(len(rough.leases)), "leases"),
        Figure("of three claims at once for each task, granted", float(granted), "claims"),
        Figure("and refused", float(refused), "claims"),
    ]
