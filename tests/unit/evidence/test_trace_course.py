"""What services do differently with the same requests: invented shop, its traces and its lines."""

import pytest

from leadline.evidence.probes.trace_course import Stratum, mantel_haenszel
from tests.unit.evidence.asking import ask, minutes

INCIDENT = "schema: 1\nid: inc-1\ntitle: orders fail\nalerts: [{service: web, fired_at: 2026-03-14T03:05:00Z}]\n"
Row = dict[str, object]


def request(n: int, lines: list[tuple[str, str, str]], *, entry: str = "GET /cart", priced: bool = True) -> list[Row]:
    """web calls cart, cart calls price; `lines` are span, severity and text."""
    services = {"1": "web", "2": "cart", "3": "price"}
    spans = [("1", "", entry, 30), ("2", "1", "GetCart", 20), *([("3", "2", "Quote", 5)] if priced else [])]
    rows: list[Row] = [
        {"trace_id": f"t{n}", "span_id": s, "parent_id": p, "service": services[s], "name": name, "start": minutes(n),
         "duration_ms": ms, "status": "OK"}
        for s, p, name, ms in spans
    ]  # fmt: skip
    rows += [
        {"ts": minutes(n + 0.001 * k), "service": services[s], "severity": severity, "body": text, "trace_id": f"t{n}",
         "span_id": s}
        for k, (s, severity, text) in enumerate(lines)
    ]  # fmt: skip
    return rows


def usual(n: int) -> list[tuple[str, str, str]]:
    return [
        ("1", "INFO", f"INFO shop.Web#12 request {n}"),
        ("2", "INFO", f"INFO shop.Cart#20 items of {n}"),
        ("2", "INFO", f"INFO shop.Cart#31 total of {n}"),
        ("3", "INFO", f"INFO shop.Price#7 quote {n}"),
    ]


def files(rows: list[Row]) -> dict[str, list[Row]]:
    return {
        "traces.jsonl": [row for row in rows if "name" in row],
        "logs.jsonl": [row for row in rows if "body" in row],
    }


async def test_the_service_that_returns_early_is_named_not_its_caller(opened) -> None:
    """From minute 60 on cart stops behind its first line; web notices and logs an error."""
    rows: list[Row] = []
    for n in range(90):
        early = [*usual(n)[:2], ("1", "ERROR", "ERROR shop.Web#15 no total")]
        rows += request(n, early, priced=False) if n >= 60 else request(n, usual(n))
    answer = await ask(opened(files(rows), incident=INCIDENT), "trace_course")
    strongest = answer.facts[0]
    assert (strongest.subject.ref, strongest.signal, strongest.relation) == ("cart", "trace:course", "vanishes")
    assert "shop.Cart#31" in strongest.object
    assert (strongest.baseline, strongest.value) == (1.0, 0.0)
    assert strongest.quote.startswith("INFO shop.Cart#31 total of")
    by_service = {service: max(f.strength for f in answer.facts if f.subject.ref == service) for service in
                  {f.subject.ref for f in answer.facts}}  # fmt: skip
    assert by_service["cart"] > 0.7
    assert by_service["web"] < by_service["cart"] - 0.3
    assert "price" not in by_service


async def test_another_mix_of_requests_is_no_change(opened) -> None:
    """Nine of ten requests come by the other entry later on; each entry is handled as ever."""
    rows: list[Row] = []
    for n in range(90):
        rare = n % 10 == 0
        entry = "GET /cart" if rare == (n >= 60) else "GET /checkout"
        lines = usual(n) if entry == "GET /cart" else [usual(n)[0], ("2", "INFO", "INFO shop.Cart#77 to be paid")]
        rows += request(n, lines, entry=entry)
    answer = await ask(opened(files(rows), incident=INCIDENT), "trace_course")
    assert answer.status == "empty"


async def test_a_service_that_recovers_is_no_cause(opened) -> None:
    rows: list[Row] = []
    for n in range(90):
        failing = [*usual(n), ("3", "ERROR", "ERROR shop.Price#9 no rate")]
        rows += request(n, usual(n) if n >= 60 else failing)
    assert (await ask(opened(files(rows), incident=INCIDENT), "trace_course")).status == "empty"


async def test_renaming_and_order_change_nothing(opened) -> None:
    rows: list[Row] = []
    for n in range(90):
        rows += request(n, usual(n)[:2], priced=False) if n >= 60 else request(n, usual(n))
    one = await ask(opened(files(rows), incident=INCIDENT), "trace_course")
    other = await ask(opened(files(list(reversed(rows))), incident=INCIDENT), "trace_course")
    assert one.digest == other.digest
    renamed = [{**row, "service": {"web": "q", "cart": "r", "price": "s"}[str(row["service"])]} for row in rows]
    third = await ask(opened(files(renamed), incident=INCIDENT.replace("web", "q")), "trace_course")
    assert [(f.subject.ref, f.strength) for f in third.facts] == [
        ({"web": "q", "cart": "r", "price": "s"}[f.subject.ref], f.strength) for f in one.facts
    ]


async def test_a_normal_stretch_far_from_the_window_is_the_comparison(opened) -> None:
    """Normal traces lie five hours after the incident, and nothing lies before it."""
    rows = [row for n in range(300, 330) for row in request(n, usual(n))]
    rows += [row for n in range(60, 66) for row in request(n, usual(n)[:2], priced=False)]
    incident = INCIDENT + (
        "window: {start: 2026-03-14T02:00:00Z, end: 2026-03-14T03:10:00Z}\n"
        "baseline: {start: 2026-03-14T07:00:00Z, end: 2026-03-14T07:30:00Z}\n"
    )
    answer = await ask(opened(files(rows), incident=incident), "trace_course")
    assert answer.facts[0].subject.ref == "cart"


@pytest.mark.parametrize(
    ("strata", "difference"),
    [
        ([Stratum(10, 10, 0, 10)], -1.0),
        ([Stratum(9, 90, 1, 10), Stratum(9, 10, 81, 90)], 0.0),
        ([Stratum(5, 5, 0, 0)], 0.0),
    ],
    ids=["all vanished", "only the mix moved", "nothing to compare"],
)
def test_shares_are_compared_within_strata(strata: list[Stratum], difference: float) -> None:
    found, z = mantel_haenszel(strata)
    assert found == pytest.approx(difference)
    assert (z > 2) == (abs(difference) > 0.5)
