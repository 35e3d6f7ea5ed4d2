"""The ranking's own laws: order, names and repetition do not matter; what is taken away never helps."""

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from leadline.contracts.base import AgentId, ClaimId, ObservationId
from leadline.contracts.claim import Claim, Subject
from leadline.contracts.incident import Alert, AnswerSpace, CauseRef, Incident
from leadline.contracts.report import Ranking
from leadline.evidence.ranking import rank
from leadline.evidence.ranking.taxonomy import taxonomy

NOON = datetime(2026, 5, 5, 12, 0, tzinfo=UTC)
LEAK, TIDY = "a" * 40, "b" * 40


def at(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


def claim(number: int, kind: str, ref: str, signal: str, relation: str, **more: Any) -> Claim:
    subject = Subject(kind=kind, ref=ref, service=more.pop("service", ""))  # type: ignore[arg-type]
    return Claim(
        id=ClaimId(f"clm-{number:03d}"), subject=subject, signal=signal, relation=relation,  # type: ignore[arg-type]
        observations=(ObservationId(f"obs-{number}"),), made_by=AgentId("a"), origin="rules", **more,
    )  # fmt: skip


def story(rename: dict[str, str] | None = None) -> tuple[list[Claim], Incident]:
    """A pool that a change made smaller, felt by a caller; an innocent deploy nearer to the alert."""
    name = (rename or {}).get
    quote, shop, db = name("quote", "quote"), name("shop", "shop"), name("quotedb", "quotedb")
    claims = [
        claim(1, "service", quote, "metric:db_pool_max_connections", "falls", value=5.0, baseline=40.0, at=at(0), strength=0.9),
        claim(2, "service", quote, "metric:db_pool_wait_seconds_p99", "rises", value=8.0, baseline=0.01, at=at(6), strength=0.95),
        claim(3, "service", quote, "log:template", "appears", object="pool exhausted: no free connection", at=at(6), strength=0.9),
        claim(4, "service", shop, "log:template", "appears", object=f"call to {quote} failed: timeout", at=at(7), strength=0.9),
        claim(5, "service", shop, "metric:http_server_duration_p99_ms", "rises", value=5000.0, baseline=80.0, at=at(7), strength=0.95),
        claim(6, "service", shop, "topology:edge", "calls", object=quote, strength=1.0),
        claim(7, "service", quote, "topology:edge", "calls", object=db, strength=1.0),
        claim(8, "change", LEAK, "change:time", "precedes", service=quote, object=quote, value=1.0, at=at(-1), strength=1.0, quote="commit: deployed: tidy pool"),
        claim(9, "change", LEAK, "change:diff", "sets", object="maxConns", value=5.0, baseline=40.0, unit="1", strength=0.9, quote="pkg/db/pool.go: - maxConns = 40 + maxConns = 5"),
        claim(10, "change", TIDY, "change:time", "precedes", service=quote, object=quote, value=0.0, at=at(0), strength=1.0, quote="commit: deployed: tidy handler"),
        claim(11, "change", TIDY, "change:diff", "states", object="refactor", strength=0.75, quote="services/quote/handler.go"),
    ]  # fmt: skip
    incident = Incident(
        id="i", title="t", alerts=(Alert(service=quote, metric="db_pool_wait_seconds_p99", fired_at=at(9), summary="pool wait above 1s"),),
        answer_space=AnswerSpace(kinds=("change", "none")),
    )  # fmt: skip
    return claims, incident


def score(ranking: Ranking, ref: str) -> float:
    return next((c.score for c in ranking.causes if c.cause.ref == ref), 0.0)


def confidence(ranking: Ranking, ref: str) -> float:
    return next((c.confidence for c in ranking.causes if c.cause.ref == ref), 0.0)


def test_the_story_ends_in_its_cause() -> None:
    ranking = rank(*story())
    top = ranking.causes[0]
    assert (top.cause.ref, top.cause.service, top.reason) == (LEAK, "quote", "pool_exhaustion")
    assert top.confidence >= 0.8
    assert (ranking.first_failing_service, ranking.affected_services) == ("quote", ("shop",))
    assert [(link.source[:4], link.target) for link in ranking.chain] == [("aaaa", "quote"), ("quot", "shop")]
    assert [(r.cause.ref, r.why) for r in ranking.ruled_out] == [
        (TIDY, "Its diff cannot produce the symptoms: refactor.")
    ]
    assert (ranking.remediation[0].action, ranking.remediation[0].target) == ("rollback", "quote")
    assert ranking.onset == at(0)


def test_the_order_of_claims_does_not_matter() -> None:
    claims, incident = story()
    expected = rank(claims, incident)
    for seed in range(5):
        random.Random(seed).shuffle(claims)
        assert rank(claims, incident) == expected


def test_the_same_statement_said_twice_raises_nothing() -> None:
    claims, incident = story()
    again = [
        c.model_copy(
            update={"id": ClaimId(f"clm-9{at_:02d}"), "made_by": AgentId("b"), "observations": (ObservationId("o2"),)}
        )
        for at_, c in enumerate(claims)
    ]
    once, twice = rank(claims, incident), rank([*claims, *again], incident)
    assert [(c.cause, c.score, c.confidence) for c in twice.causes] == [
        (c.cause, c.score, c.confidence) for c in once.causes
    ]


def test_other_names_give_the_same_ranking() -> None:
    names = {"quote": "zz-payments", "shop": "alpha", "quotedb": "store9"}
    before, after = rank(*story()), rank(*story(names))
    assert [c.score for c in after.causes] == [c.score for c in before.causes]
    assert (after.first_failing_service, after.affected_services) == ("zz-payments", ("alpha",))


@pytest.mark.parametrize("number", [1, 2, 3, 8, 9])
def test_taking_evidence_away_never_helps_the_cause(number: int) -> None:
    claims, incident = story()
    whole = rank(claims, incident)
    less = rank([c for c in claims if c.id != f"clm-{number:03d}"], incident)
    assert score(less, LEAK) <= score(whole, LEAK)
    assert confidence(less, LEAK) <= confidence(whole, LEAK)


def test_without_its_diff_a_change_is_no_convincing_cause() -> None:
    claims, incident = story()
    ranking = rank([c for c in claims if c.id != "clm-009"], incident)
    assert confidence(ranking, LEAK) < 0.3
    assert any("diff" in text for text in ranking.missing)


def test_a_change_that_came_after_the_alert_is_none() -> None:
    claims, incident = story()
    late = [
        c.model_copy(update={"at": at(20), "relation": "states", "object": "live later"}) if c.id == "clm-008" else c
        for c in claims
    ]
    assert score(rank(late, incident), LEAK) < 0.05


def test_no_claims_are_not_enough_and_quiet_claims_are_no_incident() -> None:
    incident = Incident(id="i", title="t")
    assert rank([], incident).outcome == "inconclusive"
    quiet = [claim(1, "service", "a", "metric:cpu", "rises", value=2.0, baseline=1.9, strength=0.3)]
    assert rank(quiet, incident).outcome == "no_incident"


def test_one_slow_service_that_calls_unseen_ones_is_not_enough() -> None:
    claims = [
        claim(1, "service", "web", "metric:latency_p95", "rises", value=9.0, baseline=1.0, at=at(0), strength=0.9),
        claim(2, "service", "web", "topology:edge", "calls", object="back", strength=1.0),
    ]
    assert rank(claims, Incident(id="i", title="t")).outcome == "inconclusive"


def dns() -> list[Claim]:
    hosts = {"a": "api.pay.example", "b": "mail.example", "c": "store.svc"}
    return [
        claim(n, "service", s, "log:template", "appears", object=f"lookup {host}: no such host", at=at(0), strength=0.9)
        for n, (s, host) in enumerate(hosts.items(), start=1)
    ]


@pytest.mark.parametrize(
    ("kinds", "kind"), [((), "infrastructure"), (("change", "none"), "none"), (("infrastructure",), "infrastructure")]
)
def test_a_cause_without_a_change_is_named_in_the_askers_kinds(kinds: tuple[Any, ...], kind: str) -> None:
    top = rank(dns(), Incident(id="i", title="t", answer_space=AnswerSpace(kinds=kinds))).causes[0]
    assert (top.cause.kind, top.reason) == (kind, "dns_failure")


def test_only_listed_causes_and_reasons_are_named() -> None:
    claims, incident = story()
    space = AnswerSpace(
        causes=(CauseRef(kind="service", ref="shop"), CauseRef(kind="service", ref="quote")), reasons=("x",)
    )
    ranking = rank(claims, incident.model_copy(update={"answer_space": space}))
    assert [c.cause.ref for c in ranking.causes] == ["quote", "shop"]
    assert {c.reason for c in ranking.causes} == {""}


def test_a_caller_gives_way_to_the_service_that_it_calls() -> None:
    claims = [
        claim(1, "service", "web", "log:template", "appears", object="request failed: error", at=at(1), strength=0.9),
        claim(2, "service", "store", "log:template", "appears", object="write failed: error", at=at(0), strength=0.9),
        claim(3, "service", "web", "topology:edge", "calls", object="store", strength=1.0),
    ]
    ranking = rank(claims, Incident(id="i", title="t", answer_space=AnswerSpace(kinds=("service",))))
    assert [c.cause.ref for c in ranking.causes] == ["store", "web"]


def test_a_service_that_its_caller_gave_up_on_is_no_victim_of_its_own() -> None:
    claims, incident = story()
    claims.append(
        claim(
            20,
            "service",
            "quotedb",
            "log:template",
            "appears",
            object="query cancelled by client",
            at=at(6),
            strength=0.9,
        )
    )
    ranking = rank(claims, incident)
    assert (ranking.first_failing_service, ranking.affected_services) == ("quote", ("shop",))


def test_every_reason_has_one_name_and_a_remedy() -> None:
    names = [reason.name for reason in taxonomy()]
    assert len(names) == len(set(names))
    assert all(reason.remedy for reason in taxonomy())
    assert all(reason.text or reason.metrics for reason in taxonomy() if reason.operational or reason.diff)


def mismatch(number: int, ref: str, kind: str, strength: float) -> Claim:
    node = ref.startswith("worker")
    more = {} if node or "/" in ref else {"service": ref}
    return claim(
        number,
        "node" if node else "component",
        ref,
        "resource:scheduling",
        "states",
        object=kind,
        strength=strength,
        **more,
    )


def test_what_a_clusters_objects_show_is_named_in_the_askers_words() -> None:
    space = AnswerSpace(
        causes=(
            CauseRef(kind="component", ref="app/cart", service="cart"),
            CauseRef(kind="infrastructure", ref="node/worker-2"),
        ),
        reasons=("taint_toleration_mismatch", "kubelet_unavailable"),
    )
    claims = [
        mismatch(1, "cart", "taint_not_tolerated", 0.9),
        mismatch(2, "worker-2", "kubelet_unavailable", 0.7),
        claim(
            3,
            "component",
            "shop/cart-7dd764f9cc-dvz9s",
            "resource:pod",
            "fails",
            object="FailedScheduling",
            strength=0.8,
        ),
    ]
    ranking = rank(claims, Incident(id="i", title="t", answer_space=space))
    assert [(c.cause.ref, c.reason) for c in ranking.causes[:2]] == [
        ("app/cart", "taint_toleration_mismatch"), ("node/worker-2", "kubelet_unavailable"),
    ]  # fmt: skip
    assert set(ranking.causes[0].claims_for) == {"clm-001", "clm-003"}


def test_one_object_may_have_several_faults_where_the_asker_lists_them() -> None:
    space = AnswerSpace(kinds=("component",), reasons=("node_selector_mismatch", "image_not_found"))
    claims = [mismatch(1, "cart", "node_selector_mismatch", 0.9), mismatch(2, "cart", "image_not_found", 0.5)]
    ranking = rank(claims, Incident(id="i", title="t", answer_space=space))
    assert [c.reason for c in ranking.causes[:2]] == ["node_selector_mismatch", "image_not_found"]
