"""A database at one of its limits is told from one that recovered, one that is only busy, and one that failed over."""

from typing import Any

import pytest

from leadline.contracts.base import AgentId, ClaimId, ObservationId
from leadline.contracts.claim import Claim
from leadline.evidence.ranking import rank
from tests.unit.evidence.asking import ask, minutes

INCIDENT = (
    "schema: 1\nid: inc-1\ntitle: Check of vault-main\nalerts: [{service: vault-main, summary: look at it, labels: {state: STATE}}]\n"
    "question: Is anything broken?\nanswer_space: {reasons: [configuration_error, infrastructure, resource_exhaustion, code_defect]}\n"
)


def series(metric: str, values: list[float], service: str = "vault-main") -> list[dict[str, Any]]:
    return [{"ts": minutes(n), "service": service, "metric": metric, "value": value} for n, value in enumerate(values)]


def event(minute: float, text: str, name: str = "vault-main") -> dict[str, Any]:
    return {"kind": "event", "name": name, "ts": minutes(minute), "status": "notification", "body": text}


FULL = [15e9 - n * 1e9 for n in range(15)]
AUTOSCALED = [30e9, 20e9, 10e9, 3e9, 3e9, 100e9, 200e9, 200e9, 200e9, 200e9]
CASES: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]], str, str]] = {
    "out of storage": (
        series("FreeStorageSpace", FULL), [event(12, "DB instance ran out of storage space.")],
        "cause_found", "resource_exhaustion",
    ),
    "storage without its metric": (
        series("WriteLatency", [1.0] * 10 + [30.0] * 5), [event(12, "DB instance is full: insufficient storage space.")],
        "cause_found", "resource_exhaustion",
    ),
    "storage that grew in time": (
        series("FreeStorageSpace", AUTOSCALED),
        [event(3, "Free storage space is low (3 GB)."), event(6, "Storage autoscaling completed for DB instance vault-main.")],
        "no_incident", "",
    ),
    "connections used up": (
        series("DatabaseConnections", [200, 220, 260, 300, 380, 440, 480, 492, 494, 495]),
        [event(7, "vault-main is approaching max_connections limit. Current connections: 480 of 500.")],
        "cause_found", "resource_exhaustion",
    ),
    "connections that only vary": (
        [*series("DatabaseConnections", [90, 95, 92, 97, 94, 98, 91, 96, 93, 97]), *series("CPUUtilization", [20.0] * 10)],
        [], "no_incident", "",
    ),
    "failover": (
        series("DatabaseConnections", [300, 310, 305, 0, 0, 150, 300, 305, 300, 302]),
        [event(3, "Multi-AZ failover initiated for vault-main."), event(5, "Multi-AZ failover completed.")],
        "cause_found", "infrastructure",
    ),
    "replica behind, processor busy": (
        [*series("ReplicaLag", [2, 3, 4, 60, 200, 500, 800, 900, 950, 990], "vault-main-reader"),
         *series("CPUUtilization", [20, 22, 24, 80, 90, 92, 93, 92, 91, 92]),
         *series("TransactionLogsGeneration", [4e6, 4e6, 5e6, 9e7, 2e8, 2e8, 2e8, 2e8, 2e8, 2e8])],
        [event(5, "Replication lag on vault-main-reader has exceeded 300 seconds.", "vault-main-reader")],
        "cause_found", "resource_exhaustion",
    ),
}  # fmt: skip


async def verdict(opened, metrics: list[dict[str, Any]], events: list[dict[str, Any]], state: str = "alerting"):
    bundle = opened(
        {"metrics.jsonl": metrics, "resources.jsonl": events or [event(0, "Automated backup finished.")]},
        incident=INCIDENT.replace("STATE", state),
    )
    answers = [await ask(bundle, name) for name in ("resource_database", "metric_shift")]
    claims = [
        Claim(**fact.model_dump(), id=ClaimId(f"clm-{n}-{m}"), observations=(ObservationId(f"obs-{n}"),),
              made_by=AgentId("a"), origin="rules")
        for n, answer in enumerate(answers)
        for m, fact in enumerate(answer.facts)
    ]  # fmt: skip
    return rank(claims, bundle.incident)


@pytest.mark.parametrize("name", CASES)
async def test_the_kind_of_fault_is_told(opened, name: str) -> None:
    metrics, events, outcome, reason = CASES[name]
    ranking = await verdict(opened, metrics, events)
    assert ranking.outcome == outcome
    assert (ranking.causes[0].reason if ranking.causes else "") == reason


async def test_an_alert_that_does_not_fire_is_no_incident(opened) -> None:
    metrics = series("WriteIOPS", [900.0] * 10 + [1400.0] * 10)
    assert (await verdict(opened, metrics, [], state="normal")).outcome == "no_incident"


async def test_the_companion_of_a_lag_ranks_behind_it(opened) -> None:
    metrics, events, _, _ = CASES["replica behind, processor busy"]
    bundle = opened({"metrics.jsonl": metrics, "resources.jsonl": events})
    told = [(f.subject.ref, f.object, f.strength) for f in (await ask(bundle, "resource_database")).facts]
    assert told[0] == ("vault-main", "database_replication_lag", 0.95)
    assert ("vault-main", "database_cpu_saturated", 0.5) in told


async def test_events_of_yesterday_say_nothing(opened) -> None:
    old = {**event(0, "Multi-AZ failover initiated for vault-main."), "ts": "2026-03-13T02:00:00Z"}
    bundle = opened({"metrics.jsonl": series("DatabaseConnections", [90.0] * 10), "resources.jsonl": [old]})
    assert (await ask(bundle, "resource_database")).facts == ()
