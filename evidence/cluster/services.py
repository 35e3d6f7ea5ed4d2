"""Whether a service reaches its workload, and whether others call it by an address that exists."""

import re
from collections.abc import Iterator

from .model import Cluster, Mismatch, Resource, pairs, ref_of

_ADDRESS = re.compile(
    r"^\s+([A-Z][A-Z0-9_]*(?:ADDR|ADDRESS|HOST|URL|ENDPOINT|SERVICE)):\s+(?:\w+://)?([\w.-]+):(\d+)", re.MULTILINE
)
_PORT = re.compile(r"(\d+)/(TCP|UDP|SCTP)")


def service_mismatches(cluster: Cluster) -> Iterator[Mismatch]:
    for service in cluster.services:
        workload = next(
            (w for w in cluster.workloads if (w.namespace, w.name) == (service.namespace, service.name)), None
        )
        if workload is not None:
            for reason, strength, quote in _of_service(cluster, service, workload):
                yield Mismatch("component", ref_of(workload), reason, strength, quote)
    for workload in cluster.workloads:
        for reason, strength, quote in _addresses(cluster, workload):
            yield Mismatch("component", ref_of(workload), reason, strength, quote)


def _of_service(cluster: Cluster, service: Resource, workload: Resource) -> Iterator[tuple[str, float, str]]:
    selector, labels = dict(pairs(service.field("Selector"))), _labels(cluster, workload)
    if selector and labels and any(labels.get(key) != value for key, value in selector.items()):
        yield (
            "service_selector_mismatch",
            0.95,
            f"Selector: {service.field('Selector')}; pods carry {workload.field('Selector')}",
        )
        return
    container = _PORT.findall(" ".join((*workload.fields("Port"), *workload.fields("Ports"))))
    target = _PORT.search(service.field("TargetPort"))
    if not container or target is None:
        return
    if target.group(1) not in {number for number, _ in container}:
        yield (
            "service_port_mapping_mismatch",
            0.95,
            f"TargetPort: {target.group(0)}; the container listens on {container[0][0]}",
        )
    elif target.group(2) not in {protocol for number, protocol in container if number == target.group(1)}:
        yield (
            "service_protocol_mismatch",
            0.95,
            f"TargetPort: {target.group(0)}; the container speaks {container[0][1]}",
        )


def _labels(cluster: Cluster, workload: Resource) -> dict[str, str]:
    pods = cluster.pods_of(workload)
    text = pods[0].body if pods else workload.body[workload.body.find("Pod Template:") :]
    block = re.search(r"^\s*Labels:\s*(.*(?:\n\s{6,}\S+=\S*)*)", text, re.MULTILINE)
    return dict(pairs(",".join(block.group(1).split()))) if block else {}


def _addresses(cluster: Cluster, workload: Resource) -> Iterator[tuple[str, float, str]]:
    """Environment variables that name a service, or a port of it, that is not there."""
    known = {s.name: s for s in cluster.services if s.namespace == workload.namespace}
    if not known:
        return
    for variable, host, port in _ADDRESS.findall(workload.body):
        name = host.partition(".")[0]
        service = known.get(name)
        if service is None and "." not in host and _similar(name, known):
            yield "service_env_var_address_mismatch", 0.95, f"{variable}: {host}:{port}, and no such service"
        elif service is not None and port not in {number for number, _ in _PORT.findall(service.field("Port"))}:
            yield (
                "service_env_var_address_mismatch",
                0.9,
                f"{variable}: {host}:{port}; its port is {service.field('Port')}",
            )


def _similar(name: str, known: dict[str, Resource]) -> bool:
    """Whether a name of a known service stands in it, or the other way round: not an address outside the cluster."""
    return any(name in other or other in name or name[:5] == other[:5] for other in known)
