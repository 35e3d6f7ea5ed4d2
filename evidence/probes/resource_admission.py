"""Which pods, services and claims was the cluster asked for and refused to make?

Method: warnings of controllers on workloads that lack pods now (a refusal that was overcome is startup), read by the
words of the API server's admission: service account, resource quota, limit range, pod security, webhooks; then
objects that were declared or looked for and are not there, while a quota for just that kind is used up; then
workloads that are scaled to nothing though a service selects them. A quota is the namespace's. Strength: 1 where the
API server says the reason, .9 where a full quota and a missing object meet, .85 for a scale of zero. Cost: the
resources, once.
"""

# ruff: noqa: E501  # one pattern stands on one line

import re
from collections.abc import Iterator

from ...contracts.claim import Fact
from ...contracts.evidence import Answer
from ..cluster.cluster import Cluster
from ..cluster.describe import Object
from ..cluster.facts import component, diagnosis, namespace, strongest
from ..cluster.quantities import quantity
from ..cluster.views import Event, Workload
from ..tables import Tables
from .base import Params, Probe, answered

_QUOTA = re.compile(r"exceeded quota: (\S+?), requested: (.+?), used: (.+?), limited: (.+)$")
_ACCOUNT = re.compile(r"serviceaccount \"([^\"]+)\" not found", re.IGNORECASE)
_REFUSALS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("limit_range_violated", re.compile(r"(?:maximum|minimum) \w+ (?:usage|limit|request)?.{0,40}per (?:Container|Pod)", re.IGNORECASE)),
    ("pod_security_violation", re.compile(r"violates PodSecurity|unable to validate against any (?:pod )?security", re.IGNORECASE)),
    ("admission_webhook_failed", re.compile(r"failed calling webhook|admission webhook \S+ denied", re.IGNORECASE)),
    ("quota_needs_requests", re.compile(r"failed quota: .*must specify", re.IGNORECASE)),
)  # fmt: skip
_OF_RESOURCE = {
    "cpu": "namespace_cpu_quota_exceeded", "memory": "namespace_memory_quota_exceeded",
    "pods": "namespace_pod_quota_exceeded", "services": "namespace_service_quota_exceeded",
    "storage": "namespace_storage_quota_exceeded", "persistentvolumeclaims": "namespace_storage_quota_exceeded",
}  # fmt: skip


class ResourceAdmission(Params):
    """None: all of the cluster is looked at."""


def answer(tables: Tables, params: ResourceAdmission) -> Answer:
    del params
    cluster = Cluster.read(tables)
    facts = [*_refused(cluster), *_missing(cluster), *_scaled_down(cluster)]
    return answered(tables, "resources", strongest(facts), window=None, rows_read=len(cluster.rows))


def _refused(cluster: Cluster) -> Iterator[Fact]:
    for workload in cluster.workloads:
        wanted = workload.desired if workload.desired is not None else 1
        live = [pod for pod in workload.pods if not pod.finished]
        if len(live) >= max(wanted, 1) and not any(_never_made(pod.warnings) for pod in live):
            continue
        for event in sorted({*workload.warnings}, key=lambda e: e.message):
            if event.reason in {"FailedCreate", "FailedUpdate", "ReplicaFailure"}:
                yield from _refusal(cluster, workload, event)
        for condition in (workload.raw.get("status") or {}).get("conditions") or ():
            message = str(condition.get("message") or "")
            if condition.get("type") == "ReplicaFailure" and message:
                yield from _refusal(cluster, workload, Event("Warning", "FailedCreate", message))
    sets = cluster.of("replicaset")
    for _, name, event in cluster.all_events:
        owner = cluster.workload(re.sub(r"-[a-f0-9]{6,10}$", "", name))
        if event.reason == "FailedCreate" and name not in sets and (owner is None or not owner.healthy):
            yield from _refusal_of(name, event, _namespace(cluster))


def _never_made(events: tuple[Event, ...]) -> bool:
    return any(event.reason == "FailedCreate" for event in events)


def _refusal(cluster: Cluster, workload: Workload, event: Event) -> Iterator[Fact]:
    place = str((workload.raw.get("metadata") or {}).get("namespace") or _namespace(cluster))
    yield from _read(workload.name, place, event, frozenset(cluster.of("serviceaccount")))


def _refusal_of(name: str, event: Event, place: str) -> Iterator[Fact]:
    yield from _read(re.sub(r"-[a-f0-9]{6,10}$", "", name), place, event, frozenset())


def _read(name: str, place: str, event: Event, accounts: frozenset[str]) -> Iterator[Fact]:
    """An account that is there by now was only late."""
    message = event.message
    account = _ACCOUNT.search(message)
    if account and account.group(1) not in accounts:
        yield diagnosis(
            component(name), "admission", "service_account_missing", 1.0, f"{event.reason}: {message}", at=event.at
        )
    if match := _QUOTA.search(message):
        for part in match.group(2).split(","):
            yield from _over_quota(part, match, place, f"{event.reason}: {message}")
    for kind, pattern in _REFUSALS:
        if pattern.search(message):
            yield diagnosis(component(name), "admission", kind, 1.0, f"{event.reason}: {message}", at=event.at)


def _over_quota(part: str, match: re.Match[str], place: str, quote: str) -> Iterator[Fact]:
    resource = part.partition("=")[0].strip()
    kind = _OF_RESOURCE.get(resource.rpartition(".")[2], "resource_quota_exceeded")
    used, limit = (_amount(group, resource) for group in (match.group(3), match.group(4)))
    yield diagnosis(namespace(place), "quota", kind, 1.0, quote, value=used, baseline=limit)


def _amount(text: str, resource: str) -> float | None:
    found = next((p.partition("=")[2] for p in text.split(",") if p.strip().startswith(f"{resource}=")), "")
    return quantity(found)


def _namespace(cluster: Cluster) -> str:
    return next((str(p.raw["metadata"].get("namespace") or "") for p in cluster.pods), "")


# --- what is not there ------------------------------------------------------------------------------------------------
def _missing(cluster: Cluster) -> Iterator[Fact]:
    """A quota that is used up, and an object of its kind that is wanted and absent."""
    for name, quota in cluster.of("resourcequota").items():
        used, hard = ({str(k): v for k, v in (quota["status"].get(key) or {}).items()} for key in ("used", "hard"))
        for resource, limit in sorted(hard.items()):
            if resource.rpartition(".")[2] not in {"services", "storage", "persistentvolumeclaims"}:
                continue
            kind = "service" if resource == "services" else "persistentvolumeclaim"
            top, now = quantity(limit), quantity(used.get(resource))
            if top is None or now is None:
                continue
            for absent, declared in _absent(cluster, kind):
                more = _asked_storage(declared) if resource.endswith("storage") else 1.0
                if now + more > top:
                    place = str((quota.get("metadata") or {}).get("namespace") or _namespace(cluster))
                    yield diagnosis(
                        namespace(place), "quota", _OF_RESOURCE[resource.rpartition(".")[2]], 0.95,
                        f"quota {name}: {resource} used {used.get(resource)} of {limit}; {kind} {absent} does not exist",
                        value=now, baseline=top,
                    )  # fmt: skip


def _absent(cluster: Cluster, kind: str) -> list[tuple[str, Object]]:
    """Objects that were looked for, declared or referred to, and are not there."""
    there = set(cluster.of(kind))
    declared = cluster.declared(kind)
    names = {name for k, name in cluster.absent if k == kind} | (
        set(declared) - there if there or kind != "service" else set()
    )
    if kind == "persistentvolumeclaim":
        names |= {
            str((volume.get("persistentVolumeClaim") or {}).get("claimName"))
            for workload in cluster.workloads
            for spec in workload.specs
            for volume in spec.get("volumes") or ()
            if volume.get("persistentVolumeClaim")
        }
    return [(name, declared.get(name, {})) for name in sorted(names - there)]


def _asked_storage(declared: Object) -> float:
    resources = (declared.get("spec") or {}).get("resources") or {}
    return quantity((resources.get("requests") or {}).get("storage")) or 1.0


def _scaled_down(cluster: Cluster) -> Iterator[Fact]:
    for workload in cluster.workloads:
        if workload.desired != 0 or any(pod.ready for pod in workload.pods):
            continue
        for service in cluster.services:
            if service.selector and service.selector.items() <= workload.labels.items():
                yield diagnosis(
                    component(workload.name), "replicas", "deployment_scaled_to_zero", 0.9,
                    f"{workload.kind} {workload.name}: 0 desired replicas, and service {service.name} selects its pods",
                    value=0.0,
                )  # fmt: skip
                break


PROBE = Probe(
    name="resource_admission",
    question="Which pods, services and claims was the cluster asked for and refused to make?",
    sources=("resources",),
    cost="cheap",
    params=ResourceAdmission,
    answer=answer,
)
