"""Paired statistics by hand, and a policy that catches a loss and lets no change pass for one."""

import pytest

from leadline.contracts.errors import UsageError
from leadline.evals.policy import RegressionPolicy, load_policy, regressions
from leadline.evals.statistics import bootstrap_mean, paired, sign_test


@pytest.mark.parametrize(
    ("better", "worse", "p"),
    [(0, 0, 1.0), (1, 0, 1.0), (5, 0, 0.0625), (6, 0, 0.03125), (1, 9, 22 / 1024), (3, 3, 1.0)],
)
def test_sign_test_is_exact(better, worse, p):
    assert sign_test(better, worse) == pytest.approx(p)
    assert sign_test(worse, better) == pytest.approx(p)


def test_pairs_are_made_by_case_and_others_left_out():
    pair = paired({"a": 1.0, "b": 0.0, "c": 1.0, "only-a": 1.0}, {"a": 0.0, "b": 0.0, "c": 1.0, "only-b": 1.0})

    assert (pair.cases, pair.better, pair.worse, pair.ties) == (3, 0, 1, 2)
    assert (pair.mean_a, pair.mean_b, pair.difference) == (
        pytest.approx(2 / 3),
        pytest.approx(1 / 3),
        pytest.approx(-1 / 3),
    )
    assert paired({"a": 1.0}, {"b": 1.0}) is None


def test_the_interval_is_the_same_every_time_and_holds_the_mean():
    values = [1.0, 0.0, 0.0, -1.0, 1.0, 1.0, 0.0, 1.0]

    first, second = bootstrap_mean(values), bootstrap_mean(values)

    assert first == second
    assert first.low < 3 / 8 < first.high
    assert bootstrap_mean([0.5, 0.5]) == (0.5, 0.5)
    assert bootstrap_mean([]) == (0.0, 0.0)


def test_a_clear_difference_is_significant_and_a_small_one_is_not():
    cases = [f"c{number}" for number in range(20)]
    zeros = dict.fromkeys(cases, 0.0)

    assert paired(zeros, dict.fromkeys(cases, 1.0)).significant
    assert not paired(zeros, {**zeros, "c1": 1.0}).significant
    assert not paired(zeros, zeros).significant


def _policy(**measures):
    return RegressionPolicy.model_validate({"schema": 1, "owners": ["us"], "measures": measures})


def _compared(**moves):
    return {
        name: paired(*({f"c{i}": value for i, value in enumerate(side)} for side in sides))
        for name, sides in moves.items()
    }


def test_a_loss_beyond_the_allowance_is_a_regression_in_either_direction():
    compared = _compared(**{"ac@1": ([1, 1, 1, 1], [1, 1, 0, 1]), "false_alarm": ([0, 0], [0, 1])})

    found = regressions(compared, _policy(**{"ac@1": {"drop": 0.2}, "false_alarm": {"drop": 0.0}}))

    assert [(r.measure, r.before, r.after, r.allowed) for r in found] == [
        ("ac@1", 1.0, 0.75, 0.2),
        ("false_alarm", 0.0, 0.5, 0.0),
    ]
    assert found[0].why.startswith("1 of 4 cases are worse")


@pytest.mark.parametrize(
    ("measure", "before", "after"),
    [
        ("ac@1", [1, 0], [1, 0]),
        ("ac@1", [1, 0], [1, 1]),
        ("false_alarm", [1, 0], [0, 0]),
        ("ac@1", [1, 1, 1, 1], [1, 1, 1, 0.9]),
    ],
    ids=["no-change", "gain", "fewer-alarms", "within-allowance"],
)
def test_what_is_no_regression(measure, before, after):
    assert regressions(_compared(**{measure: (before, after)}), _policy(**{measure: {"drop": 0.03}})) == ()


def test_a_share_is_of_the_former_value():
    compared = _compared(tokens=([100, 100], [125, 125]))

    assert regressions(compared, _policy(tokens={"share": 0.3})) == ()
    assert [r.allowed for r in regressions(compared, _policy(tokens={"share": 0.2}))] == [20.0]


def test_where_only_sure_losses_count_an_unsure_one_passes():
    compared = _compared(brier=([0.1] * 9 + [0.1], [0.1] * 9 + [0.9]))

    assert regressions(compared, _policy(brier={"drop": 0.01, "surely": True})) == ()
    assert len(regressions(compared, _policy(brier={"drop": 0.01}))) == 1


def test_the_shipped_policy_is_whole_and_bad_ones_are_refused(tmp_path):
    assert "ac@1" in load_policy().measures
    bad = tmp_path / "policy.yaml"
    bad.write_text("schema: 1\nowners: [us]\nmeasures: {ac@9: {drop: 0}}\n")
    with pytest.raises(UsageError, match="unknown measures: ac@9"):
        load_policy(bad)
    bad.write_text("schema: 1\nowners: []\nmeasures: {}\n")
    with pytest.raises(UsageError, match="does not hold together"):
        load_policy(bad)
    with pytest.raises(UsageError, match="cannot read"):
        load_policy(tmp_path / "none.yaml")
