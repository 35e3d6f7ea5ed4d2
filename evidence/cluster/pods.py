"""Why a workload's pods are not there or not well: scheduling, images, accounts, probes, memory, permissions."""

import re
from collections.abc import Iterator

from .model import Cluster, Mismatch, Resource, ref_of

_SCHEDULING: tuple[tuple[str, str], ...] = (
    ("taint_toleration_mismatch", r"(\d+) node\(s\) had (?:untolerated )?taints?"),
    ("pod_anti_affinity_conflict", r"(\d+) node\(s\) didn't (?:match|satisfy) (?:existing )?(?:pods? )?anti-affinity"),
    ("node_affinity_mismatch", r"(\d+) node\(s\) didn't match (?:Pod's )?node (?:affinity|selector)"),
    ("cpu_capacity_mismatch", r"(\d+) Insufficient cpu"),
    ("memory_capacity_mismatch", r"(\d+) Insufficient memory"),
    ("node_cordon_mismatch", r"(\d+) node\(s\) were unschedulable"),
)
_IMAGES: tuple[tuple[str, str], ...] = (
    ("image_registry_dns_failure", r"no such host|server misbehaving|name resolution|dial tcp: lookup"),
    (
        "missing_image_pull_secret",
        r"unauthorized|denied|authentication required|no basic auth|40[13] forbidden|403|401",
    ),
    ("incorrect_image_reference", r"not found|manifest unknown|invalid reference|couldn't parse image"),
)
_DENIED = r"permission denied|read-only file system|operation not permitted"


def pod_mismatches(cluster: Cluster) -> Iterator[Mismatch]:
    for workload in cluster.workloads:
        for reason, strength, quote in _of_workload(cluster, workload):
            yield Mismatch("component", ref_of(workload), reason, strength, quote)


def _of_workload(cluster: Cluster, workload: Resource) -> Iterator[tuple[str, float, str]]:
    pods = cluster.pods_of(workload)
    if re.search(r"^Replicas:\s+0 desired", workload.body, re.MULTILINE):
        yield "deployment_zero_replicas", 0.9, workload.line(r"^Replicas:\s+0 desired")
    if not pods or workload.ready is False:
        for replicas in cluster.replicas_of(workload):
            yield from _uncreated(replicas, lost=not pods)
    for pod in pods:
        yield from _scheduling(pod)
        yield from _images(pod)
        yield from _running(pod)
        yield from _probes(pod)


def _uncreated(replicas: Resource, *, lost: bool) -> Iterator[tuple[str, float, str]]:
    if lost and (line := replicas.line(r"service ?account \S+ not found|error looking up service account")):
        yield "missing_service_account", 0.95, line


def _scheduling(pod: Resource) -> Iterator[tuple[str, float, str]]:
    line = pod.line(r"\d+/\d+ nodes are available")
    if not line or "pending" not in pod.status.lower():
        return
    line = line.split(" preemption:")[0]
    counts = [(reason, int(m.group(1))) for reason, pattern in _SCHEDULING if (m := re.search(pattern, line))]
    real = [(reason, count) for reason, count in counts if reason != "node_cordon_mismatch"] or counts
    if not real:
        return
    most = max(count for _, count in real)
    reason = next(reason for reason, count in real if count == most)
    if reason == "node_affinity_mismatch" and pod.field("Node-Selectors"):
        reason = "node_selector_mismatch"
    if counts[-1][0] == "node_cordon_mismatch" and counts[-1][1] > most:
        reason = "node_cordon_mismatch"
    yield reason, 0.95, line


def _images(pod: Resource) -> Iterator[tuple[str, float, str]]:
    if not re.search(r"ErrImagePull|ImagePullBackOff|InvalidImageName", f"{pod.status}\n{pod.body}"):
        return
    line = pod.line(r"failed to pull (?:and unpack )?image|failed to resolve reference|InvalidImageName")
    reason = next((name for name, pattern in _IMAGES if re.search(pattern, line, re.IGNORECASE)), "")
    yield (reason, 0.95, line) if reason else ("image_pull_failure", 0.7, line or pod.status)


def _running(pod: Resource) -> Iterator[tuple[str, float, str]]:
    if re.search(r"\bOOMKilled\b", f"{pod.status}\n{pod.body}"):
        yield "oom_killed", 0.95, pod.line(r"OOMKilled") or pod.status
    if line := pod.line(r"secret \"[^\"]*\" not found|configmap \"[^\"]*\" not found|couldn't find key"):
        yield "missing_secret_binding", 0.9, line
    if re.search(r"CrashLoopBackOff|Error", pod.status) and (line := pod.line(_DENIED)):
        yield "volume_mount_permission_denied", 0.85, line


def _probes(pod: Resource) -> Iterator[tuple[str, float, str]]:
    ports = set(re.findall(r"^\s+Ports?:\s+(.+)$", pod.body, re.MULTILINE))
    known = {number for line in ports for number in re.findall(r"(\d+)/", line)}
    probes = {name: pod.field(name) for name in ("Liveness", "Readiness")}
    failing = _failing(pod)
    for name, probe in probes.items():
        if name.lower() not in failing or not probe:
            continue
        other = probes["Readiness" if name == "Liveness" else "Liveness"]
        port = re.search(r":(\d+)", probe)
        if port and known and port.group(1) not in known:
            yield f"{name.lower()}_probe_incorrect_port", 0.9, f"{name}: {probe}"
        elif other and probe.split()[0] != other.split()[0]:
            yield f"{name.lower()}_probe_incorrect_protocol", 0.85, f"{name}: {probe}; the other: {other}"
        elif re.search(r"failure=1\b|period=1s|delay=0s.*period=[12]s", probe):
            yield f"{name.lower()}_probe_incorrect_timing", 0.8, f"{name}: {probe}"


def _failing(pod: Resource) -> frozenset[str]:
    found = re.findall(
        r"(liveness|readiness) probe (?:failed|errored)|failed (liveness|readiness) probe", pod.body, re.IGNORECASE
    )
    return frozenset(name.lower() for pair in found for name in pair if name)
