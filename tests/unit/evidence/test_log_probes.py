"""Logs: what is new, what is more, and the one line that matters."""

import random

import pytest

from tests.unit.evidence.asking import ask, at, minutes

INCIDENT = "schema: 1\nid: inc-1\ntitle: slow\nalerts: [{service: web, fired_at: 2026-03-14T03:05:00Z}]\n"


def line(minute: float, service: str, severity: str, body: str) -> dict[str, object]:
    return {"ts": minutes(minute), "service": service, "level": severity, "msg": body}


def chatter(service: str = "web", until: int = 90, per_minute: int = 2) -> list[dict[str, object]]:
    source = random.Random(4)
    return [
        line(
            n + k / per_minute,
            service,
            "INFO",
            f"served /items/{source.randint(1, 9999)} in {source.randint(5, 90)} ms",
        )
        for n in range(until)
        for k in range(per_minute)
    ]


async def test_a_new_error_is_found_with_its_template_and_first_time(opened) -> None:
    rows = chatter() + [
        line(61 + n, "web", "ERROR", f"connect to 10.0.0.{n}:5432 refused after {n} tries") for n in range(20)
    ]
    answer = await ask(opened({"logs.jsonl": rows}, incident=INCIDENT), "log_templates")
    first = answer.facts[0]
    assert (first.subject.ref, first.signal, first.relation) == ("web", "log:template", "appears")
    assert first.object == "connect to <*> refused after <*> tries"
    assert first.at == at(61)
    assert first.baseline == 0
    assert first.value == pytest.approx(20 / (90 - 0.5 - 60), rel=0.05)
    assert first.strength > 0.85
    assert first.quote.startswith("connect to 10.0.0.")
    assert all(fact.object != "served <*> in <*> ms" for fact in answer.facts)


async def test_more_of_the_same_rises_and_less_falls(opened) -> None:
    rows = chatter("web") + chatter("cart", until=60, per_minute=3)
    rows += [line(n, "web", "WARN", f"retry {n}") for n in range(0, 60, 10)]
    rows += [line(60 + n / 10, "web", "WARN", f"retry {n}") for n in range(290)]
    answer = await ask(opened({"logs.jsonl": rows}, incident=INCIDENT), "log_templates")
    found = {(f.subject.ref, f.relation): f for f in answer.facts}
    assert found["web", "rises"].object == "retry <*>"
    assert found["web", "rises"].value == pytest.approx(10, rel=0.1)
    assert found["web", "rises"].baseline == pytest.approx(0.1, rel=0.1)
    assert found["cart", "vanishes"].value == 0


async def test_one_fatal_line_is_not_drowned(opened) -> None:
    flood = [line(60 + n / 30, "search", "ERROR", f"index corrupted shard={n}") for n in range(600)]
    rows = (
        chatter("search", until=60) + flood + [line(65, "db", "FATAL", "disk full: could not write WAL segment 0001")]
    )
    answer = await ask(opened({"logs.jsonl": rows}, incident=INCIDENT), "log_templates")
    assert {f.subject.ref for f in answer.facts[:2]} == {"db", "search"}
    assert any("disk full" in f.object and f.strength > 0.7 for f in answer.facts)


async def test_a_fatal_line_is_told_even_if_nobody_knows_when_it_began(opened) -> None:
    rows = [*chatter("web", until=20), line(3, "db", "FATAL", "disk full")]
    answer = await ask(opened({"logs.jsonl": rows}), "log_templates")
    assert [(f.subject.ref, f.relation, f.at) for f in answer.facts] == [("db", "fails", at(3))]


async def test_errors_that_began_just_before_the_split_count_as_new(opened) -> None:
    rows = chatter() + [line(54 + n, "web", "ERROR", "pool exhausted") for n in range(30)]
    first = (await ask(opened({"logs.jsonl": rows}, incident=INCIDENT), "log_templates")).facts[0]
    assert (first.relation, first.at) == ("appears", at(54))


async def test_words_of_alarm_count_where_no_level_is_written(opened) -> None:
    rows = [{**row, "level": ""} for row in chatter()]
    rows += [line(62 + n, "web", "", "goroutine 1: panic: nil pointer") for n in range(5)]
    rows += [line(62 + n, "web", "", "user logged in") for n in range(5)]
    answer = await ask(opened({"logs.jsonl": rows}, incident=INCIDENT), "log_templates")
    strengths = {f.object: f.strength for f in answer.facts}
    panic = next(s for o, s in strengths.items() if "panic" in o)
    assert panic > 0.6
    assert panic > strengths["user logged in"]


async def test_services_can_be_chosen(opened) -> None:
    rows = [line(62, s, "ERROR", f"{s} broke") for s in ("web", "cart")]
    bundle = opened({"logs.jsonl": chatter() + rows}, incident=INCIDENT)
    answer = await ask(bundle, "log_templates", services=["cart"])
    assert {f.subject.ref for f in answer.facts} == {"cart"}
    assert answer.rows_read == 1


async def test_error_rate_says_who_fails_more(opened) -> None:
    rows = chatter("web") + chatter("cart") + [line(60 + n / 2, "web", "ERROR", "x") for n in range(60)]
    rows += [line(n, "cart", "ERROR", "y") for n in range(0, 90, 6)]
    bundle = opened({"logs.jsonl": rows}, incident=INCIDENT)
    (fact,) = (await ask(bundle, "log_error_rate")).facts
    assert (fact.subject.ref, fact.relation, fact.unit, fact.at) == ("web", "rises", "per_min", at(60))
    assert fact.value == pytest.approx(60 / 29.5, rel=0.05)
    assert fact.baseline == 0
    named = await ask(bundle, "log_error_rate", services=["cart"])
    assert [(f.subject.ref, f.relation) for f in named.facts] == [("cart", "unchanged")]


async def test_first_seen_by_pattern(opened) -> None:
    rows = [*chatter(), line(70, "db", "ERROR", "code=E1234 deadlock"), line(75, "db", "ERROR", "code=E999 deadlock")]
    bundle = opened({"logs.jsonl": rows}, incident=INCIDENT)
    (fact,) = (await ask(bundle, "log_first_seen", pattern=r"code=E\d{4}")).facts
    assert (fact.subject.ref, fact.relation, fact.at) == ("db", "appears", at(70))
    assert (await ask(bundle, "log_first_seen", pattern="nowhere")).status == "empty"


@pytest.mark.parametrize("pattern", ["(", "a{1,2000}{1,2000}", "(?=look)", "\\1"])
async def test_a_pattern_that_is_none_is_denied(opened, pattern: str) -> None:
    answer = await ask(opened({"logs.jsonl": chatter()}), "log_first_seen", pattern=pattern)
    assert answer.status == "denied"


@pytest.mark.parametrize("pattern", [r"^(a+)+$", r"^(\d+\.?)+$", r"(\w+\s?)*=$", r"^(.*a){25}$", "(x+x+)+y"])
async def test_patterns_that_hang_others_are_quick(opened, pattern: str) -> None:
    import time

    rows = [line(n, "web", "INFO", char * 15_000 + "!") for n, char in enumerate("a0x =.")]
    bundle = opened({"logs.jsonl": rows}, incident=INCIDENT)
    started = time.monotonic()
    answer = await ask(bundle, "log_first_seen", pattern=pattern)
    assert answer.status in {"ok", "empty", "denied", "failed"}
    assert time.monotonic() - started < 5


async def test_search_finds_terms_without_regard_to_case(opened) -> None:
    rows = [*chatter(), line(70, "db", "ERROR", "Deadlock detected"), line(71, "web", "INFO", "no DEADLOCK here")]
    answer = await ask(opened({"logs.jsonl": rows}, incident=INCIDENT), "log_search", terms=["deadlock", "absent"])
    assert [(f.subject.ref, f.object, f.value, f.strength) for f in answer.facts] == [
        ("db", "deadlock", 1.0, 0.8), ("web", "deadlock", 1.0, 0.5),
    ]  # fmt: skip


async def test_search_terms_are_no_patterns(opened) -> None:
    bundle = opened({"logs.jsonl": [line(1, "web", "INFO", "100% done' OR 1=1 --")]}, incident=INCIDENT)
    assert (await ask(bundle, "log_search", terms=["' OR 1=1 --"])).facts[0].value == 1.0
    assert (await ask(bundle, "log_search", terms=["1.0%"])).status == "empty"


async def test_lost_lines_make_absence_partial(opened) -> None:
    text = '{"ts": "2026-03-14T02:00:00Z", "msg": "x"}\n' + "broken\n" * 20
    answer = await ask(
        opened({"logs.jsonl": text}, incident=INCIDENT.replace("03:05", "02:00")), "log_search", terms=["absent"]
    )
    assert answer.status == "partial"
    assert "incomplete" in answer.note


async def test_rates_count_the_time_that_was_recorded(opened) -> None:
    """A normal stretch from another hour, and pieces of both: ten lines a minute stay ten lines a minute."""
    incident = (
        "schema: 1\nid: i\ntitle: t\nwindow: {start: 2026-03-14T06:00:00Z, end: 2026-03-14T07:00:00Z}\n"
        "baseline: {start: 2026-03-14T02:00:00Z, end: 2026-03-14T02:30:00Z}\n"
    )
    normal = [line(n / 10, "web", "INFO", f"served {n}") for n in range(300)]
    later = [line(270 + n / 10, "web", "INFO", f"served {n}") for n in range(30)]
    bundle = opened({"logs.jsonl": normal + later}, incident=incident)
    assert (await ask(bundle, "log_templates")).status == "empty"
