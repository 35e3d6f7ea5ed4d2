"""New instances are held against the stable ones beside them."""

import json
from pathlib import Path

import pytest

from leadline.contracts.claim import Fact
from leadline.contracts.evidence import Answer, ProbeCall
from leadline.evidence.opened import open_bundle

Rows = list[tuple[int, str, str, float]]


def write(folder: Path, rows: Rows, *, released: str = "quote-v2-a,quote-v2-b") -> Path:
    folder.mkdir()
    (folder / "incident.yaml").write_text(json.dumps({"schema": 1, "id": "i", "title": "t"}))
    rollout = {
        "ts": "2026-05-05T08:10:00Z",
        "kind": "rollout",
        "service": "quote",
        "ref": "quote-v2",
        "title": "step 1",
        "diff": "",
        "released": released,
    }
    (folder / "changes.jsonl").write_text(json.dumps(rollout) + "\n")
    lines = "".join(f"2026-05-05T08:{m:02d}:00Z,quote,{i},{name},{v}\n" for m, i, name, v in rows)
    (folder / "metrics.csv").write_text("ts,service,instance,metric,value\n" + lines)
    return folder


def series(instance: str, metric: str, before: float, after: float) -> Rows:
    new = "v2" in instance
    return [(m, instance, metric, before if m <= 10 else after) for m in range(30) if m > 10 or not new]


async def ask(folder: Path) -> Answer:
    opened = open_bundle(folder)
    try:
        return await opened.ask(ProbeCall(probe="change_canary"))
    finally:
        opened.close()


async def facts(folder: Path) -> dict[str, Fact]:
    answer = await ask(folder)
    return {f"{f.relation} {f.object}": f for f in answer.facts}


async def test_new_instances_that_fail_where_stable_ones_do_not(tmp_path: Path) -> None:
    rows = series("quote-v1-x", "success_rate", 100, 98) + series("quote-v2-a", "success_rate", 0, 38)
    fact = (await facts(write(tmp_path / "b", rows)))["falls success_rate"]
    assert (fact.subject.ref, fact.subject.service, fact.value, fact.baseline) == ("quote-v2", "quote", 38.0, 98.0)
    assert fact.strength == pytest.approx(60 / 75 * 60 / 62, abs=1e-4), "two of the points the stable ones lost as well"


async def test_a_fault_that_hits_both_alike_says_nothing_of_the_release(tmp_path: Path) -> None:
    rows = series("quote-v1-x", "success_rate", 100, 50) + series("quote-v2-a", "success_rate", 0, 51)
    assert (await ask(write(tmp_path / "b", rows))).status == "empty"


async def test_silence_while_the_stable_ones_go_on(tmp_path: Path) -> None:
    found = await facts(write(tmp_path / "b", series("quote-v1-x", "success_rate", 100, 100)))
    assert found["vanishes all metrics"].strength == 0.85


async def test_silence_where_nobody_calls_the_stable_ones_either_says_nothing(tmp_path: Path) -> None:
    """What calls the service broke: stable instances still use memory, and are no longer asked for anything."""
    rows = [
        *series("quote-v1-x", "memory_usage", 60, 60),
        *(row for row in series("quote-v1-x", "success_rate", 100, 100) if row[0] <= 10),
    ]
    assert (await ask(write(tmp_path / "b", rows))).status == "empty"


async def test_standing_still(tmp_path: Path) -> None:
    rows = [
        *series("quote-v1-x", "cpu_usage", 30, 30), *series("quote-v1-x", "memory_usage", 60, 60),
        *series("quote-v2-a", "cpu_usage", 0, 0.1), *series("quote-v2-a", "memory_usage", 0, 1),
    ]  # fmt: skip
    assert (await facts(write(tmp_path / "b", rows)))["vanishes use of resources"].strength == 0.8


async def test_calls_that_it_makes_itself_count_less(tmp_path: Path) -> None:
    own = series("quote-v1-x", "success_rate@quote->store", 100, 100) + series(
        "quote-v2-a", "success_rate@quote->store", 0, 70
    )
    taken = series("quote-v1-x", "success_rate@shop->quote", 100, 100) + series(
        "quote-v2-a", "success_rate@shop->quote", 0, 70
    )
    found = await facts(write(tmp_path / "b", own + taken))
    assert found["falls success_rate@quote->store"].strength == pytest.approx(
        0.4 * found["falls success_rate@shop->quote"].strength, abs=1e-4
    )


async def test_where_no_stable_instance_is_left_the_past_is_the_measure(tmp_path: Path) -> None:
    past = [row for row in series("quote-v1-x", "latency_ms", 20, 20) if row[0] <= 10]
    found = await facts(write(tmp_path / "b", past + series("quote-v2-a", "latency_ms", 0, 100)))
    assert found["rises latency_ms"].strength == pytest.approx(4 / 7, abs=1e-4)


async def test_a_rollout_without_names_cannot_be_judged(tmp_path: Path) -> None:
    answer = await ask(write(tmp_path / "b", series("quote-v1-x", "cpu_usage", 1, 1), released=""))
    assert (answer.status, answer.facts) == ("empty", ())
