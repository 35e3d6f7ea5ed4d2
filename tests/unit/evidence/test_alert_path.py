"""From the alert along the calls: an invented shop of services, a database and an address."""

from leadline.evidence import OpenedBundle
from tests.unit.evidence.asking import ask, minutes

Row = dict[str, object]
CALLS = [("site", "search"), ("site", "lb.internal"), ("search", "table"), ("search", "bucket"), ("site", "pay")]


def bundle_of(opened, moved: dict[str, float], *, always: frozenset[str] = frozenset(), metric: str = "latency_ms",
              alert: str = "latency_ms") -> OpenedBundle:  # fmt: skip
    """A point a minute for 90 minutes; from minute 80 on (or all the time but in the baseline) the given values."""
    names = {name for edge in CALLS for name in edge}
    rows: list[Row] = []
    for n in range(90):
        for name in sorted(names):
            off = name in moved and (n >= 80 or (name in always and n >= 60))
            rows.append({"ts": minutes(n), "service": name, "metric": metric,
                         "value": (moved[name] if off else 100.0) + n % 3})  # fmt: skip
    incident = (
        "schema: 1\nid: inc-1\ntitle: slow\n"
        f"alerts: [{{service: site, metric: {alert}, fired_at: 2026-03-14T03:25:00Z}}]\n"
        "window: {start: 2026-03-14T03:00:00Z, end: 2026-03-14T03:30:00Z}\n"
        "baseline: {start: 2026-03-14T02:00:00Z, end: 2026-03-14T03:00:00Z}\n"
    )
    edges = [{"caller": a, "callee": b} for a, b in CALLS]
    return opened({"metrics.jsonl": rows, "topology.jsonl": edges}, incident=incident)


async def test_the_path_ends_at_the_callee_that_moves_as_much(opened) -> None:
    answer = await ask(bundle_of(opened, {"site": 200, "search": 300, "table": 280}), "alert_path")
    found = {f.subject.ref: (f.object, f.strength) for f in answer.facts}
    assert set(found) == {"site", "search", "table"}
    assert found["table"][0] == "the path ends here"
    assert found["search"][0] == "leads to table"
    assert found["site"][0] == "leads to search"
    assert found["table"][1] > found["search"][1] > found["site"][1]


async def test_a_callee_that_moves_a_little_does_not_explain(opened) -> None:
    answer = await ask(bundle_of(opened, {"site": 200, "search": 300, "table": 130}), "alert_path")
    first = answer.facts[0]
    assert (first.subject.ref, first.object, first.relation) == ("search", "the path ends here", "rises")


async def test_an_address_is_not_preferred_to_the_service_behind_it(opened) -> None:
    answer = await ask(bundle_of(opened, {"site": 200, "search": 300, "lb.internal": 900}), "alert_path")
    assert answer.facts[0].subject.ref == "search"
    assert next(f for f in answer.facts if f.subject.ref == "lb.internal").strength < 0.5


async def test_what_lies_off_all_the_time_is_no_incident(opened) -> None:
    answer = await ask(bundle_of(opened, {"pay": 300}, always=frozenset({"pay"})), "alert_path")
    assert answer.status == "empty"


async def test_a_share_of_success_falls(opened) -> None:
    bundle = bundle_of(opened, {"site": 97, "search": 90}, metric="availability", alert="availability")
    first = (await ask(bundle, "alert_path")).facts[0]
    assert (first.subject.ref, first.relation) == ("search", "falls")


async def test_an_alert_on_another_kind_of_measure_has_no_path(opened) -> None:
    answer = await ask(bundle_of(opened, {"site": 300}, alert="queue_depth"), "alert_path")
    assert (answer.status, answer.note[:8]) == ("empty", "no alert")


async def test_where_something_runs_is_no_call(opened) -> None:
    edges = [
        {"caller": "site", "callee": "pay", "kind": "calls"},
        {"caller": "site", "callee": "n1", "kind": "runs_on"},
    ]
    answer = await ask(opened({"topology.jsonl": edges}, incident="schema: 1\nid: inc-1\ntitle: slow\n"), "call_graph")
    assert [(f.subject.ref, f.object) for f in answer.facts] == [("site", "pay")]
