"""Flat exports of pods, nodes and events, as agents of cloud providers write them, are understood as well."""

import json
from typing import Any

import pytest

from leadline.contracts.base import AgentId, ClaimId, ObservationId
from leadline.contracts.claim import Claim
from leadline.evidence.probes.registry import all_probes
from leadline.evidence.ranking import rank
from tests.unit.evidence.asking import ask

INCIDENT = """schema: 1
id: inc-1
title: Trouble with till-api
alerts: [{service: till-api, summary: till-api is unhealthy, labels: {state: alerting}}]
question: Is anything broken, and if so, what kind of fault is it?
answer_space: {reasons: [code_defect, configuration_error, data_quality, dependency_failure, infrastructure, resource_exhaustion]}
"""
Row = dict[str, Any]


def row(kind: str, name: str, status: str, body: Row) -> Row:
    return {
        "kind": kind,
        "namespace": "shop",
        "name": name,
        "status": status,
        "body": json.dumps({"name": name, **body}),
    }


def pod(
    letter: str, *, ready: bool = True, reason: str = "", message: str = "", restarts: int = 0, node: str = "n1"
) -> Row:
    name = f"till-api-7f9dd8b6c4-{letter * 5}"
    state = {"running": True} if ready else {"waiting": True, "reason": reason, "message": message}
    conditions = [{"type": "Ready", "status": str(ready)}, {"type": "PodScheduled", "status": "True"}]
    containers = [{"name": "main", "ready": ready, "restart_count": restarts, "state": state}]
    return row("pod", name, reason or "Running", {
        "phase": "Running", "node_name": node, "conditions": conditions, "containers": containers,
    })  # fmt: skip


def deployment(ready: int) -> Row:
    return row("deployment", "till-api", f"{ready}/2", {"ready": ready, "desired": 2, "available": ready})


def node(name: str, ready: str = "True") -> Row:
    return row("node", name, "Ready" if ready == "True" else "NotReady", {"ready": ready, "disk_pressure": "False"})


def event(name: str, reason: str, message: str) -> Row:
    return {
        "kind": "event",
        "namespace": "shop",
        "name": name,
        "status": reason,
        "body": message,
        "ts": "2026-03-14T02:45:00Z",
    }


def said(level: str, text: str) -> list[Row]:
    return [{"ts": f"2026-03-14T02:4{n}:01Z", "service": "till-api", "severity": level, "body": text} for n in range(6)]


GOOD = [pod("a"), node("n1"), node("n2")]
CASES: dict[str, tuple[list[Row], list[Row], str, str]] = {
    "a secret is missing": (
        [deployment(1), *GOOD, pod("c", ready=False, reason="CreateContainerConfigError", message='secret "till-keys" not found')],
        [], "cause_found", "configuration_error",
    ),
    "a node is gone": (
        [deployment(1), *GOOD[:2], pod("c", ready=False, node="n2"), node("n2", "Unknown"),
         event("Node/n2", "NodeNotReady", "Node n2 status is now: NodeNotReady")],
        [], "cause_found", "infrastructure",
    ),
    "a pod was evicted": (
        [deployment(1), *GOOD, pod("c", ready=False, reason="Evicted", message="The node was low on resource: memory.")],
        [], "cause_found", "resource_exhaustion",
    ),
    "a quota is used up": (
        [deployment(1), *GOOD, event(
            "ReplicaSet/till-api-7f9dd8b6c4", "FailedCreate", 'pods "x" is forbidden: exceeded quota: team, requested: '
            "limits.memory=1Gi, used: limits.memory=8Gi, limited: limits.memory=8Gi")],
        [], "cause_found", "resource_exhaustion",
    ),
    "the program panics": (
        [deployment(1), *GOOD, pod("c", ready=False, reason="CrashLoopBackOff", restarts=9)],
        said("FATAL", "panic: runtime error: nil pointer dereference"), "cause_found", "code_defect",
    ),
    "a record cannot be read": (
        [deployment(2), *GOOD, pod("b")], said("ERROR", "failed to parse record 17: malformed payload"),
        "cause_found", "data_quality",
    ),
    "a retry went well": (
        [deployment(2), *GOOD, pod("b"),
         event("Pod/till-api-7f9dd8b6c4-aaaaa", "FailedMount", "MountVolume.SetUp failed: transient issue, retried successfully")],
        said("INFO", "served"), "no_incident", "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
async def test_the_kind_of_fault_is_told(opened, name: str) -> None:
    objects, lines, outcome, reason = CASES[name]
    bundle = opened({"resources.jsonl": objects} | ({"logs.jsonl": lines} if lines else {}), incident=INCIDENT)
    probes = [n for n in all_probes() if n.startswith("resource_") or n in {"log_templates", "log_error_rate"}]
    claims = [
        Claim(**fact.model_dump(), id=ClaimId(f"clm-{probe}-{n}"), observations=(ObservationId(f"obs-{probe}"),),
              made_by=AgentId("a"), origin="rules")
        for probe in probes
        for n, fact in enumerate((await ask(bundle, probe)).facts)
    ]  # fmt: skip
    ranking = rank(claims, bundle.incident)
    assert (ranking.outcome, ranking.causes[0].reason if ranking.causes else "") == (outcome, reason)
