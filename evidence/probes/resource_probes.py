"""Which liveness, readiness or startup probe asks the wrong question?

Method: of containers whose probe fails now (restarts, not ready, failures that go on), the probe's port is held
against the ports that the container opens, its protocol against what the failure says came back and against the
container's other probes, its timing against the usual (a delay, period and number of failures that leave a container
no time to start). A failure or two while a container started says nothing. Strength: 1 where the port is none of the
container's or the answer shows another protocol, .9 for timing, .6 where only the failure is known. Cost: the
resources, once.
"""

# ruff: noqa: E501  # one pattern stands on one line

import re
from collections.abc import Iterator

from ...contracts.claim import Fact
from ...contracts.evidence import Answer
from ..cluster.cluster import Cluster
from ..cluster.describe import Object
from ..cluster.facts import component, diagnosis, strongest
from ..cluster.views import Event, Pod, Workload
from ..tables import Tables
from .base import Params, Probe, answered

KINDS = ("liveness", "readiness", "startup")
PROTOCOLS = ("httpGet", "grpc", "tcpSocket", "exec")
IMPATIENT = 3
"""Seconds that a container gets, from its start to being killed, below which a probe has no patience."""
PERSISTS = 3
"""So many failures are no stumble at the start."""
_OTHER_PROTOCOL = re.compile(
    r"malformed HTTP|HTTP/1\.x transport connection broken|error reading server preface|first record does not look like|"
    r"server gave HTTP response to HTTPS|transport: received unexpected content|unknown service|Unimplemented|"
    r"does not implement the grpc health|frame too large|http2:|EOF|connection reset", re.IGNORECASE,
)  # fmt: skip
_BAD_PATH = re.compile(r"statuscode: 40[0-9]|HTTP probe failed with statuscode: (?:404|405)", re.IGNORECASE)


class ResourceProbes(Params):
    """None: all containers are looked at."""


def answer(tables: Tables, params: ResourceProbes) -> Answer:
    del params
    cluster = Cluster.read(tables)
    facts = [
        fact
        for workload in cluster.workloads
        for container in workload.containers()
        for kind in KINDS
        if isinstance(container.get(f"{kind}Probe"), dict) and container[f"{kind}Probe"]
        for fact in _judged(workload, container, kind)
    ]
    return answered(tables, "resources", strongest(facts), window=None, rows_read=len(cluster.rows))


def _judged(workload: Workload, container: Object, kind: str) -> Iterator[Fact]:
    failed = _failures(workload, kind)
    probe = dict(container[f"{kind}Probe"])
    suffers = _suffers(workload, kind)
    if not failed and not suffers:
        return
    lasting = suffers and (not failed or sum(e.count for e in failed) >= 1)
    if not lasting and sum(e.count for e in failed) < PERSISTS:
        return
    protocol, place = next(((p, dict(probe[p] or {})) for p in PROTOCOLS if p in probe), ("", {}))
    quote = _shown(kind, protocol, place, probe, failed)
    text = " ".join(e.message for e in failed)
    port = place.get("port")
    opened = {
        int(p["containerPort"]) for p in container.get("ports") or () if str(p.get("containerPort", "")).isdigit()
    }
    everywhere = opened | set(workload.ports)
    named = str(port) in workload.named_ports
    if port is not None and everywhere and str(port).isdigit() and int(port) not in everywhere:
        others = _ports_of_others(container, kind)
        yield _found(workload, f"{kind}_probe_wrong_port", 1.0 if not others or int(port) not in others else 0.7, quote)
    elif port is not None and not str(port).isdigit() and not named and workload.named_ports:
        yield _found(workload, f"{kind}_probe_wrong_port", 0.95, quote)
    elif failed and protocol != "exec" and _speaks_other(container, kind, protocol, text):
        yield _found(workload, f"{kind}_probe_wrong_protocol", 1.0 if _OTHER_PROTOCOL.search(text) else 0.8, quote)
    elif failed and _BAD_PATH.search(text):
        yield _found(workload, f"{kind}_probe_wrong_path", 0.9, quote)
    elif _patience(probe) < IMPATIENT:
        yield _found(workload, f"{kind}_probe_too_impatient", 0.95 if failed else 0.8, quote)
    elif failed and suffers:
        yield _found(workload, f"{kind}_probe_failed", 0.5, quote)


def _found(workload: Workload, kind: str, strength: float, quote: str) -> Fact:
    return diagnosis(component(workload.name), "probe", kind, strength, quote)


def _failures(workload: Workload, kind: str) -> list[Event]:
    pattern = re.compile(rf"{kind} probe (?:failed|errored)", re.IGNORECASE)
    return sorted(
        {e for pod in workload.pods for e in pod.events if pattern.search(e.message)}, key=lambda e: e.message
    )


def _suffers(workload: Workload, kind: str) -> bool:
    """Whether a pod shows today what a failing probe of the kind does to it."""
    return any(_hurt(pod, kind) for pod in workload.pods)


def _hurt(pod: Pod, kind: str) -> bool:
    if kind == "readiness":
        return (
            pod.scheduled
            and not pod.ready
            and not pod.finished
            and all((s.get("state") or {}).get("is") == "Running" for s in pod.states)
        )
    killed = any((s.get("lastState") or {}).get("exitCode") in {137, 143} for s in pod.states)
    return pod.restarts > 0 and (killed or not pod.ready)


def _speaks_other(container: Object, kind: str, protocol: str, text: str) -> bool:
    """Another protocol came back, or the container's other probes on the port speak another one and do not fail."""
    if _OTHER_PROTOCOL.search(text):
        return True
    others = {p for other in KINDS if other != kind for p in PROTOCOLS if p in (container.get(f"{other}Probe") or {})}
    return bool(others) and protocol not in others and protocol in {"httpGet", "grpc"}


def _ports_of_others(container: Object, kind: str) -> set[int]:
    found = set()
    for other in KINDS:
        probe = container.get(f"{other}Probe") or {}
        for protocol in PROTOCOLS:
            port = (probe.get(protocol) or {}).get("port") if other != kind else None
            if str(port).isdigit():
                found.add(int(str(port)))
    return found


def _patience(probe: Object) -> float:
    """Seconds from a container's start to the failure that counts."""
    failures = int(probe.get("failureThreshold") or 3)
    period = int(probe.get("periodSeconds") or 10)
    return (
        int(probe.get("initialDelaySeconds") or 0) + (failures - 1) * period + int(probe.get("timeoutSeconds") or 1) - 1
    )


def _shown(kind: str, protocol: str, place: Object, probe: Object, failed: list[Event]) -> str:
    where = f"port {place['port']}" if "port" in place else " ".join(str(p) for p in place.get("command") or ())
    timing = (
        f"delay {probe.get('initialDelaySeconds', 0)} s, period {probe.get('periodSeconds', 10)} s, "
        f"{probe.get('failureThreshold', 3)} failures"
    )
    said = f"; {failed[0].reason}: {failed[0].message}" if failed else ""
    return f"{kind} probe: {protocol} {where}, {timing}{said}"


PROBE = Probe(
    name="resource_probes",
    question="Which liveness, readiness or startup probe asks the wrong question?",
    sources=("resources",),
    cost="cheap",
    params=ResourceProbes,
    answer=answer,
)
