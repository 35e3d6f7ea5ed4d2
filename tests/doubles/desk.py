"""A run in memory that has come as far as its merged result, with a desk to act at: for tests of single steps."""

from typing import Any

from leadline.adapters.models.rules import RulesProposer
from leadline.adapters.store.memory import MemoryRunStore
from leadline.contracts.action_catalog import ActionCatalog
from leadline.contracts.arbitration import Composite
from leadline.contracts.base import AgentId, ObservationId, RunId, TaskId
from leadline.contracts.claim import Claim
from leadline.contracts.evidence import Observation, ProbeCall
from leadline.contracts.ports import ActionDesk, ActionTarget, Deps, Ledger, Writes
from leadline.contracts.run import Run, RunConfig
from leadline.contracts.team import ActionPolicy
from leadline.rules.claims import claim_of
from tests.doubles.acting import MovedClock, MovedUptime, Remedied, shipped_team

HERE = "here.invalid:1"
GONE = -1e8
"""A lease that is over at once, however far the wall clock is set back: its process is gone when another takes it."""


def claims_of(paper: Remedied) -> tuple[Claim, ...]:
    return tuple(
        claim_of(f, ObservationId(f"obs-{probe}"), agent=AgentId("lead"), origin="rules", task=TaskId("tsk-1"))
        for probe, answer in paper.answers.items()
        for f in answer.facts
    )


def observations_of(paper: Remedied) -> tuple[Observation, ...]:
    return tuple(
        Observation(
            id=ObservationId(f"obs-{probe}"), call=ProbeCall(probe=probe), probe_version=1,
            bundle_digest=paper.bundle_digest, answer=answer, answer_digest=answer.digest, asked_by=AgentId("lead"),
            task_id=TaskId("tsk-1"), asked_for="rules",
        )
        for probe, answer in paper.answers.items()
    )  # fmt: skip


class DeskInMemory:
    """One run; `deps` gives a process's view of it under a lease of its own."""

    def __init__(self, catalog: ActionCatalog, target: ActionTarget, paper: Remedied | None = None) -> None:
        self.catalog, self.target, self.paper = catalog, target, paper or Remedied()
        self.clock = MovedClock()
        self.uptime = MovedUptime(self.clock)
        self.store = MemoryRunStore(self.clock)
        team = shipped_team(None).model_copy(update={"actions": ActionPolicy(mode="act")})
        self.config = RunConfig(
            bundle_path="paper", bundle_digest=self.paper.bundle_digest, incident_id="inc-1", title="paper",
            graph_version="star@1", structure_hash=self.paper.bundle_digest, prompt_hashes={}, model="rules",
            model_reason="test", user="ada", team=team,
        )  # fmt: skip
        self.run_id = RunId("run-1")

    async def open(self) -> Deps:
        now = self.clock.now()
        run = Run(run_id=self.run_id, config=self.config, created_at=now, updated_at=now)
        lease = await self.store.create(run, HERE, GONE)
        deps = self._deps(self.store.ledger(lease))
        claims = claims_of(self.paper)
        ranking = self.paper.rank(claims)
        composite = Composite(ranking=ranking, baseline=ranking)
        await deps.ledger.commit(Writes(records=(composite, *claims, *observations_of(self.paper))))
        return deps

    async def take(self) -> Deps:
        """As another process would, after the one before it died."""
        return self._deps(self.store.ledger(await self.store.take(self.run_id, HERE, GONE)))

    def _deps(self, ledger: Any) -> Deps:
        held: Ledger = ledger
        desk = ActionDesk(
            catalog=self.catalog, targets={"lying": self.target, "dry-run": self.target}, tenant="default", user="ada",
            uptime=self.uptime,
        )  # fmt: skip
        return Deps(
            run_id=self.run_id, config=self.config, team=self.config.team, evidence=self.paper,
            proposer=RulesProposer(), ledger=held, clock=self.clock, started=self.clock.monotonic(), actions=desk,
        )  # fmt: skip
