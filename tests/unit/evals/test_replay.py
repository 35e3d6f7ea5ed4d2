"""A recorded run becomes a case, and goes its way again on the code of today."""

import shutil
from pathlib import Path

import pytest

from leadline.adapters.models.scripted import ScriptedProposer
from leadline.contracts.arbitration import Composite
from leadline.contracts.base import RunId
from leadline.contracts.errors import DatasetError, UsageError
from leadline.contracts.incident import CauseRef
from leadline.contracts.report import RankedCause, Ranking
from leadline.evals import api
from leadline.evals.dataset import load_dataset
from leadline.evals.decisions import partings
from leadline.evals.records import RunRecords, read_records
from leadline.evals.validation import check_dataset
from leadline.runtime.outcome import StartRequest
from leadline.runtime.service import open_service
from leadline.runtime.settings import Settings
from leadline.runtime.wiring import Parts

EXAMPLES = Path(__file__).parents[3] / "examples" / "incidents"


@pytest.fixture
def settings(tmp_path):
    return Settings(database=tmp_path / "leadline.db", model="rules")


@pytest.fixture
def quiet(tmp_path):
    """The shipped incident in which nothing is wrong, which is the quickest."""
    case = next(case for case in load_dataset(EXAMPLES) if case.expected.outcome == "no_incident")
    shutil.copytree(case.bundle, tmp_path / "bundle")
    return tmp_path / "bundle", case.bundle.parent / "expected.yaml"


async def _ran(settings, bundle, parts=None):
    async with open_service(settings, parts) as service:
        outcome = await service.start(StartRequest(bundle=bundle, model="rules"))
    return outcome.run.run_id


async def test_a_run_with_rules_goes_the_same_way_again(settings, quiet):
    run = await _ran(settings, quiet[0])

    again = await api.replay(settings, run)

    assert again.partings == ()
    assert again.after != again.before == run
    assert (again.answered, again.unanswered) == (0, 0)


async def test_recorded_answers_of_a_model_are_given_again(settings, quiet):
    async def scripted(config, ledger, clock):
        return ScriptedProposer({}, ledger=ledger, clock=clock)

    run = await _ran(settings, quiet[0], Parts(make_proposer=scripted))

    again = await api.replay(settings, run)

    assert again.answered > 0
    assert again.unanswered == 0
    assert again.partings == ()
    async with open_service(settings) as service:
        old = await read_records(service.store.reader(RunId(run)))
        new = await read_records(service.store.reader(again.after))
    assert [d.outcome for d in (old.report, new.report)] == ["no_incident"] * 2


async def test_a_run_that_is_not_there_or_whose_bundle_is_gone(settings, quiet):
    run = await _ran(settings, quiet[0])
    shutil.rmtree(quiet[0])

    with pytest.raises(UsageError, match="is gone"):
        await api.replay(settings, run)
    with pytest.raises(UsageError):
        await api.replay(settings, "run-none")


def _ranked(*refs):
    causes = tuple(RankedCause(cause=CauseRef(kind="service", ref=ref), score=0.5, confidence=0.5) for ref in refs)
    ranking = Ranking(outcome="cause_found", causes=causes)
    return RunRecords(composite=Composite(ranking=ranking, baseline=ranking))


def test_where_decisions_part_is_said_stage_by_stage():
    found = partings(_ranked("till", "belt"), _ranked("till", "lamp", "door"))

    assert [tuple(p) for p in found] == [
        ("ranking", "02", "service belt", "service lamp"),
        ("ranking", "03", "", "service door"),
    ]
    assert partings(_ranked("till"), _ranked("till")) == ()


async def test_a_run_becomes_the_next_case_of_a_data_set(settings, quiet, tmp_path):
    run = await _ran(settings, quiet[0])
    (tmp_path / "set" / "case-0001").mkdir(parents=True)

    case = await api.add_case(settings, run, tmp_path / "set", quiet[1])

    assert case.name == "case-0002"
    assert case.expected.outcome == "no_incident"
    (tmp_path / "set" / "case-0001").rmdir()
    assert check_dataset(tmp_path / "set") == ()


async def test_an_unsound_case_leaves_nothing_behind(settings, quiet, tmp_path):
    run = await _ran(settings, quiet[0])
    expect = tmp_path / "mine.yaml"
    expect.write_text("schema: 1\noutcome: cause_found\n")

    with pytest.raises(DatasetError, match="neither causes nor facts"):
        await api.add_case(settings, run, tmp_path / "set", expect)
    assert list((tmp_path / "set").iterdir()) == []
    (quiet[0] / "documents").mkdir(exist_ok=True)
    (quiet[0] / "documents" / "more.txt").write_text("later")
    with pytest.raises(UsageError, match="has changed since"):
        await api.add_case(settings, run, tmp_path / "set", quiet[1])
