"""Which column of a file is which column of a table: names as the field's tools write them."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ...contracts.evidence import Source

TABLES: dict[Source, str] = {
    "metrics": "metrics", "logs": "logs", "traces": "spans", "changes": "changes", "topology": "edges",
    "resources": "resources", "documents": "documents",
}  # fmt: skip

_TIME = ("ts", "timestamp", "@timestamp", "time", "datetime", "date", "at", "event_time", "observed_timestamp",
         "time_unix_nano", "unix_timestamp", "epoch", "created_at", "start_time", "started_at",
         "first_timestamp")  # fmt: skip
_SERVICE = ("service", "svc", "service_name", "service.name", "resource.service.name", "app", "application",
            "microservice", "component", "cmdb_id", "tc")  # fmt: skip
_INSTANCE = ("instance", "pod", "pod_name", "instance_id", "service.instance.id", "k8s.pod.name", "kubernetes.pod_name",
             "host", "hostname", "node")  # fmt: skip

SYNONYMS: dict[Source, dict[str, tuple[str, ...]]] = {
    "metrics": {
        "ts": _TIME, "service": _SERVICE, "instance": _INSTANCE,
        "metric": ("metric", "metric_name", "__name__", "name", "kpi", "kpi_name", "signal"),
        "value": ("value", "val", "metric_value", "v", "observed"),
        "unit": ("unit", "units"),
        "attributes": ("attributes", "labels", "tags"),
    },
    "logs": {
        "ts": _TIME, "service": _SERVICE, "instance": _INSTANCE,
        "severity": ("severity", "severity_text", "level", "lvl", "log_level", "loglevel", "levelname",
                     "severity_number", "priority"),
        "body": ("body", "msg", "message", "log", "text", "line", "content", "event", "raw", "value"),
        "trace_id": ("trace_id", "traceid", "trace", "dd.trace_id"),
        "span_id": ("span_id", "spanid", "span", "dd.span_id"),
        "attributes": ("attributes",),
    },
    "traces": {
        "trace_id": ("trace_id", "traceid", "trace"),
        "span_id": ("span_id", "spanid", "id"),
        "parent_id": ("parent_id", "parent_span_id", "parentspanid", "parent", "parent_span"),
        "service": _SERVICE, "instance": _INSTANCE,
        "name": ("name", "operation_name", "operation", "span_name", "resource", "method_name"),
        "start": ("start", "start_time", "start_time_unix_nano", "start_time_millis", "start_time_micros", "timestamp",
                  "ts", "time", "@timestamp"),
        "end": ("end", "end_time", "end_time_unix_nano"),
        "duration_ms": ("duration_ms", "duration_millis", "elapsed_ms", "latency_ms"),
        "duration_us": ("duration_us", "duration_micros"),
        "duration_ns": ("duration_ns", "duration_nano", "duration_nanos"),
        "duration_s": ("duration_s", "duration_sec", "duration_seconds"),
        "duration": ("duration", "elapsed", "latency"),
        "status": ("status", "status_code", "status.code", "otel.status_code", "state"),
        "error": ("error", "is_error"),
        "attributes": ("attributes",),
    },
    "changes": {
        "ts": (*_TIME, "deployed_at", "merged_at", "author_date", "commit_date", "when"),
        "kind": ("kind", "type", "change_type", "category"),
        "service": _SERVICE,
        "ref": ("ref", "sha", "commit", "commit_sha", "commit_id", "id", "revision", "change_id", "flag", "number"),
        "title": ("title", "message", "subject", "summary", "description", "change", "name"),
        "diff": ("diff", "patch", "content", "body", "details"),
        "actor": ("actor", "author", "user", "who", "by", "committer", "deployed_by"),
        "attributes": ("attributes",),
    },
    "topology": {
        "caller": ("caller", "source", "from", "src", "parent", "upstream", "client"),
        "callee": ("callee", "target", "to", "dst", "destination", "child", "downstream", "server", "dependency"),
        "kind": ("kind", "type", "protocol", "relation"),
        "weight": ("weight", "calls", "count", "rate"),
    },
    "resources": {
        "ts": (*_TIME, "last_timestamp", "last_seen"),
        "kind": ("kind", "type", "resource_kind"),
        "namespace": ("namespace", "ns", "metadata.namespace"),
        "name": ("name", "metadata.name", "resource", "object", "id"),
        "status": ("status", "state", "phase", "reason", "ready"),
        "body": ("body", "text", "message", "manifest", "describe", "spec", "content", "details"),
    },
    "documents": {},
}  # fmt: skip

COLUMNS: dict[Source, tuple[str, ...]] = {
    "metrics": ("ts", "service", "instance", "metric", "value", "unit", "attributes"),
    "logs": ("ts", "service", "instance", "severity", "body", "trace_id", "span_id", "attributes"),
    "traces": ("trace_id", "span_id", "parent_id", "service", "instance", "name", "start", "duration_ms", "status",
               "attributes"),
    "changes": ("ts", "kind", "service", "ref", "title", "diff", "actor", "attributes"),
    "topology": ("caller", "callee", "kind", "weight"),
    "resources": ("ts", "kind", "namespace", "name", "status", "body"),
    "documents": ("name", "body"),
}  # fmt: skip


class Mapped(NamedTuple):
    known: Mapping[str, str]
    """Table column to file column."""
    unknown: tuple[str, ...]
    """File columns that become attributes."""


def map_columns(source: Source, names: Iterable[str]) -> Mapped:
    """The first synonym that is there wins; the order of the file's columns does not matter."""
    plain: dict[str, str] = {}
    for name in sorted(names):
        plain.setdefault(_plain(name), name)
    known: dict[str, str] = {}
    taken: set[str] = set()
    for column, synonyms in SYNONYMS[source].items():
        found = next((plain[s] for s in map(_plain, synonyms) if s in plain and plain[s] not in taken), None)
        if found is not None:
            known[column] = found
            taken.add(found)
    return Mapped(known, tuple(sorted(name for name in names if name not in taken)))


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
