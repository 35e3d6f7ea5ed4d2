"""Cloud-OpsBench: recorded answers become state, the asker's lists become the answer space, labels meet the list."""

import gzip
import json
from datetime import UTC, datetime

import pytest

from leadline.evals.formats.cloud_opsbench import CloudOpsBench, load_reasons
from leadline.evals.formats.kubectl_text import callers, kind_of, table
from leadline.evals.validation import check_dataset

PODS = "NAME          READY   STATUS    RESTARTS   AGE\nmail-1        0/1     Pending   0          73s\n"
DEPLOYMENTS = "NAME   READY   UP-TO-DATE   AVAILABLE   AGE\nmail   0/1     1            0           73s\n"
NODES = (
    "NAME   STATUS                     ROLES    AGE   VERSION\nn-1    Ready,SchedulingDisabled   node     9d    v1\n"
)
DESCRIBED = "Name:  mail-1\nStart Time:  Tue, 11 Nov 2025 16:01:29 +0800\nEvents: FailedScheduling\n"
METRICS = "﻿time,mail-cpu,mail-p90latency,n-1-cpu\n2025-11-11 16:02:00,0.5,,3.25\n"


def _answer(tool, answer, **args):
    return f"{tool}:{json.dumps(args, separators=(',', ':'))}", answer


@pytest.fixture
def cache():
    return dict(
        [
            ("collection_timestamp", "2025-11-11T16:03:23.947809"),
            _answer("GetResources", PODS, resource_type="pods", name="", namespace="post"),
            _answer("GetResources", "junk", resource_type="pods", name="", namespace="post", label_selector="app=mail"),
            _answer("GetResources", DEPLOYMENTS, resource_type="deployments", name="", namespace="post"),
            _answer("GetResources", NODES, resource_type="nodes", name="", namespace="post"),
            _answer("DescribeResource", DESCRIBED, resource_type="pods", name="mail-1", namespace="post"),
            _answer("CheckNodeServiceStatus", "Service: kubelet\n Active: inactive (dead) since x", node_name="n-1",
                    service_name="kubelet"),
            _answer("CheckServiceConnectivity", "mail:25\nConnection Failed", service_name="mail", port=25),
            ("CheckServiceConnectivity-post-mail-box-6379", "open\nConnection Succeeded"),
            _answer("GetAppYAML", "kind: Deployment", app_name="mail"),
            _answer("GetServiceDependencies", "[Service]: mail\n[Upstream (Called By)]: web, shop\n", service_name="mail"),
            _answer("GetAlerts", {"alerts": [{"type": "Node", "name": "n-1", "status": "ABNORMAL",
                    "time_range": "2025-11-11 16:02:05 ~ 2025-11-11 16:03:00",
                    "evidence": ["NETWORK_QUALITY_DEGRADED [TCP Retransmission] | Normal=0.01"]}]}),
            _answer("GetErrorLogs", {"patterns": [
                {"count": 181, "ratio": 0.14, "sample": '{"message":"no cart","timestamp":"2025-11-11T08:02:06.03Z"}'},
                {"count": 1, "ratio": 1.0, "sample": "Error: Error from server (BadRequest): container is waiting"},
            ]}, namespace="post", service_name="web"),
        ]
    )  # fmt: skip


@pytest.fixture
def collection(tmp_path, cache, write_json):
    case = tmp_path / "src" / "benchmark" / "letters" / "scheduling" / "7"
    write_json(
        case / "metadata.json",
        {
            "namespace": "post",
            "query": "Service abnormal restart.",
            "result": {"fault_taxonomy": "Runtime_Fault", "fault_object": "app/mail", "root_cause": "db_read_only"},
            "process": {"path1": ["GetResources::pods"]},
        },
    )
    (case / "raw_data").mkdir()
    (case / "raw_data" / "metrics.csv").write_text(METRICS, encoding="utf-8")
    with gzip.open(case / "tool_cache.json.gz", "wt", encoding="utf-8") as file:
        json.dump(cache, file)
    return tmp_path / "src"


@pytest.fixture
def case(collection, tmp_path, only_case):
    CloudOpsBench().import_all(collection, tmp_path / "out")
    return only_case(tmp_path / "out")


def test_each_answer_is_one_state(case, rows):
    found = {(r["kind"], r["name"]): r["status"] for r in rows(case, "resources")}

    assert found == {
        ("pod", "mail-1"): "Pending",
        ("deployment", "mail"): "0/1",
        ("node", "n-1"): "Ready,SchedulingDisabled",
        ("node_service", "n-1/kubelet"): "inactive (dead)",
        ("connectivity", "mail:25"): "failed",
        ("connectivity", "mail-box:6379"): "open",
        ("manifest", "mail"): "",
        ("container_log", "web"): "failed",
    }


def test_a_described_object_keeps_the_whole_text(case, rows):
    (pod,) = (r for r in rows(case, "resources") if r["kind"] == "pod")

    assert pod["body"] == DESCRIBED
    assert "READY=0/1" in pod["listing"]


def test_times_without_zone_take_that_of_the_tools_texts(case, rows, incident):
    assert {r["ts"] for r in rows(case, "resources")} == {datetime(2025, 11, 11, 8, 3, 23, 947809, tzinfo=UTC)}
    assert {r["ts"] for r in rows(case, "metrics")} == {datetime(2025, 11, 11, 8, 2, tzinfo=UTC)}
    assert incident(case)["alerts"][0]["fired_at"] == "2025-11-11T08:02:05Z"


def test_a_tools_failure_is_no_log_of_the_service(case, rows):
    (log,) = rows(case, "logs")

    assert (log["service"], log["count"], log["ts"]) == (
        "web",
        "181",
        datetime(2025, 11, 11, 8, 2, 6, 30000, tzinfo=UTC),
    )


def test_measured_names_are_told_from_their_metric(case, rows):
    found = [(r["service"], r["metric"], r["value"], r["node"]) for r in rows(case, "metrics")]

    assert sorted(found) == [("mail", "cpu", 0.5, None), ("n-1", "node_cpu", 3.25, "n-1")]


def test_callers_become_edges(case, rows):
    assert [(r["caller"], r["callee"]) for r in rows(case, "topology")] == [("shop", "mail"), ("web", "mail")]


def test_the_answer_space_is_what_the_snapshot_and_the_asker_offer(case, incident):
    space = incident(case)["answer_space"]

    assert [(c["kind"], c["ref"]) for c in space["causes"]] == [
        ("component", "app/mail"),
        ("capacity", "namespace/post"),
        ("infrastructure", "node/n-1"),
    ]
    assert space["reasons"] == list(load_reasons().taxonomy)


def test_a_label_that_the_list_lacks_is_answered_by_the_lists_word(case):
    assert case.expected.causes[0].reason == "db_readonly_mode"
    assert case.expected.official["root_cause"] == "db_read_only"
    assert check_dataset(case.bundle.parents[1]) == ()


@pytest.mark.parametrize("telling", ["scheduling", "Runtime_Fault", "db_read_only", "path1"])
def test_class_label_and_path_are_not_in_the_bundle(case, bundle_text, telling):
    assert telling not in bundle_text(case)


def test_tables_are_cut_at_their_headers_and_other_text_is_none():
    wide = "NAME   STATUS   EXTERNAL NAME\na      Ready    b c\n"

    assert list(table(wide)) == [{"NAME": "a", "STATUS": "Ready", "EXTERNAL NAME": "b c"}]
    assert list(table("Error from server: nothing\n")) == []


@pytest.mark.parametrize(
    ("plural", "kind"), [("pods", "pod"), ("endpoints", "endpoints"), ("networkpolicies", "networkpolicy")]
)
def test_kinds_are_singular(plural, kind):
    assert kind_of(plural) == kind


def test_user_traffic_is_no_caller():
    assert callers("[Service]: web (Entrypoint)\n[Upstream (Called By)]: (User Traffic)\n") == []


def test_real_snapshots_can_all_be_answered(shared, tmp_path):
    CloudOpsBench().import_all(shared / "data" / "cloud-opsbench", tmp_path / "out", limit=3)

    assert check_dataset(tmp_path / "out") == ()
