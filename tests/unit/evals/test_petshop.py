"""PetShop: the truth stays out, the normal stretch is named, the columns find their nodes."""

from datetime import UTC, datetime

import pytest

from leadline.contracts.errors import DatasetError
from leadline.evals.formats.petshop import PetShop

HEAD = [
    ["microservice", "shop", "shop", "bill", "bill"],
    ["metric", "latency", "availability", "latency", "requests"],
    ["statistic", "p90", "Average", "Average", "Sum"],
    ["unix_timestamp", "", "", "", ""],
]


@pytest.fixture
def collection(tmp_path, write_csv, write_json):
    scenario = tmp_path / "src" / "dataset" / "calm"
    write_csv(scenario / "graph.csv", [["", "shop", "bill"], ["shop", "0", "1"], ["bill", "0", "0"]])
    write_csv(scenario / "noissue" / "metrics.csv", [*HEAD, ["1000000000.0", "0.1", "100.0", "0.2", "5"]])
    for number in (10, 9):
        issue = scenario / "test" / f"issue_{number}"
        write_csv(issue / "metrics.csv", [*HEAD, ["900000000.0", "0.9", "", "0.8", str(number)]])
        write_json(
            issue / "target.json",
            {
                "target": {"node": "shop", "metric": "latency", "agg": "p90", "timestamp": 900000060},
                "root_cause": {"node": "bill", "metric": None},
                "metadata": {"reproducibility": {"command": "slow-down --node bill"}},
            },
        )
    return tmp_path / "src"


def test_one_case_per_issue_in_numeric_order(collection, tmp_path, rows, only_case):
    summary = PetShop().import_all(collection, tmp_path / "out", limit=1)

    assert summary.cases == 1
    case = only_case(tmp_path / "out")
    assert case.name == "petshop-0001"
    assert case.expected.tags["origin"] == "calm/test/issue_9"
    assert {row["value"] for row in rows(case, "metrics") if row["metric"] == "requests_sum"} == {9.0, 5.0}


def test_cells_become_rows_of_their_node_and_empty_ones_none(collection, tmp_path, rows, only_case):
    PetShop().import_all(collection, tmp_path / "out", limit=1)

    at = datetime.fromtimestamp(900000000, tz=UTC)
    found = {
        (r["service"], r["metric"]): (r["value"], r["unit"])
        for r in rows(only_case(tmp_path / "out"), "metrics")
        if r["ts"] == at
    }
    assert found == {
        ("shop", "latency_p90"): (0.9, "s"),
        ("bill", "latency_average"): (0.8, "s"),
        ("bill", "requests_sum"): (9.0, "1"),
    }


def test_edges_run_from_row_to_column(collection, tmp_path, rows, only_case):
    PetShop().import_all(collection, tmp_path / "out", limit=1)

    edges = rows(only_case(tmp_path / "out"), "topology")
    assert [(edge["caller"], edge["callee"]) for edge in edges] == [("shop", "bill")]


def test_the_far_normal_stretch_is_named_as_the_baseline(collection, tmp_path, only_case, incident):
    PetShop().import_all(collection, tmp_path / "out", limit=1)

    told = incident(only_case(tmp_path / "out"))
    assert told["baseline"] == {"start": "2001-09-09T01:46:40Z", "end": "2001-09-09T01:46:40Z"}
    assert told["alerts"] == [{"service": "shop", "metric": "latency_p90", "fired_at": "1998-07-09T16:01:00Z"}]


def test_neither_cause_nor_command_is_in_the_bundle(collection, tmp_path, only_case, bundle_text):
    PetShop().import_all(collection, tmp_path / "out", limit=1)

    case = only_case(tmp_path / "out")
    text = bundle_text(case)
    assert "slow-down" not in text
    assert "root_cause" not in text
    assert case.expected.causes[0].ref == "bill"
    assert case.expected.candidates == 2


def test_a_scenario_without_normal_stretch_is_told(collection, tmp_path, only_case, incident):
    (collection / "dataset" / "calm" / "noissue" / "metrics.csv").unlink()

    summary = PetShop().import_all(collection, tmp_path / "out", limit=1)

    assert summary.notes == ("petshop-0001: scenario 'calm' has no normal stretch",)
    assert "baseline" not in incident(only_case(tmp_path / "out"))


def test_another_folder_is_refused(tmp_path):
    with pytest.raises(DatasetError, match="no PetShop issue"):
        PetShop().import_all(tmp_path, tmp_path / "out")


def test_an_import_never_overwrites(collection, tmp_path):
    PetShop().import_all(collection, tmp_path / "out", limit=1)

    with pytest.raises(DatasetError, match="exists already"):
        PetShop().import_all(collection, tmp_path / "out", limit=1)


def test_the_same_source_gives_the_same_bytes(collection, tmp_path):
    for name in ("one", "two"):
        PetShop().import_all(collection, tmp_path / name)

    files = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file())
    assert len(files) == 8
    assert all((tmp_path / "one" / f).read_bytes() == (tmp_path / "two" / f).read_bytes() for f in files)


def test_real_low_traffic_issues(shared, tmp_path, only_case):
    PetShop().import_all(shared / "data" / "petshop", tmp_path / "out", limit=1)

    case = only_case(tmp_path / "out")
    assert case.expected.candidates == 42
    assert case.expected.outcome == "cause_found"
