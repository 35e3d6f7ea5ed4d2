"""Stop for a person: may this command be carried out?"""

from typing import TypedDict

from langgraph.types import interrupt


class ApproveActionInput(TypedDict):
    approval: str


class ApproveActionUpdate(TypedDict):
    acting: str


async def approve_action(state: ApproveActionInput) -> ApproveActionUpdate:
    """Nothing but the interrupt: it runs again on resume, so it must have no effect."""
    answer = interrupt({"approval_id": state["approval"]})
    return ApproveActionUpdate(acting=str(answer["decision"]))
