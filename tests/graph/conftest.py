"""Whole runs on paper evidence, in a database of their own."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leadline.adapters.models.rules import RulesProposer
from leadline.adapters.models.scripted import Script, ScriptedProposer
from leadline.contracts.ports import Clock, Ledger, Proposer
from leadline.contracts.run import RunConfig
from leadline.runtime.service import open_service
from leadline.runtime.settings import load_settings
from leadline.runtime.wiring import Parts
from tests.doubles.paper import PaperEvidence


@pytest.fixture
def paper() -> PaperEvidence:
    return PaperEvidence()


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    return load_settings(database=tmp_path / "runs.db", model="rules", user="ada")


def parts_of(paper: PaperEvidence, script: Script | None = None) -> Parts:
    async def make(_config: RunConfig, ledger: Ledger, clock: Clock) -> Proposer:
        return RulesProposer() if script is None else ScriptedProposer(script, ledger=ledger, clock=clock)

    return Parts(open_evidence=lambda _path: paper, make_proposer=make)


@pytest.fixture
def serve(settings: Any, paper: PaperEvidence) -> Callable[..., Any]:
    """`async with serve(script) as service:`; without a script the rules answer."""

    def opened(script: Script | None = None) -> Any:
        return open_service(settings, parts_of(paper, script))

    return opened
