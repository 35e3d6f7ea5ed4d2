"""Resources, documents and what others report."""

import json

import pytest

from tests.unit.evidence.asking import ask, minutes

INCIDENT = "schema: 1\nid: inc-1\ntitle: slow\nalerts: [{service: web, fired_at: 2026-03-14T03:05:00Z}]\n"


def resource(
    kind: str, name: str, status: str = "", body: str = "", ts: str = "", namespace: str = "app"
) -> dict[str, str]:
    return {"kind": kind, "name": name, "status": status, "body": body, "ts": ts, "namespace": namespace}


@pytest.mark.parametrize(
    ("row", "reasons"),
    [
        (resource("Pod", "a", "CrashLoopBackOff", "Last State: Terminated\nReason: OOMKilled\nExit Code: 137"),
         {"CrashLoopBackOff", "OOMKilled"}),
        (resource("Pod", "a", "Running"), set()),
        (resource("Pod", "a", "Init:ImagePullBackOff"), {"ImagePullBackOff"}),
        (resource("Pod", "a", "Pending", "0/3 nodes are available: 3 Insufficient cpu."), {"Pending", "FailedScheduling"}),
        (resource("Pod", "a", "0/1 Running"), {"NotReady"}),
        (resource("Deployment", "a", "2/2"), set()),
        (resource("Node", "n", "Ready,SchedulingDisabled", namespace=""), {"SchedulingDisabled"}),
        (resource("Event", "a", "FailedMount", 'MountVolume.SetUp failed: configmap "x" not found'),
         {"FailedMount", "CreateContainerConfigError"}),
        (resource("ResourceQuota", "q", "", "pods is forbidden: exceeded quota: q"), {"ExceededQuota", "Forbidden"}),
        (resource("Pod", "a", "Running", "Readiness probe failed: HTTP 500"), {"ReadinessProbeFailed"}),
        (resource("Certificate", "tls", "", "x509: certificate has expired or is not yet valid"), {"CertificateExpired"}),
        (resource("Service", "s", "", "Name: s\nEndpoints:   <none>\n"), {"NoEndpoints"}),
    ],
)  # fmt: skip
async def test_what_is_wrong_with_a_resource(opened, row: dict[str, str], reasons: set[str]) -> None:
    answer = await ask(opened({"resources.jsonl": [row]}), "resource_state")
    assert {f.object for f in answer.facts} == reasons
    for fact in answer.facts:
        assert fact.relation == "fails"
        assert fact.signal == f"resource:{row['kind'].lower()}"
        assert fact.subject.ref == (row["name"] if row["kind"] == "Node" else f"app/{row['name']}")
        assert fact.subject.kind == ("node" if row["kind"] == "Node" else "component")


async def test_the_newest_state_counts(opened) -> None:
    rows = [resource("Pod", "a", "Pending", ts=minutes(0)), resource("Pod", "a", "Running", ts=minutes(5))]
    assert (await ask(opened({"resources.jsonl": rows}), "resource_state")).status == "empty"


async def test_kinds_and_names_can_be_chosen(opened) -> None:
    bundle = opened(
        {"resources.jsonl": [resource("Pod", "a", "Pending"), resource("PersistentVolumeClaim", "b", "Pending")]}
    )
    answer = await ask(bundle, "resource_state", kinds=["PersistentVolumeClaim"])
    assert [f.subject.ref for f in answer.facts] == ["app/b"]
    assert (await ask(bundle, "resource_state", names=["a"])).facts[0].subject.ref == "app/a"


async def test_documents_are_searched_by_words(opened) -> None:
    bundle = opened({
        "documents/runbook.md": "Nothing here\nIf the connection pool is exhausted, raise max_conns\n",
        "documents/other.md": "lunch menu",
    })  # fmt: skip
    answer = await ask(bundle, "document_search", terms=["pool", "max_conns"])
    assert [(f.subject.ref, f.object, f.relation, f.strength) for f in answer.facts] == [
        ("runbook.md", "max_conns", "matches", 0.7), ("runbook.md", "pool", "matches", 0.7),
    ]  # fmt: skip
    assert "connection pool is exhausted" in answer.facts[0].quote


async def test_a_text_that_says_it_failed_is_no_evidence(opened) -> None:
    text = "status: success\nCommand failed with return code 1: oom kubelet unable to connect\n"
    answer = await ask(opened({"documents/out.txt": text}), "document_search", terms=["oom"])
    assert answer.facts[0].strength <= 0.2
    assert answer.excerpt == ("out.txt: says that it failed",)


async def test_trouble_outside_is_reported(opened) -> None:
    feed = [
        {
            "ts": minutes(58),
            "kind": "status",
            "service": "payments-api",
            "title": "Elevated error rates",
            "body": "Investigating",
        },
        {"ts": minutes(-300), "kind": "status", "service": "dns", "title": "Degraded", "body": "Resolved"},
        {"ts": minutes(50), "kind": "status", "service": "cdn", "title": "Planned change went well", "body": ""},
        {"ts": minutes(50), "kind": "deploy", "service": "web", "title": "outage page", "body": ""},
    ]
    bundle = opened(
        {"changes.jsonl": feed, "metrics.csv": f"ts,metric,value\n{minutes(0)},a,1\n{minutes(90)},a,1\n"},
        incident=INCIDENT,
    )
    answer = await ask(bundle, "external_status")
    assert [(f.subject.kind, f.subject.ref, f.strength) for f in answer.facts] == [
        ("external", "payments-api", 0.8), ("external", "dns", 0.3),
    ]  # fmt: skip


async def test_a_status_page_may_be_a_document(opened) -> None:
    bundle = opened({"documents/provider-status.txt": json.dumps({"note": "Major outage in region"})})
    assert (await ask(bundle, "external_status")).facts[0].subject.ref == "provider-status.txt"
