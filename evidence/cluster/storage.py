"""Why a volume claim is not bound."""

import re
from collections.abc import Iterator

from .model import Cluster, Mismatch, Resource, owner_name, ref_of


def storage_mismatches(cluster: Cluster) -> Iterator[Mismatch]:
    for claim in cluster.of("persistentvolumeclaim"):
        if "pending" in claim.status.lower() or "pending" in claim.field("Status").lower():
            reason, strength, quote = _why(cluster, claim)
            for ref in _users(cluster, claim):
                yield Mismatch("component", ref, reason, strength, quote)


def _why(cluster: Cluster, claim: Resource) -> tuple[str, float, str]:
    wanted, quote = (
        _wanted(cluster, claim),
        claim.line(r"FailedBinding|ProvisioningFailed") or f"{claim.name} is pending",
    )
    volumes = [v for v in cluster.of("persistentvolume") if v.status.lower() in {"available", "released", "bound"}]
    free = [v for v in volumes if v.status.lower() == "available"]
    if not free and volumes:
        return "pv_binding_occupied", 0.85, quote
    storage_class = claim.field("StorageClass") or wanted.get("class", "")
    if storage_class and storage_class not in {v.field("StorageClass") for v in free}:
        return "pvc_storage_class_mismatch", 0.95, f"StorageClass: {storage_class}, and no volume of it"
    fitting = [v for v in free if v.field("StorageClass") == storage_class]
    modes = set(wanted.get("modes", "").split())
    if modes and fitting and all(modes - _modes(v) for v in fitting):
        return "pvc_access_mode_mismatch", 0.9, f"asks for {' '.join(sorted(modes))}; {quote}"
    size = _bytes(wanted.get("size", ""))
    if size and fitting and all(_bytes(v.field("Capacity")) < size for v in fitting):
        return "pvc_capacity_mismatch", 0.9, f"asks for {wanted['size']}; {quote}"
    if "selector" in wanted:
        return "pvc_selector_mismatch", 0.9, f"asks for {wanted['selector']}; {quote}"
    return "pvc_unbound", 0.6, quote


def _wanted(cluster: Cluster, claim: Resource) -> dict[str, str]:
    """What the claim's manifest asks for."""
    found: dict[str, str] = {}
    for manifest in cluster.of("manifest"):
        for document in re.split(r"^---\s*$", manifest.body, flags=re.MULTILINE):
            if re.search(r"^kind:\s*PersistentVolumeClaim", document, re.MULTILINE) and claim.name in document:
                modes = re.search(r"accessModes:\s*((?:\n\s*-\s*\w+)+)", document)
                size = re.search(r"storage:\s*(\S+)", document)
                name = re.search(r"storageClassName:\s*\"?([\w.-]*)", document)
                selector = re.search(r"selector:\s*\n\s*matchLabels:\s*\n\s*(\S+:\s*\S+)", document)
                found |= {"modes": " ".join(re.findall(r"\w+", modes.group(1)))} if modes else {}
                found |= {"size": size.group(1)} if size else {}
                found |= {"class": name.group(1)} if name else {}
                found |= {"selector": selector.group(1)} if selector else {}
    return found


_SHORT = {"RWO": "ReadWriteOnce", "ROX": "ReadOnlyMany", "RWX": "ReadWriteMany", "RWOP": "ReadWriteOncePod"}
_SIZES = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def _modes(volume: Resource) -> set[str]:
    return {_SHORT.get(mode, mode) for mode in re.findall(r"\w+", volume.field("Access Modes"))}


def _bytes(text: str) -> float:
    match = re.match(r"(\d+(?:\.\d+)?)\s*([KMGT]i?)?", text)
    return float(match.group(1)) * _SIZES.get(match.group(2) or "", 1) if match else 0.0


def _users(cluster: Cluster, claim: Resource) -> tuple[str, ...]:
    used = claim.field("Used By")
    names = {owner_name(used)} if used else {w.name for w in cluster.workloads if claim.name in w.body}
    return tuple(ref_of(w) for w in cluster.workloads if w.namespace == claim.namespace and w.name in names)
