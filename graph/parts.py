"""What every version is put together from: its steps, how an investigation opens, how it closes."""

from collections.abc import Mapping
from typing import Any

from langgraph.graph import END, START, StateGraph

from ..contracts.ports import Deps
from ..nodes import (
    act,
    approve_action,
    approve_assignment,
    approve_decision,
    approve_plan,
    approve_report,
    arbitrate,
    check_actions,
    classify,
    conclude,
    decompose,
    intake,
    merge,
    prepare_action,
    present_assignments,
    present_plan,
    propose_actions,
    reconcile_actions,
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
    "present_assignments": (present_assignments.present_assignments, present_assignments.PresentAssignmentsInput),
}
CLOSING: Steps = {
    "arbitrate": (arbitrate.arbitrate, arbitrate.ArbitrateInput),
    "merge": (merge.merge, merge.MergeInput),
    "conclude": (conclude.conclude, conclude.ConcludeInput),
    "submit": (submit.submit, submit.SubmitInput),
}

ACTING: Steps = {
    "propose_actions": (propose_actions.propose_actions, propose_actions.ProposeActionsInput),
    "prepare_action": (prepare_action.prepare_action, prepare_action.PrepareActionInput),
    "act": (act.act, act.ActInput),
    "reconcile_actions": (reconcile_actions.reconcile_actions, reconcile_actions.ReconcileActionsInput),
    "check_actions": (check_actions.check_actions, check_actions.CheckActionsInput),
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
        "present_plan", routing.after_present, {"approve_plan": "approve_plan", "distribute": "present_assignments"}
    )
    graph.add_conditional_edges(
        "approve_plan", routing.after_plan, {"distribute": "present_assignments", "decompose": "decompose", END: END}
    )
    graph.add_node(
        "approve_assignment",
        approve_assignment.approve_assignment,
        input_schema=approve_assignment.ApproveAssignmentInput,
    )
    graph.add_conditional_edges(
        "present_assignments",
        routing.after_assignments,
        {"approve_assignment": "approve_assignment", "distribute": distribute},
    )
    graph.add_edge("approve_assignment", "present_assignments")


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
    acting(graph)
    graph.add_conditional_edges("conclude", routing.after_conclude)
    graph.add_edge("approve_report", "submit")
    graph.add_edge("submit", END)


def acting(graph: Graph) -> None:
    """From the merged result to its report, by way of actions where the run asks for them."""
    add_steps(graph, ACTING)
    graph.add_node("approve_action", approve_action.approve_action, input_schema=approve_action.ApproveActionInput)
    graph.add_conditional_edges("merge", routing.after_merge)
    graph.add_conditional_edges("propose_actions", routing.after_propose)
    graph.add_conditional_edges("prepare_action", routing.after_prepare)
    graph.add_edge("approve_action", "prepare_action")
    graph.add_conditional_edges("act", routing.after_act)
    graph.add_conditional_edges("reconcile_actions", routing.after_reconcile)
    graph.add_conditional_edges("check_actions", routing.after_check)
