"""Which change was live where, by when; and what its diff does, as facts."""

import json
from pathlib import Path
from typing import Any

import pytest

from leadline.contracts.claim import Fact
from leadline.contracts.evidence import ProbeCall
from leadline.evidence.opened import open_bundle
from leadline.evidence.probes.change_rows import owns, same_id

NAMED, BUMPED, BUMP, ALONG, LOOSE, DOCS = ("1" * 40, "2" * 40, "3" * 40, "4" * 40, "5" * 40, "6" * 40)


def commit(ts: str, ref: str, files: list[str], diff: str = "", title: str = "t") -> dict[str, Any]:
    return {
        "ts": f"2026-05-05T{ts}Z",
        "kind": "commit",
        "service": "",
        "ref": ref,
        "title": title,
        "diff": diff,
        "files_changed": files,
    }


def deploy(ts: str, service: str, ref: str) -> dict[str, Any]:
    return {
        "ts": f"2026-05-05T{ts}Z",
        "kind": "deploy",
        "service": service,
        "ref": f"{service}@{ts}",
        "title": "d",
        "diff": "",
        "commit": ref[:12],
    }


ROWS = [
    commit("08:00:00", NAMED, ["services/quote/pool.go"], "@@ services/quote/pool.go @@\n-\tMaxConns: 40,\n+\tMaxConns: 5,\n"),
    commit("08:01:00", BUMPED, ["pkg/schema/envelope/e.go"]),
    commit("08:05:00", BUMP, ["writer/go.mod"], "@@ writer/go.mod @@\n-\texample.org/acme/pkg/schema v0.8.3\n+\texample.org/acme/pkg/schema v0.9.0\n"),
    commit("08:02:00", ALONG, ["services/quote/handler.go"]),
    commit("08:04:00", LOOSE, ["services/pay/charge.go"]),
    commit("08:03:00", DOCS, ["docs/a.md"]),
    deploy("08:30:00", "quote", NAMED),
    deploy("08:40:00", "writer", BUMP),
    deploy("08:50:00", "quote", NAMED),
    {"ts": "2026-05-05T08:45:00Z", "kind": "flag", "service": "payservice", "ref": "new-tax", "title": "new-tax off->on", "diff": ""},
]  # fmt: skip


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    folder = tmp_path / "bundle"
    folder.mkdir()
    (folder / "incident.yaml").write_text(json.dumps({"schema": 1, "id": "i", "title": "t"}))
    (folder / "changes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    rows = "".join(
        f"2026-05-05T08:{m:02d}:00Z,{s},cpu,1\n" for m in range(60) for s in ("quote", "writer", "payservice")
    )
    (folder / "metrics.csv").write_text("ts,service,metric,value\n" + rows)
    return folder


async def ask(folder: Path, probe: str, **params: Any) -> tuple[Fact, ...]:
    opened = open_bundle(folder)
    try:
        answer = await opened.ask(ProbeCall(probe=probe, params=params))
    finally:
        opened.close()
    assert answer.status == "ok", answer.note
    return answer.facts


async def live(folder: Path, before: str) -> dict[str, Fact]:
    return {f.subject.ref: f for f in await ask(folder, "change_before_onset", before=f"2026-05-05T{before}Z")}


async def test_a_change_counts_from_the_deploy_that_names_it(bundle: Path) -> None:
    fact = (await live(bundle, "08:55:00"))[NAMED]
    assert (fact.relation, fact.object, fact.value, fact.strength) == ("precedes", "quote", 25.0, 1.0)
    assert fact.at is not None
    assert fact.at.isoformat() == "2026-05-05T08:30:00+00:00"


async def test_a_library_reaches_a_service_with_the_bump_that_names_it(bundle: Path) -> None:
    fact = (await live(bundle, "08:55:00"))[BUMPED]
    assert (fact.subject.service, fact.strength) == ("writer", 0.9)
    assert "version bump" in fact.quote


async def test_less_is_said_of_what_only_may_be_live(bundle: Path) -> None:
    facts = await live(bundle, "08:55:00")
    assert (facts[LOOSE].subject.service, facts[LOOSE].strength) == ("payservice", 0.35)
    assert facts[DOCS].strength == pytest.approx(0.35 * 0.3)
    assert (facts["new-tax"].object, facts["new-tax"].strength, facts["new-tax"].value) == ("payservice", 1.0, 10.0)


async def test_what_came_later_is_said_to_have(bundle: Path) -> None:
    facts = await live(bundle, "08:35:00")
    assert (facts[BUMP].relation, facts[BUMP].object, facts[BUMP].strength) == ("states", "live later", 0.5)
    assert facts[NAMED].relation == "precedes"


async def test_clocks_may_be_off_by_a_minute(bundle: Path) -> None:
    assert (await live(bundle, "08:29:00"))[NAMED].relation == "precedes"
    assert (await live(bundle, "08:28:00"))[NAMED].relation == "states"


async def test_a_deploy_that_carries_a_known_change_is_no_change_of_its_own(bundle: Path) -> None:
    assert not [ref for ref in await live(bundle, "08:55:00") if "@" in ref]


async def test_a_diff_becomes_facts(bundle: Path) -> None:
    facts = await ask(bundle, "change_diff", ref=NAMED[:8], terms=["conn", "seat"])
    moved, match = facts if facts[0].relation == "sets" else facts[::-1]
    assert (moved.object, moved.value, moved.baseline) == ("MaxConns", 5.0, 40.0)
    assert moved.quote == "services/quote/pool.go: - MaxConns: 40, + MaxConns: 5,"
    assert (match.relation, match.object) == ("matches", "conn")


async def test_a_change_known_by_its_files_alone_is_said_to_be(bundle: Path) -> None:
    (fact,) = await ask(bundle, "change_diff", ref=LOOSE)
    assert (fact.relation, fact.object) == ("states", "unknown_content")


@pytest.mark.parametrize(
    ("service", "path", "mine"),
    [
        ("payservice", "services/pay/charge.go", True), ("pay-svc", "pay/main.go", True), ("quote", "services/quote/x.go", True),
        ("quote", "services/quotes/x.go", False), ("db", "db/migrations/1.sql", False), ("search", "docs/search.md", False),
    ],
)  # fmt: skip
def test_a_folder_named_as_the_service_is_its_own(service: str, path: str, *, mine: bool) -> None:
    assert owns(service, path) is mine


def test_ids_are_the_same_by_a_beginning_of_seven() -> None:
    assert same_id("abcdef1", "abcdef1234")
    assert not same_id("abcdef", "abcdef1234")
