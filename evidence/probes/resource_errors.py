"""Which services' own words, or whose settings, name the fault: a database that refuses, a volume, a name, a port?

Method: error lines that say one thing only, as databases, kernels and resolvers word them, counted per service; what a
database refuses for its own state (connections used up, read only) is laid to the database that the service is told to
use; a wrong password or port to the service. A name that could not be resolved counts only where it is the bulk of the
service's errors and goes on to the end, because services that start before each other say it as well. Settings of
databases that forbid writing or connections are read from manifests and config maps. Strength: .95 for a setting and a
line that agree, .9 for either, .4 for names. Cost: one pass over the logs, the resources once.
"""

# ruff: noqa: E501  # one pattern stands on one line

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from ...contracts.claim import Fact
from ...contracts.evidence import Answer
from ..cluster.cluster import Cluster
from ..cluster.facts import component, diagnosis, strongest
from ..cluster.views import Workload
from ..tables import Tables
from .base import Params, Probe, answered

MAX_LINES = 20_000
MOST = 0.5


class _Said(NamedTuple):
    kind: str
    strength: float
    pattern: re.Pattern[str]
    of_database: bool = False


_SAYS: tuple[_Said, ...] = (
    _Said("database_credentials_invalid", 0.9, re.compile(r"Access denied for user|password authentication failed|WRONGPASS|NOAUTH|SCRAM authentication failed|ORA-01017|Authentication failed.{0,40}(?:mongo|sasl|database|db)", re.IGNORECASE)),
    _Said("database_connections_exhausted", 0.9, re.compile(r"Too many connections|remaining connection slots|too many clients already|max_user_connections|max number of clients reached|max_connections", re.IGNORECASE), of_database=True),
    _Said("database_read_only", 0.9, re.compile(r"--(?:super-)?read-only option|read.only transaction|READONLY You can't write|database is (?:in )?read.only|read_only mode", re.IGNORECASE), of_database=True),
    _Said("volume_permission_denied", 0.9, re.compile(r"(?:open|opening|create|creating|write|writing|mkdir|chown|chmod|access|mount)\w*\b.{0,120}permission denied|permission denied.{0,60}(?:/data|/var/lib|/mnt|directory|file)|read-only file ?system", re.IGNORECASE)),
    _Said("container_port_conflict", 0.9, re.compile(r"address already in use|EADDRINUSE|BindException|port \d+ was already in use", re.IGNORECASE)),
    _Said("certificate_expired", 0.8, re.compile(r"certificate has expired|certificate is expired|CERT_HAS_EXPIRED|certificate expired", re.IGNORECASE)),
    _Said("environment_variable_missing", 0.85, re.compile(r"(?:missing|required|undefined|unset|not set)[^.\n]{0,40}(?:environment variable|env var)|environment variable[^.\n]{0,60}(?:not set|missing|required|undefined|not defined)|KeyError: '[A-Z][A-Z0-9_]+'", re.IGNORECASE)),
)  # fmt: skip
_NAMES = re.compile(
    r"no such host|UnknownHostException|name or service not known|Temporary failure in name resolution|EAI_AGAIN|ENOTFOUND|NXDOMAIN|SERVFAIL",
    re.IGNORECASE,
)
_DATABASE = re.compile(
    r"mysql|mariadb|percona|postgres|mongo|redis|(?:^|[-_])(?:\w*db)(?:$|[-_0-9])|database", re.IGNORECASE
)
_READ_ONLY = re.compile(
    r"(?:super[_-])?read[_-]only\s*[=:]\s*\"?(?:1|on|true)\b|--(?:super-)?read-only(?:\s|$|\"|=1|=on|=true)|default_transaction_read_only\s*[=:]\s*\"?(?:on|true)",
    re.IGNORECASE | re.MULTILINE,
)
_CONNECTIONS = re.compile(
    r"max[_-](?:user[_-])?connections\s*[=:]\s*\"?(\d+)|--max[_-]connections[= ]\"?(\d+)", re.IGNORECASE
)
FEW = 20
"""Connections below which no service can share a database."""


class ResourceErrors(Params):
    """None: all services are looked at."""


def answer(tables: Tables, params: ResourceErrors) -> Answer:
    del params
    cluster = Cluster.read(tables)
    facts = [*_lines(tables, cluster), *_settings(cluster)]
    merged: dict[tuple[str, str], list[Fact]] = defaultdict(list)
    for fact in facts:
        merged[fact.subject.ref, fact.object].append(fact)
    found = [
        group[0].model_copy(update={"strength": 0.95}) if len({f.signal for f in group}) > 1 else group[0]
        for group in (sorted(g, key=lambda f: (-f.strength, f.quote)) for _, g in sorted(merged.items()))
    ]
    return answered(tables, "logs", strongest(found), window=None, rows_read=len(cluster.rows))


def _lines(tables: Tables, cluster: Cluster) -> Iterator[Fact]:
    rows = tables.rows(
        f"""SELECT service, body, count(*) AS n, max(ts) AS last FROM logs
        WHERE severity IN ('ERROR', 'FATAL', 'WARN', '') AND service <> ''
        GROUP BY service, body ORDER BY service, body LIMIT {MAX_LINES}"""  # noqa: S608  # a constant
    )
    errors: dict[str, int] = defaultdict(int)
    unresolved: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for service, body, count, _ in rows:
        errors[service] += count
        for said in _SAYS:
            if said.pattern.search(body) and not _healthy(cluster, service, said):
                subject = _database_of(cluster, service) if said.of_database else service
                yield diagnosis(
                    component(subject), "log", said.kind, said.strength, f"{service}: {_around(said.pattern, body)}"
                )
        if _NAMES.search(body):
            unresolved[service].append((count, body))
    for service, found in sorted(unresolved.items()):
        share = sum(count for count, _ in found) / max(1, errors[service])
        if share >= MOST:
            yield diagnosis(
                component(service),
                "log",
                "service_dns_resolution_failure",
                0.4,
                f"{service}: {_around(_NAMES, found[0][1])}",
            )


def _healthy(cluster: Cluster, service: str, said: _Said) -> bool:
    """Whether a line tells of a start that was overcome: the service is healthy, and the line is about itself."""
    workload = cluster.workload(service)
    return (
        said.kind in {"volume_permission_denied", "container_port_conflict"}
        and workload is not None
        and workload.healthy
    )


def _around(pattern: re.Pattern[str], body: str) -> str:
    match = pattern.search(body)
    start = max(0, match.start() - 80) if match else 0
    return body[start : start + 260]


def _database_of(cluster: Cluster, service: str) -> str:
    """The database that a service is told to use, by the hosts in its environment; itself where none is known."""
    if _DATABASE.search(service):
        return service
    workload = cluster.workload(service)
    values = [
        str(e.get("value") or "") for c in (workload.containers() if workload else ()) for e in c.get("env") or ()
    ]
    known = [w.name for w in cluster.workloads if _DATABASE.search(w.name) or _serves_database(w)]
    told = [name for name in known if any(re.search(rf"\b{re.escape(name)}\b", value) for value in values)]
    return told[0] if told else known[0] if len(known) == 1 else service


def _serves_database(workload: Workload) -> bool:
    return any(re.search(r"mysql|mariadb|percona|postgres|mongo", str(c.get("image"))) for c in workload.containers())


def _settings(cluster: Cluster) -> Iterator[Fact]:
    """A database whose own settings forbid what it is there for."""
    for workload in cluster.workloads:
        if not (_DATABASE.search(workload.name) or _serves_database(workload)):
            continue
        for name, text in _texts(cluster, workload):
            if match := _READ_ONLY.search(text):
                yield diagnosis(
                    component(workload.name), "setting", "database_read_only", 0.9, f"{name}: {match.group().strip()}"
                )
            if match := _CONNECTIONS.search(text):
                most = int(match.group(1) or match.group(2))
                if most < FEW:
                    yield diagnosis(component(workload.name), "setting", "database_connections_exhausted", 0.9,
                                    f"{name}: {match.group().strip()}", value=float(most))  # fmt: skip


def _texts(cluster: Cluster, workload: Workload) -> Iterator[tuple[str, str]]:
    """The command lines of its containers, and the config maps that it mounts or that bear its name."""
    for container in workload.containers():
        told = " ".join(str(part) for part in [*(container.get("command") or ()), *(container.get("args") or ())])
        yield f"container {container.get('name')}", told
    mounted = {
        str((volume.get("configMap") or {}).get("name"))
        for spec in workload.specs
        for volume in spec.get("volumes") or ()
        if volume.get("configMap")
    }
    for row in cluster.rows:
        if row.kind == "configmap" and (row.name in mounted or row.name.startswith(workload.name)):
            yield f"config map {row.name}", row.body


PROBE = Probe(
    name="resource_errors",
    question="Which services' own words, or whose settings, name the fault: a database that refuses, a volume, a name, a port?",
    sources=("resources",),
    cost="moderate",
    params=ResourceErrors,
    answer=answer,
)
