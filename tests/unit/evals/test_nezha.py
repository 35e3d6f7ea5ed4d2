"""Nezha: one case per fault, at the time that can be trusted, with what was normal beside it."""

import gzip
import lzma
from datetime import UTC, datetime

import pytest

from leadline.evals.formats.nezha import Nezha
from leadline.evals.formats.nezha_tables import service_of

POD = "basket-5c95b49cff-tdsdz"
METRICS = "Time,TimeStamp,PodName,CpuUsageRate(%),SyscallRead"
SPANS = "TraceID,SpanID,ParentID,PodName,OperationName,StartTimeUnixNano,EndTimeUnixNano,Duration"
LOGS = "Timestamp,TimeUnixNano,Node,PodName,Container,TraceID,SpanID,Log"


def _gz(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def _xz(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    with lzma.open(path, "wt", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def _nanos(text):
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 10**9


def _span(at, trace="t1", parent="root"):
    start = _nanos(at)
    return f"{trace},s1,{parent},{POD},POST /add,{start},{start + 207_000_000},207"


@pytest.fixture
def collection(tmp_path, write_json):
    src, day = tmp_path / "src", "2023-03-01"
    faults = [
        {
            "inject_time": f"{day} 09:20:30",
            "inject_timestamp": "1677633630",
            "inject_pod": POD,
            "inject_type": "return",
        },
        {
            "inject_time": f"{day} 09:23:00",
            "inject_timestamp": "1677633780",
            "inject_pod": POD,
            "inject_type": "exception",
        },
    ]
    write_json(src / "rca_data" / day / f"{day}-fault_list.json", {"09": faults[::-1]})
    times = ("08:00:09", "08:50:09", "09:20:09", "09:22:09", "09:24:09", "09:50:09")
    _gz(
        src / "rca_data" / day / "metric" / f"{POD}_metric.csv.gz",
        [METRICS] + [f"{day} {t}.5 +0000 UTC m=+1.5,1877000000,{POD},{i}.5,NaN" for i, t in enumerate(times)],
    )
    _gz(
        src / "rca_data" / day / "metric" / "dependency.csv.gz",
        ["Source,Target,Weight", "shop,basket,1", "basket,10.1.2.3,1"],
    )
    for minute in ("09_20", "09_21", "09_23"):
        at = f"{day} {minute.replace('_', ':')}:01"
        _xz(src / "rca_data" / day / "trace" / f"{minute}_trace.csv.xz", [SPANS, _span(at)])
    envelope = '"{""log"":""17:20:31.218 WARN a.B#4 [sold out]\\n"",""stream"":""stdout""}"'
    _xz(
        src / "rca_data" / day / "log" / "09_20_log.csv.xz",
        [LOGS, f"x,{_nanos(day + ' 09:20:31')},10.1.2.3,{POD},server,t1,s1,{envelope}",
         f"x,{_nanos(day + ' 09:20:32')},10.1.2.3,{POD},server,t1,s1,plain, with, commas"],
    )  # fmt: skip
    _xz(src / "construct_data" / day / "trace" / "08_50_trace.csv.xz", [SPANS, _span(f"{day} 08:50:03", parent="p0")])
    write_json(src / "construct_data" / "root_cause_shop.json", {"basket": {"return": "a_b"}})
    return src


@pytest.fixture
def first(collection, tmp_path, only_case):
    summary = Nezha().import_all(collection, tmp_path / "out", limit=1)
    return summary, only_case(tmp_path / "out")


def test_the_time_of_a_fault_is_its_inject_time(first, incident):
    told = incident(first[1])

    assert told["window"] == {"start": "2023-03-01T08:20:30Z", "end": "2023-03-01T09:22:59Z"}
    assert [alert["fired_at"] for alert in told["alerts"]] == ["2023-03-01T09:21:00Z"]


def test_metrics_are_read_by_their_text_time_and_end_before_the_next_fault(first, rows):
    found = [(f"{r['ts']:%H:%M:%S}", r["metric"], r["unit"], r["value"]) for r in rows(first[1], "metrics")]

    assert found == [
        ("08:50:09", "CpuUsageRate", "%", 1.5),
        ("09:20:09", "CpuUsageRate", "%", 2.5),
        ("09:22:09", "CpuUsageRate", "%", 3.5),
    ]


def test_durations_come_from_start_and_end(first, rows):
    spans = rows(first[1], "traces")

    assert {span["duration_ms"] for span in spans} == {207.0}
    assert sorted(str(span["parent_id"]) for span in spans) == ["None", "None", "p0"]


def test_the_fault_free_minute_is_in_the_bundle_and_named_as_the_baseline(first, rows, incident):
    assert min(span["start"] for span in rows(first[1], "traces")) == datetime(2023, 3, 1, 8, 50, 3, tzinfo=UTC)
    assert incident(first[1])["baseline"]["start"] == "2023-03-01T08:50:03Z"


def test_a_fault_free_minute_after_the_fault_is_named_as_the_baseline(collection, tmp_path, only_case, incident, rows):
    normal = collection / "construct_data" / "2023-03-01" / "trace"
    (normal / "08_50_trace.csv.xz").unlink()
    _xz(normal / "09_50_trace.csv.xz", [SPANS, _span("2023-03-01 09:50:03"), _span("2023-03-01 09:50:33")])

    Nezha().import_all(collection, tmp_path / "out", limit=1)

    case = only_case(tmp_path / "out")
    assert incident(case)["baseline"] == {"start": "2023-03-01T09:50:03Z", "end": "2023-03-01T09:50:33Z"}
    assert max(r["ts"] for r in rows(case, "metrics")) == datetime(2023, 3, 1, 9, 50, 9, tzinfo=UTC)


def test_log_envelopes_are_opened_and_extra_commas_joined(first, rows):
    summary, case = first

    assert [(r["body"], r["severity"], r["node"]) for r in rows(case, "logs")] == [
        ("17:20:31.218 WARN a.B#4 [sold out]", "WARN", "10.1.2.3"),
        ("plain, with, commas", "", "10.1.2.3"),
    ]
    assert summary.notes == ("nezha-0001: 1 log rows had extra commas and were joined again",)


def test_addresses_in_the_dependencies_are_nodes(first, rows):
    assert [(r["caller"], r["callee"], r["kind"]) for r in rows(first[1], "topology")] == [
        ("basket", "10.1.2.3", "runs_on"),
        ("shop", "basket", "calls"),
    ]


def test_the_fault_list_stays_outside(first, bundle_text):
    case = first[1]

    assert "inject" not in bundle_text(case)
    assert case.expected.causes[0].model_dump(include={"ref", "reason", "aliases", "reason_aliases"}) == {
        "ref": "basket", "reason": "return", "aliases": (POD,), "reason_aliases": ("logic_error",),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("pod", "service"),
    [
        ("basket-5c95b49cff-tdsdz", "basket"),
        ("big-basket-service-784cd-ab1cd", "big-basket-service"),
        ("basket", "basket"),
    ],
)
def test_a_pods_service_is_its_name_without_hashes(pod, service):
    assert service_of(pod) == service


def test_a_real_day_has_its_faults_eight_hours_right(shared, tmp_path, only_case, incident):
    Nezha().import_all(shared / "data" / "nezha", tmp_path / "out", limit=1)

    fired = datetime.fromisoformat(incident(only_case(tmp_path / "out"))["alerts"][0]["fired_at"])
    end = datetime.fromisoformat(incident(only_case(tmp_path / "out"))["window"]["end"])
    assert 0 < (end - fired).total_seconds() <= 300
