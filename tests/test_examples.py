"""The shipped incidents end, without a model, in the answers that stand beside them."""

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from leadline.contracts.report import IncidentReport
from leadline.examples import INCIDENTS
from leadline.runtime.outcome import StartRequest
from leadline.runtime.service import open_service
from leadline.runtime.settings import load_settings

CASES = tuple(sorted(case.name for case in INCIDENTS.iterdir()))


async def investigate(case: str, folder: Path) -> IncidentReport:
    settings = load_settings(database=folder / "runs.db", model="rules", user="ada")
    async with open_service(settings) as service:
        outcome = await service.start(StartRequest(bundle=INCIDENTS / case / "bundle"))
    assert outcome.report is not None
    return outcome.report


def expected(case: str) -> dict[str, Any]:
    found: dict[str, Any] = YAML(typ="safe", pure=True).load(INCIDENTS / case / "expected.yaml")
    return found


@pytest.mark.parametrize("case", CASES)
async def test_a_shipped_incident_ends_in_its_answer(case: str, tmp_path: Path) -> None:
    report, truth = await investigate(case, tmp_path), expected(case)
    assert report.outcome == truth["outcome"]
    if truth["causes"]:
        first = report.causes[0]
        right = {(c["kind"], c["ref"], c["service"], c["reason"]) for c in truth["causes"]}
        assert (first.kind, first.ref, first.service, first.reason) in right
        assert not {c["ref"] for c in truth["forbidden"]} & {first.ref, *(r.target for r in report.remediation)}
    assert report.first_failing_service == truth.get("first_failing_service", "")
    assert set(truth.get("affected_services", [])) <= {*report.affected_services, report.first_failing_service}
    said = " ".join(claim.text for claim in report.claims)
    assert [fact for fact in truth.get("facts", []) if fact not in said] == []


def test_there_is_a_cause_a_healthy_control_and_one_that_cannot_be_told() -> None:
    assert sorted(expected(case)["outcome"] for case in CASES) == ["cause_found", "inconclusive", "no_incident"]
