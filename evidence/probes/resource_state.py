"""Which resources are not healthy, and what do they say is wrong?

Method: the newest state of each resource, its status and description read by the words that Kubernetes uses for what
is wrong (kubernetes.py); events count by their reason. The description of an object that is healthy now tells of the
past and is left out; events of a pod that is there and ready likewise. Strength: by how clear the word is (OOMKilled
1, Pending .7, Terminating .4), a tenth less where only a description says it. Cost: the resources, at most 20,000
newest rows, the first 64 KiB of each description.
"""

# one pattern stands on one line

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from pydantic import Field

from ...contracts.claim import Fact, Subject
from ...contracts.evidence import Answer
from ..cluster.cluster import owner_by_name
from ..cluster.parsing import objects_of
from ..cluster.views import Pod
from ..kubernetes import troubles
from ..tables import Tables, naive, utc
from .base import Params, Probe, answered, cut, in_list, strength

MAX_ROWS = 20_000
BODY = 65_536
MAX_FACTS_EACH = 4
RECENT = 1800
"""Seconds; a warning that is older, on a pod that is ready, is over."""


class ResourceState(Params):
    kinds: tuple[str, ...] = Field(default=(), max_length=50)
    """`Pod`, `Node`, `Event`, ... as the bundle writes them; empty means all."""
    names: tuple[str, ...] = Field(default=(), max_length=200)
    """Only these; empty means all."""


class _Row(NamedTuple):
    ts: datetime | None
    kind: str
    namespace: str
    name: str
    status: str
    body: str


def answer(tables: Tables, params: ResourceState) -> Answer:
    values: list[object] = []
    chosen = in_list("kind", params.kinds, values) + in_list("name", params.names, values)
    rows = [
        _Row(*row)
        for row in tables.rows(
            f"""SELECT ts, kind, namespace, name, status, left(body, {BODY}) AS b FROM resources WHERE true{chosen}
            ORDER BY ts DESC NULLS LAST, kind, namespace, name, status, b LIMIT {MAX_ROWS}""",  # noqa: S608  # placeholders only
            values,
        )
    ]
    newest: dict[tuple[str, str, str], _Row] = {}
    events: list[_Row] = []
    for row in rows:
        if row.kind.lower().startswith("event"):
            events.append(row)
        else:
            newest.setdefault((row.kind, row.namespace, row.name), row)
    healthy = _healthy(newest.values())
    facts: dict[tuple[str, str, str], Fact] = {}
    for row in (*newest.values(), *events):
        for fact in _facts(tables, row, healthy):
            key = (fact.subject.ref, fact.signal, fact.object)
            known = facts.get(key)
            if known is None or (fact.strength, known.at or fact.at) > (known.strength, fact.at or known.at):
                facts[key] = fact
    return answered(tables, "resources", facts.values(), window=None, rows_read=len(rows))


def _healthy(rows: Iterable[_Row]) -> frozenset[str]:
    """Names of pods that are ready, ended well, or were made to the number that is wanted."""
    found = set()
    for row in rows:
        for item in objects_of(row.kind.lower(), row.body):
            pod = Pod(name=row.name, raw=item | {"listed_status": row.status}, owner="")
            if (
                item["kind"] == "pod"
                and not item.get("declared")
                and (pod.finished or (pod.ready and _quiet(pod, item)))
            ):
                found.add(row.name)
            status, wanted = item.get("status"), (item.get("spec") or {}).get("replicas")
            if item["kind"] in {"replicaset", "deployment"} and wanted is not None and isinstance(status, dict):
                found |= {row.name} if int(status.get("availableReplicas") or 0) >= int(wanted) else set()
    return frozenset(found)


def _quiet(pod: Pod, item: dict[str, Any]) -> bool:
    """Whether a pod that is ready was not restarted, or long ago: no warning is recent."""
    warnings = [e for e in item.get("events") or () if e.get("type") == "Warning"]
    if not pod.restarts:
        return True
    return bool(item.get("events")) and all((e.get("age") or 0) > RECENT for e in warnings)


def _facts(tables: Tables, row: _Row, healthy: frozenset[str]) -> list[Fact]:
    window = tables.window
    old = window is not None and row.ts is not None and row.ts > naive(window.end)
    kind = row.kind.lower() or "resource"
    ref = f"{row.namespace}/{row.name}" if row.namespace else row.name
    of_pod = row.name.rpartition("/")[2] if kind == "pod" or row.name.lower().startswith("pod/") else ""
    subject = Subject(
        kind="node" if kind in {"node", "nodes"} else "component", ref=row.name if kind == "node" else ref,
        service=owner_by_name(of_pod) if of_pod else "",
    )  # fmt: skip
    body = "" if row.name.rpartition("/")[2] in healthy else row.body
    if kind.startswith("event") and not body:
        return []
    return [
        Fact(
            subject=subject, signal=f"resource:{kind}", relation="fails", object=trouble.reason,
            at=utc(row.ts) if row.ts else None, strength=strength(trouble.strength * (0.5 if old else 1.0)),
            quote=cut(trouble.quote),
        )
        for trouble in sorted(troubles(row.status, body), key=lambda t: (-t.strength, t.reason))[:MAX_FACTS_EACH]
    ]  # fmt: skip


PROBE = Probe(
    name="resource_state",
    question="Which resources are not healthy, and what do they say is wrong?",
    sources=("resources",),
    cost="cheap",
    params=ResourceState,
    answer=answer,
    version=2,
)
