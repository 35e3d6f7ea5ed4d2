"""The formats' own scores, on answers worked by hand from their published rules."""

import pytest

from leadline.contracts.errors import DatasetError
from leadline.evals.expected import Expected, ExpectedCause
from leadline.evals.scorers import score

CULPRIT, DECOY = "a1b2c3d4e5f60718", "9ecb8232f401e85d"


def _official(report, expected):
    return {
        name.partition(":")[2]: value for name, value in score(report, expected).items() if name.startswith("official:")
    }


def _report(*causes, outcome="cause_found", **more):
    return {"outcome": outcome, "causes": [{"kind": "component", **cause} for cause in causes], **more}


# --- RootCauseBench ---------------------------------------------------------------------------------------------------
RCB = Expected(
    outcome="cause_found", causes=(ExpectedCause(kind="change", ref=CULPRIT),), first_failing_service="db",
    affected_services=("a", "b"), remediation="rollback", forbidden=(ExpectedCause(kind="change", ref=DECOY),),
    tags={"source": "rootcausebench"},
)  # fmt: skip


@pytest.mark.parametrize(
    ("commit", "service", "affected", "remedy", "reward"),
    [
        (CULPRIT, "x", [], "x", 1.0),
        (CULPRIT[:7], "x", [], "x", 1.0),
        (DECOY, "db", ["a", "b"], "rollback", 0.0),
        ("ffffffff", "db", ["a", "b"], "rollback", 0.5),
        ("ffffffff", "db", ["a", "c"], "x", 0.5 * (0.5 + 0.3 / 3)),
        ("ffffffff", "x", ["a", "b"], "rollback", 0.5 * (0.3 + 0.2)),
        ("ffffffff", "x", [], "x", 0.0),
    ],
)
def test_rootcausebench_reward(commit, service, affected, remedy, reward):
    report = _report(
        {"kind": "change", "ref": commit}, first_failing_service=service, affected_services=affected,
        remediation=[{"action": remedy}],
    )  # fmt: skip

    assert _official(report, RCB)["reward"] == pytest.approx(reward)


def test_rootcausebench_none_is_an_answer():
    none = RCB.model_copy(update={"causes": (ExpectedCause(kind="none", ref="none"),)})

    assert _official(_report({"kind": "none", "ref": "none"}), none) == {"commit": 1.0, "reward": 1.0}
    assert _official(_report({"kind": "change", "ref": DECOY}), none) == {"commit": 0.0, "reward": 0.0}


# --- Cloud-OpsBench ---------------------------------------------------------------------------------------------------
def _cloud(label="oom_killed"):
    return Expected(
        outcome="cause_found", causes=(ExpectedCause(kind="component", ref="app/till", reason=label),),
        judged_by=("ref", "reason"),
        official={"scorer": "cloud_opsbench", "fault_taxonomy": "Runtime_Fault", "fault_object": "app/till", "root_cause": label},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("ref", "reason", "scores"),
    [
        ("app/till", "oom_killed", (1, 1, 1, 1, 1)),
        ("APP/till ", "OOM_killed", (0, 1, 1, 1, 0)),
        ("app/till", "liveness_probe_incorrect_port", (1, 1, 0, 0, 0)),
        ("node/n-1", "oom_killed", (1, 0, 1, 0, 0)),
        ("app/till", "pod_cpu_overload", (0, 1, 0, 0, 0)),
    ],
    ids=["right", "case-and-spaces", "same-class", "other-object", "other-class"],
)
def test_cloud_opsbench_compares_three_strings(ref, reason, scores):
    found = _official(_report({"ref": ref, "reason": reason}), _cloud())

    assert tuple(found[name] for name in ("taxonomy", "object", "root_cause", "joint", "a@1")) == scores


def test_cloud_opsbench_third_answer_counts_at_3():
    wrong = {"ref": "node/n-1", "reason": "oom_killed"}

    found = _official(_report(wrong, wrong, {"ref": "app/till", "reason": "oom_killed"}), _cloud())

    assert (found["a@1"], found["a@3"]) == (0.0, 1.0)


def test_cloud_opsbench_scores_the_label_even_where_the_list_offers_another_word():
    expected = _cloud("db_read_only").model_copy(
        update={"causes": (ExpectedCause(kind="component", ref="app/till", reason="db_readonly_mode"),)}
    )

    values = score(_report({"ref": "app/till", "reason": "db_readonly_mode"}), expected)

    assert (values["ac@1"], values["official:root_cause"]) == (1.0, 0.0)


# --- OpenSRE ----------------------------------------------------------------------------------------------------------
def _opensre(category="resource_exhaustion", **more):
    return Expected(
        outcome="no_incident" if category == "healthy" else "cause_found", facts=("x",),
        official={"scorer": "opensre", "root_cause_category": category, "required_keywords": ["exit code 137", "Memory"]} | more,
    )  # fmt: skip


def test_opensre_wants_the_category_and_every_keyword():
    said = [{"id": "c", "text": "container ended with exit  code 137, out of memory"}]
    cause = {"ref": "till", "reason": "resource_exhaustion"}

    assert _official(_report(cause, claims=said), _opensre()) == {"category": 1.0, "passed": 1.0}
    assert _official(_report(cause), _opensre()) == {"category": 1.0, "passed": 0.0}
    assert _official(_report({"ref": "till", "reason": "infrastructure"}, claims=said), _opensre())["category"] == 0.0
    banned = _opensre(forbidden_keywords=["OUT OF memory"])
    assert _official(_report(cause, claims=said), banned) == {"category": 1.0, "passed": 0.0}


def test_opensre_healthy_is_no_incident():
    healthy = _opensre("healthy", required_keywords=[])

    assert _official(_report(outcome="no_incident"), healthy) == {"category": 1.0, "passed": 1.0}
    assert _official(_report(outcome="inconclusive"), healthy) == {"category": 0.0, "passed": 0.0}


# --- OpenRCA ----------------------------------------------------------------------------------------------------------
def _openrca(points, failures):
    return Expected(
        outcome="cause_found",
        facts=("x",),
        official={"scorer": "openrca", "scoring_points": points, "failures": failures},
    )


ONE = (
    "The only predicted root cause component is till-0\n"
    "The only root cause occurrence time is within 1 minutes (i.e., <=1min) of 2022-03-20 09:09:06\n"
    "The only predicted root cause reason is node CPU load\n"
)
TWO = "The 1-th predicted root cause component is till-0\nThe 2-th predicted root cause component is belt-1\n"


@pytest.mark.parametrize(
    ("ref", "reason", "onset", "points"),
    [
        ("till-0", "node CPU load", "2022-03-20T01:09:06Z", 1.0),
        ("till-0", "node CPU load", "2022-03-20T01:10:06Z", 1.0),
        ("till-0", "node CPU load", "2022-03-20T01:10:07Z", 0.67),
        ("till-0", "node CPU load", "2022-03-20T09:09:06Z", 0.67),
        ("till-0", "Node CPU load", None, 0.33),
        ("till", "x", None, 0.0),
    ],
    ids=["all", "a-minute-late", "too-late", "wrong-zone", "case-matters", "nothing"],
)
def test_openrca_counts_the_points_met(ref, reason, onset, points):
    report = _report({"ref": ref, "reason": reason, "onset": onset}, {"ref": "second"})

    found = _official(report, _openrca(ONE, 1))

    assert found == {"score": points, "strict": float(points == 1.0)}


def test_openrca_takes_the_best_order():
    assert _official(_report({"ref": "belt-1"}, {"ref": "till-0"}), _openrca(TWO, 2))["score"] == 1.0
    assert _official(_report({"ref": "belt-1"}, {"ref": "lamp"}), _openrca(TWO, 2))["score"] == 0.5


def test_openrca_gives_nothing_for_another_number_of_answers():
    assert _official(_report({"ref": "till-0"}), _openrca(TWO, 2)) == {"score": 0.0, "strict": 0.0}


def test_openrca_points_that_cannot_be_read_are_an_error():
    with pytest.raises(DatasetError, match="scoring points"):
        _official(_report({"ref": "x"}), _openrca("Name the component.", 1))


# --- PetShop and the rest ---------------------------------------------------------------------------------------------
def test_top_k_counts_the_node_among_the_first_k():
    expected = Expected(
        outcome="cause_found", causes=(ExpectedCause(kind="service", ref="till"),), tags={"source": "petshop"}
    )

    found = _official(_report({"ref": "belt"}, {"ref": "lamp"}, {"ref": "till"}), expected)

    assert found == {"top1": 0.0, "top3": 1.0, "top5": 1.0}


def test_other_sets_have_no_official_score():
    expected = Expected(
        outcome="cause_found", causes=(ExpectedCause(kind="service", ref="till"),), tags={"source": "ours"}
    )

    assert _official(_report({"ref": "till"}), expected) == {}
