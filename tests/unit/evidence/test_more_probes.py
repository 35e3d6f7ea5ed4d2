"""Statuses, numbers in lines, calendars, and load against use."""

import random

import pytest

from tests.unit.evidence.asking import ask, at, minutes

INCIDENT = "schema: 1\nid: inc-1\ntitle: slow\nalerts: [{service: web, fired_at: 2026-03-14T03:05:00Z}]\n"


def line(minute: float, body: str, service: str = "web", severity: str = "INFO") -> dict[str, object]:
    return {"ts": minutes(minute), "service": service, "level": severity, "msg": body}


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ('GET / HTTP/1.1" 503 12', "503"),
        ("upstream status=504 after retry", "504"),
        ("rpc error: code = Unavailable desc = gone", "Unavailable"),
        ("java.lang.NullPointerException: id", "NullPointerException"),
        ("raise TimeoutError", "TimeoutError"),
    ],
)
async def test_a_new_status_is_named(opened, body: str, name: str) -> None:
    rows = [line(n, "status=200 fine") for n in range(90)] + [line(61 + n / 2, body) for n in range(40)]
    answer = await ask(opened({"logs.jsonl": rows}, incident=INCIDENT), "log_status")
    first = answer.facts[0]
    assert (first.subject.ref, first.signal, first.relation, first.object, first.at) == (
        "web",
        "log:status",
        "appears",
        name,
        at(61),
    )
    assert first.strength > 0.6
    assert all(fact.object != "200" for fact in answer.facts)


async def test_numbers_that_are_no_status_are_left_alone(opened) -> None:
    rows = [line(n, f"processed 503 items in {n} ms, error rate fine") for n in range(90)]
    assert (await ask(opened({"logs.jsonl": rows}, incident=INCIDENT), "log_status")).status == "empty"


async def test_a_duration_inside_a_line_drifts(opened) -> None:
    source = random.Random(2)
    rows = [
        line(n / 2, f"query 77 took {(900 if n >= 124 else 40) + source.randint(-4, 4)} ms for order {10_000 + n}")
        for n in range(180)
    ]
    (fact,) = (await ask(opened({"logs.jsonl": rows}, incident=INCIDENT), "log_parameters")).facts
    assert (fact.signal, fact.relation) == ("log:parameter", "rises")
    assert fact.object.startswith("number 2 of query <*> took <*> ms")
    assert fact.value == pytest.approx(900, rel=0.01)
    assert fact.baseline == pytest.approx(40, rel=0.1)
    assert fact.strength > 0.8


async def test_ids_that_grow_all_along_are_no_drift(opened) -> None:
    rows = [line(n / 2, f"order {1000 + n * 7} stored in shard {n % 8}") for n in range(180)]
    assert (await ask(opened({"logs.jsonl": rows}, incident=INCIDENT), "log_parameters")).status == "empty"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("notAfter: 2026-03-14T02:30:00Z", "expired"),
        ("Not After : Mar 14 02:30:00 2026 GMT", "expired"),
        ('{"expires_at": "2026-03-14T02:30:00+00:00"}', "expired"),
        ("valid until 2026-03-18", "expires_soon"),
        ("Not Before: Mar 15 02:30:00 2026 GMT", "not_yet_valid"),
        ("notAfter: 2031-01-01T00:00:00Z", ""),
        ("notBefore: 2020-01-01T00:00:00Z", ""),
        ("expires: 9999-99-99T00:00:00Z", ""),
    ],
)
async def test_dates_that_ran_out(opened, body: str, said: str) -> None:
    files = {
        "resources.jsonl": [{"kind": "Certificate", "namespace": "app", "name": "tls", "body": body}],
        "logs.jsonl": [line(n, "x") for n in range(90)],
    }
    answer = await ask(opened(files, incident=INCIDENT), "expiry")
    assert [(f.subject.ref, f.object) for f in answer.facts] == ([("app/tls", said)] if said else [])


async def test_a_log_line_may_tell_of_an_expiry(opened) -> None:
    rows = [line(n, "x") for n in range(90)]
    rows.append(
        line(63, "x509: certificate has expired: current time is later, expired on 2026-03-14T03:00:00Z", "auth")
    )
    (fact,) = (await ask(opened({"logs.jsonl": rows}, incident=INCIDENT), "expiry")).facts
    assert (fact.subject.ref, fact.relation, fact.object, fact.at, fact.strength) == (
        "auth",
        "fails",
        "expired",
        at(60),
        0.95,
    )


def metric(name: str, before: float, after: float, service: str = "web") -> list[dict[str, object]]:
    source = random.Random(name)
    return [
        {
            "ts": minutes(n),
            "service": service,
            "metric": name,
            "value": (after if n >= 62 else before) * source.uniform(0.98, 1.02),
        }
        for n in range(90)
    ]


@pytest.mark.parametrize(
    ("traffic", "use", "said"),
    [
        ((100, 400), (20, 80), "load_driven"),
        ((100, 100), (20, 80), "cost_per_request"),
        ((100, 400), (20, 20), "absorbed"),
        ((100, 100), (20, 20), ""),
        ((400, 100), (20, 80), ""),
    ],
)
async def test_load_against_use(opened, traffic: tuple[float, float], use: tuple[float, float], said: str) -> None:
    rows = [*metric("requests_per_sec", *traffic), *metric("cpu_utilization", *use)]
    answer = await ask(opened({"metrics.jsonl": rows}, incident=INCIDENT), "traffic_capacity")
    assert [(f.subject.ref, f.signal, f.object) for f in answer.facts] == (
        [("web", "capacity:load", said)] if said else []
    )
    if said == "load_driven":
        assert answer.facts[0].value == pytest.approx(4, rel=0.05)
        assert answer.facts[0].at == at(62)
