"""Analysts ask until they have seen enough, and claim nothing but what a probe said."""

from datetime import UTC, datetime, timedelta

import pytest

from leadline.contracts.base import AgentId, Digest, TaskId
from leadline.contracts.claim import Fact, Subject
from leadline.contracts.delegation import CaseView
from leadline.contracts.evidence import Answer, Observation, ObservationStatus, ProbeCall
from leadline.contracts.incident import TimeWindow
from leadline.evidence.analysts import all_analysts
from leadline.evidence.analysts.base import MAX_FINDINGS, claim_from
from leadline.evidence.analysts.changes import ChangesAnalyst
from leadline.evidence.analysts.logs import LogsAnalyst
from leadline.evidence.analysts.metrics import MetricsAnalyst
from leadline.evidence.analysts.terms import anomaly_terms
from leadline.evidence.analysts.topology import TopologyAnalyst

EIGHT = datetime(2026, 5, 5, 8, 0, tzinfo=UTC)
AGENT = AgentId("metrics")
SHIFT = Fact(
    subject=Subject(kind="service", ref="quote"), signal="metric:cpu", relation="rises", value=90.0, baseline=20.0, at=EIGHT, strength=0.8
)  # fmt: skip


def observed(call: ProbeCall, *facts: Fact, status: ObservationStatus = "ok", hours: float = 1.0) -> Observation:
    answer = Answer(status=status, facts=facts, window=TimeWindow(start=EIGHT, end=EIGHT + timedelta(hours=hours)))
    return Observation(
        id=Observation.id_for(call, Digest("d")), call=call, probe_version=1, bundle_digest=Digest("d"), answer=answer,
        answer_digest=answer.digest, asked_by=AGENT, task_id=TaskId("t"), asked_for="rules",
    )  # fmt: skip


def view(*facts: Fact, services: tuple[str, ...] = ()) -> CaseView:
    seen = observed(ProbeCall(probe="x"), *facts)
    return CaseView(task_id=TaskId("t"), services=services, upstream=tuple(claim_from(f, seen, AGENT) for f in facts))


def time_of(ref: str, strength: float, minutes: float = 5.0) -> Fact:
    return Fact(
        subject=Subject(kind="change", ref=ref, service="quote"), signal="change:time", relation="precedes", object="quote",
        value=minutes, strength=strength,
    )  # fmt: skip


def test_there_is_one_analyst_for_each_field() -> None:
    assert [analyst.capability for analyst in all_analysts()] == [
        "analyze_metrics", "analyze_logs", "analyze_traces", "analyze_topology", "analyze_resources", "analyze_documents",
        "analyze_changes",
    ]  # fmt: skip


def test_no_analyst_builds_on_one_that_comes_later() -> None:
    known: set[str] = set()
    for analyst in all_analysts():
        assert set(analyst.after) <= known
        known.add(analyst.capability)


def test_a_claim_repeats_its_fact_and_always_has_the_same_id() -> None:
    seen = observed(ProbeCall(probe="metric_shift"), SHIFT)
    claim = claim_from(SHIFT, seen, AGENT)
    assert {name: getattr(claim, name) for name in Fact.model_fields} == {
        n: getattr(SHIFT, n) for n in Fact.model_fields
    }
    assert claim.observations == (seen.id,)
    assert claim.id == claim_from(SHIFT, seen, AGENT).id != claim_from(SHIFT, seen, AgentId("other")).id


def test_confidence_is_strength_times_trust() -> None:
    (finding,) = MetricsAnalyst().findings(view(), [observed(ProbeCall(probe="metric_shift"), SHIFT)], AGENT)
    assert finding.confidence == pytest.approx(0.8 * 0.9)


@pytest.mark.parametrize("status", ["empty", "partial", "denied", "failed"])
def test_only_an_answer_that_is_ok_carries_a_claim(status: ObservationStatus) -> None:
    assert (
        MetricsAnalyst().findings(view(), [observed(ProbeCall(probe="metric_shift"), SHIFT, status=status)], AGENT)
        == ()
    )


def test_findings_are_bounded_and_strongest_first() -> None:
    facts = [SHIFT.model_copy(update={"signal": f"metric:m{n}", "strength": n / 100}) for n in range(90)]
    found = MetricsAnalyst().findings(view(), [observed(ProbeCall(probe="metric_shift"), *facts)], AGENT)
    assert len(found) == MAX_FINDINGS
    assert found[0].claim.signal == "metric:m89"
    assert [f.confidence for f in found] == sorted((f.confidence for f in found), reverse=True)


def test_a_long_span_is_searched_for_a_slow_beginning_and_then_enough_was_asked() -> None:
    analyst = MetricsAnalyst()
    first, path = analyst.next_questions(view(), [])
    assert (first, path) == (ProbeCall(probe="metric_shift"), ProbeCall(probe="alert_path"))
    seen = [observed(first, SHIFT, hours=4), observed(path)]
    (second,) = analyst.next_questions(view(), seen)
    assert second.params == {"split_at": (EIGHT + timedelta(hours=1)).isoformat()}
    assert analyst.next_questions(view(), [*seen, observed(second, hours=4)]) == ()


def test_a_short_span_is_asked_once() -> None:
    analyst = MetricsAnalyst()
    first, path = analyst.next_questions(view(), [])
    assert analyst.next_questions(view(), [observed(first, SHIFT, hours=1), observed(path)]) == ()


def test_a_later_question_says_nothing_new_of_the_same_thing() -> None:
    first, second = ProbeCall(probe="metric_shift"), ProbeCall(probe="metric_shift", params={"split_at": "x"})
    other = SHIFT.model_copy(update={"baseline": 30.0})
    fresh = SHIFT.model_copy(update={"signal": "metric:rows"})
    found = MetricsAnalyst().findings(view(), [observed(first, SHIFT), observed(second, other, fresh)], AGENT)
    assert [(f.claim.signal, f.claim.baseline) for f in found] == [
        ("metric:cpu", 20.0),
        ("metric:rows", 20.0),
    ] or sorted((f.claim.signal, f.claim.baseline) for f in found) == [("metric:cpu", 20.0), ("metric:rows", 20.0)]


def test_a_limited_task_asks_of_its_services_only() -> None:
    (call,) = MetricsAnalyst().next_questions(view(services=("quote",)), [])
    assert call.params == {"services": ["quote"]}


def test_a_probe_that_the_bundle_cannot_answer_is_not_asked() -> None:
    assert LogsAnalyst(probes=frozenset({"log_error_rate"})).next_questions(view(), []) == (
        ProbeCall(probe="log_error_rate"),
    )


def test_topology_asks_for_the_place_of_what_is_in_trouble() -> None:
    busy = SHIFT.model_copy(
        update={"subject": Subject(kind="service", ref="store"), "signal": "metric:requests_per_sec"}
    )
    calls = TopologyAnalyst().next_questions(view(SHIFT, busy), [])
    assert calls[1] == ProbeCall(probe="deepest_anomalous_callee", params={"services": ["quote"]})


def test_routine_log_lines_give_way_to_trouble() -> None:
    def line(text: str) -> Fact:
        return SHIFT.model_copy(update={"signal": "log:template", "relation": "appears", "object": text})

    found = LogsAnalyst().findings(
        view(), [observed(ProbeCall(probe="log_templates"), line("started on 80"), line("write failed"))], AGENT
    )
    assert [f.claim.object for f in found] == ["write failed"]


def test_changes_are_asked_before_the_onset_and_then_by_their_diffs() -> None:
    analyst = ChangesAnalyst()
    seen_so_far = view(SHIFT)
    (first,) = analyst.next_questions(seen_so_far, [])
    assert first == ProbeCall(probe="change_before_onset", params={"before": EIGHT.isoformat()})
    later = analyst.next_questions(
        seen_so_far, [observed(first, time_of("near", 1.0, 2.0), time_of("far", 1.0, 90.0), time_of("docs", 0.1))]
    )
    assert [call.params["ref"] for call in later] == ["near", "far"]
    assert later[0].params["terms"] == ["cpu"]


def test_every_change_keeps_its_time_and_its_clearest_effect() -> None:
    facts = [time_of(f"c{n:02d}", 1.0) for n in range(25)]
    effects = [
        Fact(subject=Subject(kind="change", ref=f"c{n:02d}"), signal="change:diff", relation="sets", object=f"k{k}", strength=0.9 - k / 10)
        for n in range(25) for k in range(4)
    ]  # fmt: skip
    seen = [
        observed(ProbeCall(probe="change_before_onset"), *facts),
        observed(ProbeCall(probe="change_diff"), *effects),
    ]
    found = ChangesAnalyst().findings(view(), seen, AGENT)
    assert len(found) == MAX_FINDINGS
    kept = {f.claim.subject.ref for f in found if f.claim.object == "k0"}
    assert len(kept) == 20
    assert {f.claim.subject.ref for f in found if f.claim.signal == "change:time"} == kept


def test_terms_come_from_what_went_wrong() -> None:
    said = SHIFT.model_copy(
        update={"signal": "log:template", "relation": "appears", "object": "seat lookup failed", "strength": 0.9}
    )
    gone = SHIFT.model_copy(update={"signal": "log:template", "relation": "vanishes", "object": "booked deck"})
    assert anomaly_terms(view(said, gone, SHIFT).upstream) == ("lookup", "seat", "cpu")
