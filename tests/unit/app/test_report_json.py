import json

from leadline.app.report.as_json import report_json
from leadline.contracts.report import IncidentReport

KEYS = {
    "schema", "run", "graph", "proposer", "status", "outcome", "causes", "first_failing_service", "affected_services",
    "remediation", "claims", "ruled_out", "coverage", "degraded", "conflicts", "decisions", "without_model", "usage",
}  # fmt: skip


def test_the_stable_keys_and_their_values(rich):
    document = json.loads(report_json(rich))
    assert document.keys() >= KEYS
    assert (document["schema"], document["run"], document["graph"]) == (1, "run-20260711-134900-4f2a", "star@1")
    assert (
        document["causes"][0].items()
        >= {
            "rank": 1,
            "kind": "change",
            "ref": "c62e9decf1a04b7f",
            "service": "catalogservice",
            "reason": "cache_ttl",
            "onset": "2026-07-11T13:41:20Z",
            "confidence": 0.81,
            "claims": ["clm-000000000001", "clm-000000000002", "clm-000000000003"],
            "note": "Its diff sets the key that the first anomaly is about.",
        }.items()
    )
    assert (
        document["claims"][1].items()
        >= {
            "id": "clm-000000000002",
            "text": "catalogservice calls productdb more: 1,410 requests/s (normal: 98)",
            "observations": ["obs-000002000000", "obs-000002000001"],
            "verified": True,
        }.items()
    )
    assert document["remediation"][0] == {
        "action": "rollback",
        "target": "catalogservice to the version before c62e9dec",
        "why": ["clm-000000000001", "clm-000000000002"],
    }
    assert document["coverage"][5].items() >= {"source": "resources", "status": "missing"}.items()
    assert document["without_model"].keys() == {"outcome", "causes"}
    assert document["usage"].items() >= {
        "model_calls": 9, "tokens_in": 41_208, "tokens_out": 2_310, "seconds": 74.3,
    }.items()  # fmt: skip


def test_keys_stay_where_there_is_nothing_to_say(empty):
    document = json.loads(report_json(empty))
    assert document.keys() >= KEYS
    assert (document["causes"], document["claims"], document["status"]) == ([], [], "draft")


def test_it_reads_back_as_the_same_report(rich, hostile):
    for report in (rich, hostile):
        assert IncidentReport.model_validate_json(report_json(report)) == report
