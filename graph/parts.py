"""What every version is put together from: its steps, how an investigation opens, how it closes."""

from collections.abc import Mapping
from typing import Any

from langgraph.graph import END, START, StateGraph

from ..contracts.ports import Deps
from ..nodes import (
    approve_decision,
    approve_plan,
    approve_report,
    arbitrate,
    classify,
    conclude,
    decompose,
    intake,
    merge,
    present_plan,
    submit,
)  # fmt: skip
from . import routing
from .recording import Step, recorded
from .state import State

Graph = StateGraph[State, Deps, State, State]
Steps = Mapping[str, tuple[Step, type[Any]]]

OPENING: Steps = {
    "intake": (intake.intake, intake.IntakeInput),
    "decompose": (decompose.decompose, decompose.DecomposeInput),
    "classify": (classify.classify, classify.ClassifyInput),
    "present_plan": (present_plan.present_plan, present_plan.PresentPlanInput),
}
CLOSING: Steps = {
    "arbitrate": (arbitrate.arbitrate, arbitrate.ArbitrateInput),
    "merge": (merge.merge, merge.MergeInput),
    "conclude": (conclude.conclude, conclude.ConcludeInput),
    "submit": (submit.submit, submit.SubmitInput),
}


def add_steps(graph: Graph, steps: Steps) -> None:
    for name, (step, given) in steps.items():
        graph.add_node(name, recorded(name, step), input_schema=given)


def opening(graph: Graph, distribute: str) -> None:
    """From the start to the step with which this version begins to hand out work."""
    add_steps(graph, OPENING)
    graph.add_node("approve_plan", approve_plan.approve_plan, input_schema=approve_plan.ApprovePlanInput)
    graph.add_edge(START, "intake")
    graph.add_edge("intake", "decompose")
    graph.add_edge("decompose", "classify")
    graph.add_edge("classify", "present_plan")
    graph.add_conditional_edges(
        "present_plan", routing.after_present, {"approve_plan": "approve_plan", "distribute": distribute}
    )
    graph.add_conditional_edges(
        "approve_plan", routing.after_plan, {"distribute": distribute, "decompose": "decompose", END: END}
    )


def closing(graph: Graph, distribute: str) -> None:
    """From accepted claims to the submitted report; what the causes leave open goes back to `distribute`."""
    add_steps(graph, CLOSING)
    graph.add_node("approve_report", approve_report.approve_report, input_schema=approve_report.ApproveReportInput)
    graph.add_node(
        "approve_decision", approve_decision.approve_decision, input_schema=approve_decision.ApproveDecisionInput
    )
    graph.add_conditional_edges(
        "arbitrate",
        routing.after_arbitrate,
        {"distribute": distribute, "approve_decision": "approve_decision", "merge": "merge"},
    )
    graph.add_edge("approve_decision", "merge")
    graph.add_edge("merge", "conclude")
    graph.add_conditional_edges("conclude", routing.after_conclude)
    graph.add_edge("approve_report", "submit")
    graph.add_edge("submit", END)
