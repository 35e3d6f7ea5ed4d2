"""The wiring that star@1 and single@1 share: a lead delegates, workers answer to it, code verifies and merges.

single@1 is the same with a team of one: decompose makes one task of it all, select finds the one agent that can do it.
"""

from langgraph.graph import StateGraph

from ..contracts.ports import Deps
from ..nodes import delegate, execute, select, verify
from . import routing
from .parts import Graph, Steps, add_steps, closing, opening
from .state import State

STEPS: Steps = {
    "select": (select.select, select.SelectInput),
    "delegate": (delegate.delegate, delegate.DelegateInput),
    "execute": (execute.execute, execute.ExecuteInput),
    "verify": (verify.verify, verify.VerifyInput),
}


def build() -> Graph:
    graph: Graph = StateGraph(State, Deps)
    opening(graph, "select")
    add_steps(graph, STEPS)
    graph.add_edge("select", "delegate")
    graph.add_conditional_edges("delegate", routing.after_delegate, ["execute", "arbitrate"])
    graph.add_edge("execute", "verify")
    graph.add_conditional_edges("verify", routing.after_verify)
    closing(graph, "select")
    return graph
