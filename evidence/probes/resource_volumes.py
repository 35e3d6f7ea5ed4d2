"""Which claims are not bound and which volumes cannot be mounted, and why?

Method: an unbound claim's request, as it was declared, is held against each volume that stands: access modes, size,
storage class, selector against labels, and whether another claim has it; the volume with the fewest differences was
meant, and its difference is the reason. A storage class that does not exist is said by the controller. Mounts are
read from the kubelet's words. Strength: 1 where the controller says it, .95 for one difference, less by .1 for each
further. Cost: the resources, once.
"""

# ruff: noqa: E501  # one pattern stands on one line

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...contracts.claim import Fact
from ...contracts.evidence import Answer
from ..cluster.cluster import Cluster
from ..cluster.describe import Object
from ..cluster.facts import component, diagnosis, strongest
from ..cluster.quantities import quantity
from ..cluster.views import Event
from ..tables import Tables
from .base import Params, Probe, answered

_CLASS = re.compile(r"storageclass\S* \"([^\"]+)\" not found", re.IGNORECASE)
_NO_CLAIM = re.compile(r"persistentvolumeclaim \"([^\"]+)\" not found", re.IGNORECASE)
_MOUNTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("secret_missing", re.compile(r"secret \"[^\"]+\" not found|references non-existent secret key", re.IGNORECASE)),
    ("config_map_missing", re.compile(r"configmap \"[^\"]+\" not found|references non-existent config key", re.IGNORECASE)),
    ("volume_permission_denied", re.compile(r"permission denied|operation not permitted|read-only file ?system", re.IGNORECASE)),
    ("volume_path_missing", re.compile(r"hostPath type check failed|no such file or directory|is not a directory", re.IGNORECASE)),
    ("volume_attached_elsewhere", re.compile(r"Multi-Attach error|already (?:exclusively )?attached|volume is in use", re.IGNORECASE)),
)  # fmt: skip
_MODES = {"RWO": "ReadWriteOnce", "ROX": "ReadOnlyMany", "RWX": "ReadWriteMany", "RWOP": "ReadWriteOncePod"}


class Difference(NamedTuple):
    kind: str
    text: str


class ResourceVolumes(Params):
    """None: all claims and mounts are looked at."""


def answer(tables: Tables, params: ResourceVolumes) -> Answer:
    del params
    cluster = Cluster.read(tables)
    facts = [*_claims(cluster), *_mounts(cluster)]
    return answered(tables, "resources", strongest(facts), window=None, rows_read=len(cluster.rows))


def _claims(cluster: Cluster) -> Iterator[Fact]:
    for name, raw in cluster.of("persistentvolumeclaim").items():
        phase = str((raw.get("status") or {}).get("phase") or raw.get("listed_status") or "")
        if phase not in {"Pending", "Lost"}:
            continue
        declared = cluster.declared("persistentvolumeclaim").get(name, {})
        for owner in _users(cluster, name):
            yield from _unbound(cluster, name, raw, declared, owner)


def _users(cluster: Cluster, claim: str) -> list[str]:
    """Workloads that mount it; the claim itself where none is known."""
    found = [
        workload.name
        for workload in cluster.workloads
        for spec in workload.specs
        if any((v.get("persistentVolumeClaim") or {}).get("claimName") == claim for v in spec.get("volumes") or ())
    ]
    return sorted(set(found)) or [claim]


def _unbound(cluster: Cluster, name: str, raw: Object, declared: Object, owner: str) -> Iterator[Fact]:
    events = cluster.events_of("persistentvolumeclaim", name, raw)
    spec = dict(declared.get("spec") or {}) or dict(raw.get("spec") or {})
    wanted = str(spec.get("storageClassName") or (raw.get("spec") or {}).get("storageClassName") or "")
    for event in events:
        if match := _CLASS.search(event.message):
            said = f"storage class {match.group(1)} does not exist; {event.reason}: {event.message}"
            yield _because(owner, "storage_class_missing", 1.0, name, said)
            return
    classes = cluster.of("storageclass")
    if wanted and classes and wanted not in classes and not _of_class(cluster, wanted):
        yield _because(owner, "storage_class_missing", 0.95, name, f"storage class {wanted} does not exist")
        return
    compared = [(volume, _differences(name, spec, volume)) for volume in cluster.of("persistentvolume").values()]
    compared.sort(key=lambda pair: (len(pair[1]), not _akin(pair[0], name), str(pair[0]["metadata"]["name"])))
    if not compared:
        yield _because(owner, "claim_unbound", 0.7, name, _told(events) or "no volume for it exists")
        return
    volume, differences = compared[0]
    known = str(volume["metadata"]["name"])
    if not differences:
        yield _because(owner, "claim_unbound", 0.5, name, _told(events) or f"volume {known} would fit")
    for place, difference in enumerate(differences[:2]):
        strength = 0.95 - 0.1 * (len(differences) - 1) - 0.05 * place
        yield _because(owner, difference.kind, strength, name, f"volume {known}: {difference.text}; {_told(events)}")


def _because(owner: str, kind: str, strength: float, claim: str, text: str) -> Fact:
    """In the order of the chain: pods that do not run, the claim that they wait for, and why it waits."""
    said = f"pods of {owner} are not running because their PVC {claim} cannot bind: {text}"
    return diagnosis(component(owner), "volume", kind, strength, said)


def _of_class(cluster: Cluster, name: str) -> bool:
    return any((v.get("spec") or {}).get("storageClassName") == name for v in cluster.of("persistentvolume").values())


def _akin(volume: Object, claim: str) -> bool:
    return str(volume["metadata"]["name"]).partition("-")[0] == claim.partition("-")[0]


def _told(events: tuple[Event, ...]) -> str:
    return next((f"{e.reason}: {e.message}" for e in events if e.reason in {"FailedBinding", "ProvisioningFailed"}), "")


def _differences(claim: str, wanted: Object, volume: Object) -> list[Difference]:
    """In the order in which the controller looks for a match."""
    spec = dict(volume.get("spec") or {})
    found: list[Difference] = []
    modes = {_MODES.get(str(m), str(m)) for m in spec.get("accessModes") or ()}
    asked = {_MODES.get(str(m), str(m)) for m in wanted.get("accessModes") or ()}
    if asked - modes and modes:
        found.append(
            Difference("pvc_access_mode_mismatch", f"access modes {_list(modes)} where {_list(asked)} is asked")
        )
    size = quantity((spec.get("capacity") or {}).get("storage"))
    need = quantity(((wanted.get("resources") or {}).get("requests") or {}).get("storage"))
    if size is not None and need is not None and need > size:
        text = f"capacity {spec['capacity']['storage']} where {wanted['resources']['requests']['storage']} is asked"
        found.append(Difference("pvc_capacity_mismatch", text))
    ours, theirs = str(wanted.get("storageClassName") or ""), str(spec.get("storageClassName") or "")
    if ours != theirs:
        found.append(Difference("storage_class_mismatch", f"storage class {theirs!r} where {ours!r} is asked"))
    labels = {str(k): str(v) for k, v in ((volume.get("metadata") or {}).get("labels") or {}).items()}
    selector = (wanted.get("selector") or {}).get("matchLabels") or {}
    lacking = {f"{k}={v}" for k, v in selector.items() if labels.get(str(k)) != str(v)}
    if lacking:
        found.append(Difference("pvc_selector_mismatch", f"lacks the labels {_list(lacking)} that are selected"))
    named = str(wanted.get("volumeName") or "")
    if named and named != volume["metadata"]["name"]:
        found.append(Difference("pv_already_bound", f"is not the volume {named} that is named"))
    holder = _holder(spec.get("claimRef"))
    phase = str((volume.get("status") or {}).get("phase") or "")
    if (holder and holder.rpartition("/")[2] != claim) or phase in {"Bound", "Released", "Failed"}:
        found.append(Difference("pv_already_bound", f"is {phase or 'bound'}, held by {holder or 'another claim'}"))
    return found


def _holder(reference: object) -> str:
    if isinstance(reference, dict):
        return f"{reference.get('namespace', '')}/{reference.get('name', '')}"
    return str(reference or "")


def _list(items: set[str]) -> str:
    return ", ".join(sorted(items))


def _mounts(cluster: Cluster) -> Iterator[Fact]:
    """Of pods that do not run now."""
    for pod in cluster.pods:
        if pod.ready or pod.finished:
            continue
        for event in pod.warnings:
            if event.reason not in {"FailedMount", "FailedAttachVolume", "FailedMapVolume"}:
                continue
            kind = next((k for k, pattern in _MOUNTS if pattern.search(event.message)), "volume_mount_failed")
            yield diagnosis(component(pod.owner), "volume", kind, 0.95 if kind != "volume_mount_failed" else 0.7,
                            f"{event.reason}: {event.message}", at=event.at)  # fmt: skip
        for event in pod.warnings:
            if match := _NO_CLAIM.search(event.message):
                yield diagnosis(component(pod.owner), "volume", "claim_missing", 0.75,
                                f"claim {match.group(1)} does not exist: {event.message}", at=event.at)  # fmt: skip


PROBE = Probe(
    name="resource_volumes",
    question="Which claims are not bound and which volumes cannot be mounted, and why?",
    sources=("resources",),
    cost="cheap",
    params=ResourceVolumes,
    answer=answer,
)
