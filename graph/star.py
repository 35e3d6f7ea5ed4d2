"""The wiring that star@1 and single@1 share: a lead delegates, workers answer to it, code verifies and merges.

single@1 is the same with a team of one: decompose makes one task of it all, select finds the one agent that can do it.
"""

from typing import Any

from langgraph.graph import END, START, StateGraph

from ..contracts.ports import Deps
from ..nodes import (
    approve_plan,
    approve_report,
    arbitrate,
    classify,
    conclude,
    decompose,
    delegate,
    execute,
    intake,
    merge,
    select,
    submit,
    verify,
)  # fmt: skip
from . import routing
from .recording import Step, recorded
from .state import State

STEPS: dict[str, tuple[Step, type[Any]]] = {
    "intake": (intake.intake, intake.IntakeInput),
    "decompose": (decompose.decompose, decompose.DecomposeInput),
    "classify": (classify.classify, classify.ClassifyInput),
    "select": (select.select, select.SelectInput),
    "delegate": (delegate.delegate, delegate.DelegateInput),
    "execute": (execute.execute, execute.ExecuteInput),
    "verify": (verify.verify, verify.VerifyInput),
    "arbitrate": (arbitrate.arbitrate, arbitrate.ArbitrateInput),
    "merge": (merge.merge, merge.MergeInput),
    "conclude": (conclude.conclude, conclude.ConcludeInput),
    "submit": (submit.submit, submit.SubmitInput),
}


def build() -> StateGraph[State, Deps, State, State]:
    graph: StateGraph[State, Deps, State, State] = StateGraph(State, Deps)
    for name, (step, given) in STEPS.items():
        graph.add_node(name, recorded(name, step), input_schema=given)
    graph.add_node("approve_plan", approve_plan.approve_plan, input_schema=approve_plan.ApprovePlanInput)
    graph.add_node("approve_report", approve_report.approve_report, input_schema=approve_report.ApproveReportInput)
    graph.add_edge(START, "intake")
    graph.add_edge("intake", "decompose")
    graph.add_edge("decompose", "classify")
    graph.add_edge("classify", "select")
    graph.add_conditional_edges("select", routing.after_select)
    graph.add_conditional_edges("approve_plan", routing.after_plan)
    graph.add_conditional_edges("delegate", routing.after_delegate, ["execute", "arbitrate"])
    graph.add_edge("execute", "verify")
    graph.add_conditional_edges("verify", routing.after_verify)
    graph.add_edge("arbitrate", "merge")
    graph.add_edge("merge", "conclude")
    graph.add_conditional_edges("conclude", routing.after_conclude)
    graph.add_edge("approve_report", "submit")
    graph.add_edge("submit", END)
    return graph
