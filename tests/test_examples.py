"""The shipped incidents end, without a model, in the answers that stand beside them."""

from pathlib import Path

import pytest

from leadline.contracts.report import IncidentReport
from leadline.evals.dataset import Case, load_dataset
from leadline.evals.validation import check_dataset
from leadline.examples import INCIDENTS
from leadline.runtime.outcome import StartRequest
from leadline.runtime.service import open_service
from leadline.runtime.settings import load_settings


async def investigate(case: Case, folder: Path) -> IncidentReport:
    settings = load_settings(database=folder / "runs.db", model="rules", user="ada")
    async with open_service(settings) as service:
        outcome = await service.start(StartRequest(bundle=case.bundle))
    assert outcome.report is not None
    return outcome.report


@pytest.mark.parametrize("case", load_dataset(INCIDENTS), ids=lambda case: case.name)
async def test_a_shipped_incident_ends_in_its_answer(case: Case, tmp_path: Path) -> None:
    report, truth = await investigate(case, tmp_path), case.expected
    assert report.outcome == truth.outcome
    if truth.causes:
        first, (right,) = report.causes[0], truth.causes
        assert (first.kind, first.ref, first.service) == (right.kind, right.ref, right.service)
        assert first.reason in {right.reason, *right.reason_aliases}
    assert report.first_failing_service == truth.first_failing_service
    assert set(truth.affected_services) <= {*report.affected_services, report.first_failing_service}
    blamed = {r.target for r in report.remediation} | {c.ref for c in report.causes[:1]}
    assert {c.ref for c in truth.forbidden}.isdisjoint(blamed)
    said = " ".join(claim.text for claim in report.claims)
    assert [fact for fact in truth.facts if fact not in said] == []


def test_the_shipped_incidents_are_a_valid_data_set() -> None:
    assert check_dataset(INCIDENTS) == ()


def test_there_is_a_cause_a_healthy_control_and_one_that_cannot_be_told() -> None:
    assert sorted(case.expected.outcome for case in load_dataset(INCIDENTS)) == [
        "cause_found",
        "inconclusive",
        "no_incident",
    ]
