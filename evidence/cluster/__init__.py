"""Whether what a cluster was told holds together: workloads, services, volumes, nodes, quotas; pure functions."""

from .model import Cluster, Mismatch, Resource
from .nodes import node_mismatches
from .pods import pod_mismatches
from .quotas import quota_mismatches
from .services import service_mismatches
from .storage import storage_mismatches

__all__ = ["Cluster", "Mismatch", "Resource", "mismatches"]


def mismatches(cluster: Cluster) -> list[Mismatch]:
    """Everything that does not hold together, surest first."""
    checks = (node_mismatches, quota_mismatches, storage_mismatches, pod_mismatches, service_mismatches)
    found = {(m.kind, m.ref, m.reason): m for check in checks for m in sorted(check(cluster), key=lambda m: m.strength)}
    return sorted(found.values(), key=lambda m: (-m.strength, m.kind, m.ref, m.reason))
