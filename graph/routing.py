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


def after_assignments(state: State) -> Literal["approve_assignment", "distribute"]:
    return "approve_assignment" if state["assignment"] == "ask" else "distribute"


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


def after_merge(state: State) -> Literal["propose_actions", "conclude"]:
    """A run that only advises never sees the act phase."""
    return "propose_actions" if state["acting"] in {"propose", "act"} else "conclude"


def after_propose(state: State) -> Literal["prepare_action", "conclude"]:
    return "prepare_action" if state["acting"] == "ask" else "conclude"


def after_prepare(state: State) -> Literal["approve_action", "act", "conclude"]:
    if state["acting"] == "asked":
        return "approve_action"
    return "act" if state["acting"] == "execute" else "conclude"


def after_act(state: State) -> Literal["act", "reconcile_actions", "check_actions"]:
    if state["acting"] == "execute":
        return "act"
    return "reconcile_actions" if state["acting"] == "reconcile" else "check_actions"


def after_reconcile(state: State) -> Literal["act", "check_actions"]:
    return "act" if state["acting"] == "execute" else "check_actions"


def after_check(state: State) -> Literal["prepare_action", "conclude"]:
    """Where an action made it worse, its undo is asked about like any other action."""
    return "prepare_action" if state["acting"] == "ask" else "conclude"


def after_conclude(state: State) -> Literal["approve_report", "submit"]:
    return "approve_report" if state["report"] == "ask" else "submit"
