"""Who calls whom, around these services?

Method: the topology's edges, or, where the bundle has none, pairs of services whose spans are parent and child.
Strength: 1 for an edge at a named service, 0.5 for one a step further away. Cost: cheap with a topology, a self-join
of the spans without.
"""

from pydantic import Field

from ...contracts.claim import Fact, Subject
from ...contracts.evidence import Answer, Source
from ..tables import Tables
from ..topology import call_graph_of
from .base import Params, Probe, ServiceNames, answered, rounded


class CallGraphOf(Params):
    services: tuple[str, ...] = ServiceNames
    """The services to look around; empty means the whole graph."""
    hops: int = Field(default=2, ge=1, le=4)
    """How many calls away to look."""


def answer(tables: Tables, params: CallGraphOf) -> Answer:
    graph = call_graph_of(tables)
    near = set(params.services)
    around = set(near)
    for _ in range(params.hops - 1):
        around |= {n for s in around for n in (*graph.callees.get(s, ()), *graph.callers.get(s, ()))}
    facts = [
        Fact(
            subject=Subject(kind="service", ref=caller), signal="topology:edge", relation="calls", object=callee,
            value=rounded(weight), strength=1.0 if not near or {caller, callee} & near else 0.5,
        )
        for (caller, callee), weight in sorted(graph.weights.items())
        if not near or {caller, callee} & around
    ]  # fmt: skip
    source: Source = "topology" if tables.has("topology") else "traces"
    return answered(tables, source, facts, window=None, rows_read=len(graph.weights))


PROBE = Probe(
    name="call_graph",
    question="Who calls whom, around these services?",
    sources=("topology", "traces"),
    cost="moderate",
    params=CallGraphOf,
    answer=answer,
)
