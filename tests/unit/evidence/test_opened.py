"""The evidence port: what is asked wrongly is denied, what breaks is failed, and nothing raises."""

import asyncio
import time

import pytest

from leadline.contracts.claim import Claim
from leadline.contracts.evidence import Answer
from leadline.contracts.incident import CauseRef
from leadline.contracts.report import RankedCause, Ranking
from leadline.evidence.probes.base import Params, Probe
from leadline.evidence.probes.registry import all_probes
from leadline.evidence.tables import Tables
from tests.unit.evidence.asking import ask, at, minutes

ROWS = [
    {"ts": minutes(n), "service": "web", "metric": "latency_ms", "value": 900 if n > 60 else 100} for n in range(90)
]
INCIDENT = "schema: 1\nid: inc-1\ntitle: slow\nalerts: [{service: web, fired_at: 2026-03-14T03:05:00Z}]\n"


async def test_an_unknown_probe_is_denied(opened) -> None:
    answer = await ask(opened({"metrics.jsonl": ROWS}), "no_such_probe")
    assert (answer.status, "no_such_probe" in answer.note) == ("denied", True)


@pytest.mark.parametrize(
    ("probe", "params"),
    [
        ("metric_shift", {"nope": 1}), ("metric_shift", {"services": "web"}), ("metric_shift", {"split_at": "soon"}),
        ("metric_onset", {}), ("log_search", {"terms": []}), ("metric_comovement", {"metric": "x", "lag_s": -1}),
        ("metric_shift", {"services": ["x" * 5000]}),
    ],
)  # fmt: skip
async def test_wrong_parameters_are_denied_with_their_name(opened, probe: str, params: dict[str, object]) -> None:
    answer = await ask(opened({"metrics.jsonl": ROWS}), probe, **params)
    assert answer.status == "denied"
    assert probe in answer.note


async def test_a_question_to_a_missing_source_is_empty(opened) -> None:
    answer = await ask(opened({"metrics.jsonl": ROWS}), "log_templates")
    assert (answer.status, answer.note) == ("empty", "the bundle holds no logs")


async def test_only_probes_that_have_data_are_offered(opened) -> None:
    names = {spec.name for spec in opened({"metrics.jsonl": ROWS}).probes()}
    assert "metric_shift" in names
    assert "log_templates" not in names
    assert all(
        spec.question.endswith("?") and spec.params["type"] == "object"
        for spec in opened({"metrics.jsonl": ROWS}).probes()
    )


def _broken(_: Tables, __: Params) -> Answer:
    raise ZeroDivisionError("password=hunter2hunter2")


async def test_a_probe_that_breaks_is_a_failed_answer(opened, monkeypatch: pytest.MonkeyPatch) -> None:
    probe = Probe(name="broken", question="?", sources=(), cost="cheap", params=Params, answer=_broken)
    monkeypatch.setattr("leadline.evidence.opened.all_probes", lambda: {"broken": probe})
    answer = await ask(opened({}), "broken")
    assert answer.status == "failed"
    assert "ZeroDivisionError" in answer.note
    assert "hunter2" not in answer.note


def _endless(tables: Tables, _: Params) -> Answer:
    tables.rows("SELECT count(*) FROM range(1000000000) a, range(1000000000) b WHERE a.range + b.range = 7")
    return Answer(status="ok")


async def test_a_probe_that_never_ends_is_stopped(opened, monkeypatch: pytest.MonkeyPatch) -> None:
    probe = Probe(name="endless", question="?", sources=(), cost="heavy", params=Params, answer=_endless)
    monkeypatch.setattr("leadline.evidence.opened.all_probes", lambda: {"endless": probe})
    monkeypatch.setattr("leadline.evidence.opened.ASK_SECONDS", 0.3)
    started = time.monotonic()
    answer = await ask(opened({}), "endless")
    assert answer.status == "failed"
    assert "longer than" in answer.note
    assert time.monotonic() - started < 10


async def test_many_questions_at_once(opened) -> None:
    bundle = opened({"metrics.jsonl": ROWS}, incident=INCIDENT)
    answers = await asyncio.gather(*(ask(bundle, "metric_shift") for _ in range(12)))
    assert len({a.digest for a in answers}) == 1
    assert answers[0].status == "ok"


def test_every_probe_is_described_and_bounded() -> None:
    probes = all_probes()
    assert len(probes) >= 17
    for probe in probes.values():
        assert probe.spec.question.endswith("?")
        assert probe.params.model_config["extra"] == "forbid"


async def test_secrets_of_the_incident_are_masked(opened) -> None:
    incident = INCIDENT.replace("slow", "password=hunter2hunter2 \\e").replace("\\e", "now")
    assert "hunter2" not in opened({}, incident=incident).incident.model_dump_json()


async def test_the_source_of_a_change_is_its_title_and_diff(opened) -> None:
    sha = "c62e9decee7bb083f3628909019dd66e25dd25d8"
    diff = "@@ a.go @@\n-ttl = 300\n+ttl = 3\n+token = ghp_" + "a1B2" * 9
    bundle = opened({"changes.jsonl": [{"sha": sha, "ts": minutes(1), "message": "shorter ttl", "diff": diff}]})
    lines = await bundle.source_text(CauseRef(kind="change", ref=sha[:10]))
    assert lines[1:4] == ("shorter ttl", "@@ a.go @@", "-ttl = 300")
    assert lines[5].startswith("+token = <secret:")
    assert await bundle.source_text(CauseRef(kind="change", ref="c6")) == ()


async def test_the_source_of_a_component_is_its_description(opened) -> None:
    bundle = opened(
        {"resources.jsonl": [{"kind": "Pod", "namespace": "app", "name": "a", "status": "Pending", "body": "one\ntwo"}]}
    )
    lines = await bundle.source_text(CauseRef(kind="component", ref="app/a"))
    assert lines == ("Pod app/a Pending", "one", "two")


async def test_charts_show_the_decisive_metrics_small(opened) -> None:
    bundle = opened({"metrics.jsonl": ROWS}, incident=INCIDENT)
    (fact,) = (await ask(bundle, "metric_shift")).facts
    claim = Claim(**fact.model_dump(), id="clm-1", observations=("obs-1",), made_by="a", origin="rules")
    cause = RankedCause(cause=CauseRef(kind="service", ref="web"), score=1, confidence=1, claims_for=("clm-1",))
    (chart,) = await bundle.charts(Ranking(outcome="cause_found", causes=(cause,)), [claim])
    assert (chart.label, chart.onset, len(chart.points)) == ("web latency_ms", at(61), 90)
    assert chart.points[0] == (at(0), 100.0)


@pytest.mark.parametrize(
    ("window", "why"),
    [
        ("{start: 2026-03-14T02:00:00Z, end: 2026-03-14T02:00:00Z}", "empty"),
        ("{start: 2026-03-15T02:00:00Z, end: 2026-03-15T03:00:00Z}", "no telemetry lies in the window"),
    ],
)
def test_a_window_without_anything_in_it_is_refused(opened, window: str, why: str) -> None:
    from leadline.contracts.errors import BundleError

    with pytest.raises(BundleError, match=why):
        opened({"metrics.jsonl": ROWS}, incident=f"schema: 1\nid: i\ntitle: t\nwindow: {window}\n")
