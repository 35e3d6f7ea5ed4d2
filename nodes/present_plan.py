"""Show the plan to a person where the team wants that."""

from typing import TypedDict, cast

from pydantic import JsonValue

from ..contracts.approval import ApprovalRequest
from ..contracts.base import derived_id
from ..contracts.event import Event
from ..contracts.ports import Deps, Writes
from ..contracts.task import Risk, Task
from ..rules.allocation import allocate
from ..rules.approvals import is_asked, make_request
from .outcome import Outcome


class PresentPlanInput(TypedDict):
    risk: str
    plan: str
    approval: str


class PresentPlanUpdate(TypedDict):
    plan: str
    approval: str


async def present_plan(state: PresentPlanInput, deps: Deps) -> Outcome:
    """Adds the question whether to investigate by this plan; a plan that a person edited is not asked about again."""
    risk = cast(Risk, state["risk"])
    if state["plan"] or not is_asked(deps.team.point("plan"), risk):
        update = PresentPlanUpdate(plan=state["plan"] or "free", approval=state["approval"])
        return Outcome(update)
    request = _request(await deps.ledger.all(Task), risk, deps)
    asked = Event(
        event_id=derived_id("evt", deps.run_id, request.approval_id, "asked"),
        kind="approval.asked",
        subject=request.approval_id,
        by="present_plan",
        reason=request.question,
        at=request.asked_at,
    )
    update = PresentPlanUpdate(plan="ask", approval=request.approval_id)
    return Outcome(update, Writes(records=(request,), events=(asked,)))


def _request(tasks: tuple[Task, ...], risk: Risk, deps: Deps) -> ApprovalRequest:
    at = deps.clock.now()
    shown: list[JsonValue] = []
    for task in (t for t in tasks if t.state != "cancelled"):
        likely = allocate(task, deps.team, load={}, success={}, at=at).selected
        shown.append(
            {
                "title": task.spec.title,
                "goal": task.spec.goal,
                "agent": likely[0].agent_id if likely else "nobody",
                "services": list(task.spec.scope.allowed_domains),
                "proposed_by": task.origin,
                "writes": task.spec.scope.write_scope,
            }
        )
    content: dict[str, JsonValue] = {
        "incident": deps.evidence.incident.title,
        "risk": risk,
        "tasks": shown,
        "budget": deps.team.budget.model_dump(mode="json"),
    }
    return make_request(deps.run_id, deps.team.point("plan"), "Investigate by this plan?", content, risk=risk, at=at)
