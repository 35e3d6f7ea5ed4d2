"""Whatever a file is written in, the table holds the same; what cannot be understood is counted, never guessed."""

import gzip
import json
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from leadline.contracts.evidence import Source, SourceCoverage
from leadline.evidence import OpenedBundle

METRICS = [
    {"ts": "2026-03-14T02:00:00Z", "service": "cart", "metric": "cpu", "value": "1.5"},
    {"ts": "2026-03-14T02:01:00Z", "service": "cart", "metric": "cpu", "value": "2.25"},
    {"ts": "2026-03-14T02:02:00Z", "service": "web, eu", "metric": "cpu", "value": "-3"},
]
EXPECTED = [
    (datetime.fromisoformat("2026-03-14 02:00:00"), "cart", "", "cpu", 1.5, "", ""),
    (datetime.fromisoformat("2026-03-14 02:01:00"), "cart", "", "cpu", 2.25, "", ""),
    (datetime.fromisoformat("2026-03-14 02:02:00"), "web, eu", "", "cpu", -3.0, "", ""),
]


def csv_of(rows: list[dict[str, str]], delimiter: str = ",") -> str:
    lines = [delimiter.join(rows[0])]
    lines += [delimiter.join(f'"{value}"' if delimiter in value else value for value in row.values()) for row in rows]
    return "\n".join(lines) + "\n"


def jsonl_of(rows: list[dict[str, str]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def metrics_of(bundle: OpenedBundle) -> list[tuple[object, ...]]:
    return bundle.tables().rows("SELECT * FROM metrics ORDER BY ts, service, metric, value")


def coverage_of(bundle: OpenedBundle, source: Source) -> SourceCoverage:
    return next(c for c in bundle.coverage() if c.source == source)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("metrics.csv", csv_of(METRICS)),
        ("metrics.csv", csv_of(METRICS).replace("\n", "\r\n")),
        ("metrics.csv", "\ufeff" + csv_of(METRICS)),
        ("metrics.tsv", csv_of(METRICS, "\t")),
        ("metrics.csv", csv_of(METRICS, ";")),
        ("metrics.jsonl", jsonl_of(METRICS)),
        ("metrics.ndjson", jsonl_of(METRICS)),
        ("metrics.json", json.dumps(METRICS)),
        ("metrics.json", json.dumps(METRICS, indent=2)),
        ("metrics.json", jsonl_of(METRICS)),
        ("metrics/one.csv", csv_of(METRICS)),
        ("metrics.csv.gz", gzip.compress(csv_of(METRICS).encode())),
        ("metrics.jsonl.zst", zstandard.ZstdCompressor().compress(jsonl_of(METRICS).encode())),
        ("metrics.json.gz", gzip.compress(json.dumps(METRICS).encode())),
    ],
    ids=["csv", "crlf", "bom", "tsv", "semicolons", "jsonl", "ndjson", "array", "indented", "objects", "folder", "csv.gz",
         "jsonl.zst", "json.gz"],
)  # fmt: skip
def test_every_format_reads_the_same(opened, name: str, content: str | bytes) -> None:
    bundle = opened({name: content})
    assert metrics_of(bundle) == EXPECTED
    assert coverage_of(bundle, "metrics").status == "ok"


def test_hundreds_of_files_are_one_scan(opened) -> None:
    files = {f"metrics/{n:03}.jsonl": jsonl_of([{**METRICS[0], "service": f"s{n}"}]) for n in range(300)}
    bundle = opened({**files, "metrics/odd.csv": csv_of(METRICS)})
    assert coverage_of(bundle, "metrics").rows == 303
    assert len(bundle.services()) == 302


def test_a_column_cannot_stand_for_files(opened) -> None:
    bundle = opened(
        {
            "logs/a.jsonl": [{"ts": 1773453600, "msg": "x", "@files@": 1}],
            "logs/b.jsonl": [{"ts": 1773453600, "msg": "y"}],
        }
    )
    assert bundle.tables().rows("SELECT body FROM logs") == [("y",)]
    assert coverage_of(bundle, "logs").status == "cut"


def test_parquet_with_typed_columns_reads_the_same(opened, make_bundle) -> None:
    root = make_bundle(name="typed")
    table = pa.table({
        "timestamp": pa.array([row[0] for row in EXPECTED], pa.timestamp("us", tz="UTC")),
        "service": [row[1] for row in EXPECTED], "metric": ["cpu"] * 3, "value": [1.5, 2.25, -3.0],
    })  # fmt: skip
    pq.write_table(table, root / "metrics.parquet")
    bundle = opened({"metrics.parquet": (root / "metrics.parquet").read_bytes()})
    assert metrics_of(bundle) == EXPECTED
    assert coverage_of(bundle, "metrics").zones == ("Z",)


def test_a_folder_joins_files_of_many_formats(opened) -> None:
    bundle = opened({"metrics/a.csv": csv_of(METRICS[:1]), "metrics/b.jsonl": jsonl_of(METRICS[1:])})
    assert metrics_of(bundle) == EXPECTED


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2026-03-14T02:00:00Z", "2026-03-14 02:00:00"),
        ("2026-03-14T02:00:00+05:30", "2026-03-13 20:30:00"),
        ("2026-03-14T02:00:00.123456789Z", "2026-03-14 02:00:00.123456"),
        ("2026-03-14 02:00:00,250", "2026-03-14 02:00:00.25"),
        ("2026-03-29T02:30:00 Europe/Berlin", "2026-03-29 01:30:00"),
        ("2026-06-30T23:59:60Z", "2026-06-30 23:59:59"),
        (1773453600, "2026-03-14 02:00:00"),
        (1773453600.5, "2026-03-14 02:00:00.5"),
        (1773453600000, "2026-03-14 02:00:00"),
        ("1773453600000000", "2026-03-14 02:00:00"),
        (1773453600000000000, "2026-03-14 02:00:00"),
        ("14/Mar/2026:02:00:00 +0000", "2026-03-14 02:00:00"),
        ("2026/03/14 02:00:00", "2026-03-14 02:00:00"),
        ("2026-03-14", "2026-03-14 00:00:00"),
        ("Sat, 14 Mar 2026 02:00:00 +0000", "2026-03-14 02:00:00"),
        ("0001-01-01T00:00:00Z", None),
        ("9999-12-31T23:59:59Z", None),
        ("1970-01-01T00:00:00Z", None),
        ("yesterday", None),
        ("-1", None),
        (1e308, None),
        ("99999999999999999999999999", None),
        ("Mar 14 02:00:00", None),
        (None, None),
        ("", None),
        ({"a": 1}, None),
    ],
)  # fmt: skip
def test_times_are_read_as_utc_or_not_at_all(opened, written: object, read: str | None) -> None:
    bundle = opened({"logs.jsonl": [{"ts": written, "msg": "x"}]})
    expected = datetime.fromisoformat(read) if read else None
    assert bundle.tables().rows("SELECT ts, body FROM logs") == [(expected, "x")]
    notes = coverage_of(bundle, "logs").notes
    assert any("could not be understood" in note for note in notes) == (read is None and written not in {None, ""}
                                                                        if not isinstance(written, dict) else True)  # fmt: skip


def test_times_without_a_zone_are_flagged(opened) -> None:
    rows = [{"ts": "2026-03-14T02:00:00", "msg": "a"}, {"ts": "2026-03-14T02:00:00+01:00", "msg": "b"}]
    logs = coverage_of(opened({"logs.jsonl": rows}), "logs")
    assert logs.zones == ("+01:00", "none")
    assert "times without a zone were read as UTC" in logs.notes


def test_what_is_no_finite_number_is_dropped_and_counted(opened) -> None:
    rows = [f"2026-03-14T02:00:{n:02}Z,a,cpu,{v}" for n, v in enumerate(["NaN", "+Inf", "-inf", "1e999", "x", "", "7"])]
    bundle = opened({"metrics.csv": "ts,service,metric,value\n" + "\n".join(rows) + "\n"})
    assert bundle.tables().rows("SELECT value FROM metrics WHERE value IS NOT NULL") == [(7.0,)]
    assert "6 values are no finite numbers" in coverage_of(bundle, "metrics").notes


def test_text_later_in_a_number_column_does_not_fail_the_file(opened) -> None:
    rows = [f"{1773453600 + n},a,cpu,{n}" for n in range(30_000)] + ["1773483600,a,cpu,not a number"]
    bundle = opened({"metrics.csv": "timestamp,service,metric,value\n" + "\n".join(rows) + "\n"})
    assert coverage_of(bundle, "metrics").rows == 30_001
    assert "1 values are no finite numbers" in coverage_of(bundle, "metrics").notes


def test_broken_json_lines_are_dropped_and_counted(opened) -> None:
    text = '{"ts": "2026-03-14T02:00:00Z", "msg": "good"}\nnot json\n[1, 2]\n{"ts": "2026-03-14T02:00:01Z", "msg": "too"}\n{"ts": '
    logs = opened({"logs.jsonl": text})
    assert logs.tables().rows("SELECT body FROM logs ORDER BY ts") == [("good",), ("too",)]
    found = coverage_of(logs, "logs")
    assert "3 lines made no record" in found.notes
    assert found.status == "cut"


def test_one_broken_line_in_many_leaves_the_source_whole(opened) -> None:
    text = "".join(f'{{"ts": {1773453600 + n}, "msg": "m"}}\n' for n in range(500)) + "oops\n"
    found = coverage_of(opened({"logs.jsonl": text}), "logs")
    assert found.status == "ok"
    assert "1 lines made no record" in found.notes


def test_bytes_that_are_no_utf8_are_replaced_and_counted(opened) -> None:
    lines = b"2026-03-14T02:40:00Z a ok\n2026-03-14T02:40:01Z b \xff\xfebad\n2026-03-14T02:40:02Z nul\x00here\n"
    bundle = opened({"logs.log": lines})
    assert bundle.tables().rows("SELECT body FROM logs ORDER BY ts") == [
        ("2026-03-14T02:40:00Z a ok",),
        ("2026-03-14T02:40:01Z b \ufffd\ufffdbad",),
        ("2026-03-14T02:40:02Z nul\u2400here",),
    ]
    assert any("2 characters were no UTF-8" in note for note in coverage_of(bundle, "logs").notes)


def test_utf16_files_are_read(opened) -> None:
    text = '{"ts": "2026-03-14T02:00:00Z", "msg": "h\u00e9llo"}\n'
    assert opened({"logs.jsonl": text.encode("utf-16")}).tables().rows("SELECT body FROM logs") == [("h\u00e9llo",)]


def test_a_cut_gzip_keeps_what_came_before_and_says_so(opened) -> None:
    text = "".join(f'{{"ts": {1773453600 + n}, "msg": "{"x" * 50}{n}"}}\n' for n in range(5000))
    packed = gzip.compress(text.encode())
    logs = coverage_of(opened({"logs.jsonl.gz": packed[: len(packed) // 2]}), "logs")
    assert logs.status == "cut"
    assert 0 < logs.rows < 5000
    assert any("cannot be decompressed to its end" in note for note in logs.notes)


def test_a_bomb_is_not_followed(opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leadline.evidence.bundle.scan.FREE", 4 << 20)
    line = b'{"ts": "2026-03-14T02:00:00Z", "msg": "x"}\n'
    bomb = gzip.compress(line * 400_000, 9)
    logs = coverage_of(opened({"logs.jsonl.gz": bomb}), "logs")
    assert logs.status == "cut"
    assert any("expands to more than 300 times its size" in note for note in logs.notes)
    assert 0 < logs.rows < 400_000


def test_long_lines_are_cut_and_counted(opened) -> None:
    rows = [{"ts": "2026-03-14T02:00:00Z", "msg": "a" * 3_000_000}, {"ts": "2026-03-14T02:00:01Z", "msg": "short"}]
    bundle = opened({"logs.jsonl": rows})
    assert bundle.tables().rows("SELECT length(body) FROM logs ORDER BY ts") == [(16384,), (5,)]
    assert any("1 lines longer than 16 KiB" in note for note in coverage_of(bundle, "logs").notes)


@pytest.mark.parametrize(
    ("line", "ts", "service", "severity"),
    [
        ("2026-03-14T02:00:00Z cart ERROR it broke", "2026-03-14 02:00:00", "cart", "ERROR"),
        ("2026-03-14 02:00:00,500 WARN [main] slow", "2026-03-14 02:00:00.5", "checkout", "WARN"),
        ("[2026-03-14T02:00:00+01:00] FATAL gone", "2026-03-14 01:00:00", "checkout", "FATAL"),
        ('14/Mar/2026:02:00:00 +0000 "GET /" 200', "2026-03-14 02:00:00", "checkout", ""),
        ("panic: no time here", None, "checkout", ""),
        ("1773453600 CRITICAL epoch", "2026-03-14 02:00:00", "checkout", "FATAL"),
    ],
)  # fmt: skip
def test_text_lines_give_their_time_service_and_severity(
    opened, line: str, ts: str | None, service: str, severity: str
) -> None:
    bundle = opened({"logs/checkout.log": line + "\n"})
    expected = (datetime.fromisoformat(ts) if ts else None, service, severity, line)
    assert bundle.tables().rows("SELECT ts, service, severity, body FROM logs") == [expected]


def test_columns_go_by_the_names_that_tools_use(opened) -> None:
    row = {"@timestamp": "2026-03-14T02:00:00Z", "service.name": "cart", "kubernetes.pod_name": "cart-7d9c6b5f4-x2x9q",
           "levelname": "warning", "message": "hello", "traceId": "t1", "spanId": "s1", "http.route": "/a"}  # fmt: skip
    bundle = opened({"logs.jsonl": [row]})
    (found,) = bundle.tables().rows("SELECT service, instance, severity, body, trace_id, span_id, attributes FROM logs")
    assert found[:6] == ("cart", "cart-7d9c6b5f4-x2x9q", "WARN", "hello", "t1", "s1")
    assert json.loads(found[6]) == {"http.route": "/a"}
    assert any("http.route" in note for note in coverage_of(bundle, "logs").notes)


def test_a_pod_without_service_belongs_to_its_workload(opened) -> None:
    bundle = opened({"logs.jsonl": [{"ts": 1773453600, "pod": "cart-7d9c6b5f4-x2x9q", "msg": "x"}]})
    assert bundle.services() == ("cart",)


def test_a_wide_file_is_one_metric_a_column(opened) -> None:
    bundle = opened({"metrics.csv": "time,cart_cpu,web_mem\n1773453600,1,2\n1773453660,3,\n"})
    assert bundle.tables().rows("SELECT metric, value FROM metrics ORDER BY ALL") == [
        ("cart_cpu", 1.0), ("cart_cpu", 3.0), ("web_mem", 2.0), ("web_mem", None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "ms"),
    [
        ({"duration_ms": 12.5}, 12.5),
        ({"durationMicros": 12500}, 12.5),
        ({"duration_nano": 12500000}, 12.5),
        ({"duration_seconds": 0.0125}, 12.5),
        ({"startTimeUnixNano": 1773453600000000000, "endTimeUnixNano": 1773453600012500000, "Duration": 12500}, 12.5),
        ({"duration": 12.5}, 12.5),
        ({}, None),
    ],
    ids=["ms", "us", "ns", "s", "start and end before a bare duration", "bare", "none"],
)  # fmt: skip
def test_durations_become_milliseconds(opened, fields: dict[str, float], ms: float | None) -> None:
    span = {"trace_id": "t", "span_id": "s", "service": "a", "name": "op"}
    start = {} if "startTimeUnixNano" in fields else {"start": "2026-03-14T02:00:00Z"}
    bundle = opened({"traces.jsonl": [{**span, **start, **fields}]})
    assert bundle.tables().rows("SELECT duration_ms FROM spans") == [(ms,)]


@pytest.mark.parametrize(
    ("fields", "status"),
    [({"status": "ERROR"}, "ERROR"), ({"status": "STATUS_CODE_ERROR"}, "ERROR"), ({"status_code": 2}, "ERROR"),
     ({"status_code": 503}, "ERROR"), ({"status_code": 404}, "OK"), ({"status": "Unset"}, "OK"), ({"error": True}, "ERROR"),
     ({"error": "boom", "status": ""}, "ERROR"), ({"error": False}, "OK"), ({}, "OK"), ({"status": "cancelled"}, "CANCELLED")],
)  # fmt: skip
def test_span_status_is_told_from_what_was_written(opened, fields: dict[str, object], status: str) -> None:
    row = {"trace_id": "t", "span_id": "s", "service": "a", "start": "2026-03-14T02:00:00Z", "duration_ms": 1, **fields}
    assert opened({"traces.jsonl": [row]}).tables().rows("SELECT status FROM spans") == [(status,)]


def test_roots_are_spelt_in_many_ways(opened) -> None:
    rows = [{"trace_id": "t", "span_id": str(n), "parent_id": parent, "start": 1773453600, "duration_ms": 1}
            for n, parent in enumerate(["root", None, "", "0000000000000000", "real"])]  # fmt: skip
    found = opened({"traces.jsonl": rows}).tables().rows("SELECT parent_id FROM spans ORDER BY span_id")
    assert found == [("",), ("",), ("",), ("",), ("real",)]


def test_a_change_is_of_the_kind_its_file_is_called(opened) -> None:
    bundle = opened({
        "changes/commits.json": json.dumps([{"sha": "abc", "timestamp": "2026-03-14T02:00:00Z", "message": "m", "author": "x"}]),
        "changes/flags.jsonl": [{"flag": "f", "time": "2026-03-14T02:01:00Z", "change": "off->on"}],
    })  # fmt: skip
    assert bundle.tables().rows("SELECT kind, ref, title, actor FROM changes ORDER BY ts") == [
        ("commit", "abc", "m", "x"), ("flag", "f", "off->on", ""),
    ]  # fmt: skip


def test_edges_come_from_the_topology_else_from_spans(opened) -> None:
    spans = [
        {"trace_id": "t", "span_id": "1", "service": "web", "start": 1773453600, "duration_ms": 9},
        {"trace_id": "t", "span_id": "2", "parent_id": "1", "service": "cart", "start": 1773453600, "duration_ms": 3},
        {
            "trace_id": "u",
            "span_id": "3",
            "parent_id": "1",
            "service": "elsewhere",
            "start": 1773453600,
            "duration_ms": 3,
        },
    ]
    sql = "SELECT caller, callee FROM edges"
    assert opened({"traces.jsonl": spans}).tables().rows(sql) == [("web", "cart")]
    told = opened({"traces.jsonl": spans, "topology.csv": "source,target\nweb,db\n"})
    assert told.tables().rows(sql) == [("web", "db")]


def test_documents_are_named_by_their_path(opened) -> None:
    bundle = opened({"documents/runbooks/db.md": "# restart\n", "documents/big.txt": "x" * (2 << 20)})
    assert bundle.tables().rows("SELECT name, length(body) FROM documents ORDER BY name") == [
        ("big.txt", 1 << 20), ("runbooks/db.md", 10),
    ]  # fmt: skip
    assert any("big.txt: cut" in note for note in coverage_of(bundle, "documents").notes)


def test_missing_empty_and_unreadable_are_told_apart(opened) -> None:
    bundle = opened({"metrics.csv": "", "logs.jsonl": "\n", "traces.parquet": b"PAR1 is this not"})
    found = {c.source: c.status for c in bundle.coverage()}
    assert found["metrics"] == "empty"
    assert found["logs"] == "empty"
    assert found["traces"] == "unreadable"
    assert found["changes"] == "missing"


def test_a_file_without_the_needed_columns_is_said(opened) -> None:
    bundle = opened({"metrics.csv": "when,what\nx,y\n", "changes.csv": "ref,title\na,b\n"})
    assert any("could be told to be" in note and "ts" in note for note in coverage_of(bundle, "changes").notes)


def where(bundle: OpenedBundle, name: str) -> list[tuple[str, str]]:
    return bundle.tables().rows(
        "SELECT table_catalog, table_type FROM information_schema.tables WHERE table_name = ? ORDER BY ALL", [name]
    )  # type: ignore[return-value]


def test_a_source_too_large_for_memory_is_kept_on_disk(opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leadline.evidence.bundle.storing.IN_MEMORY", 0)
    bundle = opened({"metrics.csv": csv_of(METRICS)})
    assert metrics_of(bundle) == EXPECTED
    assert ("store", "BASE TABLE") in where(bundle, "metrics_all")


def test_what_is_too_large_for_the_disk_is_read_in_place(opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leadline.evidence.bundle.storing.IN_MEMORY", 0)
    monkeypatch.setattr("leadline.evidence.bundle.storing.ON_DISK", 0)
    bundle = opened({"metrics.csv": csv_of(METRICS)})
    assert metrics_of(bundle) == EXPECTED
    assert where(bundle, "metrics_all") == [("memory", "VIEW")]


def test_one_file_that_breaks_does_not_take_the_others_with_it(opened, make_bundle) -> None:
    root = make_bundle(name="parquet")
    pq.write_table(
        pa.table({"ts": ["2026-03-14T02:00:00Z"] * 5000, "msg": [f"line {n}" for n in range(5000)]}), root / "x.parquet"
    )
    whole = (root / "x.parquet").read_bytes()
    torn = whole[:200] + b"\xff" * 3000 + whole[3200:]
    rows = [{"ts": f"2026-03-14T02:00:{n:02}Z", "msg": "x"} for n in range(10)]
    logs = coverage_of(
        opened({"logs/a.jsonl": "".join(json.dumps(row) + "\n" for row in rows), "logs/b.parquet": torn}), "logs"
    )
    assert (logs.rows, logs.status) == (10, "cut")
    assert any(note.startswith("logs/b.parquet: ") for note in logs.notes)


def test_closing_removes_the_temporary_files(opened) -> None:
    bundle = opened({"logs.log": b"\xff\n"})
    temporary: Path = bundle.content.temporary
    assert any(temporary.iterdir())
    bundle.close()
    assert not temporary.exists()
