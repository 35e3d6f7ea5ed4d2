"""Stop for a person: may the report be submitted?"""

from typing import TypedDict

from langgraph.types import interrupt


class ApproveReportInput(TypedDict):
    approval: str


class ApproveReportUpdate(TypedDict):
    report: str


async def approve_report(state: ApproveReportInput) -> ApproveReportUpdate:
    """Nothing but the interrupt: it runs again on resume, so it must have no effect."""
    answer = interrupt({"approval_id": state["approval"]})
    return ApproveReportUpdate(report=str(answer["decision"]))
