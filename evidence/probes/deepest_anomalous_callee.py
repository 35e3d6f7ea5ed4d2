"""Of the services that behave oddly, which lie deepest in the call graph, and which only call those?

Method: among the given services, one that reaches no other of them by calls is `deepest_anomalous`; one that reaches
another is `upstream_of_anomalous` (it may only suffer from its callee); one without any call to or from the others is
`isolated`. Services that call each other in a ring count as equally deep. After the call-graph traversal of MonitorRank
(Kim et al., 2013) and of Hardt et al., 2023. Strength: 0.5, plus up to 0.5 by the share of the others that lead to it;
0.4 for upstream, 0.3 for isolated. Cost: cheap with a topology, a self-join of the spans without.
"""

from pydantic import Field

from ...contracts.claim import Fact, Subject
from ...contracts.evidence import Answer, Source
from ..tables import Tables
from ..topology import CallGraph, call_graph_of
from .base import Params, Probe, answered, strength


class DeepestAnomalousCallee(Params):
    services: tuple[str, ...] = Field(min_length=1, max_length=200)
    """The services that behave oddly."""


def answer(tables: Tables, params: DeepestAnomalousCallee) -> Answer:
    graph = call_graph_of(tables)
    odd = sorted(set(params.services))
    reached = {service: graph.reached(service) & set(odd) for service in odd}
    facts = [_fact(graph, service, odd, reached) for service in odd if service in graph]
    note = ", ".join(service for service in odd if service not in graph)
    source: Source = "topology" if tables.has("topology") else "traces"
    return answered(
        tables, source, facts, window=None, rows_read=len(graph.weights),
        note=f"not in the call graph: {note[:200]}" if note else "",
    )  # fmt: skip


def _fact(graph: CallGraph, service: str, odd: list[str], reached: dict[str, set[str]]) -> Fact:
    below = {other for other in reached[service] if service not in reached[other]}
    above = {other for other in odd if service in reached[other] and other not in reached[service]}
    others = max(len(odd) - 1, 1)
    direct = sorted(below & graph.callees.get(service, set())) or sorted(below)
    if below:
        place, strong = "upstream_of_anomalous", 0.4
    elif above or len(odd) == 1 or reached[service]:
        place, strong = "deepest_anomalous", 0.5 + 0.5 * len(above) / others
    else:
        place, strong = "isolated", 0.3
    return Fact(
        subject=Subject(kind="service", ref=service), signal="topology:position", relation="states", object=place,
        value=float(len(above)), unit="callers", strength=strength(strong),
        quote=f"calls {', '.join(direct)[:250]}" if direct else "",
    )  # fmt: skip


PROBE = Probe(
    name="deepest_anomalous_callee",
    question="Of these services, which lie deepest in the call graph, and which only call those?",
    sources=("topology", "traces"),
    cost="moderate",
    params=DeepestAnomalousCallee,
    answer=answer,
)
