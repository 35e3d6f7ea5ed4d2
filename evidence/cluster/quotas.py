"""What a namespace may not have any more."""

import re
from collections.abc import Iterator

from .model import Cluster, Mismatch, Resource

_RESOURCES: tuple[tuple[str, str], ...] = (
    ("namespace_storage_quota_exceeded", r"storage|persistentvolumeclaims"),
    ("namespace_service_quota_exceeded", r"services"),
    ("namespace_pod_quota_exceeded", r"\bpods="),
    ("namespace_memory_quota_exceeded", r"memory"),
    ("namespace_cpu_quota_exceeded", r"cpu"),
)
_USED = re.compile(r"^\s*(\S+)\s+(\d+)\S*\s+(\d+)\S*\s*$", re.MULTILINE)


def quota_mismatches(cluster: Cluster) -> Iterator[Mismatch]:
    for resource in cluster.of("replicaset", "deployment", "event", "persistentvolumeclaim", "service", "statefulset"):
        line = resource.line(r"exceeded quota")
        if line:
            asked = line[line.lower().find("requested:") :].split("used:")[0]
            reason = next((name for name, pattern in _RESOURCES if re.search(pattern, asked)), "quota_exceeded")
            yield Mismatch("namespace", resource.namespace, reason, 0.97, line)
    for namespace in cluster.of("namespace", "resourcequota"):
        yield from _missing(cluster, namespace)


def _missing(cluster: Cluster, namespace: Resource) -> Iterator[Mismatch]:
    """A quota that is used up, where a service or a claim that others need does not exist."""
    full = {name for name, used, hard in _USED.findall(namespace.body) if int(used) >= int(hard) > 0}
    names = {s.name for s in cluster.services}
    claims = {c.name for c in cluster.of("persistentvolumeclaim")}
    place = namespace.namespace or namespace.name
    if "services" in full and any(w.name not in names and w.name in cluster.unreachable() for w in cluster.workloads):
        yield Mismatch("namespace", place, "namespace_service_quota_exceeded", 0.9, namespace.line("^ *services"))
    lost = [
        p
        for p in cluster.of("pod")
        if (m := re.search(r'persistentvolumeclaim "([^"]+)" not found', p.body)) and m.group(1) not in claims
    ]
    if lost and full & {"requests.storage", "persistentvolumeclaims"}:
        yield Mismatch("namespace", place, "namespace_storage_quota_exceeded", 0.9, lost[0].line("not found"))
