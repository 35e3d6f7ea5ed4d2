"""Planted merges: each thing that can go wrong on the way from reports to one result, and what must come of it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from leadline.contracts.arbitration import Conflict
from leadline.contracts.base import AgentId, ClaimId, Digest, TaskId
from leadline.contracts.claim import Subject
from leadline.contracts.report import ChainLink, Ranking, Remedy
from leadline.contracts.task import Budget, Scope
from leadline.contracts.team import Requirement
from leadline.rules.claims import distinct
from leadline.rules.conflicts import (
    Patch,
    artifact_conflicts,
    fact_conflicts,
    merge_patches,
    plan_conflicts,
    requirement_conflicts,
    rule_on,
)  # fmt: skip
from leadline.rules.merge import integrate
from leadline.rules.verification import judge
from tests.unit.rules.planted import (
    NOON,
    RUN,
    brief,
    cause,
    claim,
    fact,
    observation,
    report,
    submission,
    task,
    whole,
)  # fmt: skip

FALLS = {"relation": "falls", "value": 0.1}
FAILED = observation(status="failed")
OTHER = Digest("c" * 64)


def ruling(conflict: Conflict, **given: Any) -> tuple[str, ...]:
    return rule_on(conflict, run_id=RUN, at=NOON, **given).record.upheld


# --- one report: contract, scope, evidence, claims -------------------------------------------------------------------
REPORTS: dict[str, tuple[Callable[[], Any], str, str]] = {
    "in order": (submission, "accept", ""),
    "stale contract": (lambda: submission(version="v2"), "reject", "stale"),
    "stale brief": (lambda: submission(brief=brief(contract_version="v0")), "reject", "stale"),
    "another task's result": (lambda: submission(report=report(task_id=TaskId("tsk-9"))), "reject", "tsk-9"),
    "another delegation": (lambda: submission(report=report(delegation_id="dlg-9")), "reject", "another delegation"),
    "another agent's work": (lambda: submission(report=report(agent_id=AgentId("bob"))), "reject", "does not own"),
    "an old attempt": (lambda: submission(task=task(attempt=2)), "reject", "attempt 1"),
    "no summary": (lambda: submission(report=report(summary=" ")), "reject", "no summary"),
    "a forbidden probe": (lambda: submission(brief=brief(allowed_tools=())), "reject", "forbids"),
    "a question left out": (
        lambda: submission(task=task(spec={"questions": (observation(probe="extra").call,)})), "reject", "did not ask",
    ),
    "outside its services": (
        lambda: submission(task=task(spec={"scope": Scope(allowed_domains=("door",))}, origin="person")), "reject",
        "outside its scope",
    ),
    "a citation of nothing": (lambda: submission(observations={}, reruns={}), "reject", "not there"),
    "only failed observations": (lambda: submission(seen=(FAILED,), claims=()), "reject", "answered"),
    "nothing found is an answer": (lambda: submission(seen=(observation(status="empty"),), claims=()), "accept", ""),
    "a forged digest": (
        lambda: submission(seen=(observation(fact(), answer_digest=OTHER),)), "reject", "match their digests",
    ),
    "two bundles": (
        lambda: submission(seen=(observation(fact()), observation(fact(), probe="metric_onset", bundle=OTHER))),
        "reject", "different bundles",
    ),
    "an undeclared artifact": (lambda: submission(report=report(artifacts_created=("x",))), "reject", "only read"),
    "somebody else's claims": (
        lambda: submission(claims=(claim(fact(), observation().id, made_by=AgentId("bob")),)), "reject", "of bob",
    ),
    "a claim on a partial answer": (
        lambda: submission(seen=(observation(fact(), status="partial"),)), "accept", "is partial",
    ),
    "a wrong number by rule": (
        lambda: submission(claims=(claim(fact(value=7.0), observation().id),)), "accept", "does not say so",
    ),
    "a wrong number by a model": (
        lambda: submission(claims=(claim(fact(value=7.0), observation().id, origin="model"),)), "revise", "does not say so",
    ),
    "a wrong direction": (
        lambda: submission(claims=(claim(fact(relation="falls"), observation().id, origin="model"),)), "revise", "says rises",
    ),
    "a wrong time": (
        lambda: submission(claims=(claim(fact(at=NOON + timedelta(hours=1)), observation().id, origin="model"),)),
        "revise", "does not say so",
    ),
    "a second wrong answer": (
        lambda: submission(
            claims=(claim(fact(value=7.0), observation().id, origin="model"),), task=task(rounds=1, attempt=1)
        ),
        "accept", "does not say so",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REPORTS)
def test_reports(name: str) -> None:
    plant, decision, told = REPORTS[name]
    result = judge(plant(), verifier=AgentId("vera"))
    assert result.decision == decision
    assert told in "; ".join(result.checks.failed)
    if decision == "accept" and told:
        assert not any(v.verdict == "supported" for v in result.verdicts)


def test_a_world_that_answers_otherwise_supports_nothing() -> None:
    planted = submission()
    changed = {ref: observation(fact(value=2.0)).answer for ref in planted.reruns}
    result = judge(planted._replace(reruns=changed), verifier=AgentId("vera"))
    assert [v.verdict for v in result.verdicts] == ["unsupported"]
    assert result.checks.failed


# --- two sides -------------------------------------------------------------------------------------------------------
RISES = claim(fact(), "obs-1", id=ClaimId("rises"))
DROPS = claim(fact(**FALLS, strength=0.4), "obs-2", id=ClaimId("drops"))


class TestFacts:
    def test_the_clearer_of_two_rule_claims_stands(self) -> None:
        (conflict,) = fact_conflicts([RISES, DROPS], {})
        assert ruling(conflict) == ("rises",)

    def test_what_a_rule_asked_stands_over_what_a_model_asked(self) -> None:
        loud = RISES.model_copy(update={"origin": "model", "strength": 1.0})
        (conflict,) = fact_conflicts([loud, DROPS], {})
        assert ruling(conflict) == ("drops",)

    def test_a_side_that_does_not_hold_when_asked_again_falls(self) -> None:
        (conflict,) = fact_conflicts([RISES, DROPS], {})
        assert ruling(conflict, holds={"rises": False, "drops": True}) == ("drops",)

    def test_where_no_side_holds_none_stands(self) -> None:
        (conflict,) = fact_conflicts([RISES, DROPS], {})
        assert ruling(conflict, holds={"rises": False, "drops": False}) == ()

    def test_a_right_minority_wins_against_two_that_agree(self) -> None:
        crowd = [RISES, RISES.model_copy(update={"id": ClaimId("rises-too"), "made_by": AgentId("bob")})]
        conflicts = fact_conflicts([*crowd, DROPS], {})
        holds = {"rises": False, "rises-too": False, "drops": True}
        assert {ruling(c, holds=holds) for c in conflicts} == {("drops",)}

    def test_three_agents_on_one_observation_count_once(self) -> None:
        same = [RISES.model_copy(update={"id": ClaimId(f"c{n}"), "made_by": AgentId(f"a{n}")}) for n in range(3)]
        (one,) = distinct(same)
        assert one.strength == RISES.strength
        assert one.observations == ("obs-1",)

    def test_other_numbers_of_one_moment(self) -> None:
        other = claim(fact(value=90.0), "obs-2", id=ClaimId("other"))
        assert [c.description for c in fact_conflicts([RISES, other], {})] == [
            "one says 90, the other 9 of the same moment"
        ]

    @pytest.mark.parametrize(
        "other",
        [
            claim(fact(**FALLS, at=NOON + timedelta(hours=2)), "obs-2"),
            claim(fact(**FALLS), "obs-1"),
            claim(fact(value=9.5), "obs-2"),
            claim(fact(**FALLS, subject=Subject(kind="service", ref="door")), "obs-2"),
            claim(fact(**FALLS, signal="metric:errors"), "obs-2"),
        ],
        ids=["hours apart", "one answer", "nearly equal", "another subject", "another signal"],
    )
    def test_no_conflict(self, other: Any) -> None:
        assert fact_conflicts([RISES, other], {}) == ()


BACK, ON = Remedy(action="rollback", target="till"), Remedy(action="roll-forward", target="till")
FREEZE = Requirement(id="freeze", statement="no rollback during the freeze", forbids=("rollback",), services=("till",))


class TestPlans:
    def test_the_remedy_that_can_break_least_stands(self) -> None:
        (conflict,) = plan_conflicts([BACK, ON])
        assert ruling(conflict) == ("rollback:till",)
        assert conflict.risk == "high"

    @pytest.mark.parametrize(
        "other",
        [Remedy(action="roll-forward", target="door"), Remedy(action="scale", target="till"), BACK],
        ids=["another target", "goes together", "the same"],
    )
    def test_no_conflict(self, other: Remedy) -> None:
        assert plan_conflicts([BACK, other]) == ()


class TestRequirements:
    def test_a_policy_stands(self) -> None:
        (conflict,) = requirement_conflicts([BACK], [FREEZE])
        assert (conflict.authority.type, ruling(conflict)) == ("policy", ("requirement:freeze",))

    @pytest.mark.parametrize(
        ("person", "upheld"),
        [("set_aside", "rollback:till"), ("keep", "requirement:freeze"), ("", "requirement:freeze")],
        ids=["set aside", "kept", "not asked"],
    )
    def test_its_owner_decides(self, person: str, upheld: str) -> None:
        owned = FREEZE.model_copy(update={"owner": "ada"})
        (conflict,) = requirement_conflicts([BACK], [owned])
        assert (conflict.authority.type, conflict.risk) == ("person", "high")
        assert ruling(conflict, person=person) == (upheld,)

    @pytest.mark.parametrize("remedy", [ON, Remedy(action="rollback", target="door")], ids=["allowed", "elsewhere"])
    def test_no_conflict(self, remedy: Remedy) -> None:
        assert requirement_conflicts([remedy], [FREEZE]) == ()


BASE = "a: 1\nb: 2\nc: 3\n"


def patch(content: str, by: str = "ann", base: str = BASE, path: str = "conf.yaml") -> Patch:
    return Patch(path, base, content, by)


class TestArtifacts:
    def test_changes_of_different_places_are_joined(self) -> None:
        merged = merge_patches([patch(BASE.replace("1", "7")), patch(BASE.replace("3", "9"), "bob")])
        assert merged.content == "a: 7\nb: 2\nc: 9\n"

    def test_changes_of_one_place_are_divided_anew(self) -> None:
        merged = merge_patches([patch(BASE.replace("1", "7")), patch(BASE.replace("1", "8"), "bob")])
        assert merged.content is None
        assert "same place" in merged.why

    def test_patches_of_other_bases_are_not_joined(self) -> None:
        merged = merge_patches([patch(BASE + "d: 4\n"), patch("x: 1\n", "bob", base="x: 0\n")])
        assert "another version" in merged.why

    def test_one_conflict_for_a_file_and_none_for_equal_patches(self) -> None:
        one, two = patch(BASE.replace("1", "7")), patch(BASE.replace("1", "8"), "bob")
        assert [c.subject for c in artifact_conflicts([one, two, patch("z", path="other")])] == ["conf.yaml"]
        assert artifact_conflicts([one, one._replace(by="bob")]) == ()
        assert ruling(artifact_conflicts([one, two])[0]) == ()


# --- the whole -------------------------------------------------------------------------------------------------------
def ranking(**changes: Any) -> Ranking:
    return Ranking.model_validate(
        {"outcome": "cause_found", "causes": (cause(),), "first_failing_service": "till"} | changes
    )


MADE_LATE = claim(
    fact(
        subject=Subject(kind="change", ref="c1", service="till"),
        signal="change:time",
        relation="precedes",
        at=NOON + timedelta(hours=1),
    ),
    id=ClaimId("clm-late"),
)
LATE = cause(claims=("clm-1", "clm-late"))
HELD = {"clm-1": claim(id=ClaimId("clm-1")), "clm-late": MADE_LATE}
BARE = cause("c2", claims=("clm-none",))
WHOLES: dict[str, tuple[dict[str, Any], str, str]] = {
    "in order": ({}, "cause_found", ""),
    "a cause after the alert": (
        {"ranking": ranking(causes=(LATE,)), "claims": HELD}, "inconclusive", "after the first alert",
    ),
    "symptoms seen after the alert": (
        {"ranking": ranking(causes=(cause(onset=NOON + timedelta(hours=1)),))}, "cause_found", "",
    ),
    "a late first cause and a good second": (
        {"ranking": ranking(causes=(LATE, cause("c3"))), "claims": HELD}, "cause_found", "after the first alert",
    ),
    "a cause that no claim carries": ({"ranking": ranking(causes=(BARE,))}, "inconclusive", "no accepted claim"),
    "a chain through the air": (
        {"ranking": ranking(chain=(ChainLink(source="moon", target="till", how="pulls"),))}, "cause_found", "follows no",
    ),
    "a required task undone": ({"tasks": (task(state="running"),)}, "cause_found", "is running"),
    "a contradiction left": (
        {"claims": {"clm-1": claim(id=ClaimId("clm-1")), "clm-2": claim(fact(**FALLS), id=ClaimId("clm-2"))}},
        "cause_found", "contradict each other",
    ),
    "too wide a statement": ({"ranking": ranking(affected_services=("moon",))}, "cause_found", "'moon'"),
    "over the token budget together": ({"spent": Budget(tokens=2000, seconds=1)}, "cause_found", "2000 tokens"),
    "over the time budget together": ({"spent": Budget(tokens=1, seconds=100)}, "cause_found", "100 s"),
    "found, but nothing named": ({"ranking": ranking(causes=())}, "inconclusive", "none is named"),
}  # fmt: skip


@pytest.mark.parametrize("name", WHOLES)
def test_wholes(name: str) -> None:
    plant, outcome, told = WHOLES[name]
    result = integrate(whole(**plant))
    assert result.ranking.outcome == outcome
    assert told in "; ".join(result.failed)
    assert bool(result.failed) == bool(told)
    assert "moon" not in result.ranking.affected_services
    if "chain" in name:
        assert result.ranking.chain == ()


def test_a_fallen_cause_is_kept_as_ruled_out_with_its_reason() -> None:
    result = integrate(whole(ranking=ranking(causes=(LATE,)), claims=HELD))
    assert [(r.cause.ref, r.why[:11]) for r in result.ranking.ruled_out] == [("c1", "it was made")]
