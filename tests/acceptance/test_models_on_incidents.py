"""What a model can and cannot do to a verdict, on incidents that nobody here wrote."""

import asyncio
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from leadline.adapters.models.rules import RulesProposer
from leadline.adapters.models.scripted import ScriptedProposer
from leadline.contracts.arbitration import Composite
from leadline.contracts.report import IncidentReport
from leadline.evals.formats import FORMATS
from leadline.runtime.outcome import StartRequest
from leadline.runtime.service import open_service
from leadline.runtime.settings import load_settings
from leadline.runtime.wiring import Parts
from tests.doubles.minds import Script, analyst, garbage, liar, published_garbage

pytestmark = pytest.mark.timeout(600)


class Told(NamedTuple):
    report: IncidentReport
    composite: Composite


class Case(NamedTuple):
    bundle: Path
    truth: dict[str, Any]
    alone: IncidentReport


async def investigate(bundle: Path, folder: Path, script: Script | None = None) -> Told:
    async def make(_config: Any, ledger: Any, clock: Any) -> Any:
        return RulesProposer() if script is None else ScriptedProposer(script, ledger=ledger, clock=clock)

    settings = load_settings(database=folder / "runs.db", model="rules", user="ada")
    async with open_service(settings, Parts(make_proposer=make)) as service:
        outcome = await service.start(StartRequest(bundle=bundle))
        composite = await service.store.reader(outcome.run.run_id).get(Composite, "composite")
    assert outcome.report is not None
    assert composite is not None
    return Told(outcome.report, composite)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("incidents")


@pytest.fixture(scope="module")
def cases(shared: Path, folder: Path) -> list[Case]:
    from ruamel.yaml import YAML

    FORMATS["rootcausebench"].import_all(shared / "data" / "rootcausebench", folder / "cases", limit=None)
    found = []
    for case in sorted((folder / "cases").iterdir()):
        truth = YAML(typ="safe", pure=True).load((case / "expected.yaml").read_text("utf-8"))
        alone = asyncio.run(investigate(case / "bundle", folder)).report
        found.append(Case(case / "bundle", truth, alone))
    return found


def first(report: IncidentReport) -> tuple[str, str]:
    return (report.causes[0].kind, report.causes[0].ref) if report.causes else ("", "")


def right(report: IncidentReport, truth: dict[str, Any]) -> bool:
    wanted = {(c["kind"], c.get("ref", "none") or "none") for c in truth["causes"]}
    return first(report) in wanted


async def test_without_a_model_most_are_right_and_every_claim_is_carried(cases: list[Case]) -> None:
    assert sum(right(c.alone, c.truth) for c in cases) >= 0.7 * len(cases)
    assert all(claim.verified and claim.observations for c in cases for claim in c.alone.claims)


async def test_garbage_ends_in_the_verdict_of_no_model(cases: list[Case], shared: Path, folder: Path) -> None:
    answers = published_garbage(shared)
    for case in cases:
        told = (await investigate(case.bundle, folder, garbage(answers))).report
        assert first(told) == first(case.alone)
        assert told.outcome == case.alone.outcome


async def test_well_formed_lies_reach_no_further_than_the_margin(cases: list[Case], folder: Path) -> None:
    for case in cases:
        told, composite = await investigate(case.bundle, folder, liar)
        scores = {(c.cause.kind, c.cause.ref): c.score for c in composite.baseline.causes}
        assert told.model.claims_refused > 0
        assert "Nothing happened" not in " ".join(s.text for s in told.summary)
        assert first(told) in scores
        assert composite.baseline.causes[0].score - scores[first(told)] <= 0.1
        assert (told.without_model.causes[0].kind, told.without_model.causes[0].ref) == first(case.alone)


async def test_a_good_analyst_ends_at_least_as_well(cases: list[Case], folder: Path) -> None:
    told = [(await investigate(case.bundle, folder, analyst)).report for case in cases]
    assert sum(right(r, c.truth) for r, c in zip(told, cases, strict=True)) >= sum(
        right(c.alone, c.truth) for c in cases
    )
    assert sum(r.model.claims_added for r in told) > 0
