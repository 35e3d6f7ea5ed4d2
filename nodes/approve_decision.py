"""Stop for a person: may a requirement be set aside?"""

from typing import TypedDict

from langgraph.types import interrupt


class ApproveDecisionInput(TypedDict):
    approval: str


class ApproveDecisionUpdate(TypedDict):
    decision: str


async def approve_decision(state: ApproveDecisionInput) -> ApproveDecisionUpdate:
    """Nothing but the interrupt: it runs again on resume, so it must have no effect."""
    answer = interrupt({"approval_id": state["approval"]})
    return ApproveDecisionUpdate(decision=str(answer["decision"]))
