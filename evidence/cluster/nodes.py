"""Whether the parts of a node run: kubelet, container runtime, proxy, scheduler."""

from collections.abc import Iterator

from .model import Cluster, Mismatch

_PARTS = {
    "kubelet": "kubelet_unavailable",
    "containerd": "containerd_unavailable",
    "docker": "containerd_unavailable",
    "cri-o": "containerd_unavailable",
    "kube-proxy": "kube_proxy_unavailable",
    "kube-scheduler": "kube_scheduler_unavailable",
}
_DOWN = ("inactive", "dead", "failed", "stopped", "exited", "not running")


def node_mismatches(cluster: Cluster) -> Iterator[Mismatch]:
    for part in cluster.of("node_service"):
        node, _, name = part.name.partition("/")
        status = part.status.lower()
        if name in _PARTS and any(word in status for word in _DOWN) and "active (running)" not in status:
            yield Mismatch("node", node, _PARTS[name], 0.98, f"{name} is {part.status}")
    for node in cluster.of("node"):
        if "notready" in node.status.lower():
            line = node.line(r"Kubelet stopped posting|container runtime (?:is down|status)|KubeletNotReady")
            runtime = "runtime" in line.lower() or "containerd" in line.lower()
            reason = "containerd_unavailable" if runtime else "kubelet_unavailable"
            yield Mismatch("node", node.name, reason, 0.85, line or f"status {node.status}")
