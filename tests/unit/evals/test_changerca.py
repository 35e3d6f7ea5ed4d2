"""ChangeRCA: releases in no telling order, columns by what they hold, steps by when they were done."""

import pytest

from leadline.evals.formats.changerca import ChangeRca

HEADER = [
    "Time", "Timestamp", "SuccessRate", "Latency", "CPUUsageRate(%)", "MemoryUsageRate(%)", "NodeCpuUsageRate(%)",
    "NodeMemoryUsageRate(%)",
]  # fmt: skip
CANARY, STABLE = "till-v2-df89d554c-thc4x", "till-v1-857f69df7f-kndkc"


def _step(v1, v2, done):
    return {"v1": v1, "v2": v2, "release_pod": [CANARY], "delete_pod": [STABLE], "release_complete_timestamp": done}


@pytest.fixture
def case(tmp_path, write_json, write_csv, only_case):
    folder = tmp_path / "src" / "2024-01-02" / "2024-01-02_3"
    write_json(
        folder / "2024-01-02_3.json",
        {
            "plan": {
                "till": {"release_time": 1000, "target_replica": 2, "fault": None,
                         "process": {"1700": _step(1, 1, 1060), "1200": _step(0, 2, 1900)}},
                "belt": {"release_time": 1100, "target_replica": 2, "fault": None, "process": {"1100": _step(1, 1, 1160)}},
            },
            "fault": "wrongvalue", "fault_release_service": "till", "normal_service_list": ["belt"],
            "detect_timestamp": 1140, "GIED_result": "belt", "Microscope_result": "till",
        },
    )  # fmt: skip
    for pod, rate in ((CANARY, "25"), (STABLE, "NaN")):
        write_csv(folder / f"{pod}_shop_till.csv", [HEADER, ["x", "1080", rate, "21.5", "44", "3.5", "17", "0.0048"]])
    write_csv(folder / f"{CANARY}_till_bank.csv", [HEADER, ["x", "1080", "99", "21.5", "44", "3.5", "17", "0.1"]])
    write_csv(folder / "dependency.csv", [["Source", "Target", "Weight"], ["shop", "till", "1"]])
    write_csv(folder / "source_success.csv", [["time", "timestamp", "shop_till"], ["x", "1080", "62.5"]])
    ChangeRca().import_all(tmp_path / "src", tmp_path / "out")
    return only_case(tmp_path / "out")


def test_the_defective_release_does_not_come_first(case, incident):
    assert [c["ref"] for c in incident(case)["answer_space"]["causes"]] == ["belt-v2", "till-v2"]
    assert case.expected.causes[0].ref == "till-v2"
    assert case.expected.candidates == 2


@pytest.mark.parametrize("telling", ["normal_service", "wrongvalue", "GIED", "Microscope", "fault"])
def test_neither_truth_nor_other_methods_answers_are_in_the_bundle(case, bundle_text, telling):
    assert telling not in bundle_text(case)


def test_the_misnamed_header_is_read_by_what_stands_below_it(case, rows):
    canary = {
        r["metric"]: (r["value"], r["unit"])
        for r in rows(case, "metrics")
        if r["instance"] == CANARY and (r["caller"], r["callee"]) != ("till", "bank")
    }

    assert canary == {
        "success_rate@shop->till": (25.0, "%"),
        "latency@shop->till": (0.0048, "s"),
        "cpu_usage_rate": (21.5, "%"),
        "memory_usage_rate": (44.0, "%"),
        "node_cpu_usage_rate": (3.5, "%"),
        "node_memory_usage_rate": (17.0, "%"),
    }


def test_a_pods_own_metrics_are_told_once_though_it_has_a_file_per_edge(case, rows):
    found = [r for r in rows(case, "metrics") if r["instance"] == CANARY and r["metric"] == "cpu_usage_rate"]

    assert len(found) == 1


def test_versions_are_marked_and_a_pod_without_traffic_has_no_rate(case, rows):
    pods = [r for r in rows(case, "metrics") if r["version"]]

    assert {(r["instance"], r["version"]) for r in pods} == {(CANARY, "v2"), (STABLE, "v1")}
    assert not [r for r in pods if r["instance"] == STABLE and r["metric"].startswith("success_rate")]


def test_edges_have_their_own_series(case, rows):
    (edge,) = (r for r in rows(case, "metrics") if r["metric"] == "success_rate_source")

    assert (edge["service"], edge["instance"], edge["value"]) == ("till", "shop->till", 62.5)


def test_rollout_steps_stand_at_their_completion(case, rows):
    found = [(r["ts"].timestamp(), r["ref"], r["step"], r["canary"]) for r in rows(case, "changes")]

    assert found == [(1060, "till-v2", "1", "1"), (1160, "belt-v2", "1", "1"), (1900, "till-v2", "2", "2")]


def test_real_canaries_look_worse_than_the_stable_pods_at_least_once(shared, tmp_path, only_case, rows):
    ChangeRca().import_all(shared / "data" / "changerca", tmp_path / "out", limit=1)

    case = only_case(tmp_path / "out")
    latencies = [r["value"] for r in rows(case, "metrics") if r["metric"].startswith("latency@")]
    assert 0 < sorted(latencies)[len(latencies) // 2] < 1
