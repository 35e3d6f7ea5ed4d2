"""Whole runs on paper evidence, in a database of their own."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from leadline.adapters.models.rules import RulesProposer
from leadline.adapters.models.scripted import Script, ScriptedProposer
from leadline.contracts.ports import Clock, Ledger, Proposer
from leadline.contracts.run import RunConfig
from leadline.contracts.team import TeamSpec
from leadline.runtime.service import open_service
from leadline.runtime.settings import load_settings
from leadline.runtime.wiring import Parts
from tests.doubles.paper import NOON, PaperEvidence


@pytest.fixture
def paper() -> PaperEvidence:
    return PaperEvidence()


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    return load_settings(database=tmp_path / "runs.db", model="rules", user="ada")


def parts_of(paper: PaperEvidence, script: Script | None = None, team: TeamSpec | None = None) -> Parts:
    async def make(_config: RunConfig, ledger: Ledger, clock: Clock) -> Proposer:
        return RulesProposer() if script is None else ScriptedProposer(script, ledger=ledger, clock=clock)

    parts = Parts(open_evidence=lambda _path: paper, make_proposer=make)
    return (
        parts
        if team is None
        else Parts(open_evidence=parts.open_evidence, make_proposer=make, load_team=lambda _path: team)
    )


@pytest.fixture
def serve(settings: Any, paper: PaperEvidence) -> Callable[..., Any]:
    """`async with serve(script) as service:`; without a script the rules answer."""

    def opened(script: Script | None = None) -> Any:
        return open_service(settings, parts_of(paper, script))

    return opened


class MovedClock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self._now = NOON

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return (self._now - NOON).total_seconds()

    def shift(self, by: timedelta) -> None:
        self._now += by


async def deps_of(store_type: Any, paper: PaperEvidence, team: TeamSpec) -> Any:
    """Deps in memory with a plan already made, for tests of single steps."""
    from leadline.contracts.base import RunId
    from leadline.contracts.ports import Deps
    from leadline.contracts.run import Run
    from leadline.nodes.decompose import decompose

    clock = MovedClock()
    config = RunConfig(
        bundle_path="paper", bundle_digest=paper.bundle_digest, incident_id="inc-1", title="paper",
        graph_version="bus@1", structure_hash=paper.bundle_digest, prompt_hashes={}, model="rules",
        model_reason="test", user="ada", team=team.model_copy(update={"topology": "controlled_bus"}),
    )  # fmt: skip
    store = store_type(clock)
    run = Run(run_id=RunId("run-1"), config=config, created_at=NOON, updated_at=NOON)
    lease = await store.create(run, "here:1", 600)
    deps = Deps(
        run_id=run.run_id, config=config, team=config.team, evidence=paper, proposer=RulesProposer(),
        ledger=store.ledger(lease), clock=clock,
    )  # fmt: skip
    planned = await decompose({"risk": "low", "approval": ""}, deps)
    await deps.ledger.commit(planned.writes)
    return deps, store
