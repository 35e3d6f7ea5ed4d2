"""Where to go next: pure functions of the state.

`distribute` stands for the step with which a version begins to hand out work; `parts.opening` names it.
"""

from typing import Literal

from langgraph.types import Send

from .state import DomainState, State, domain_start


def after_present(state: State) -> Literal["approve_plan", "distribute"]:
    return "approve_plan" if state["plan"] == "ask" else "distribute"


def after_plan(state: State) -> Literal["distribute", "decompose", "__end__"]:
    """An edited plan is made anew with the edit; a rejected or expired one ends the run."""
    if state["plan"] == "edited":
        return "decompose"
    return "distribute" if state["plan"] == "approved" else "__end__"


def after_delegate(state: State) -> list[Send] | Literal["arbitrate"]:
    return [Send("execute", {"task_id": task}) for task in state["wave"]] or "arbitrate"


def after_divide(state: State) -> list[Send] | Literal["arbitrate"]:
    return [Send("domain", domain_start(domain)) for domain in state["wave"]] or "arbitrate"


def after_domain_delegate(state: DomainState) -> list[Send] | Literal["summarize"]:
    return [Send("execute", {"task_id": task}) for task in state["wave"]] or "summarize"


def after_domain_verify(state: DomainState) -> Literal["select", "delegate"]:
    return "select" if state["next"] == "select" else "delegate"


def after_verify(state: State) -> Literal["select", "delegate"]:
    return "select" if state["next"] == "select" else "delegate"


def after_announce(state: State) -> Literal["work", "arbitrate"]:
    return "work" if state["open"] else "arbitrate"


def after_arbitrate(state: State) -> Literal["distribute", "approve_decision", "merge"]:
    if state["next"] == "distribute":
        return "distribute"
    return "approve_decision" if state["decision"] == "ask" else "merge"


def after_conclude(state: State) -> Literal["approve_report", "submit"]:
    return "approve_report" if state["report"] == "ask" else "submit"
