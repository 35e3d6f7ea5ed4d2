"""Which services lead nowhere: what do they select, and where do their ports point?

Method: a service's selector is held against the labels of all pods (the workload of its own name, or that carries most
of the labels, was meant); target ports against the ports that the containers open; protocols likewise; a service that
was looked for or declared and is not there; network policies that select a workload and admit nobody; two containers
of one pod that open one port. Strength: .95 where the objects contradict each other, .05 more where a connection
test or missing endpoints agree. Cost: the resources, once.
"""

# ruff: noqa: E501  # one pattern stands on one line

import re
from collections import Counter
from collections.abc import Iterator

from ...contracts.claim import Fact
from ...contracts.evidence import Answer
from ..cluster.cluster import Cluster
from ..cluster.describe import Object
from ..cluster.facts import component, diagnosis, strongest
from ..cluster.views import Service, Workload
from ..tables import Tables
from .base import Params, Probe, answered

AGREES = 0.05
PROXIES = {
    "istio-proxy": frozenset({15000, 15001, 15004, 15006, 15008, 15009, 15020, 15021, 15053, 15090}),
    "linkerd-proxy": frozenset({4140, 4143, 4190, 4191}),
}
"""Ports that a mesh's proxy takes in each pod, by the proxy's name (documentation of Istio and Linkerd)."""
_OPEN = frozenset({"open", "succeeded", "ok"})


class ResourceServices(Params):
    """None: all services are looked at."""


def answer(tables: Tables, params: ResourceServices) -> Answer:
    del params
    cluster = Cluster.read(tables)
    facts = [fact for service in cluster.services for fact in _of_service(cluster, service)]
    facts += [*_absent(cluster), *_port_conflicts(cluster), *_policies(cluster)]
    return answered(tables, "resources", strongest(facts), window=None, rows_read=len(cluster.rows))


def _of_service(cluster: Cluster, service: Service) -> Iterator[Fact]:
    selected = cluster.selected(service)
    if service.selector and not selected and cluster.pods:
        meant = _meant(cluster, service)
        if meant is not None:
            yield diagnosis(
                component(meant.name), "service", "service_selector_mismatch", _sure(cluster, service, 0.95),
                f"service {service.name} selects {_labels(service.selector)}; the pods of {meant.name} carry "
                f"{_labels({k: v for k, v in meant.labels.items() if k != 'pod-template-hash'})}",
            )  # fmt: skip
        return
    for workload in selected:
        yield from _ports(cluster, service, workload)


def _meant(cluster: Cluster, service: Service) -> Workload | None:
    """The workload of its name, else the one that shares most of what it selects."""
    own = cluster.workload(service.name)
    if own is not None:
        return own
    values = set(service.selector.values()) | set(service.selector.items())
    scored = [(len(values & (set(w.labels.values()) | set(w.labels.items()))), w.name, w) for w in cluster.workloads]
    best = max(scored, key=lambda entry: (entry[0], entry[1]), default=None)
    return best[2] if best and best[0] else None


def _ports(cluster: Cluster, service: Service, workload: Workload) -> Iterator[Fact]:
    for port in service.ports:
        target = port.get("targetPort", port.get("port"))
        protocol = str(port.get("protocol") or "TCP")
        if str(target).isdigit():
            number = int(str(target))
            opened = workload.ports.get(number)
            said = f"service {service.name} sends port {port.get('port')}/{protocol} to {target}/{protocol}"
            if opened is None and workload.ports and not _listens(workload, number):
                yield diagnosis(
                    component(workload.name), "service", "target_port_mismatch", _sure(cluster, service, 0.93),
                    f"{said}; {workload.name} opens {_opened(workload)}",
                )  # fmt: skip
            elif opened is not None and opened != protocol:
                yield diagnosis(
                    component(workload.name), "service", "service_protocol_mismatch", _sure(cluster, service, 0.95),
                    f"{said}; {workload.name} opens {_opened(workload)}",
                )  # fmt: skip
        elif str(target) not in workload.named_ports and (workload.named_ports or workload.declared):
            yield diagnosis(
                component(workload.name), "service", "target_port_mismatch", _sure(cluster, service, 0.95),
                f"service {service.name} sends port {port.get('port')} to the port named {target}; {workload.name} opens "
                f"{_opened(workload)}, named {', '.join(sorted(workload.named_ports)) or 'nothing'}",
            )  # fmt: skip


def _listens(workload: Workload, port: int) -> bool:
    """Whether its environment or its probes say that it listens there, though it declares no such port."""
    for container in workload.containers():
        if any(
            str(e.get("value", "")) == str(port) and "PORT" in str(e.get("name", "")).upper()
            for e in container.get("env") or ()
        ):
            return True
        for kind in ("livenessProbe", "readinessProbe"):
            probe = container.get(kind) or {}
            if any(isinstance(p, dict) and p.get("port") == port for p in probe.values()):
                return True
    return False


def _opened(workload: Workload) -> str:
    return ", ".join(f"{port}/{protocol}" for port, protocol in sorted(workload.ports.items()))


def _labels(labels: dict[str, str]) -> str:
    return ",".join(f"{k}={v}" for k, v in sorted(labels.items()))


def _sure(cluster: Cluster, service: Service, base: float) -> float:
    tested = _test(cluster, service.name)
    agrees = tested is False or service.has_endpoints is False
    return min(1.0, base + (AGREES if agrees else -0.1 if tested else 0.0))


def _test(cluster: Cluster, service: str) -> bool | None:
    """Whether a connection test reached it; None where nobody tried."""
    for row in cluster.status_of("connectivity"):
        if row.name.partition(":")[0] == service:
            return row.status.lower() in _OPEN
    return None


def _absent(cluster: Cluster) -> Iterator[Fact]:
    if not cluster.knows("service"):
        return
    missing = {name for kind, name in cluster.absent if kind == "service"}
    missing |= set(cluster.declared("service")) - set(cluster.of("service"))
    for name in sorted(missing):
        workload = cluster.workload(name)
        if workload is not None:
            yield diagnosis(
                component(name),
                "service",
                "service_missing",
                0.75,
                f"service {name} does not exist, and {workload.kind} {name} does",
            )


def _port_conflicts(cluster: Cluster) -> Iterator[Fact]:
    for workload in cluster.workloads:
        for spec in workload.specs:
            opened: Counter[int] = Counter()
            names = [str(c.get("name")) for c in spec.get("containers") or ()]
            taken = frozenset().union(*(PROXIES.get(name, frozenset()) for name in names))
            for container in spec.get("containers") or ():
                if str(container.get("name")) in PROXIES:
                    continue
                opened.update(
                    {
                        int(p["containerPort"])
                        for p in container.get("ports") or ()
                        if str(p.get("containerPort", "")).isdigit()
                    }
                )
                opened.update(_bound_by_env(container, opened))
            for port, times in sorted(opened.items()):
                if times > 1 or port in taken:
                    yield diagnosis(
                        component(workload.name), "service", "container_port_conflict",
                        0.97 if not workload.healthy else 0.85,
                        f"more than one of the containers {', '.join(names)} of a pod of {workload.name} opens port {port}",
                        value=float(port),
                    )  # fmt: skip


def _bound_by_env(container: Object, opened: Counter[int]) -> set[int]:
    """A port that another container opens, which this one's environment or arguments name as its own."""
    declared = {
        int(p["containerPort"]) for p in container.get("ports") or () if str(p.get("containerPort", "")).isdigit()
    }
    told = [
        str(e.get("value", ""))
        for e in container.get("env") or ()
        if str(e.get("name", "")).upper() in {"PORT", "LISTEN_PORT", "SERVER_PORT"}
    ]
    told += [
        m
        for arg in [*(container.get("args") or ()), *(container.get("command") or ())]
        for m in re.findall(r"(?:port[= ]|:)(\d{2,5})\b", str(arg))
    ]
    return {int(t) for t in told if t.isdigit() and int(t) in opened} - declared


def _policies(cluster: Cluster) -> Iterator[Fact]:
    for name, items in sorted(cluster.objects.get("networkpolicy", {}).items()):
        spec = dict(items[0].get("spec") or {})
        for workload in cluster.workloads:
            labels = (spec.get("podSelector") or {}).get("matchLabels") or {}
            if (
                "podSelector" not in spec
                or not {str(k): str(v) for k, v in labels.items()}.items() <= workload.labels.items()
            ):
                continue
            for side in ("ingress", "egress"):
                named = side.capitalize() in (spec.get("policyTypes") or (["Ingress"] if side == "ingress" else []))
                if named and not spec.get(side):
                    yield diagnosis(
                        component(workload.name), "network", "network_policy_denies", 0.8 if labels else 0.6,
                        f"network policy {name} selects {workload.name} and admits no {side}",
                    )  # fmt: skip


PROBE = Probe(
    name="resource_services",
    question="Which services lead nowhere: what do they select, and where do their ports point?",
    sources=("resources",),
    cost="cheap",
    params=ResourceServices,
    answer=answer,
)
