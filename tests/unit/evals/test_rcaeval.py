"""RCAEval: the folder names the truth, the columns name services, a database counts as its service."""

import shutil
from datetime import UTC, datetime

import pytest

from leadline.contracts.errors import DatasetError
from leadline.evals.formats.rcaeval import RcaEval


@pytest.fixture
def run(tmp_path, write_csv):
    folder = tmp_path / "src" / "RE2-X" / "till-db_mem" / "3"
    write_csv(
        folder / "simple_metrics.csv",
        [
            ["time", "till-db_mem", "till_latency-90", "belt_cpu"],
            ["1000", "5", "inf", "0.5"],
            ["1001", "", "0.25", "0.5"],
        ],
    )
    write_csv(folder / "metrics.csv", [["time", "other_thing"], ["1000", "1"]])
    write_csv(
        folder / "logs.csv",
        [["time", "timestamp", "container_name", "message"], ["t", "1000500000000", "belt", "WARN belt is slow"]],
    )
    write_csv(
        folder / "traces.csv",
        [["time", "traceID", "spanID", "serviceName", "methodName", "operationName", "startTimeMillis", "startTime",
          "duration", "statusCode", "parentSpanID"],
         ["t", "t1", "s1", "belt", "", "Get", "1000000", "1000250000", "2500", "0", ""]],
    )  # fmt: skip
    (folder / "inject_time.txt").write_text("1001\n")
    return folder


@pytest.fixture
def case(run, tmp_path, only_case):
    RcaEval().import_all(tmp_path / "src", tmp_path / "out")
    return only_case(tmp_path / "out")


def test_cells_are_rows_without_empty_and_infinite_ones(case, rows):
    found = [(r["ts"].timestamp(), r["service"], r["metric"], r["value"]) for r in rows(case, "metrics")]

    assert found == [
        (1000.0, "belt", "cpu", 0.5),
        (1000.0, "till-db", "mem", 5.0),
        (1001.0, "belt", "cpu", 0.5),
        (1001.0, "till", "latency-90", 0.25),
    ]


def test_times_of_logs_and_traces_have_their_own_units(case, rows):
    (log,), (span,) = rows(case, "logs"), rows(case, "traces")

    assert (log["ts"].timestamp(), log["service"], log["severity"]) == (1000.5, "belt", "WARN")
    assert (span["start"].timestamp(), span["duration_ms"], span["parent_id"], span["name"]) == (
        1000.25,
        2.5,
        None,
        "Get",
    )


def test_the_folders_name_is_the_truth_and_stays_outside(case, bundle_text, incident):
    assert "till-db_mem" not in bundle_text(case)
    assert incident(case)["alerts"][0]["fired_at"] == datetime.fromtimestamp(1001, tz=UTC).isoformat().replace(
        "+00:00", "Z"
    )
    cause = case.expected.causes[0]
    assert (cause.ref, cause.reason, cause.aliases) == ("till-db", "mem", ("till",))


def test_a_database_is_counted_with_its_service(case):
    assert case.expected.candidates == 2


def test_a_run_without_metrics_is_refused(run, tmp_path):
    (run / "simple_metrics.csv").unlink()
    (run / "metrics.csv").unlink()

    with pytest.raises(DatasetError, match="cannot be read"):
        RcaEval().import_all(tmp_path / "src", tmp_path / "out")


def test_a_real_metrics_file_of_the_format(shared, tmp_path, only_case):
    folder = tmp_path / "src" / "RE2-OB" / "somewhere_cpu" / "1"
    folder.mkdir(parents=True)
    shutil.copy(shared / "data" / "rcaeval-sample" / "simple_metrics.csv", folder)
    (folder / "inject_time.txt").write_text("1705354580")

    RcaEval().import_all(tmp_path / "src", tmp_path / "out")

    assert only_case(tmp_path / "out").expected.candidates == 12
