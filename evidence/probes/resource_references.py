"""Which references lead to nothing: addresses, secrets, config maps, accounts, name servers?

Method: a value of the environment that reads as host and port (or that stands under a name of host, address, URL) is
held against the services that stand and their ports; a host that is almost a service's name was meant to be it.
Secrets, config maps and their keys that a container needs and that are known not to be there; pods that resolve names
by servers of their own; a workload that takes nothing from a secret where its peers do. Strength: .95 for a port that the service
does not have, .9 for a host within the cluster that no service has, .9 for a missing object. Cost: the resources,
once.
"""

# ruff: noqa: E501  # one pattern stands on one line

import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher

from ...contracts.claim import Fact
from ...contracts.evidence import Answer
from ..cluster.cluster import Cluster
from ..cluster.describe import Object
from ..cluster.facts import component, diagnosis, strongest
from ..cluster.views import Workload
from ..tables import Tables
from .base import Params, Probe, answered

_ADDRESS = re.compile(
    r"^(?:[a-z][a-z0-9+.:-]*://)?(?:[^@/\s]*@)?([a-z][a-z0-9.-]*):(\d{2,5})(?:[/?].*)?$", re.IGNORECASE
)
_URL = re.compile(r"^[a-z][a-z0-9+.:-]*://(?:[^@/\s]*@)?([a-z][a-z0-9.-]*)(?::(\d{2,5}))?(?:[/?].*)?$", re.IGNORECASE)
_HOST_NAME = re.compile(r"(?:^|_)(HOST|HOSTNAME|ADDR|ADDRESS|SERVER|ENDPOINT|URL)$", re.IGNORECASE)
_STORE_PORT = re.compile(r"(MYSQL|MARIADB|POSTGRES|MONGO|REDIS|RABBIT|KAFKA)\w*_PORT$", re.IGNORECASE)
_GATEWAY = re.compile(r"gateway|ingress|(?:^|-)(?:proxy|router|edge)(?:-|$)", re.IGNORECASE)
PEERS, MAJORITY = 3, 0.7
"""So many that do alike, and their share, make one that does not an exception."""
_SUFFIX = re.compile(r"_(?:HOST|HOSTNAME|ADDR|ADDRESS|SERVER|ENDPOINT|URL|URI)$", re.IGNORECASE)
_PORT_NAME = re.compile(r"^(.*?)_?PORT$", re.IGNORECASE)
_LOCAL = frozenset({"localhost", "127.0.0.1", "0.0.0.0", "kubernetes"})  # noqa: S104  # a name that is compared
_DATABASE = re.compile(
    r"mysql|mariadb|postgres|mongo|redis|rabbit|kafka|(?:^|[-_])db(?:$|[-_0-9])|database", re.IGNORECASE
)
ALIKE = 0.85
"""Likeness of two names from which one counts as the other misspelt."""


class ResourceReferences(Params):
    """None: all workloads are looked at."""


def answer(tables: Tables, params: ResourceReferences) -> Answer:
    del params
    cluster = Cluster.read(tables)
    facts: list[Fact] = []
    for workload in cluster.workloads:
        for container in workload.containers():
            facts += [*_addresses(cluster, workload, container), *_objects(cluster, workload, container)]
        facts += [*_accounts(cluster, workload), *_resolver(workload)]
    facts += [*_unbound_secrets(cluster)]
    return answered(tables, "resources", strongest(facts), window=None, rows_read=len(cluster.rows))


# --- addresses --------------------------------------------------------------------------------------------------------
def _addresses(cluster: Cluster, workload: Workload, container: Object) -> Iterator[Fact]:
    if not cluster.knows("service"):
        return
    values = {str(e.get("name")): str(e.get("value") or "") for e in container.get("env") or () if e.get("name")}
    for name, value in sorted(values.items()):
        for host, port in _hosts(name, value, values):
            yield from _address(cluster, workload, name, host, port)
        yield from _lone_port(cluster, workload, name, value, values)


def _hosts(name: str, value: str, values: dict[str, str]) -> Iterator[tuple[str, int | None]]:
    match = _ADDRESS.match(value) or _URL.match(value)
    if match:
        yield match.group(1), int(match.group(2)) if match.group(2) else None
    elif _HOST_NAME.search(name) and re.fullmatch(r"[a-z][a-z0-9.-]*", value):
        stem = _HOST_NAME.sub("", name)
        port = next(
            (v for k, v in values.items() if (m := _PORT_NAME.match(k)) and m.group(1) == stem and v.isdigit()), ""
        )
        yield value, int(port) if port else None


def _lone_port(
    cluster: Cluster, workload: Workload, name: str, value: str, values: Mapping[str, str]
) -> Iterator[Fact]:
    """A port of a kind of store whose host is told elsewhere, against the ports of the stores of that kind."""
    match = _STORE_PORT.search(name)
    stem = _PORT_NAME.match(name)
    if (
        not match
        or not value.isdigit()
        or (stem and any(k != name and k.startswith(f"{stem.group(1)}_HOST") for k in values))
    ):
        return
    stores = {n: raw for n, raw in cluster.of("service").items() if match.group(1).lower() in n.lower()}
    ports = {str(p.get("port")) for raw in stores.values() for p in (raw.get("spec") or {}).get("ports") or ()}
    if ports and value not in ports:
        yield diagnosis(
            component(workload.name), "reference", "database_port_wrong", 0.92,
            f"{workload.name} is told {name}={value}; {', '.join(sorted(stores)[:3])} has port {', '.join(sorted(ports))}",
            value=float(value),
        )  # fmt: skip


def _address(cluster: Cluster, workload: Workload, name: str, host: str, port: int | None) -> Iterator[Fact]:
    short = host.lower().partition(".")[0]
    if host.lower() in _LOCAL or not _inside(host):
        return
    service = cluster.of("service").get(short)
    said = f"{name}={host}" + (f":{port}" if port is not None else "")
    database = _DATABASE.search(short) is not None and not re.search(r"redis", short)
    if service is not None:
        ports = sorted(
            {int(p["port"]) for p in (service.get("spec") or {}).get("ports") or () if str(p.get("port", "")).isdigit()}
        )
        if port is not None and ports and port not in ports:
            yield diagnosis(
                component(workload.name), "reference", _kind_of(workload, "database_port_wrong" if database else "service_address_wrong"),
                0.97, f"{workload.name} is told {said}; service {short} has port {', '.join(map(str, ports))}",
                value=float(port), baseline=float(ports[0]),
            )  # fmt: skip
        return
    if ("service", short) in cluster.absent:
        return
    meant = _meant(cluster, name, short)
    if meant or "." not in host:
        yield diagnosis(
            component(workload.name), "reference", _kind_of(workload, "service_address_wrong"), 0.93 if meant else 0.3,
            f"{workload.name} is told {said}; there is no service {short}" + (f", but {meant}" if meant else ""),
        )  # fmt: skip


def _meant(cluster: Cluster, name: str, host: str) -> str:
    """The service that the variable's own name tells of, or whose name the host nearly is, or begins with."""
    variable = re.sub(r"[^a-z0-9]", "", _SUFFIX.sub("", name).lower())
    for service in cluster.of("service"):
        plain = re.sub(r"[^a-z0-9]", "", service.lower())
        if plain == variable or host.startswith((f"{service}-", f"{service}_")):
            return service
    near = max(cluster.of("service"), key=lambda n: (SequenceMatcher(None, n, host).ratio(), n), default="")
    return near if near and SequenceMatcher(None, near, host).ratio() >= ALIKE else ""


def _kind_of(workload: Workload, kind: str) -> str:
    """A gateway's address is a route."""
    return "gateway_misrouted" if _GATEWAY.search(workload.name) else kind


def _inside(host: str) -> bool:
    """Whether a host is a name of the cluster's own."""
    return (
        "." not in host
        or host.endswith((".svc", ".cluster.local"))
        or (host.count(".") == 1 and not re.search(r"\.(?:com|net|org|io|dev|app|local|internal)$", host))
    )


# --- objects that a container needs -------------------------------------------------------------------------------------
def _objects(cluster: Cluster, workload: Workload, container: Object) -> Iterator[Fact]:
    for kind, name, key, optional in _needed(workload, container):
        if optional or not name:
            continue
        label = "secret_missing" if kind == "secret" else "config_map_missing"
        known = cluster.of(kind).get(name)
        if (kind, name) in cluster.absent or (known is None and cluster.knows(kind)):
            yield diagnosis(component(workload.name), "reference", label, 0.95 if not workload.healthy else 0.7,
                            f"{workload.name} needs {kind} {name}, which does not exist")  # fmt: skip
        elif known is not None and key and known.get("keys") is not None and _lacks(known, key):
            yield diagnosis(component(workload.name), "reference", label, 0.9 if not workload.healthy else 0.6,
                            f"{workload.name} needs key {key} of {kind} {name}, which has no such key")  # fmt: skip


def _lacks(known: Object, key: str) -> bool:
    keys = {str(k) for k in known.get("keys") or ()} | {str(k) for k in (known.get("data") or {})}
    return bool(keys) and key not in keys


def _needed(workload: Workload, container: Object) -> Iterator[tuple[str, str, str, bool]]:
    """Kind, name, key and whether it may be absent, of each object that the environment or a volume takes."""
    for entry in container.get("env") or ():
        source = entry.get("valueFrom") or {}
        yield from _referred(source, (("secretKeyRef", "secret"), ("configMapKeyRef", "configmap")))
    for entry in container.get("envFrom") or ():
        yield from _referred(entry, (("secretRef", "secret"), ("configMapRef", "configmap")))
    for volume in (workload.specs[0].get("volumes") or ()) if workload.specs else ():
        yield from _referred(volume, (("secret", "secret"), ("configMap", "configmap")))


def _referred(holder: Object, fields: tuple[tuple[str, str], ...]) -> Iterator[tuple[str, str, str, bool]]:
    for field, kind in fields:
        ref = holder.get(field)
        if isinstance(ref, dict):
            name = str(ref.get("name") or ref.get("secretName") or "")
            yield kind, name, str(ref.get("key", "")), bool(ref.get("optional"))


def _accounts(cluster: Cluster, workload: Workload) -> Iterator[Fact]:
    account = str(workload.first("serviceAccountName") or workload.first("serviceAccount") or "")
    known = cluster.of("serviceaccount")
    if account and known and account not in known and not workload.healthy:
        yield diagnosis(component(workload.name), "reference", "service_account_missing", 0.9,
                        f"{workload.name} runs as service account {account}, which does not exist")  # fmt: skip


def _resolver(workload: Workload) -> Iterator[Fact]:
    policy, config = str(workload.first("dnsPolicy") or ""), workload.first("dnsConfig") or {}
    servers = [str(s) for s in config.get("nameservers") or ()]
    if (policy == "None" and servers) or (policy == "Default" and not workload.first("hostNetwork")):
        yield diagnosis(component(workload.name), "reference", "service_dns_resolution_failure", 0.9,
                        f"{workload.name} resolves names by dnsPolicy {policy} {', '.join(servers)}, not by the cluster's resolver")  # fmt: skip
    for alias in workload.first("hostAliases") or ():
        names = [str(name) for name in alias.get("hostnames") or ()]
        yield diagnosis(component(workload.name), "reference", "service_dns_resolution_failure", 0.8,
                        f"{workload.name} has {', '.join(names)} fixed to {alias.get('ip')} in its hosts file")  # fmt: skip


def _unbound_secrets(cluster: Cluster) -> Iterator[Fact]:
    """A workload that takes nothing from a secret, where nearly all of its kind do, or where one bears its name."""
    bound = {
        w.name: {name for c in w.containers() for kind, name, _, _ in _needed(w, c) if kind == "secret"}
        for w in cluster.workloads
    }
    takers = [name for name, secrets in bound.items() if secrets]
    used = {secret for secrets in bound.values() for secret in secrets}
    for workload in cluster.workloads:
        if bound[workload.name] or workload.healthy or len(takers) < PEERS:
            continue
        own = [s for s in cluster.of("secret") if s not in used and _akin(s, workload.name)]
        if own or len(takers) >= MAJORITY * len(bound):
            told = (
                f"secret {own[0]} bears its name and is taken by nobody"
                if own
                else f"{len(takers)} of {len(bound)} workloads do"
            )
            yield diagnosis(component(workload.name), "reference", "secret_missing", 0.9 if own else 0.7,
                            f"{workload.name} takes nothing from a secret; {told}")  # fmt: skip


def _akin(secret: str, workload: str) -> bool:
    """`pay-mysql` belongs to `pay-service`."""
    parts = [part for part in re.split(r"[-_.]", workload) if part not in {"service", "svc", "app", "api", "server"}]
    return bool(parts) and secret.startswith("-".join(parts))


PROBE = Probe(
    name="resource_references",
    question="Which references lead to nothing: addresses, secrets, config maps, accounts, name servers?",
    sources=("resources",),
    cost="cheap",
    params=ResourceReferences,
    answer=answer,
)
