"""Does what the cluster was told hold together?

Method: workloads, services, volume claims, nodes and quotas are compared with each other, as the Kubernetes
documentation says they must agree: selectors with labels, target ports with container ports and protocols, addresses in
the environment with services, probes with ports, claims with volumes, what the scheduler, the kubelet and the quota
controller refused and why (evidence/cluster/). Only what is broken now counts: an early event of a workload that is well
again does not. Strength: how plainly it is said, .98 for a stopped node service, .95 for two fields that contradict each
other, .8 for a probe's timing. Cost: the resources, at most 5,000 rows, the first 64 KiB of each description.
"""

from pydantic import Field

from ...contracts.claim import Fact, Subject
from ...contracts.evidence import Answer
from ..cluster import Cluster, Mismatch, Resource, mismatches
from ..tables import Tables
from .base import Params, Probe, answered, cut, strength

MAX_ROWS, BODY = 5_000, 65_536


class ResourceCheck(Params):
    names: tuple[str, ...] = Field(default=(), max_length=200)
    """Only mismatches of these; empty means all."""


def answer(tables: Tables, params: ResourceCheck) -> Answer:
    rows = tables.rows(
        f"""SELECT lower(kind), namespace, name, status, left(body, {BODY}) AS b FROM resources
        ORDER BY ts DESC NULLS LAST, kind, namespace, name, status, b LIMIT {MAX_ROWS}"""  # noqa: S608  # constants
    )
    newest: dict[tuple[str, ...], Resource] = {}
    for kind, namespace, name, status, body in rows:
        resource = Resource(
            kind.rstrip("s") if kind.endswith("pods") else kind, namespace or "", name or "", status or "", body or ""
        )
        newest.setdefault((resource.kind, resource.namespace, resource.name), resource)
    found = [
        m for m in mismatches(Cluster(newest.values())) if not params.names or m.ref.rpartition("/")[2] in params.names
    ]
    return answered(tables, "resources", [_fact(m) for m in found], window=None, rows_read=len(rows))


def _fact(mismatch: Mismatch) -> Fact:
    service = mismatch.ref.rpartition("/")[2] if mismatch.kind == "component" else ""
    ref = f"namespace/{mismatch.ref}" if mismatch.kind == "namespace" else mismatch.ref
    return Fact(
        subject=Subject(kind="node" if mismatch.kind == "node" else "component", ref=ref, service=service),
        signal="resource:check", relation="fails", object=mismatch.reason, strength=strength(mismatch.strength),
        quote=cut(mismatch.quote),
    )  # fmt: skip


PROBE = Probe(
    name="resource_check",
    question="Does what the cluster was told hold together?",
    sources=("resources",),
    cost="cheap",
    params=ResourceCheck,
    answer=answer,
)
