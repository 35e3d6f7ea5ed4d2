"""One bundle, one answer: whatever the order of rows, the number of threads, or the format it is kept in."""

import gzip
import json
import lzma
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leadline.contracts.errors import BundleError
from leadline.evidence import OpenedBundle, open_bundle
from leadline.evidence.check import check
from leadline.evidence.pack import pack
from tests.unit.evidence.asking import minutes
from tests.unit.evidence.questions import ask_everything

INCIDENT = (
    "schema: 1\nid: inc-1\ntitle: slow\nalerts: [{service: web, metric: latency_ms, fired_at: 2026-03-14T03:05:00Z}]\n"
)
Rows = list[dict[str, Any]]


def everything(seed: int = 0) -> dict[str, Rows]:
    """A bundle with all sources; another seed gives the same rows in another order."""
    source, order = random.Random(1), random.Random(seed)
    files: dict[str, Rows] = {
        "metrics.jsonl": [],
        "logs.jsonl": [],
        "traces.jsonl": [],
        "changes.jsonl": [],
        "resources.jsonl": [],
    }
    for n in range(90):
        late = n >= 61
        for service in ("web", "cart", "db"):
            value = source.uniform(90, 110) * (4 if late else 1)
            files["metrics.jsonl"].append(
                {"time": minutes(n), "service": service, "metric": "latency_ms", "value": value}
            )
            files["metrics.jsonl"].append(
                {"time": minutes(n), "service": service, "metric": "cpu", "value": source.uniform(1, 2)}
            )
            level, text = ("ERROR", f"timeout after {n} ms") if late else ("INFO", f"served {n} in {n * 2} ms")
            files["logs.jsonl"].append({"ts": minutes(n), "svc": service, "lvl": level, "msg": text, "extra": n})
        for number, service in enumerate(("web", "cart", "db")):
            files["traces.jsonl"].append({
                "trace_id": f"t{n}", "span_id": str(number), "parent_id": str(number - 1) if number else None,
                "service": service, "name": "op", "startTime": minutes(n), "durationMicros": 1000 * (40 - number * 9) + source.randint(0, 900),
                "status": "ERROR" if late and n % 2 else "OK",
            })  # fmt: skip
    files["changes.jsonl"] = [{"sha": f"{n:040x}", "ts": minutes(n * 9), "service": "db", "message": f"change {n}",
                               "diff": f"@@ db.go @@\n-timeout = {n}\n+timeout = {n + 1}"} for n in range(8)]  # fmt: skip
    files["resources.jsonl"] = [
        {"kind": "Pod", "name": f"web-{n}", "namespace": "app", "status": "Pending"} for n in range(3)
    ]
    for rows in files.values():
        order.shuffle(rows)
    return files


async def test_the_order_of_rows_and_the_number_of_threads_change_nothing(
    opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await ask_everything(opened(everything(), incident=INCIDENT))
    monkeypatch.setattr("leadline.evidence.bundle.database.MAX_THREADS", 1)
    second = await ask_everything(opened(everything(seed=7), incident=INCIDENT))
    monkeypatch.setattr("leadline.evidence.bundle.database.MAX_THREADS", 8)
    monkeypatch.setattr("leadline.evidence.bundle.database.os.cpu_count", lambda: 8)
    monkeypatch.setattr("leadline.evidence.bundle.storing.IN_MEMORY", 0)
    third = await ask_everything(opened(everything(seed=9), incident=INCIDENT))
    assert sum(answer.status == "ok" for answer in first.values()) >= 12
    for name, answer in first.items():
        assert second[name] == answer, name
        assert third[name] == answer, name


async def test_asking_again_gives_the_same_digest(opened) -> None:
    bundle = opened(everything(), incident=INCIDENT)
    first, second = await ask_everything(bundle), await ask_everything(bundle)
    assert {name: a.digest for name, a in first.items()} == {name: a.digest for name, a in second.items()}


async def answers_of(path: Path) -> dict[str, Any]:
    bundle = open_bundle(path)
    try:
        return {**await ask_everything(bundle), "services": bundle.services(), "incident": bundle.incident}
    finally:
        bundle.close()


async def test_a_packed_bundle_answers_the_same(make_bundle, tmp_path: Path) -> None:
    files = {**everything(), "documents/run/book.md": "raise the timeout, password=hunter2hunter2\n"}
    root = make_bundle(files, incident=INCIDENT)
    result = pack(root, tmp_path / "packed")
    before, after = await answers_of(root), await answers_of(tmp_path / "packed")
    assert after == before
    assert result.digest == check(tmp_path / "packed").digest
    assert result.packed_from == check(root).digest
    assert result.rows["metrics"] == 540
    assert result.rows["documents"] == 1
    names = sorted(
        p.relative_to(tmp_path / "packed").as_posix() for p in (tmp_path / "packed").rglob("*") if p.is_file()
    )
    assert names == ["bundle.json", "changes.parquet", "documents/run/book.md", "incident.yaml", "logs.parquet",
                     "metrics.parquet", "resources.parquet", "traces.parquet"]  # fmt: skip


async def test_packing_a_packed_bundle_changes_no_answer(make_bundle, tmp_path: Path) -> None:
    pack(make_bundle(everything(), incident=INCIDENT), tmp_path / "once")
    pack(tmp_path / "once", tmp_path / "twice")
    assert await answers_of(tmp_path / "twice") == await answers_of(tmp_path / "once")


@pytest.mark.parametrize("squeeze", [lzma.compress, gzip.compress], ids=["xz", "gz"])
async def test_xz_is_read_when_packing(make_bundle, tmp_path: Path, squeeze: Callable[[bytes], bytes]) -> None:
    files = everything()
    text = "".join(json.dumps(row) + "\n" for row in files["logs.jsonl"])
    suffix = "xz" if squeeze is lzma.compress else "gz"
    packed_logs = make_bundle(
        {**files, "logs.jsonl": "", f"logs/all.jsonl.{suffix}": squeeze(text.encode())}, incident=INCIDENT
    )
    (packed_logs / "logs.jsonl").unlink()
    plain = make_bundle(files, incident=INCIDENT, name="plain")
    pack(packed_logs, tmp_path / "out")
    before, after = await answers_of(plain), await answers_of(tmp_path / "out")
    assert after["log_error_rate"] == before["log_error_rate"]
    assert after["log_error_rate"].status == "ok"


async def test_what_was_lost_before_packing_stays_known(make_bundle, tmp_path: Path) -> None:
    text = "".join(json.dumps(row) + "\n" for row in everything()["logs.jsonl"]) + "broken\n" * 40
    root = make_bundle({"logs.jsonl": text}, incident=INCIDENT)
    pack(root, tmp_path / "out")
    before, after = check(root), check(tmp_path / "out")
    assert before.coverage[1].status == after.coverage[1].status == "cut"
    assert "40 lines made no record" in after.coverage[1].notes
    assert not after.complete
    assert await answers_of(root) == await answers_of(tmp_path / "out")


def test_packing_writes_all_or_nothing(make_bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_bundle(everything(), incident=INCIDENT)
    (tmp_path / "taken").mkdir()
    with pytest.raises(BundleError, match="is there already"):
        pack(root, tmp_path / "taken")
    with pytest.raises(BundleError, match="inside the bundle"):
        pack(root, root / "packed")
    with pytest.raises(BundleError, match="no folder"):
        pack(root, tmp_path / "no" / "where")

    def fails(opened: OpenedBundle, staging: Path) -> None:
        (staging / "half.parquet").write_bytes(b"x")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("leadline.evidence.pack._write", fails)
    before = sorted(p.name for p in tmp_path.iterdir())
    with pytest.raises(BundleError, match="No space left"):
        pack(root, tmp_path / "full")
    assert sorted(p.name for p in tmp_path.iterdir()) == before


def test_archives_are_not_packed(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(b"PK\x05\x06" + b"\0" * 18)
    with pytest.raises(BundleError, match="archive"):
        pack(tmp_path / "x.zip", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_note_of_packing_that_was_tampered_with_is_refused(make_bundle) -> None:
    root = make_bundle({"bundle.json": '{"schema": 1, "packed_from": "x", "redaction_key": "zz"}'})
    with pytest.raises(BundleError, match=r"bundle\.json"):
        open_bundle(root)


def test_check_says_what_is_there(make_bundle) -> None:
    files = {**everything(), "notes.txt": "x"}
    found = check(make_bundle(files, incident=INCIDENT))
    assert found.complete
    assert found.split_told
    assert found.split_at is not None
    assert found.split_at.isoformat() == "2026-03-14T03:00:00+00:00"
    assert found.ignored == ("notes.txt",)
    assert found.services == ("cart", "db", "web")
    assert [(c.source, c.status, c.rows) for c in found.coverage[:2]] == [("metrics", "ok", 540), ("logs", "ok", 270)]
    assert "metric_shift" in found.probes
    assert {f.name for f in found.files} == {
        "metrics.jsonl",
        "logs.jsonl",
        "traces.jsonl",
        "changes.jsonl",
        "resources.jsonl",
    }


async def test_other_names_give_the_same_facts(opened) -> None:
    """No probe knows a service by its name."""
    names = {"web": "qx-7f", "cart": "Zebra", "db": "n0nsense"}
    text = {name: "".join(json.dumps(row) + "\n" for row in rows) for name, rows in everything().items()}
    renamed = dict(text)
    incident = INCIDENT
    for old, new in names.items():
        renamed = {name: content.replace(f'"{old}"', f'"{new}"') for name, content in renamed.items()}
        incident = incident.replace(f"service: {old}", f"service: {new}")
    first = await ask_everything(opened(text, incident=INCIDENT))
    second = await ask_everything(opened(renamed, incident=incident))
    for name in ("metric_shift", "log_templates", "log_error_rate", "trace_self_time", "trace_errors", "trace_gap"):
        before = sorted((f.signal, f.relation, f.object, f.value, f.strength, str(f.at)) for f in first[name].facts)
        after = sorted((f.signal, f.relation, f.object, f.value, f.strength, str(f.at)) for f in second[name].facts)
        assert after == before, name
    assert first["metric_shift"].facts
