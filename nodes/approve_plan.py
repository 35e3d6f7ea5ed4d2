"""Stop for a person: may the plan be carried out?"""

from typing import TypedDict

from langgraph.types import interrupt


class ApprovePlanInput(TypedDict):
    approval: str


class ApprovePlanUpdate(TypedDict):
    plan: str


async def approve_plan(state: ApprovePlanInput) -> ApprovePlanUpdate:
    """Nothing but the interrupt: it runs again on resume, so it must have no effect."""
    answer = interrupt({"approval_id": state["approval"]})
    return ApprovePlanUpdate(plan=str(answer["decision"]))
