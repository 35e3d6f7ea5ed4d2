"""The job that the measurements run: one plan, N independent workers, one summary, over evidence that costs nothing."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from leadline.adapters.models.rules import RulesProposer
from leadline.adapters.models.scripted import Script, ScriptedProposer
from leadline.contracts.delegation import CaseView
from leadline.contracts.evidence import Answer, Observation, ProbeCall
from leadline.contracts.ports import Clock, Ledger, Proposer
from leadline.contracts.run import RunConfig
from leadline.contracts.team import AskName
from leadline.runtime.service import RunService, open_service
from leadline.runtime.settings import load_settings
from leadline.runtime.wiring import MakeProposer, Parts
from tests.doubles.paper import PaperAnalyst, PaperEvidence, change, shift

BUNDLE = Path("paper")


@dataclass
class Worker(PaperAnalyst):
    """Asks the one probe for its own part, so that no two workers ask the same."""

    def next_questions(self, _view: CaseView, observed: Sequence[Observation]) -> Sequence[ProbeCall]:
        return () if observed else (ProbeCall(probe=self.probe, params={"part": self.capability}),)


def evidence(workers: int) -> PaperEvidence:
    """`workers` analysts that do not wait for each other; the last one reads changes."""
    answers = {
        "metric_shift": Answer(status="ok", facts=(shift("till"), shift("door", at=1, value=4.0)), rows_read=10),
        "change_diff": Answer(status="ok", facts=(change("c1", "-timeout: 5s +timeout: 50ms", 0.8),), rows_read=2),
    }
    crew = (
        *(Worker(f"check_{n}", "metric_shift", ("metrics",)) for n in range(workers - 1)),
        Worker(f"check_{workers - 1}", "change_diff", ("changes",)),
    )
    return PaperEvidence(answers=answers, crew=crew)


MOST_AGENTS = 10


def team(folder: Path, workers: int, asks: tuple[AskName, ...] = ("plan", "findings", "narrative")) -> Path:
    """Up to ten agents who share the tasks, all of them at work at once; JSON is YAML."""
    agents_count = min(workers, MOST_AGENTS)
    shares = [[f"check_{n}" for n in range(first, workers, agents_count)] for first in range(agents_count)]
    agents = [
        {"id": "lead", "description": "leads", "capabilities": ["plan", "arbitrate", "merge", "conclude"],
         "accepts_delegation": False},
        {"id": "verifier", "description": "verifies", "capabilities": ["verify"], "probes": ["*"],
         "accepts_delegation": False},
        *({"id": f"worker_{n}", "description": "works", "capabilities": share, "probes": ["*"],
           "max_concurrency": len(share)} for n, share in enumerate(shares)),
    ]  # fmt: skip
    path = folder / "team.yaml"
    budget = {"tokens": 10_000_000, "probe_calls": 60, "seconds": 3600}
    whole = {"name": "bench", "version": "1", "root_owner": "lead", "agents": agents, "asks": asks, "budget": budget}
    path.write_text(json.dumps(whole), encoding="utf-8")
    return path


def rules() -> MakeProposer:
    async def make(_config: RunConfig, _ledger: Ledger, _clock: Clock) -> Proposer:
        return RulesProposer()

    return make


def scripted(script: Script) -> MakeProposer:
    async def make(_config: RunConfig, ledger: Ledger, clock: Clock) -> Proposer:
        return ScriptedProposer(script, ledger=ledger, clock=clock)

    return make


@asynccontextmanager
async def stage(
    folder: Path, workers: int, proposer: MakeProposer | None = None, **flags: object
) -> AsyncIterator[RunService]:
    """A run service on a database of its own in `folder`; without a proposer the product's own choice."""
    settings = load_settings(**{"database": folder / "runs.db", "model": "rules", "user": "bench", **flags})
    paper = evidence(workers)
    parts = Parts(open_evidence=lambda _path: paper)
    if proposer is not None:
        parts = Parts(open_evidence=lambda _path: paper, make_proposer=proposer)
    async with open_service(settings, parts) as service:
        yield service
