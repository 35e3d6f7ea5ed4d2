"""OpenSRE: what the alert gives away is dropped, what is absent on purpose stays absent, healthy is healthy."""

import pytest

from leadline.evals.formats.opensre import OpenSre
from leadline.evals.validation import check_dataset

NODES = {"nodes": [{"name": "n-1", "ready": "True"}]}


def _series(name, metric, values):
    times = [f"2026-01-01T10:0{i}:00Z" for i in range(len(values))]
    return {"metric_name": metric, "dimensions": [{"Name": "x", "Value": name}], "stat": "Average", "unit": "Percent",
            "timestamps": times, "values": values}  # fmt: skip


def _alert(failure, state="alerting"):
    return {
        "title": "[synthetic-k8s] Pods restart", "state": state,
        "commonLabels": {"alertname": "PodRestarts", "severity": "warning", "pipeline_name": "x", "service": "till",
                         "workload_name": "till"},
        "commonAnnotations": {"summary": "Restarted 8 times.", "k8s_failure_mode": failure, "context_sources": "eks"},
    }  # fmt: skip


@pytest.fixture
def suite(tmp_path, write_json):
    suite = tmp_path / "src" / "cluster"
    base, broken = suite / "000-fine", suite / "001-memory-blown"
    write_json(base / "alert.json", _alert("healthy", "normal"))
    (base / "scenario.yml").write_text(
        "scenario_id: 000\navailable_evidence: [eks_pods, eks_node_health, aws_cloudwatch_metrics]\nfailure_mode: healthy\n"
    )
    (base / "answer.yml").write_text("root_cause_category: healthy\nrequired_keywords: [normal]\n")
    write_json(
        base / "eks_pods.json", {"pods": [{"name": "till-1", "namespace": "pay", "phase": "Running", "containers": []}]}
    )
    write_json(base / "eks_node_health.json", NODES)
    write_json(base / "aws_cloudwatch_metrics_Cpu.json", _series("db", "Cpu", [1.0]))
    write_json(base / "aws_cloudwatch_metrics_Disk.json", _series("db", "Disk", [7.0]))
    write_json(broken / "alert.json", _alert("memory_blown"))
    (broken / "scenario.yml").write_text(
        "base: 000-fine\nscenario_id: 001\nfailure_mode: memory_blown\nscenario_difficulty: 2\n"
    )
    (broken / "answer.yml").write_text(
        "root_cause_category: resource_exhaustion\nrequired_keywords: ['exit code 137']\n"
        "required_evidence_sources: [aws_cloudwatch_metrics]\nforbidden_categories: [healthy]\n"
    )
    (broken / "QA_VALIDATION.md").write_text("the trap is the disk")
    state = {"waiting": True, "reason": "CrashLoopBackOff"}
    write_json(broken / "eks_pods.json", {"pods": [{"name": "till-1", "namespace": "pay", "phase": "Running",
               "containers": [{"state": state}]}]})  # fmt: skip
    write_json(broken / "aws_cloudwatch_metrics.json", {"metric_data_results": [_series("db", "Cpu", [1.0, 9.0])]})
    return tmp_path / "src"


@pytest.fixture
def cases(suite, tmp_path):
    from leadline.evals.dataset import load_dataset

    OpenSre().import_all(suite, tmp_path / "out")
    return load_dataset(tmp_path / "out")


def test_the_healthy_scenario_is_a_healthy_control(cases):
    fine, broken = cases

    assert (fine.expected.outcome, fine.expected.healthy_control, fine.expected.causes) == ("no_incident", True, ())
    assert (broken.expected.outcome, broken.expected.healthy_control) == ("cause_found", False)


@pytest.mark.parametrize("telling", ["memory_blown", "failure_mode", "synthetic", "trap", "137", "001"])
def test_failure_mode_answer_and_folder_name_are_not_in_the_bundle(cases, bundle_text, telling):
    assert telling not in bundle_text(cases[1])


def test_evidence_that_a_scenario_lacks_comes_from_its_base(cases, rows):
    kinds = [(r["kind"], r["name"], r["status"]) for r in rows(cases[1], "resources")]

    assert kinds == [("node", "n-1", "Ready"), ("pod", "till-1", "CrashLoopBackOff")]


def test_a_metric_that_is_absent_on_purpose_stays_absent(cases, rows):
    assert {r["metric"] for r in rows(cases[0], "metrics")} == {"Cpu", "Disk"}
    assert {r["metric"] for r in rows(cases[1], "metrics")} == {"Cpu"}


def test_the_alert_keeps_what_an_engineer_is_told(cases, incident):
    told = incident(cases[1])

    assert told["title"] == "Pods restart"
    assert told["alerts"] == [
        {"service": "till", "metric": "PodRestarts", "severity": "warning", "summary": "Restarted 8 times.",
         "labels": {"alertname": "PodRestarts", "service": "till", "workload_name": "till",
                    "summary": "Restarted 8 times.", "state": "alerting"}}
    ]  # fmt: skip


def test_the_category_is_what_counts_as_right(cases):
    expected = cases[1].expected

    assert expected.judged_by == ("reason",)
    assert expected.causes[0].reason == "resource_exhaustion"
    assert expected.required_evidence == ("metrics",)
    assert expected.facts == ("exit code 137",)


def test_events_and_log_lines_keep_their_times(suite, tmp_path, write_json, rows):
    from leadline.evals.dataset import load_dataset

    broken = suite / "cluster" / "001-memory-blown"
    (broken / "scenario.yml").write_text("failure_mode: x\navailable_evidence: [eks_events, eks_pod_logs]\n")
    write_json(broken / "eks_events.json", {"warning_events": [
        {"namespace": "pay", "reason": "BackOff", "message": "restarting", "count": 8, "involved_object": "Pod/till-1",
         "first_time": "2026-01-01T10:00:00Z", "last_time": "2026-01-01T10:05:00Z"}]})  # fmt: skip
    write_json(broken / "eks_pod_logs.json", {"pod_name": "till-1", "namespace": "pay",
               "logs": "2026-01-01T10:04:58Z INFO up\n[killed]\n"})  # fmt: skip
    OpenSre().import_all(suite, tmp_path / "out")
    case = load_dataset(tmp_path / "out")[1]

    (event,) = rows(case, "resources")
    assert (event["kind"], event["name"], event["status"], event["count"]) == ("event", "Pod/till-1", "BackOff", "8")
    assert [(r["severity"], r["body"], r["ts"].second) for r in rows(case, "logs")] == [
        ("", "[killed]", 58),
        ("INFO", "2026-01-01T10:04:58Z INFO up", 58),
    ]


def test_the_imported_suite_is_a_valid_data_set(cases):
    assert check_dataset(cases[0].bundle.parents[1]) == ()


def test_the_real_suites_are_valid_and_have_healthy_controls(shared, tmp_path):
    from leadline.evals.dataset import load_dataset

    OpenSre().import_all(shared / "data" / "opensre-synthetic", tmp_path / "out")

    assert check_dataset(tmp_path / "out") == ()
    assert sum(case.expected.healthy_control for case in load_dataset(tmp_path / "out")) >= 2
