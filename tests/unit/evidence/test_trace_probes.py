"""Traces and topology: whose own time and whose own failure it is."""

import pytest

from tests.unit.evidence.asking import ask, at, minutes

INCIDENT = "schema: 1\nid: inc-1\ntitle: slow\nalerts: [{service: web, fired_at: 2026-03-14T03:05:00Z}]\n"
Span = dict[str, object]


def request(n: int, *, db_ms: float = 5, queue_ms: float = 1, db_fails: bool = False, db_calls: int = 1) -> list[Span]:
    """web calls cart, cart calls db; each waits for what it calls."""
    inner = db_ms * db_calls
    cart_ms, web_ms = inner + 10, inner + 10 + queue_ms + 20
    failed = "ERROR" if db_fails else "OK"
    spans = [("1", "", "web", "GET /", web_ms), ("2", "1", "cart", "GetCart", cart_ms)]
    spans += [(f"3{k}", "2", "db", "SELECT", db_ms) for k in range(db_calls)]
    return [
        {"trace_id": f"t{n}", "span_id": s, "parent_id": p, "service": service, "name": name, "start": minutes(n),
         "duration_ms": ms, "status": failed}
        for s, p, service, name, ms in spans
    ]  # fmt: skip


def traffic(**later: float) -> list[Span]:
    return [span for n in range(90) for span in request(n, **(later if n >= 60 else {}))]  # type: ignore[arg-type]


async def test_only_the_slow_callee_is_slow_itself(opened) -> None:
    answer = await ask(opened({"traces.jsonl": traffic(db_ms=200)}, incident=INCIDENT), "trace_self_time")
    found = {(f.subject.ref, f.object): f for f in answer.facts}
    assert set(found) == {("db", ""), ("db", "SELECT")}
    fact = found["db", "SELECT"]
    assert (fact.relation, fact.value, fact.baseline, fact.unit) == ("slows", 200.0, 5.0, "ms")
    assert fact.at == at(60)
    assert fact.strength > 0.9


async def test_nothing_slows_where_nothing_changed(opened) -> None:
    assert (await ask(opened({"traces.jsonl": traffic()}, incident=INCIDENT), "trace_self_time")).status == "empty"


async def test_without_a_time_before_who_holds_the_time_is_said(opened) -> None:
    rows = [span for n in range(61, 70) for span in request(n, db_ms=500)]
    incident = INCIDENT + "window: {start: 2026-03-14T02:00:00Z, end: 2026-03-14T03:30:00Z}\n"
    answer = await ask(opened({"traces.jsonl": rows}, incident=incident), "trace_self_time")
    assert [(f.subject.ref, f.relation, f.object) for f in answer.facts] == [("db", "states", "holds_time")]


async def test_a_failure_that_is_passed_on_is_not_ones_own(opened) -> None:
    answer = await ask(opened({"traces.jsonl": traffic(db_fails=True)}, incident=INCIDENT), "trace_errors")
    own = {f.subject.ref for f in answer.facts if f.signal == "trace:own_error_rate"}
    all_of_them = {f.subject.ref for f in answer.facts if f.signal == "trace:error_rate"}
    assert own == {"db"}
    assert all_of_them == {"db", "cart", "web", "web->cart", "cart->db"}
    edge = next(f for f in answer.facts if f.subject.ref == "cart->db")
    assert (edge.subject.kind, edge.subject.service, edge.value, edge.baseline) == ("edge", "db", 1.0, 0.0)
    assert edge.at == at(60)
    assert edge.strength > 0.5


async def test_waiting_between_caller_and_callee_is_found(opened) -> None:
    answer = await ask(opened({"traces.jsonl": traffic(queue_ms=300)}, incident=INCIDENT), "trace_gap")
    slow = [f for f in answer.facts if f.signal == "trace:gap"]
    assert [f.subject.ref for f in slow] == ["web->cart"]
    assert slow[0].value == pytest.approx(320)
    assert slow[0].baseline == pytest.approx(21)


async def test_a_call_repeated_per_request_is_found(opened) -> None:
    answer = await ask(opened({"traces.jsonl": traffic(db_calls=9)}, incident=INCIDENT), "trace_gap")
    (fact,) = [f for f in answer.facts if f.signal == "trace:calls_per_span"]
    assert (fact.subject.ref, fact.relation, fact.value, fact.baseline) == ("cart->db", "rises", 9.0, 1.0)


async def test_a_call_that_is_not_made_any_more_vanishes(opened) -> None:
    answer = await ask(opened({"traces.jsonl": traffic(db_calls=0)}, incident=INCIDENT), "trace_gap")
    (fact,) = [f for f in answer.facts if f.signal == "trace:calls_per_span"]
    assert (fact.subject.ref, fact.relation, fact.value) == ("cart->db", "vanishes", 0.0)


async def test_who_is_called_more(opened) -> None:
    answer = await ask(opened({"traces.jsonl": traffic(db_calls=9)}, incident=INCIDENT), "trace_rate")
    assert {(f.subject.ref, f.relation) for f in answer.facts} == {("db", "rises")}
    assert answer.rows_read == 60 * 3 + 30 * 11


async def test_spans_without_durations_or_times_are_left_out(opened) -> None:
    rows = [*traffic(), {"trace_id": "x", "span_id": "1", "service": "web"}]
    bundle = opened({"traces.jsonl": rows}, incident=INCIDENT)
    for probe in ("trace_self_time", "trace_errors", "trace_gap", "trace_rate"):
        assert (await ask(bundle, probe)).status in {"ok", "empty"}


async def test_the_call_graph_around_a_service(opened) -> None:
    bundle = opened({"topology.csv": "caller,callee\nweb,cart\ncart,db\nother,thing\n"})
    answer = await ask(bundle, "call_graph", services=["web"])
    assert [(f.subject.ref, f.object, f.strength) for f in answer.facts] == [("web", "cart", 1.0), ("cart", "db", 0.5)]
    assert len((await ask(bundle, "call_graph")).facts) == 3


@pytest.mark.parametrize(
    ("edges", "odd", "places"),
    [
        ("web,cart\ncart,db", ["web", "cart", "db"],
         {"db": "deepest_anomalous", "cart": "upstream_of_anomalous", "web": "upstream_of_anomalous"}),
        ("web,cart\ncart,db", ["web", "cart"], {"cart": "deepest_anomalous", "web": "upstream_of_anomalous"}),
        ("web,cart\ncart,db", ["web", "db"], {"db": "deepest_anomalous", "web": "upstream_of_anomalous"}),
        ("web,cart\nmail,smtp", ["web", "smtp"], {"smtp": "isolated", "web": "isolated"}),
        ("a,b\nb,a\nweb,a", ["a", "b", "web"],
         {"a": "deepest_anomalous", "b": "deepest_anomalous", "web": "upstream_of_anomalous"}),
        ("web,cart", ["cart"], {"cart": "deepest_anomalous"}),
    ],
    ids=["chain", "leaf is healthy", "gap between", "apart", "ring", "alone"],
)  # fmt: skip
async def test_the_deepest_of_the_odd_ones(opened, edges: str, odd: list[str], places: dict[str, str]) -> None:
    answer = await ask(opened({"topology.csv": f"caller,callee\n{edges}\n"}), "deepest_anomalous_callee", services=odd)
    assert {f.subject.ref: f.object for f in answer.facts} == places


async def test_a_service_that_no_one_knows_is_said(opened) -> None:
    answer = await ask(opened({"topology.csv": "caller,callee\na,b\n"}), "deepest_anomalous_callee", services=["ghost"])
    assert answer.status == "empty"
    assert "ghost" in answer.note
