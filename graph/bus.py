"""bus@1: tasks are put up on a board, agents claim them and work under leases, code verifies and merges."""

from langgraph.graph import StateGraph

from ..contracts.ports import Deps
from ..nodes import announce, verify, work
from . import routing
from .parts import Graph, Steps, add_steps, closing, opening
from .state import State

STEPS: Steps = {
    "announce": (announce.announce, announce.AnnounceInput),
    "work": (work.work, work.WorkInput),
    "verify": (verify.verify, verify.VerifyInput),
}


def build() -> Graph:
    graph: Graph = StateGraph(State, Deps)
    opening(graph, "announce")
    add_steps(graph, STEPS)
    graph.add_conditional_edges("announce", routing.after_announce)
    graph.add_edge("work", "verify")
    graph.add_edge("verify", "announce")
    closing(graph, "announce")
    return graph
