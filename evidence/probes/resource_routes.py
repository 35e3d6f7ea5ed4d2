"""Which routes of gateways and ingresses lead to no service, or to another than their path says?

Method: backends of ingresses, routes and virtual services against the services and ports that stand; in settings of a
gateway (`uri` with `Path`, `location` with `proxy_pass`), where most paths name the service that they lead to, one that
leads elsewhere. Strength: .9 for a route in settings, .85 for a backend. Cost: the resources, once.
"""

# ruff: noqa: E501  # one pattern stands on one line

import re
from collections.abc import Iterator

from ...contracts.claim import Fact
from ...contracts.evidence import Answer
from ..cluster.cluster import Cluster
from ..cluster.facts import component, diagnosis, strongest
from ..tables import Tables
from .base import Params, Probe, answered

PEERS, MAJORITY = 3, 0.7
"""So many that do alike, and their share, make one that does not an exception."""
_SPRING = re.compile(r"uri:\s*\"?(?:https?|lb)://([\w.-]+)(?::\d+)?\"?[\s\S]{0,200}?Path=(/[\w/*.-]+)")
_NGINX = re.compile(r"location\s+(?:[~^=*]+\s*)?(/[\w/.*-]*)\s*\{[^}]{0,300}?proxy_pass\s+https?://([\w.-]+)")


class ResourceRoutes(Params):
    """None: all routes are looked at."""


def answer(tables: Tables, params: ResourceRoutes) -> Answer:
    del params
    cluster = Cluster.read(tables)
    facts = [*_routes(cluster), *_route_texts(cluster)]
    return answered(tables, "resources", strongest(facts), window=None, rows_read=len(cluster.rows))


def _routes(cluster: Cluster) -> Iterator[Fact]:
    """Backends of ingresses and routes that are no service, or no port of it."""
    for kind in ("ingress", "httproute", "virtualservice", "gateway"):
        for name, items in sorted(cluster.objects.get(kind, {}).items()):
            for host, port in _backends(items[0]):
                service = cluster.of("service").get(host.partition(".")[0])
                if service is None and cluster.knows("service"):
                    yield diagnosis(
                        component(name),
                        "route",
                        "gateway_misrouted",
                        0.85,
                        f"{kind} {name} leads to {host}, which is no service",
                    )
                elif service is not None and port:
                    ports = {
                        str(p.get(k)) for p in (service.get("spec") or {}).get("ports") or () for k in ("port", "name")
                    }
                    if ports and str(port) not in ports:
                        yield diagnosis(
                            component(host),
                            "route",
                            "gateway_misrouted",
                            0.85,
                            f"{kind} {name} leads to port {port} of {host}, which has {', '.join(sorted(ports))}",
                        )


def _route_texts(cluster: Cluster) -> Iterator[Fact]:
    """Routes in a gateway's settings: where most paths lead to the service of their name, one that leads elsewhere."""
    for row in cluster.rows:
        if row.kind not in {"configmap", "manifest"}:
            continue
        pairs = [(host, path) for host, path in _route_pairs(row.body) if host and path]
        fits = [_fits(host, path) for host, path in pairs]
        known = cluster.of("service")
        for (host, path), fit in zip(pairs, fits, strict=True):
            gone = bool(known) and host.partition(".")[0] not in known
            if len(pairs) >= PEERS and (gone or (not fit and sum(fits) >= MAJORITY * len(pairs))):
                owner = next(
                    (w.name for w in cluster.workloads if row.name.startswith(w.name) or w.name.startswith(row.name)),
                    row.name,
                )
                yield diagnosis(component(owner), "route", "gateway_misrouted", 0.9,
                                f"{row.kind} {row.name}: path {path} leads to {host}" + (", which is no service" if gone else ""))  # fmt: skip


def _route_pairs(text: str) -> list[tuple[str, str]]:
    """Of `uri: http://host` with `Path=/x/**`, and of `location /x` with `proxy_pass http://host`."""
    spring = [(m.group(1), m.group(2)) for m in _SPRING.finditer(text)]
    nginx = [(m.group(2), m.group(1)) for m in _NGINX.finditer(text)]
    return spring + nginx


def _fits(host: str, path: str) -> bool:
    words = [w for w in re.split(r"[^a-z0-9]+", host.lower()) if len(w) > 2 and w not in {"service", "svc"}]
    plain = re.sub(r"[^a-z0-9]", "", path.lower())
    return any(word in plain for word in words)


def _backends(raw: object, depth: int = 0) -> Iterator[tuple[str, object]]:
    if depth > 12:
        return
    if isinstance(raw, dict):
        service = raw.get("service")
        if isinstance(service, dict) and "name" in service:
            port = service.get("port")
            yield str(service["name"]), (port.get("number") or port.get("name")) if isinstance(port, dict) else port
        elif "serviceName" in raw:
            yield str(raw["serviceName"]), raw.get("servicePort")
        elif isinstance(raw.get("destination"), dict) and "host" in raw["destination"]:
            yield str(raw["destination"]["host"]), (raw["destination"].get("port") or {}).get("number")
        for value in raw.values():
            yield from _backends(value, depth + 1)
    elif isinstance(raw, list):
        for value in raw:
            yield from _backends(value, depth + 1)


PROBE = Probe(
    name="resource_routes",
    question="Which routes of gateways and ingresses lead to no service, or to another than their path says?",
    sources=("resources",),
    cost="cheap",
    params=ResourceRoutes,
    answer=answer,
)
