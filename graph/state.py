"""What a checkpoint holds: ids, small words and counters. Everything else is in the ledger under derived ids."""

from typing import TypedDict


class State(TypedDict, total=False):
    run_id: str
    risk: str
    """low, medium, high."""
    round: int
    """Waves handed out so far."""
    wave: list[str]
    """Ids of the tasks at work now."""
    next: str
    """Where verify sends the run: select or delegate."""
    stop: str
    """Which budget is spent; empty while none is."""
    plan: str
    """empty, free, ask, then a person's decision."""
    plan_approval: str
    report: str
    """empty, free, ask, a person's decision, then the report's status."""
    report_approval: str


def initial(run_id: str) -> State:
    return State(
        run_id=run_id, risk="low", round=0, wave=[], next="", stop="", plan="", plan_approval="", report="",
        report_approval="",
    )  # fmt: skip
