"""Recorded tool answers of a Cloud-OpsBench case as tables of a bundle."""

import csv
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, Self

from ...contracts.incident import Alert
from .kubectl_text import callers, kind_of, offset, table

Rows = Iterator[dict[str, Any]]
UNITS = {
    "cpu": "cores", "mem": "bytes", "rps": "1/s", "p50latency": "ms", "p90latency": "ms", "p95latency": "ms",
    "success_rate": "1", "cpu_cfs": "s", "network_receive": "packets/s", "network_transmit": "packets/s",
}  # fmt: skip
ALERT_METRIC = re.compile(r"\| *(?:[\w-]+?-)?(p\d\dlatency|success_rate|rps)\b|\[([^\]]+)\]")
STAMP = re.compile(r"\"?(?:timestamp|time)\"?\s*[:=]\s*\"?(\d{4}-\d{2}-\d{2}T[\d:.]+Z)")
ACTIVE = re.compile(r"^ *(?:Status:.*)?Active: (\S+ \([^)]*\))", re.MULTILINE)
TOOL_FAILED = ("Error: Error from server", "Error from server", "Error: /bin/sh", "error:")


class Answer(NamedTuple):
    tool: str
    args: dict[str, Any]
    text: Any


class Snapshot(NamedTuple):
    answers: tuple[Answer, ...]
    namespace: str
    taken: str
    """ISO time; with the zone that the tools' own texts use."""
    zone: str

    @classmethod
    def of(cls, cache: dict[str, Any], namespace: str) -> Self:
        taken = str(cache.get("collection_timestamp", ""))
        answers = tuple(
            Answer(*_call(key), text) for key, text in sorted(cache.items()) if key != "collection_timestamp"
        )
        zone = offset(a.text for a in answers if a.tool == "DescribeResource" and isinstance(a.text, str))
        return cls(answers, namespace, _utc(taken, zone), zone)

    def of_tool(self, tool: str) -> Iterator[Answer]:
        return (answer for answer in self.answers if answer.tool == tool)

    def listing(self, resource_type: str, flag: str = "") -> list[dict[str, str]]:
        """`kubectl get TYPE` with at most the one flag."""
        for answer in self.of_tool("GetResources"):
            flags = {key for key, value in answer.args.items() if value and key not in {"resource_type", "namespace"}}
            if answer.args.get("resource_type") == resource_type and flags == ({flag} if flag else set()):
                return list(table(answer.text)) if isinstance(answer.text, str) else []
        return []

    def objects(self) -> list[str]:
        """All that can be at fault, as the asker names it: `app/x`, `node/x`, `namespace/x`."""
        apps = {str(a.args.get("app_name", "")) for a in self.of_tool("GetAppYAML")}
        apps |= {row["NAME"] for kind in ("deployments", "statefulsets") for row in self.listing(kind)}
        nodes = {row["NAME"] for row in self.listing("nodes")}
        named = [f"app/{app}" for app in apps if app] + [f"node/{node}" for node in nodes]
        return sorted([*named, f"namespace/{self.namespace}"])


def resources(snapshot: Snapshot) -> Rows:
    listed = _listed(snapshot)
    for answer in snapshot.of_tool("DescribeResource"):
        kind, name = kind_of(answer.args["resource_type"]), answer.args["name"]
        row = listed.pop((kind, name), {"status": "", "listing": ""})
        yield _resource(snapshot, kind, name, row["status"], answer.text) | {"listing": row["listing"]}
    for (kind, name), row in listed.items():
        yield _resource(snapshot, kind, name, row["status"], row["listing"])
    for event in snapshot.listing("events"):
        yield _resource(snapshot, "event", event.get("OBJECT", ""), event.get("REASON", ""), _line(event))
    for answer in snapshot.of_tool("GetAppYAML"):
        yield _resource(snapshot, "manifest", answer.args["app_name"], "", answer.text)
    for answer in snapshot.of_tool("CheckNodeServiceStatus"):
        name = f"{answer.args['node_name']}/{answer.args['service_name']}"
        active = ACTIVE.search(answer.text)
        yield _resource(snapshot, "node_service", name, active[1] if active else "unknown", answer.text)
    for answer in snapshot.of_tool("CheckServiceConnectivity"):
        name = f"{answer.args['service_name']}:{answer.args['port']}"
        status = "open" if "Connection Succeeded" in answer.text else "failed"
        yield _resource(snapshot, "connectivity", name, status, answer.text)
    for answer in snapshot.of_tool("GetErrorLogs"):
        for pattern in _patterns(answer):
            if pattern["sample"].startswith(TOOL_FAILED):
                yield _resource(snapshot, "container_log", answer.args["service_name"], "failed", pattern["sample"])


def logs(snapshot: Snapshot) -> Rows:
    """One row per error pattern, with how often it was seen."""
    for answer in snapshot.of_tool("GetErrorLogs"):
        for pattern in _patterns(answer):
            sample = pattern["sample"]
            if sample.startswith(TOOL_FAILED):
                continue
            stamp = STAMP.search(sample)
            yield {
                "ts": stamp[1] if stamp else snapshot.taken,
                "service": answer.args["service_name"],
                "severity": "ERROR",
                "body": sample,
                "count": str(pattern["count"]),
                "share": str(pattern["ratio"]),
            }


def edges(snapshot: Snapshot) -> Rows:
    known = {pair for answer in snapshot.of_tool("GetServiceDependencies") for pair in callers(answer.text)}
    for caller, callee in sorted(known):
        yield {"caller": caller, "callee": callee, "kind": "calls", "weight": 1.0}


def metrics(source: Path, snapshot: Snapshot) -> Rows:
    """`<name>-<metric>` columns; names of nodes carry the attribute `node`."""
    if not source.is_file():
        return
    nodes = {row["NAME"] for row in snapshot.listing("nodes")}
    with source.open(encoding="utf-8-sig", newline="") as file:
        for line in csv.DictReader(file):
            ts = _utc(line.pop("time"), snapshot.zone)
            for column, cell in line.items():
                name, _, metric = column.rpartition("-")
                if name and cell:
                    row = {"ts": ts, "service": name, "metric": metric, "value": float(cell)}
                    node = {"node": name, "instance": name, "metric": f"node_{metric}"} if name in nodes else {}
                    yield row | {"unit": UNITS.get(metric)} | node


def alerts(snapshot: Snapshot, query: str) -> tuple[Alert, ...]:
    """The anomalies that the alert tool tells, or the query alone."""
    told = next((a.text for a in snapshot.of_tool("GetAlerts") if isinstance(a.text, dict)), {})
    found = []
    for alert in told.get("alerts", []):
        evidence = "; ".join(alert["evidence"])
        metric = ALERT_METRIC.search(evidence)
        found.append(
            Alert(
                service=alert["name"],
                metric=(metric[1] or metric[2] or "") if metric else "",
                fired_at=datetime.fromisoformat(_utc(alert["time_range"].partition(" ~ ")[0], snapshot.zone)),
                summary=evidence,
                labels={"type": alert["type"]},
            )
        )
    return tuple(found) or (Alert(summary=query),)


def _listed(snapshot: Snapshot) -> dict[tuple[str, str], dict[str, str]]:
    found: dict[tuple[str, str], dict[str, str]] = {}
    types = {str(a.args.get("resource_type", "")) for a in snapshot.of_tool("GetResources")} - {"events", ""}
    for resource_type in sorted(types):
        for row in snapshot.listing(resource_type, "output_wide") or snapshot.listing(resource_type):
            status = row.get("STATUS") or row.get("READY") or ""
            found[kind_of(resource_type), row["NAME"]] = {"status": status, "listing": _line(row)}
    return found


def _patterns(answer: Answer) -> list[dict[str, Any]]:
    told = answer.text
    if isinstance(told, str) and told.strip():
        told = json.loads(told) if told.lstrip().startswith("{") else {}
    return list(told["patterns"]) if isinstance(told, dict) and "patterns" in told else []


def _resource(snapshot: Snapshot, kind: str, name: str, status: str, body: Any) -> dict[str, Any]:
    text = body if isinstance(body, str) else json.dumps(body, sort_keys=True)
    if text.startswith(TOOL_FAILED):
        status = "failed"
    return {
        "ts": snapshot.taken,
        "kind": kind,
        "namespace": snapshot.namespace,
        "name": name,
        "status": status,
        "body": text,
    }


def _line(row: dict[str, str]) -> str:
    return "; ".join(f"{key}={value}" for key, value in row.items())


def _call(key: str) -> tuple[str, dict[str, Any]]:
    """`Tool:{json}`; a few keys are `Tool-namespace-service-port`."""
    tool, colon, args = key.partition(":")
    if colon and args.startswith("{"):
        return tool, json.loads(args)
    tool, namespace, rest = tool.split("-", 2)
    service, _, port = rest.rpartition("-")
    return tool, {"namespace": namespace, "service_name": service, "port": port}


def _utc(text: str, zone: str) -> str:
    return datetime.fromisoformat(f"{text}{zone or '+00:00'}").astimezone(UTC).isoformat()
