"""OpenRCA: questions by half hours, epochs in two units, component names by file, truth outside."""

import pytest

from leadline.contracts.errors import DatasetError
from leadline.evals.formats.openrca import OpenRca

SLOT = 1_647_705_600
"""2022-03-19 16:00 UTC, which is midnight of the 20th in the collection's own zone."""


@pytest.fixture
def system(tmp_path, write_csv):
    system = tmp_path / "src" / "Market" / "cloudbed-9"
    write_csv(
        system / "record.csv",
        [["level", "component", "timestamp", "datetime", "reason"],
         ["pod", "till-0", SLOT + 120, "2022-03-20 00:02:00", "container CPU load"],
         ["node", "node-4", SLOT + 1700, "2022-03-20 00:28:20", "node CPU spike"]],
    )  # fmt: skip
    write_csv(
        system / "query.csv",
        [["task_index", "instruction", "scoring_points"],
         ["task_3", "Which component failed?", "The 1-th predicted root cause component is till-0\n"],
         ["task_7", "When, where and why?", "The 1-th predicted root cause reason is node CPU spike\n"]],
    )  # fmt: skip
    day = system / "telemetry" / "2022_03_20"
    write_csv(
        day / "metric" / "metric_container.csv",
        [["timestamp", "cmdb_id", "kpi_name", "value"], [SLOT + 60, "node-6.till2-0", "cpu", "0.5"],
         [SLOT + 4000, "node-6.till2-0", "cpu", "0.9"]],
    )  # fmt: skip
    write_csv(
        day / "metric" / "metric_service.csv",
        [["service", "timestamp", "rr", "sr", "mrt", "count"], ["till-grpc", SLOT, "100", "99", "2.5", "7"]],
    )
    write_csv(
        day / "trace" / "trace_span.csv",
        [["timestamp", "cmdb_id", "span_id", "trace_id", "duration", "type", "status_code", "operation_name", "parent_span"],
         [(SLOT + 1) * 1000, "till-0", "s", "t", "49877", "rpc", "0", "Pay", ""]],
    )  # fmt: skip
    write_csv(
        day / "log" / "log_service.csv",
        [
            ["log_id", "timestamp", "cmdb_id", "log_name", "value"],
            ["x", SLOT + 5, "till-0", "app", "severity: error, no cash"],
        ],
    )
    return system


@pytest.fixture
def cases(system, tmp_path):
    from leadline.evals.dataset import load_dataset

    OpenRca().import_all(tmp_path / "src", tmp_path / "out")
    return load_dataset(tmp_path / "out")


def test_the_day_is_that_of_the_collections_own_zone_and_the_window_cuts_it(cases, rows):
    found = {(r["service"], r["instance"], r["metric"], r["value"]) for r in rows(cases[0], "metrics")}

    assert found == {
        ("till", "till2-0", "cpu", 0.5),
        ("till", "till-grpc", "request_rate", 100.0),
        ("till", "till-grpc", "success_rate", 99.0),
        ("till", "till-grpc", "response_time", 2.5),
        ("till", "till-grpc", "requests", 7.0),
    }


def test_epochs_are_read_in_their_units(cases, rows):
    (span,), (log,) = rows(cases[0], "traces"), rows(cases[0], "logs")

    assert (span["start"].timestamp(), span["duration_ms"], span["parent_id"]) == (SLOT + 1, 49.877, None)
    assert (log["ts"].timestamp(), log["severity"], log["instance"]) == (SLOT + 5, "ERROR", "till-0")


def test_failures_of_one_half_hour_are_asked_for_together(cases):
    for case in cases:
        assert [cause.ref for cause in case.expected.causes] == ["till-0", "node-4"]
        assert case.expected.all_of
    assert [case.expected.judged_by for case in cases] == [("ref",), ("ref", "reason")]
    assert [case.expected.tags["tier"] for case in cases] == ["easy", "hard"]


def test_the_question_is_told_and_the_record_is_not(cases, incident, bundle_text):
    told = incident(cases[0])

    assert told["question"] == "Which component failed?"
    assert told["window"] == {"start": "2022-03-19T16:00:00Z", "end": "2022-03-19T16:30:00Z"}
    assert "container CPU load" in told["answer_space"]["reasons"]
    assert "predicted" not in bundle_text(cases[0])
    assert "node-4" not in bundle_text(cases[0])


def test_the_callers_zone_has_no_say(cases):
    assert cases[0].expected.official["scoring_points"] == "The 1-th predicted root cause component is till-0\n"


def test_questions_without_their_records_are_refused(system, tmp_path, write_csv):
    write_csv(system / "record.csv", [["level", "component", "timestamp", "datetime", "reason"]])

    with pytest.raises(DatasetError, match="2 questions but 0 records"):
        OpenRca().import_all(tmp_path / "src", tmp_path / "out")


def test_telecom_spans_and_bank_metrics_have_other_columns(tmp_path, write_csv, rows):
    from leadline.evals.dataset import load_dataset

    system = tmp_path / "src" / "Telecom"
    write_csv(system / "record.csv", [["component", "timestamp", "reason"], ["db_001", SLOT + 9, "db close"]])
    write_csv(system / "query.csv", [["task_index", "instruction", "scoring_points"], ["task_1", "When?", "x"]])
    day = system / "telemetry" / "2022_03_20"
    write_csv(
        day / "metric" / "metric_node.csv",
        [["itemid", "name", "bomc_id", "timestamp", "value", "cmdb_id"], ["1", "cpu", "z", SLOT * 1000, "3", "os_017"]],
    )
    write_csv(
        day / "trace" / "trace_span.csv",
        [["callType", "startTime", "elapsedTime", "success", "traceId", "id", "pid", "cmdb_id", "dsName", "serviceName"],
         ["JDBC", SLOT * 1000 + 500, "2.0", "False", "t", "s", "None", "docker_006", "db_003", ""]],
    )  # fmt: skip

    OpenRca().import_all(tmp_path / "src", tmp_path / "out")

    (case,) = load_dataset(tmp_path / "out")
    (metric,), (span,) = rows(case, "metrics"), rows(case, "traces")
    assert (metric["service"], metric["metric"], metric["value"], metric["ts"].timestamp()) == (
        "os_017",
        "cpu",
        3.0,
        SLOT,
    )
    assert (span["name"], span["status"], span["target"], span["duration_ms"]) == ("JDBC", "error", "db_003", 2.0)
