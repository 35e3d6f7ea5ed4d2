"""What is wrong with a resource, by the words that Kubernetes and its clouds use for it.

Sources: the Kubernetes API reference (container states, pod conditions, node conditions, event reasons of kubelet,
scheduler and controllers). A status counts more than a word in a description.
"""

# ruff: noqa: E501  # one pattern stands on one line

from collections.abc import Iterator
from typing import NamedTuple

import re2


class Trouble(NamedTuple):
    reason: str
    strength: float
    quote: str


_STATUSES: dict[str, float] = {
    "OOMKilled": 1.0, "CrashLoopBackOff": 0.9, "ImagePullBackOff": 0.95, "ErrImagePull": 0.95, "InvalidImageName": 0.95,
    "ErrImageNeverPull": 0.95, "CreateContainerConfigError": 0.95, "CreateContainerError": 0.9, "RunContainerError": 0.9,
    "ContainerCannotRun": 0.9, "StartError": 0.9, "Evicted": 0.9, "Failed": 0.8, "Error": 0.7, "Pending": 0.7,
    "Unschedulable": 0.9, "ContainerCreating": 0.5, "Terminating": 0.4, "NotReady": 0.9, "NodeNotReady": 0.9, "Lost": 0.9,
    "SchedulingDisabled": 0.85, "MemoryPressure": 0.9, "DiskPressure": 0.9, "PIDPressure": 0.9, "NetworkUnavailable": 0.9,
    "Degraded": 0.7, "Unhealthy": 0.75, "FailedScheduling": 0.9, "FailedMount": 0.9, "FailedAttachVolume": 0.9,
    "FailedCreate": 0.9, "FailedBinding": 0.9, "ProvisioningFailed": 0.9, "BackOff": 0.6, "FailedCreatePodSandBox": 0.9,
    "FailedKillPod": 0.6, "FailedPreStopHook": 0.6, "FailedPostStartHook": 0.8, "ProgressDeadlineExceeded": 0.8,
    "ReplicaFailure": 0.8, "OOMKilling": 1.0, "SystemOOM": 1.0, "NodeNotSchedulable": 0.85, "Rebooted": 0.7,
    "DNSConfigForming": 0.5, "FailedToUpdateEndpoint": 0.8, "NetworkNotReady": 0.9, "InvalidDiskCapacity": 0.5,
    "FreeDiskSpaceFailed": 0.8, "ExceededGracePeriod": 0.5, "DeadlineExceeded": 0.7, "Expired": 0.9, "Unknown": 0.6,
    "CreateContainerErr": 0.9, "ImageInspectError": 0.9, "RegistryUnavailable": 0.9, "ExceededQuota": 0.95, "Inactive": 0.5,
    "Unavailable": 0.8, "Stopped": 0.7, "Down": 0.9, "Offline": 0.9,
}  # fmt: skip
_BY_NAME = {name.lower(): (name, weight) for name, weight in _STATUSES.items()}
_HEALTHY = frozenset(
    {"running", "ready", "active", "bound", "available", "succeeded", "completed", "normal", "true", "ok", "healthy"}
)

_TEXTS: tuple[tuple[str, float, str], ...] = (
    ("OOMKilled", 1.0, r"\bOOMKill(?:ed|ing)\b|\bexit ?code:? *137\b"),
    ("CrashLoopBackOff", 0.9, r"\bCrashLoopBackOff\b"),
    ("ImagePullBackOff", 0.95, r"\b(?:ImagePullBackOff|ErrImagePull|InvalidImageName)\b|(?i:failed to pull image)"),
    ("CreateContainerConfigError", 0.95, r"\bCreateContainerConfigError\b|(?i:(?:secret|configmap) \"[^\"]*\" not found)"),
    ("ExceededQuota", 0.95, r"(?i:exceeded quota)"),
    ("FailedScheduling", 0.9, r"\bFailedScheduling\b|(?i:\b0/[0-9]+ nodes are available)"),
    ("FailedMount", 0.9, r"\b(?:FailedMount|FailedAttachVolume)\b|(?i:unable to attach or mount volumes)"),
    ("FailedBinding", 0.85, r"\b(?:FailedBinding|ProvisioningFailed)\b|(?i:persistentvolumeclaim \"[^\"]*\" not found)"),
    ("ReadinessProbeFailed", 0.8, r"(?i:readiness probe (?:failed|errored))"),
    ("LivenessProbeFailed", 0.8, r"(?i:liveness probe (?:failed|errored))"),
    ("StartupProbeFailed", 0.8, r"(?i:startup probe (?:failed|errored))"),
    ("Evicted", 0.9, r"\bEvicted\b|(?i:the node was low on resource)"),
    ("NoEndpoints", 0.85, r"(?i:endpoints: *(?:<none>|none)?\s*$)|(?i:no endpoints available)"),
    ("NodePressure", 0.85, r"\b(?:Memory|Disk|PID)Pressure[ \t]+True\b"),
    ("NodeNotReady", 0.9, r"\bReady[ \t]+(?:False|Unknown)[ \t].*[Kk]ubelet|\bNodeNotReady\b|\bKubeletNotReady\b"),
    ("SchedulingDisabled", 0.85, r"\bSchedulingDisabled\b|(?i:unschedulable: *true)|node\.kubernetes\.io/unschedulable"),
    ("Forbidden", 0.8, r"(?i:is forbidden:|serviceaccount \"[^\"]*\" not found)"),
    ("CertificateExpired", 0.9, r"(?i:certificate (?:has )?expired|x509: certificate)"),
    ("Unhealthy", 0.6, r"\bUnhealthy\b"),
    ("BackOff", 0.6, r"(?i:back-off restarting failed container)"),
)  # fmt: skip
_PATTERNS = tuple((reason, weight, re2.compile("(?m)" + pattern)) for reason, weight, pattern in _TEXTS)
_RATIO = re2.compile(r"^\s*([0-9]+)/([0-9]+)")


def troubles(status: str, body: str) -> Iterator[Trouble]:
    """What its status says, and what its description says beyond that; each reason once."""
    seen: set[str] = set()
    for reason, weight in _of_status(status):
        if reason not in seen:
            seen.add(reason)
            yield Trouble(reason, weight, f"status {status}")
    for reason, weight, pattern in _PATTERNS:
        match = pattern.search(body)
        if match and reason not in seen:
            seen.add(reason)
            yield Trouble(reason, round(weight * 0.9, 4), _line_at(body, match.start()))


def _of_status(status: str) -> Iterator[tuple[str, float]]:
    for word in status.replace(",", " ").replace("Init:", "").replace("|", " ").split():
        if word.lower() in _HEALTHY:
            continue
        if found := _BY_NAME.get(word.lower()):
            yield found
    ratio = _RATIO.match(status)
    if ratio and int(ratio.group(1)) < int(ratio.group(2)):
        yield "NotReady", 0.8 if ratio.group(1) == "0" else 0.6
    if status.strip().lower() in {"false", "0"}:
        yield "NotReady", 0.7


def _line_at(body: str, at: int) -> str:
    start = body.rfind("\n", 0, at) + 1
    end = body.find("\n", at)
    line = body[start : end if end >= 0 else len(body)]
    return line.strip() if len(line) <= 300 else "..." + body[max(start, at - 60) : at + 200].strip()
