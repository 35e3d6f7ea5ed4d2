"""Evaluations as real runs: what is finished is not run again, a failing cell fails alone, the truth reaches no run."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from leadline.contracts.errors import BundleError, DatasetError, StoreError, UsageError
from leadline.evals import api
from leadline.evals.dataset import load_dataset
from leadline.evals.expected import Expected, ExpectedCause, read_expected, write_expected
from leadline.evals.results import ResultStore
from leadline.evals.runner import EvalRequest, run_dataset
from leadline.runtime.service import open_service
from leadline.runtime.settings import Settings
from leadline.runtime.wiring import Parts
from tests.doubles.paper import PaperEvidence

EXAMPLES = Path(__file__).parents[3] / "examples" / "incidents"
TRUTHS = {"case-0001": "c1", "case-0002": "c2", "case-0003": "c1"}
"""Paper evidence ranks c1 before c2, so the second case is wrong at first and right among three."""


@pytest.fixture
def settings(tmp_path):
    return Settings(database=tmp_path / "leadline.db", model="rules")


@pytest.fixture
def dataset(tmp_path):
    for name, ref in TRUTHS.items():
        bundle = tmp_path / "set" / name / "bundle"
        bundle.mkdir(parents=True)
        (bundle / "incident.yaml").write_text(f"id: {name}\ntitle: till is slow\n")
        (bundle / "metrics.csv").write_text(f"ts,service,metric,value\n2026-01-01T00:00:00Z,till,{name[-1]},1\n")
        cause = ExpectedCause(kind="change", ref=ref, service="till")
        write_expected(
            bundle.parent / "expected.yaml",
            Expected(outcome="cause_found", causes=(cause,), candidates=2, tags={"tier": name[-1]}),
        )
    return tmp_path / "set"


@pytest.fixture
def parts():
    return Parts(open_evidence=lambda _path: PaperEvidence())


def _request(dataset, **more):
    return EvalRequest(dataset=dataset, graphs=("star@1",), **more)


def _figures(results):
    """What must be equal however the evaluation came about: everything but ids and times."""
    return {r.cell.key: (r.verdict, {k: v for k, v in r.scores.items() if k != "seconds"}) for r in results}


async def test_every_case_is_run_and_scored(dataset, settings, parts):
    seen = []

    outcome = await run_dataset(_request(dataset), settings, seen.append, parts=parts)

    by_case = {r.cell.case: r for r in outcome.results}
    assert {name: r.scores["ac@1"] for name, r in by_case.items()} == {
        "case-0001": 1.0,
        "case-0002": 0.0,
        "case-0003": 1.0,
    }
    assert {r.scores["ac@3"] for r in outcome.results} == {1.0}
    assert {r.scores["chance@1"] for r in outcome.results} == {0.5}
    assert all(r.matrix["outcome.goal_completion"] == 1.0 for r in outcome.results)
    assert all(r.without_model["ac@3"] == 1.0 for r in outcome.results)
    assert [(p.done, p.total, p.failed) for p in seen] == [(1, 3, 0), (2, 3, 0), (3, 3, 0)]
    assert (seen[0].eta, seen[-1].eta) == (None, 0.0)


async def test_trials_are_cells_of_their_own(dataset, settings, parts):
    outcome = await run_dataset(_request(dataset, trials=2, tags={"tier": "1"}), settings, parts=parts)

    assert [r.cell.trial for r in outcome.results] == [1, 2]
    shown = await api.show(settings, outcome.evaluation.evaluation_id)
    assert (shown.versions[0].cases, shown.versions[0].cells) == (1, 2)


async def test_runs_are_dropped_unless_they_are_to_be_kept(dataset, settings, parts):
    dropped = await run_dataset(_request(dataset), settings, parts=parts)
    async with open_service(settings) as service:
        assert await service.store.runs(evaluation=True) == ()
    assert not list(ResultStore(settings.database).folder(dropped.evaluation.evaluation_id).glob("scratch*"))

    kept = await run_dataset(_request(dataset, keep_runs=True), settings, parts=parts)
    async with open_service(settings) as service:
        runs = await service.store.runs(evaluation=True)
    assert {run.run_id for run in runs} == {r.run for r in kept.results}
    assert dropped.evaluation.evaluation_id != kept.evaluation.evaluation_id
    assert _figures(dropped.results) == _figures(kept.results)


class _Enough(Exception):
    pass


async def test_finished_cells_are_not_run_again(dataset, settings, parts):
    ran, rest = [], []

    def stop_after_one(progress):
        ran.append(progress.last.cell.key)
        raise _Enough

    with pytest.raises(_Enough):
        await run_dataset(_request(dataset, jobs=1), settings, stop_after_one, parts=parts)
    outcome = await run_dataset(
        _request(dataset, jobs=1), settings, lambda p: rest.append((p.done, p.last.cell.key)), parts=parts
    )

    assert outcome.continued
    assert [done for done, _ in rest] == [2, 3]
    assert sorted(ran + [key for _, key in rest]) == sorted(r.cell.key for r in outcome.results)


async def test_another_data_set_is_another_evaluation(dataset, settings, parts):
    first = await run_dataset(_request(dataset), settings, parts=parts)
    (dataset / "case-0001" / "bundle" / "metrics.csv").write_text("ts,service,metric,value\n")
    second = await run_dataset(_request(dataset), settings, parts=parts)

    assert first.evaluation.spec.data != second.evaluation.spec.data
    with pytest.raises(UsageError, match="did not run on the same cases"):
        await api.compare(settings, first.evaluation.evaluation_id, second.evaluation.evaluation_id)


KILLED = """
import asyncio, sys
from pathlib import Path
from leadline.runtime.settings import Settings, seal_process
seal_process()
from leadline.evals.runner import EvalRequest, run_dataset
request = EvalRequest(dataset=Path(sys.argv[1]), graphs=("star@1",), jobs=1)
settings = Settings(database=Path(sys.argv[2]), model="rules")
asyncio.run(run_dataset(request, settings, lambda p: print(p.done, flush=True)))
"""


def _killed_after_one_cell(dataset, database):
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(dataset), str(database)], stdout=subprocess.PIPE, env=os.environ
    ) as process:
        first = process.stdout.readline().strip()
        process.send_signal(signal.SIGKILL)
    return first


async def test_after_a_kill_it_goes_on_and_the_table_is_the_same(settings, tmp_path):
    shutil.copytree(EXAMPLES, tmp_path / "set", ignore=shutil.ignore_patterns("__pycache__"))
    assert _killed_after_one_cell(tmp_path / "set", settings.database) == b"1"

    fresh = []
    outcome = await run_dataset(_request(tmp_path / "set"), settings, lambda p: fresh.append(p.last.cell.case))
    whole = await run_dataset(_request(tmp_path / "set"), settings)

    assert outcome.continued
    assert not whole.continued
    assert len(fresh) == 2
    assert _figures(outcome.results) == _figures(whole.results)
    assert {r.scores["outcome"] for r in whole.results} == {1.0}


async def test_a_cut_line_is_a_cell_that_was_not_finished(dataset, settings, parts):
    outcome = await run_dataset(_request(dataset), settings, parts=parts)
    store = ResultStore(settings.database)
    path = store.folder(outcome.evaluation.evaluation_id) / "results.jsonl"
    path.write_text(path.read_text()[:-20])
    assert len(store.results(outcome.evaluation.evaluation_id)) == 2

    path.write_text("{not json\n")
    with pytest.raises(StoreError, match="damaged in line 1"):
        store.results(outcome.evaluation.evaluation_id)


async def test_a_case_that_cannot_be_opened_fails_alone_and_counts_as_wrong(dataset, settings):
    def open_evidence(path):
        if "case-0001" in str(path):
            raise BundleError("a broken bundle", why="for the test")
        return PaperEvidence()

    outcome = await run_dataset(_request(dataset), settings, parts=Parts(open_evidence=open_evidence))

    by_case = {r.cell.case: r for r in outcome.results}
    assert [r.state for _, r in sorted(by_case.items())] == ["failed", "concluded", "concluded"]
    failed = by_case["case-0001"]
    assert failed.error == "a broken bundle: for the test"
    assert (failed.scores["ac@1"], failed.scores["right"], failed.scores["confident_wrong"]) == (0.0, 0.0, 0.0)


async def test_the_truth_reaches_no_prompt_observation_or_checkpoint(settings, tmp_path):
    """Nothing that only `expected.yaml` says may be in the database, which keeps all of them."""
    case = next(case for case in load_dataset(EXAMPLES) if case.expected.causes)
    folder = tmp_path / "set" / "case-0001"
    shutil.copytree(case.bundle.parent, folder)
    marked = read_expected(folder / "expected.yaml").model_copy(
        update={"facts": ("zebra quux",), "tags": {"fault": "yak-quux"}, "remediation": "gnu-quux"}
    )
    write_expected(folder / "expected.yaml", marked)

    await run_dataset(_request(tmp_path / "set", keep_runs=True), settings)

    with sqlite3.connect(settings.database) as db:
        dump = "\n".join(db.iterdump())
    raw = b"".join(path.read_bytes() for path in settings.database.parent.glob("leadline.db*"))
    assert "run-" in dump
    assert "expected.yaml" not in dump
    assert "quux" not in dump
    assert b"quux" not in raw


async def test_a_leaking_data_set_is_refused_before_anything_runs(dataset, settings, parts):
    shutil.copy(dataset / "case-0001" / "expected.yaml", dataset / "case-0001" / "bundle" / "expected.yaml")

    with pytest.raises(DatasetError, match="cannot be trusted"):
        await run_dataset(_request(dataset), settings, parts=parts)
    assert await api.evaluations(settings) == ()


async def test_unknown_versions_and_empty_plans_are_refused(dataset, settings):
    with pytest.raises(UsageError, match="nova@7"):
        await run_dataset(EvalRequest(dataset=dataset, graphs=("nova@7",)), settings)
    with pytest.raises(UsageError, match="at least one trial"):
        await run_dataset(_request(dataset, trials=0), settings)


class _Contrary(PaperEvidence):
    """A ranking rule is broken: the best cause comes last."""

    def rank(self, claims):
        ranking = super().rank(claims)
        scores = [cause.score for cause in ranking.causes]
        swapped = zip(ranking.causes[::-1], scores, strict=True)
        causes = tuple(cause.model_copy(update={"score": score, "confidence": score}) for cause, score in swapped)
        return ranking.model_copy(update={"causes": causes})


async def test_a_planted_regression_is_caught_and_no_change_is_not(dataset, settings, parts):
    broken = Parts(open_evidence=lambda _path: _Contrary())
    names = [
        (await run_dataset(_request(dataset), settings, parts=used)).evaluation.evaluation_id
        for used in (parts, parts, broken)
    ]

    unchanged = await api.compare(settings, names[0], names[1])
    caught = await api.compare(settings, names[0], names[2])

    assert [r.measure for r in unchanged.regressions] == []
    assert unchanged.changed == ()
    assert {"ac@1", "right"} <= {r.measure for r in caught.regressions}
    assert {c.case: (c.better, c.answer_a, c.answer_b) for c in caught.changed} == {
        "case-0001": (False, "change c1 (timeout_too_short)", "change c2 (timeout_too_short)"),
        "case-0002": (True, "change c1 (timeout_too_short)", "change c2 (timeout_too_short)"),
        "case-0003": (False, "change c1 (timeout_too_short)", "change c2 (timeout_too_short)"),
    }


async def test_versions_of_one_evaluation_are_shown_and_compared(dataset, settings, parts):
    outcome = await run_dataset(EvalRequest(dataset=dataset, graphs=("star@1", "single@1")), settings, parts=parts)
    name = outcome.evaluation.evaluation_id

    shown = await api.show(settings, name[:9], by="tier")
    compared = await api.compare(settings, f"{name}:single@1", f"{name}:star@1")
    (listed,) = await api.evaluations(settings)

    assert (listed.evaluation.evaluation_id, listed.done, listed.finished) == (name, 6, True)
    assert [str(v.version) for v in shown.versions] == ["single@1 rules", "star@1 rules"]
    assert shown.versions[0].measures["ac@1"].value == pytest.approx(2 / 3)
    assert [(g.version.graph, g.value, g.measures["ac@1"].value) for g in shown.groups[:3]] == [
        ("single@1", "1", 1.0),
        ("single@1", "2", 0.0),
        ("single@1", "3", 1.0),
    ]
    assert compared.baselines["single@1 rules"]["ac@1"] == pytest.approx(2 / 3)
    assert len([label for label in compared.baselines if label.startswith("no model")]) == 2
    assert compared.words[0].startswith("no significant difference between single@1 rules and star@1 rules")
    with pytest.raises(UsageError, match="holds 2 versions"):
        await api.compare(settings, name, name)
    with pytest.raises(UsageError, match="no evaluation 'eval-none'"):
        await api.show(settings, "eval-none")


async def test_pages_are_self_contained_and_hide_nothing(dataset, settings, parts):
    outcome = await run_dataset(_request(dataset), settings, parts=parts)
    name = outcome.evaluation.evaluation_id

    for text in (await api.page(settings, name), await api.page(settings, name, name)):
        assert "<script" not in text
        assert "://" not in text
        assert text.count("<svg") == text.count("</svg>")
        assert "default-src 'none'" in text
    page = await api.page(settings, name)
    assert all(r.cell.case in page for r in outcome.results)
    assert "Seven layers" in page
