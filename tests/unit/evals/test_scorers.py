"""Measures against answers worked by hand."""

import pytest

from leadline.contracts.claim import Claim, Fact, Subject
from leadline.contracts.evidence import Answer, Observation, ProbeCall
from leadline.evals.expected import Expected, ExpectedCause
from leadline.evals.scorers import MEASURES, score
from leadline.evals.scorers.evidence import Records
from leadline.evals.scorers.facts import names, says
from leadline.evals.scorers.ranking import chance_at

SHA = "c62e9decee7bb083f3628909019dd66e25dd25d8"


def _cause(ref, *, kind="service", service="", reason="", confidence=0.9, claims=()):
    return {
        "kind": kind,
        "ref": ref,
        "service": service,
        "reason": reason,
        "confidence": confidence,
        "claims": list(claims),
    }


def _report(*causes, outcome="cause_found", **more):
    ranked = [{**cause, "rank": place} for place, cause in enumerate(causes, start=1)]
    return {"schema": 1, "outcome": outcome, "causes": ranked, **more}


def _expected(*causes, outcome="cause_found", **more):
    return Expected(outcome=outcome, causes=causes, **more)


def _truth(ref, *, kind="service", **more):
    return ExpectedCause(kind=kind, ref=ref, **more)


@pytest.mark.parametrize(
    ("ranking", "at_1", "at_3", "at_5", "avg", "mrr"),
    [
        (["till"], 1, 1, 1, 1.0, 1.0),
        (["belt", "till"], 0, 1, 1, 0.8, 0.5),
        (["belt", "lamp", "door", "till"], 0, 0, 1, 0.4, 0.25),
        (["belt", "lamp", "door", "roof", "wall", "till"], 0, 0, 0, 0.0, 1 / 6),
        ([], 0, 0, 0, 0.0, 0.0),
    ],
)
def test_the_place_of_the_truth(ranking, at_1, at_3, at_5, avg, mrr):
    values = score(_report(*(_cause(ref) for ref in ranking)), _expected(_truth("till")))

    assert (values["ac@1"], values["ac@3"], values["ac@5"]) == (at_1, at_3, at_5)
    assert values["avg@5"] == pytest.approx(avg)
    assert values["mrr"] == pytest.approx(mrr)


def test_rank_and_not_position_orders_the_causes():
    report = {"outcome": "cause_found", "causes": [{**_cause("belt"), "rank": 2}, {**_cause("till"), "rank": 1}]}

    assert score(report, _expected(_truth("till")))["ac@1"] == 1.0


def test_a_set_is_found_by_its_share_and_exactly_or_not():
    expected = _expected(_truth("till"), _truth("belt"), all_of=True, candidates=4)

    whole = score(_report(_cause("belt"), _cause("till"), _cause("lamp")), expected)
    half = score(_report(_cause("belt"), _cause("lamp")), expected)

    assert (whole["ac@1"], whole["ac@3"], whole["exact_set"], whole["right"]) == (1.0, 1.0, 1.0, 1.0)
    assert (half["ac@1"], half["ac@3"], half["exact_set"], half["right"]) == (1.0, 0.5, 0.0, 0.0)
    assert score(_report(_cause("till")), _expected(_truth("till")))["exact_set"] is None


@pytest.mark.parametrize(
    ("candidates", "right", "k", "chance"),
    [(4, 1, 1, 0.25), (4, 1, 3, 0.75), (4, 2, 1, 0.5), (5, 2, 2, 0.7), (3, 1, 5, 1.0)],
)
def test_chance_of_one_of_several(candidates, right, k, chance):
    truths = [_truth(f"t{number}") for number in range(right)]

    assert chance_at(_expected(*truths, candidates=candidates), k) == pytest.approx(chance)


def test_chance_of_a_whole_set_is_its_mean_share():
    expected = _expected(_truth("a"), _truth("b"), all_of=True, candidates=4)

    assert chance_at(expected, 1) == pytest.approx(0.5)
    assert chance_at(expected, 3) == pytest.approx(0.75)
    assert chance_at(_expected(_truth("a")), 1) is None


@pytest.mark.parametrize(
    ("answer", "truth", "right"),
    [
        (_cause("Till"), _truth("till"), True),
        (_cause("till-7f-x"), _truth("till", aliases=("till-7f-x",)), True),
        (_cause(SHA[:7], kind="change"), _truth(SHA, kind="change"), True),
        (_cause(SHA[:6], kind="change"), _truth(SHA, kind="change"), False),
        (_cause("till-service"), _truth("till-service-db"), False),
        (_cause("none", kind="none"), _truth("none", kind="none"), True),
        (_cause("none"), _truth("none", kind="none"), False),
        (_cause("app/till", kind="capacity"), _truth("app/till", kind="component"), True),
    ],
    ids=["case", "alias", "short-sha", "too-short", "no-prefix-of-services", "none", "none-by-kind", "kind-is-no-name"],
)
def test_when_a_cause_is_the_same(answer, truth, right):
    assert score(_report(answer), _expected(truth))["ac@1"] == float(right)


def test_what_is_judged_is_what_the_case_asks_for():
    truth = _truth("app/till", kind="component", service="till", reason="oom")
    near = _cause("app/till", kind="component", service="till", reason="disk_full")

    assert score(_report(near), _expected(truth))["ac@1"] == 1.0
    assert score(_report(near), _expected(truth, judged_by=("ref", "reason")))["ac@1"] == 0.0
    values = score(_report(near), _expected(truth, judged_by=("ref", "reason")))
    assert (values["service@1"], values["reason@1"]) == (1.0, 0.0)


def test_a_change_is_in_the_right_service_though_the_wrong_one():
    expected = _expected(_truth(SHA, kind="change", service="till"))

    values = score(_report(_cause("abcdef1234", kind="change", service="till")), expected)

    assert (values["ac@1"], values["service@1"]) == (0.0, 1.0)


def test_suspects_of_an_undecided_report_rank_but_are_no_right_answer():
    values = score(_report(_cause("till"), outcome="inconclusive"), _expected(_truth("till")))

    assert (values["ac@1"], values["right"], values["needless_abstention"], values["outcome"]) == (1.0, 0.0, 1.0, 0.0)


def test_a_cause_on_a_healthy_control_is_a_false_alarm():
    healthy = _expected(outcome="no_incident", healthy_control=True)

    alarm = score(_report(_cause("till", confidence=0.9)), healthy)
    quiet = score(_report(outcome="no_incident"), healthy)

    assert (alarm["false_alarm"], alarm["right"], alarm["confident_wrong"], alarm["ac@1"]) == (1.0, 0.0, 1.0, None)
    assert (quiet["false_alarm"], quiet["right"], quiet["confident_wrong"], quiet["brier"]) == (0.0, 1.0, 0.0, None)


def test_a_verdict_that_nothing_allows_is_a_missed_abstention():
    expected = _expected(outcome="inconclusive", facts=("nothing to see",))

    assert score(_report(_cause("till")), expected)["missed_abstention"] == 1.0
    assert score(_report(outcome="inconclusive"), expected)["missed_abstention"] == 0.0


def test_services_remedy_and_decoys():
    expected = _expected(
        _truth(SHA, kind="change"), first_failing_service="db", affected_services=("a", "b", "c"), remediation="roll-back",
        forbidden=(_truth("9ecb8232f401", kind="change"),),
    )  # fmt: skip
    report = _report(
        _cause("9ecb8232", kind="change"),
        first_failing_service="DB", affected_services=["b", "c", "d"], remediation=[{"action": "Rollback", "target": "x"}],
    )  # fmt: skip

    values = score(report, expected)

    assert (values["first_failing"], values["affected"], values["remediation"], values["forbidden"]) == (
        1.0,
        0.5,
        1.0,
        1.0,
    )
    bare = score(report, _expected(_truth("x")))
    assert {bare[name] for name in ("first_failing", "affected", "remediation", "forbidden")} == {None}


@pytest.mark.parametrize(
    ("ref", "confidence", "brier", "wrong"),
    [("till", 0.9, 0.01, 0.0), ("till", 0.5, 0.25, 0.0), ("belt", 0.8, 0.64, 1.0), ("belt", 0.79, 0.6241, 0.0)],
)
def test_calibration(ref, confidence, brier, wrong):
    values = score(_report(_cause(ref, confidence=confidence)), _expected(_truth("till")))

    assert (values["brier"], values["confident_wrong"]) == (pytest.approx(brier), wrong)


def test_cost():
    usage = {
        "model_calls": 3,
        "tokens_in": 900,
        "tokens_out": 100,
        "seconds": 4.5,
        "prompt_chars": 800,
        "shared_chars": 600,
    }

    values = score(_report(usage=usage), _expected(_truth("till")))

    assert [values[name] for name in ("model_calls", "tokens", "seconds", "prompt_chars", "shared_prefix")] == [
        3,
        1000,
        4.5,
        800,
        0.75,
    ]
    assert score(_report(), _expected(_truth("till")))["shared_prefix"] is None


# --- evidence ---------------------------------------------------------------------------------------------------------
FACT = Fact(subject=Subject(kind="service", ref="till"), signal="metric:cpu", relation="rises", value=9.0, baseline=1.0)


def _claim(**changes):
    fields = {
        "id": "clm-1",
        "text": "cpu of till rises",
        "observations": ["obs-1"],
        "verified": True,
        "service": "till",
    }
    return fields | changes


def _records(*, fact=FACT, status="ok", claim=FACT):
    record = Claim(**claim.model_dump(), id="clm-1", observations=("obs-1",), made_by="m", origin="rules")
    observation = Observation(
        id="obs-1", call=ProbeCall(probe="metric_shift"), probe_version=1, bundle_digest="b", answer_digest="a",
        answer=Answer(status=status, facts=(fact,)), asked_by="m", task_id="t", asked_for="rules",
    )  # fmt: skip
    return Records({"clm-1": record}, {"obs-1": observation})


def _grounded(claim, records=None, cause=None):
    report = _report(cause or _cause("till", claims=["clm-1"]), claims=[claim])
    return score(report, _expected(_truth("till")), records)["grounded"]


def test_a_right_answer_with_checked_claims_about_it_is_grounded():
    assert _grounded(_claim()) == 1.0
    assert _grounded(_claim(), _records()) == 1.0


@pytest.mark.parametrize(
    ("claim", "cause"),
    [
        (_claim(verified=False), None),
        (_claim(observations=[]), None),
        (_claim(id="clm-2"), None),
        (_claim(service="belt", text="cpu of belt rises"), None),
        (_claim(), _cause("till")),
        (_claim(), _cause("belt", claims=["clm-1"])),
    ],
    ids=["unverified", "no-observation", "claim-not-in-report", "about-something-else", "no-citation", "wrong-answer"],
)
def test_what_is_not_grounded(claim, cause):
    assert _grounded(claim, cause=cause) == 0.0


@pytest.mark.parametrize(
    "records",
    [
        _records(fact=FACT.model_copy(update={"value": 2.0})),
        _records(fact=FACT.model_copy(update={"relation": "falls"})),
        _records(status="failed"),
        Records({}, {}),
    ],
    ids=["other-number", "other-direction", "failed-observation", "no-record"],
)
def test_an_observation_that_does_not_say_it_grounds_nothing(records):
    assert _grounded(_claim(), records) == 0.0


def test_required_sources_must_be_readable_and_used():
    expected = _expected(_truth("till"), required_evidence=("metrics", "logs"))
    coverage = [{"source": "metrics", "status": "ok"}, {"source": "logs", "status": "empty"}]
    report = _report(_cause("till"), coverage=coverage, claims=[_claim()])

    assert score(report, expected)["evidence"] == 0.5
    assert score(report, expected, _records())["evidence"] == 0.5
    silent = _report(_cause("till"), coverage=coverage, claims=[_claim(verified=False)])
    assert score(silent, expected, _records())["evidence"] == 0.0


@pytest.mark.parametrize(
    ("text", "fact", "said"),
    [
        ("the till-7f9 pod ran out of memory, OOMKilled", "Pod `till-7f9` is OOMKilled", True),
        ("another pod was OOMKilled", "Pod `till-7f9` is OOMKilled", False),
        ("connection pool exhaustion in payments", "The connection pool was exhausted", True),
        ("the pool is fine", "The connection pool was exhausted", False),
        ("45 % of the requests failed", "45 % of requests fail", True),
        ("54 % of requests fail", "45 % of requests fail", False),
        ("certificate expired on 2024-01-02", "certificate expired", True),
        ("", "certificate expired", False),
    ],
)
def test_a_text_says_a_fact_by_its_names_and_most_of_its_words(text, fact, said):
    assert says(text, fact) is said


def test_names_are_quoted_numbered_hyphenated_or_capitals():
    assert names('`till` got "HTTP 504" from pay-api at 10.2 by WAL') == ["10.2", "http 504", "pay-api", "till", "wal"]


def test_facts_count_as_cited_only_in_verified_claims():
    expected = _expected(outcome="cause_found", facts=("certificate expired", "disk full"))
    report = _report(
        claims=[_claim(text="the certificate has expired"), _claim(id="c2", text="disk is full", verified=False)]
    )

    values = score(report, expected)

    assert (values["facts_present"], values["facts_cited"]) == (1.0, 0.5)
    assert (values["right"], values["grounded"]) == (1.0, 0.0)
    quoted = FACT.model_copy(update={"quote": "no space: disk full"})
    cited = score(report, expected, _records(claim=quoted, fact=quoted))
    assert (cited["facts_cited"], cited["grounded"]) == (1.0, 1.0)


def test_every_measure_has_a_name_a_version_and_a_description():
    values = score(_report(_cause("till")), _expected(_truth("till")))

    assert set(values) == set(MEASURES)
    assert all(measure.version >= 1 and measure.describes for measure in MEASURES.values())
