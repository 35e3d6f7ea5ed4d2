"""hierarchy@1: the root hands domains to their leads, a lead runs a graph of its own, the root sees summaries."""

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from ..contracts.ports import Deps
from ..nodes import divide, summarize
from . import routing, star
from .parts import Graph, add_steps, closing, opening
from .recording import recorded
from .state import DomainResult, DomainState, State


def build() -> Graph:
    graph: Graph = StateGraph(State, Deps)
    opening(graph, "divide")
    add_steps(graph, {"divide": (divide.divide, divide.DivideInput)})
    graph.add_node("domain", build_domain(), input_schema=DomainState)
    graph.add_conditional_edges("divide", routing.after_divide, ["domain", "arbitrate"])
    graph.add_edge("domain", "divide")
    closing(graph, "divide")
    return graph


def build_domain() -> CompiledStateGraph[Any, Any, Any, Any]:
    """A domain lead's graph: the star's own steps, limited to its domain, and its summary."""
    domain: StateGraph[DomainState, Deps, DomainState, DomainResult] = StateGraph(
        DomainState, Deps, output_schema=DomainResult
    )
    for name, (step, given) in star.STEPS.items():
        domain.add_node(name, recorded(name, step), input_schema=given)
    domain.add_node("summarize", recorded("summarize", summarize.summarize), input_schema=summarize.SummarizeInput)
    domain.add_edge(START, "select")
    domain.add_edge("select", "delegate")
    domain.add_conditional_edges("delegate", routing.after_domain_delegate, ["execute", "summarize"])
    domain.add_edge("execute", "verify")
    domain.add_conditional_edges("verify", routing.after_domain_verify)
    domain.add_edge("summarize", END)
    return domain.compile()
