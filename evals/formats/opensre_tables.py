"""Evidence files of an OpenSRE scenario as tables of a bundle."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

Rows = Iterator[dict[str, Any]]
Bodies = Sequence[tuple[str, dict[str, Any]]]
LINE = re.compile(r"^(?P<ts>\d{4}-\d{2}-\d{2}T[\d:.]+Z)\s+(?:(?P<level>[A-Z]+)\s|\[)?")
INSIGHTS = {
    "top_sql": ("sql", "statement"),
    "top_wait_events": ("wait_event", "name"),
    "top_users": ("db_user", "name"),
    "top_hosts": ("db_host", "id"),
}


def metrics(bodies: Bodies) -> Rows:
    for stem, body in bodies:
        if stem == "aws_performance_insights":
            for ts, value in zip(body["db_load"]["timestamps"], body["db_load"]["values"], strict=True):
                yield {"ts": ts, "service": body["db_instance_identifier"], "metric": "db_load", "value": value}
        for series in _series(stem, body):
            name = series["dimensions"][0]["Value"]
            for ts, value in zip(series["timestamps"], series["values"], strict=True):
                yield {
                    "ts": ts,
                    "service": name,
                    "metric": series["metric_name"],
                    "value": value,
                    "unit": series["unit"],
                    "statistic": series["stat"],
                }


def _series(stem: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    if not stem.startswith("aws_cloudwatch_metrics"):
        return []
    return list(body["metric_data_results"]) if "metric_data_results" in body else [body] if "values" in body else []


def logs(bodies: Bodies, service: str) -> Rows:
    for stem, body in bodies:
        if stem == "eks_pod_logs":
            yield from _lines(body, service)
        if stem == "datadog_logs":
            for entry in body["logs"]:
                pod = next((tag.partition(":")[2] for tag in entry["tags"] if tag.startswith("pod_name:")), "")
                yield {
                    "ts": entry["timestamp"],
                    "service": entry["service"],
                    "instance": pod,
                    "severity": entry["status"].upper(),
                    "body": entry["message"],
                    "host": entry["host"],
                }


def _lines(body: dict[str, Any], service: str) -> Rows:
    """A line without a time takes that of the line before it."""
    ts = None
    for line in body["logs"].splitlines():
        stamp = LINE.match(line)
        ts = stamp["ts"] if stamp else ts
        if ts:
            level = (stamp["level"] if stamp else "") or ""
            yield {"ts": ts, "service": service, "instance": body["pod_name"], "severity": level, "body": line}


def resources(bodies: Bodies) -> Rows:
    for stem, body in bodies:
        for pod in body.get("pods", []) if stem == "eks_pods" else []:
            yield _row("pod", pod["name"], _pod_status(pod), pod, namespace=pod["namespace"])
        for deployment in body.get("deployments", []) if stem == "eks_deployments" else []:
            ready = f"{deployment.get('ready', 0)}/{deployment.get('desired', 0)}"
            yield _row("deployment", deployment["name"], ready, deployment, namespace=deployment["namespace"])
        for node in body.get("nodes", []) if stem == "eks_node_health" else []:
            yield _row("node", node["name"], "Ready" if node["ready"] == "True" else "NotReady", node)
        for event in body.get("warning_events", []) if stem == "eks_events" else []:
            yield _row(
                "event", event["involved_object"], event["reason"], event["message"],
                ts=event["last_time"], namespace=event["namespace"], count=str(event["count"]),
                first_seen=event["first_time"],
            )  # fmt: skip
        for event in body.get("events", []) if stem == "aws_rds_events" else []:
            kinds = ",".join(event["event_categories"])
            yield _row("event", event["source_identifier"], kinds, event["message"], ts=event["date"])
        for monitor in body.get("monitors", []) if stem == "datadog_monitors" else []:
            yield _row("monitor", monitor["name"], monitor["overall_state"], monitor)
        for key, (kind, name) in INSIGHTS.items() if stem == "aws_performance_insights" else []:
            for entry in body.get(key, []):
                yield _row(kind, entry[name], f"db_load {entry['db_load_avg']}", entry, ts=body["end_time"])


def _pod_status(pod: dict[str, Any]) -> str:
    """The reason why a container waits or ended, else the pod's phase."""
    states = [container["state"] for container in pod.get("containers", [])]
    reasons = [state["reason"] for state in states if state.get("reason")]
    unscheduled = [c["reason"] for c in pod.get("conditions", []) if c["type"] == "PodScheduled" and c.get("reason")]
    return next(iter(reasons + unscheduled), str(pod["phase"]))


def _row(kind: str, name: str, status: str, body: Any, **more: str) -> dict[str, Any]:
    text = body if isinstance(body, str) else json.dumps(body, sort_keys=True, ensure_ascii=False)
    return {"kind": kind, "name": name, "status": status, "body": text, **more}
