"""What a checkpoint holds: ids, small words and counters. Everything else is in the ledger under derived ids."""

from typing import TypedDict

from ..contracts.team import ActionMode


class State(TypedDict, total=False):
    run_id: str
    risk: str
    """low, medium, high."""
    round: int
    """Waves handed out so far."""
    domain: str
    """Part of the hierarchy that the steps are limited to; empty for all."""
    wave: list[str]
    """Ids of the tasks at work now."""
    open: int
    """Tasks on the board that wait for an agent."""
    next: str
    """Where verify or arbitrate sends the run."""
    stop: str
    """Which budget is spent; empty while none is."""
    plan: str
    """empty, free, ask, then a person's decision."""
    assignment: str
    """Of sensitive tasks: empty, free, ask, then a person's decision, done."""
    report: str
    """empty, free, ask, a person's decision, then the report's status."""
    decision: str
    """Of conflicts that a person owns: empty, ask, then the decision."""
    approval: str
    """The question that a person was asked last."""
    acting: str
    """off, propose or act; then ask, asked, a person's decision, execute, reconcile, check, done."""
    action: str
    """The command that is asked about or carried out."""


class DomainState(TypedDict, total=False):
    """Of a domain lead's own graph; nothing of it reaches the root's state."""

    domain: str
    round: int
    wave: list[str]
    next: str
    stop: str


class DomainResult(TypedDict, total=False):
    """A domain answers in records: its summary."""


def domain_start(domain: str) -> DomainState:
    return DomainState(domain=domain, round=0, wave=[], next="", stop="")


def initial(run_id: str, acting: ActionMode) -> State:
    return State(
        run_id=run_id,
        risk="low",
        round=0,
        domain="",
        wave=[],
        open=0,
        next="",
        stop="",
        plan="",
        assignment="",
        report="",
        decision="",
        approval="",
        acting=acting,
        action="",
    )
