"""Which nodes and which of the cluster's own components do not work?

Method: node conditions (not ready, pressure, network), services of the node as its init system says, pods of the
cluster's own namespace by component (scheduler, proxy, resolver, controller manager, API server, store), and what
pods on a node say of its container runtime. A node that is not ready is explained by its kubelet or its runtime where
one of them stopped. Strength: 1 for a component that is stopped, .9 for what pods say of the runtime, .75 for a node
that is only known not to be ready, .4 for a cordon. Cost: the resources, once.
"""

# ruff: noqa: E501  # one pattern stands on one line

import re
from collections import defaultdict
from collections.abc import Iterator

from ...contracts.claim import Fact
from ...contracts.evidence import Answer
from ..cluster.cluster import Cluster, Row
from ..cluster.describe import Object
from ..cluster.facts import component, diagnosis, node, strongest
from ..tables import Tables
from .base import Params, Probe, answered

_COMPONENTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("container_runtime_unavailable", re.compile(r"containerd|docker|cri-?o", re.IGNORECASE)),
    ("kubelet_unavailable", re.compile(r"kubelet", re.IGNORECASE)),
    ("kube_proxy_unavailable", re.compile(r"kube-?proxy", re.IGNORECASE)),
    ("kube_scheduler_unavailable", re.compile(r"scheduler", re.IGNORECASE)),
    ("controller_manager_unavailable", re.compile(r"controller-?manager", re.IGNORECASE)),
    ("etcd_unavailable", re.compile(r"etcd", re.IGNORECASE)),
    ("api_server_unavailable", re.compile(r"api-?server", re.IGNORECASE)),
    ("cluster_dns_unavailable", re.compile(r"coredns|kube-?dns|dns", re.IGNORECASE)),
    ("network_plugin_unavailable", re.compile(r"flannel|calico|cilium|weave|cni", re.IGNORECASE)),
)  # fmt: skip
_RUNNING = re.compile(r"^(?:active|running|activating|ok|ready|1/1)", re.IGNORECASE)
_NO_RUNTIME = re.compile(
    r"(?:containerd|docker|crio)\S*\.sock|container runtime (?:is down|network not ready|status check may not)|runtime\.v1.*Unavailable",
    re.IGNORECASE,
)
_PRESSURE = {
    "MemoryPressure": "node_memory_pressure", "DiskPressure": "node_disk_pressure", "PIDPressure": "node_pid_pressure",
    "NetworkUnavailable": "node_network_unavailable",
}  # fmt: skip
_SINCE = re.compile(r"^\s*Active:.*$", re.MULTILINE)


CROWDED = 0.97
"""Share of the pods that a node may run."""


class ResourceNodes(Params):
    """None: all nodes are looked at."""


def answer(tables: Tables, params: ResourceNodes) -> Answer:
    del params
    cluster = Cluster.read(tables)
    stopped = [*_services(cluster)]
    facts = [*stopped, *_runtime(cluster), *_system_pods(cluster)]
    explained = {fact.subject.ref for fact in facts if fact.strength >= 0.9}
    facts += [*_conditions(cluster, explained), *_kubelet_silent(cluster, explained)]
    facts += [*_crowded(cluster)]
    return answered(tables, "resources", strongest(facts), window=None, rows_read=len(cluster.rows))


def _services(cluster: Cluster) -> Iterator[Fact]:
    """Services of nodes as `systemctl status` tells of them, named `node/service`."""
    for row in cluster.status_of("node_service"):
        if _RUNNING.match(row.status) or not row.status or row.status.lower() in {"unknown", "n/a"}:
            continue
        name, _, service = row.name.rpartition("/")
        kind = _component(service)
        if kind and not re.search(r"could not be found|not-found", row.body):
            active = _SINCE.search(row.body)
            shown = active.group().strip() if active else row.status
            yield diagnosis(node(name), "node", kind, 1.0, f"{service} on {name}: {shown}")


def _component(name: str) -> str:
    return next((kind for kind, pattern in _COMPONENTS if pattern.search(name)), "")


def _is_runtime(row: Row) -> bool:
    """Whether it is a runtime that works by now: what was said before is over."""
    return _component(row.name) == "container_runtime_unavailable" and _RUNNING.match(row.status) is not None


def _runtime(cluster: Cluster) -> Iterator[Fact]:
    """Of a node, what its pods say when the runtime does not answer."""
    told: dict[str, list[str]] = defaultdict(list)
    for pod in cluster.pods:
        for event in pod.warnings:
            if not pod.ready and _NO_RUNTIME.search(event.message) and pod.node:
                told[pod.node].append(f"{pod.name}: {event.reason}: {event.message}")
    for name, raw in cluster.of("node").items():
        for event in cluster.events_of("node", name, raw):
            if event.type != "Normal" and _NO_RUNTIME.search(event.message):
                told[name].append(f"{name}: {event.reason}: {event.message}")
    runs = {row.name.rpartition("/")[0] for row in cluster.status_of("node_service") if _is_runtime(row)}
    for name, lines in sorted((name, lines) for name, lines in told.items() if name not in runs):
        yield diagnosis(node(name), "node", "container_runtime_unavailable", 0.9, min(lines), value=float(len(lines)))


def _system_pods(cluster: Cluster) -> Iterator[Fact]:
    for pod in cluster.pods:
        namespace = str((pod.raw.get("metadata") or {}).get("namespace") or "")
        if namespace != "kube-system" or pod.ready or pod.finished:
            continue
        if kind := _component(pod.owner):
            subject = node(pod.node) if pod.node and kind != "cluster_dns_unavailable" else component(pod.owner)
            yield diagnosis(subject, "node", kind, 0.9, f"pod {pod.name} of kube-system is {pod.listed or pod.phase}")


def _conditions(cluster: Cluster, explained: set[str]) -> Iterator[Fact]:
    for name, raw in cluster.of("node").items():
        for condition in (raw.get("status") or {}).get("conditions") or ():
            kind, status = str(condition.get("type")), str(condition.get("status"))
            shown = f"node {name}: {kind} is {status}, {condition.get('reason', '')}: {condition.get('message', '')}"
            if kind in _PRESSURE and status == "True":
                yield diagnosis(node(name), "node", _PRESSURE[kind], 0.9, shown)
            elif kind == "Ready" and status != "True":
                yield diagnosis(node(name), "node", "node_not_ready", 0.3 if name in explained else 0.75, shown)
        for flat, kind in (
            ("memory_pressure", "MemoryPressure"),
            ("disk_pressure", "DiskPressure"),
            ("pid_pressure", "PIDPressure"),
        ):
            if str(raw.get(flat)) == "True":
                yield diagnosis(node(name), "node", _PRESSURE[kind], 0.9, f"node {name}: {kind} is True")
        if str(raw.get("ready", "True")) not in {"True", "true"}:
            yield diagnosis(node(name), "node", "node_not_ready", 0.75, f"node {name}: Ready is {raw.get('ready')}")


def _kubelet_silent(cluster: Cluster, explained: set[str]) -> Iterator[Fact]:
    for name, raw in cluster.of("node").items():
        for condition in (raw.get("status") or {}).get("conditions") or ():
            silent = re.search(
                r"stopped posting node status|NodeStatusUnknown",
                f"{condition.get('reason')} {condition.get('message')}",
            )
            if condition.get("type") == "Ready" and silent and name not in explained:
                yield diagnosis(
                    node(name),
                    "node",
                    "kubelet_unavailable",
                    0.85,
                    f"node {name}: {condition.get('reason')}: {condition.get('message')}",
                )


def _crowded(cluster: Cluster) -> Iterator[Fact]:
    """Nodes that run as many pods as they may."""
    placed: dict[str, int] = defaultdict(int)
    for pod in cluster.pods:
        placed[pod.node] += not pod.finished
    for name, raw in cluster.of("node").items():
        most, runs = _most(raw), int(raw.get("podCount") or placed[name])
        if most and runs >= CROWDED * most:
            yield diagnosis(
                node(name), "node", "insufficient_pods", 0.85,
                f"node {name} runs {runs} pods, and has a capacity of {most}: too many pods for its capacity",
                value=float(runs), baseline=float(most),
            )  # fmt: skip


def _most(raw: Object) -> int:
    said = str(((raw.get("status") or {}).get("allocatable") or {}).get("pods", ""))
    return int(said) if said.isdigit() else 0


PROBE = Probe(
    name="resource_nodes",
    question="Which nodes and which of the cluster's own components do not work?",
    sources=("resources",),
    cost="cheap",
    params=ResourceNodes,
    answer=answer,
)
