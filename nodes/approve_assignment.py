"""Stop for a person: who is to do the sensitive tasks?"""

from typing import TypedDict

from langgraph.types import interrupt


class ApproveAssignmentInput(TypedDict):
    approval: str


class ApproveAssignmentUpdate(TypedDict):
    assignment: str


async def approve_assignment(state: ApproveAssignmentInput) -> ApproveAssignmentUpdate:
    """Nothing but the interrupt: it runs again on resume, so it must have no effect."""
    answer = interrupt({"approval_id": state["approval"]})
    return ApproveAssignmentUpdate(assignment=str(answer["decision"]))
