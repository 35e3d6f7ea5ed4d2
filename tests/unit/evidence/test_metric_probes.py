"""Metrics: what moved, when, and what only looks as if it had."""

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from tests.unit.evidence.asking import ask, at, minutes

INCIDENT = (
    "schema: 1\nid: inc-1\ntitle: slow\nalerts: [{service: web, metric: latency_ms, fired_at: 2026-03-14T03:05:00Z}]\n"
)
Curve = Callable[[int], float]


def series(service: str, metric: str, curve: Curve, *, points: int = 90, instance: str = "") -> list[dict[str, object]]:
    """A point a minute from 02:00; the alert fires at 03:05, so that before ends at 03:00."""
    return [
        {"ts": minutes(n), "service": service, "instance": instance, "metric": metric, "value": curve(n)}
        for n in range(points)
    ]


def noise(level: float, spread: float, seed: int = 1) -> Curve:
    source = random.Random(seed)
    return lambda _: level + source.uniform(-spread, spread)


def step(before: float, after: float, when: int, spread: float = 0.02) -> Curve:
    source = random.Random(when)
    return lambda n: (after if n >= when else before) * (1 + source.uniform(-spread, spread))


async def test_a_step_is_found_with_its_size_and_onset(opened) -> None:
    bundle = opened({"metrics.jsonl": series("web", "latency_ms", step(100, 400, 62))}, incident=INCIDENT)
    answer = await ask(bundle, "metric_shift")
    (fact,) = answer.facts
    assert (fact.subject.kind, fact.subject.ref, fact.signal, fact.relation) == (
        "service",
        "web",
        "metric:latency_ms",
        "rises",
    )
    assert fact.value == pytest.approx(400, rel=0.03)
    assert fact.baseline == pytest.approx(100, rel=0.03)
    assert fact.at == at(62)
    assert fact.strength > 0.85
    assert answer.rows_read == 90


@pytest.mark.parametrize(
    "curve",
    [noise(100, 5), lambda _: 7.0, lambda _: 0.0, lambda n: 100 + (n % 10), lambda n: 500.0 if n == 70 else 100.0],
    ids=["noise", "flat", "zero", "a pattern that repeats", "one outlier"],
)
async def test_what_did_not_change_says_nothing(opened, curve: Curve) -> None:
    bundle = opened({"metrics.jsonl": series("web", "latency_ms", curve)}, incident=INCIDENT)
    assert (await ask(bundle, "metric_shift")).status == "empty"


async def test_an_error_ratio_from_nothing_counts_and_a_trace_of_it_does_not(opened) -> None:
    rows = [
        *series("web", "error_ratio", lambda n: 0.3 if n >= 62 else 0.0),
        *series("cart", "error_ratio", lambda n: 0.002 if n >= 62 else 0.0),
    ]
    answer = await ask(opened({"metrics.jsonl": rows}, incident=INCIDENT), "metric_shift")
    assert [(f.subject.ref, f.relation) for f in answer.facts] == [("web", "rises")]


async def test_a_late_onset_is_found(opened) -> None:
    bundle = opened({"metrics.jsonl": series("web", "latency_ms", step(100, 300, 80))}, incident=INCIDENT)
    (fact,) = (await ask(bundle, "metric_shift")).facts
    assert fact.at == at(80)
    assert fact.strength > 0.6


async def test_a_creeping_change_that_began_before_the_split_is_found(opened) -> None:
    curve: Curve = lambda n: 100.0 + max(n - 35, 0) * 20  # noqa: E731
    bundle = opened({"metrics.jsonl": series("web", "latency_ms", curve)}, incident=INCIDENT)
    (fact,) = (await ask(bundle, "metric_shift")).facts
    assert fact.relation == "rises"
    assert fact.at is not None
    assert at(35) <= fact.at <= at(55)


async def test_a_stronger_shift_is_never_weaker(opened) -> None:
    rows = [
        row
        for n, size in enumerate((110, 130, 200, 400, 2000))
        for row in series(f"s{n}", "m", step(100, size, 62, 0.03))
    ]
    answer = await ask(opened({"metrics.jsonl": rows}, incident=INCIDENT), "metric_shift")
    by_name = {f.subject.ref: f.strength for f in answer.facts}
    strengths = [by_name.get(f"s{n}", 0.0) for n in range(5)]
    assert strengths == sorted(strengths)
    assert strengths[-1] > 0.9
    assert strengths[0] < 0.5


async def test_named_metrics_that_did_not_move_are_said_to_be_unchanged(opened) -> None:
    bundle = opened({"metrics.jsonl": series("web", "cpu", noise(50, 1))}, incident=INCIDENT)
    (fact,) = (await ask(bundle, "metric_shift", metrics=["cpu"])).facts
    assert fact.relation == "unchanged"
    assert fact.strength > 0.7


async def test_counters_are_read_as_rates_and_resets_are_no_fall(opened) -> None:
    counter: Curve = lambda n: float((n % 45) * 600)  # noqa: E731
    rising: Curve = lambda n: float(n * 60 if n < 62 else 62 * 60 + (n - 62) * 1200)  # noqa: E731
    rows = [*series("a", "requests_total", counter), *series("b", "requests_total", rising)]
    (fact,) = (await ask(opened({"metrics.jsonl": rows}, incident=INCIDENT), "metric_shift")).facts
    assert (fact.subject.ref, fact.unit) == ("b", "1/s")
    assert fact.baseline == pytest.approx(1.0)
    assert fact.value == pytest.approx(20.0)


async def test_instances_are_named_with_their_service(opened) -> None:
    rows = [
        *series("web", "cpu", step(20, 95, 62), instance="web-1"),
        *series("web", "cpu", noise(20, 1), instance="web-2"),
    ]
    (fact,) = (await ask(opened({"metrics.jsonl": rows}, incident=INCIDENT), "metric_shift")).facts
    assert (fact.subject.kind, fact.subject.ref, fact.subject.service) == ("instance", "web-1", "web")


async def test_a_stated_baseline_elsewhere_is_used(opened) -> None:
    incident = (
        "schema: 1\nid: i\ntitle: t\nwindow: {start: 2026-03-14T03:00:00Z, end: 2026-03-14T03:29:00Z}\n"
        "baseline: {start: 2026-03-14T02:00:00Z, end: 2026-03-14T02:30:00Z}\n"
    )
    bundle = opened({"metrics.jsonl": series("web", "latency_ms", step(100, 400, 50))}, incident=incident)
    (fact,) = (await ask(bundle, "metric_shift")).facts
    assert fact.baseline == pytest.approx(100, rel=0.03)
    assert fact.value == pytest.approx(400, rel=0.03)


async def test_a_baseline_may_lie_after_the_window(opened) -> None:
    incident = (
        "schema: 1\nid: i\ntitle: t\nwindow: {start: 2026-03-14T02:00:00Z, end: 2026-03-14T02:20:00Z}\n"
        "baseline: {start: 2026-03-14T02:40:00Z, end: 2026-03-14T03:29:00Z}\n"
    )
    bundle = opened({"metrics.jsonl": series("web", "latency_ms", step(400, 100, 30))}, incident=incident)
    (fact,) = (await ask(bundle, "metric_shift")).facts
    assert (fact.relation, fact.at) == ("rises", at(0))
    assert fact.value == pytest.approx(400, rel=0.03)


async def test_the_split_may_be_given(opened) -> None:
    bundle = opened({"metrics.jsonl": series("web", "latency_ms", step(100, 400, 20))}, incident=INCIDENT)
    (fact,) = (await ask(bundle, "metric_shift", split_at=minutes(20))).facts
    assert fact.at == at(20)


async def test_onset_by_change_point_withstands_holes_and_outliers(opened) -> None:
    source = random.Random(5)
    rows = series(
        "web", "queue", lambda n: (300 if n >= 41 else 100) + source.uniform(-20, 20) + (5000 if n in {7, 60} else 0)
    )
    rows = [{**row, "value": "NaN"} if n % 9 == 0 else row for n, row in enumerate(rows)]
    (fact,) = (await ask(opened({"metrics.jsonl": rows}, incident=INCIDENT), "metric_onset", metric="queue")).facts
    assert fact.relation == "rises"
    assert fact.at is not None
    assert abs(fact.at - at(41)) <= timedelta(minutes=2)


async def test_no_change_point_in_noise(opened) -> None:
    bundle = opened({"metrics.jsonl": series("web", "queue", noise(100, 5, 3))}, incident=INCIDENT)
    answer = await ask(bundle, "metric_onset", service="web", metric="queue")
    assert all(fact.strength < 0.9 for fact in answer.facts)


async def test_who_moves_first_precedes(opened) -> None:
    source = random.Random(7)
    level = [source.uniform(0, 100) for _ in range(100)]
    rows = [
        *series("db", "load", lambda n: level[n + 5]),
        *series("web", "latency", lambda n: level[n + 2] * 3 + 10),
        *series("cart", "latency", lambda n: 1000 - level[n + 2]),
        *series("other", "x", noise(5, 1, 9)),
    ]
    answer = await ask(
        opened({"metrics.jsonl": rows}, incident=INCIDENT), "metric_comovement", service="web", metric="latency"
    )
    found = {f.subject.ref: f for f in answer.facts}
    assert set(found) == {"db", "cart"}
    assert (found["db"].relation, found["db"].baseline) == ("precedes", 180.0)
    assert (found["cart"].relation, found["cart"].value) == ("matches", -1.0)


@pytest.mark.parametrize(
    ("rows", "name"),
    [
        ([*series("db", "pool_in_use", step(5, 10, 62, 0)), *series("db", "pool_max", lambda _: 10.0)], "pool_in_use"),
        ([*series("db", "db_connections_active", step(40, 100, 62, 0)), *series("db", "db_connections_limit", lambda _: 100.0)],
         "db_connections_active"),
        (series("db", "cpu_utilization", step(30, 97, 62, 0)), "cpu_utilization"),
        (series("db", "disk_used_percent", step(50, 99, 62, 0)), "disk_used_percent"),
    ],
)  # fmt: skip
async def test_what_runs_at_its_limit_is_saturated(opened, rows: list[dict[str, object]], name: str) -> None:
    (fact,) = (await ask(opened({"metrics.jsonl": rows}, incident=INCIDENT), "saturation")).facts
    assert (fact.signal, fact.relation, fact.object) == (f"metric:{name}", "states", "saturated")
    assert fact.at == at(62)
    assert fact.strength >= 0.8


async def test_a_success_ratio_near_one_is_no_saturation(opened) -> None:
    rows = [*series("web", "success_ratio", lambda _: 0.99), *series("web", "cache_hit_ratio", lambda _: 0.98)]
    assert (await ask(opened({"metrics.jsonl": rows}, incident=INCIDENT), "saturation")).status == "empty"


async def test_an_alert_outside_the_window_splits_in_the_middle(opened) -> None:
    incident = INCIDENT.replace("2026-03-14T03:05:00Z", "2027-03-14T03:05:00Z")
    periods = (
        opened({"metrics.jsonl": series("web", "m", noise(1, 0.1), points=61)}, incident=incident).tables().periods()
    )
    assert periods is not None
    assert not periods.told
    assert periods.split == datetime(2026, 3, 14, 2, 30, tzinfo=UTC)


async def test_a_share_that_is_usually_full_is_judged_by_what_it_lacks(opened) -> None:
    rows = [
        *series("web", "availability", lambda n: 96.0 if n >= 62 else 100.0),
        *series("cart", "cpu_percent", lambda n: 46.0 if n >= 62 else 50.0),
    ]
    answer = await ask(opened({"metrics.jsonl": [{**r, "unit": "%"} for r in rows]}, incident=INCIDENT), "metric_shift")
    first = answer.facts[0]
    assert (first.subject.ref, first.relation, first.value, first.baseline) == ("web", "falls", 96.0, 100.0)
    assert first.at == at(62)
    assert first.strength > 0.5
    assert all(fact.strength < 0.35 for fact in answer.facts[1:])


async def test_seconds_are_not_taken_for_milliseconds(opened) -> None:
    rows = [{**r, "unit": "s"} for r in series("web", "latency_p50", step(0.195, 0.65, 62))]
    (fact,) = (await ask(opened({"metrics.jsonl": rows}, incident=INCIDENT), "metric_shift")).facts
    assert fact.strength > 0.8
