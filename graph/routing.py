"""Where to go next: pure functions of the state."""

from typing import Literal

from langgraph.types import Send

from .state import State


def after_select(state: State) -> Literal["approve_plan", "delegate"]:
    return "approve_plan" if state["plan"] == "ask" else "delegate"


def after_plan(state: State) -> Literal["delegate", "decompose", "__end__"]:
    """An edited plan is made anew with the edit; a rejected or expired one ends the run."""
    if state["plan"] == "edited":
        return "decompose"
    return "delegate" if state["plan"] == "approved" else "__end__"


def after_delegate(state: State) -> list[Send] | Literal["arbitrate"]:
    return [Send("execute", {"task_id": task}) for task in state["wave"]] or "arbitrate"


def after_verify(state: State) -> Literal["select", "delegate"]:
    return "select" if state["next"] == "select" else "delegate"


def after_conclude(state: State) -> Literal["approve_report", "submit"]:
    return "approve_report" if state["report"] == "ask" else "submit"
