"""Take the incident apart into tasks."""

from typing import TypedDict, cast

from ..contracts.approval import ApprovalDecision
from ..contracts.event import Event
from ..contracts.ports import Deps, Writes
from ..contracts.proposal import PlanProposal, ProposedTask
from ..contracts.task import Risk, Task
from ..prompts.questions import PlanPrompt
from ..rules.planning import (
    Plan,
    PlanContext,
    Refusal,
    drop_tasks,
    join_proposed,
    mandatory_tasks,
    title_of,
    whole_task,
)
from ..rules.transition import Stamp, transition
from .asking import ask, question, refusals
from .outcome import Outcome, plan_context, stamp


class DecomposeInput(TypedDict):
    risk: str
    approval: str


class DecomposeUpdate(TypedDict):
    round: int


async def decompose(state: DecomposeInput, deps: Deps) -> Outcome:
    """Adds a task for each field of evidence, and what a model or a person wants looked at besides.

    The mandatory tasks stand whatever is proposed. An empty plan is allowed: a bundle without telemetry concludes that
    nothing can be seen.
    """
    context = plan_context(deps, cast(Risk, state["risk"]))
    mandatory = mandatory_tasks(deps.evidence.analysts(), context)
    if deps.team.topology == "single":
        plan = Plan(whole_task(mandatory, context))
    else:
        plan = await _planned(mandatory, context, deps)
    plan = await _edited(plan, state["approval"], deps, context)
    moved = _changes(await deps.ledger.all(Task), plan.tasks, stamp(deps, "decompose"))
    writes = Writes(
        records=tuple(task for task, _ in moved),
        events=(*(event for _, event in moved), *refusals(deps, "decompose", plan.refused)),
    )
    return Outcome(DecomposeUpdate(round=0), writes)


async def _planned(mandatory: tuple[Task, ...], context: PlanContext, deps: Deps) -> Plan:
    answer = await ask(
        deps,
        "plan",
        question(
            deps,
            PlanPrompt,
            capabilities=tuple((c, title_of(c)) for t in mandatory for c in t.spec.required_capabilities),
            mandatory=tuple(t.spec.title for t in mandatory),
        ),
        PlanProposal(why="the mandatory tasks cover what the bundle holds", tasks=[]),
        node="decompose",
    )
    return join_proposed(mandatory, answer.value, context)


def _changes(before: tuple[Task, ...], plan: tuple[Task, ...], mark: Stamp) -> list[tuple[Task, Event]]:
    """New tasks become ready; those of an earlier plan stay as they are, or are cancelled where this one lacks them."""
    known, wanted = {t.key for t in before}, {t.key for t in plan}
    return [
        *(transition(task, "ready", mark, reason=task.spec.title) for task in plan if task.key not in known),
        *(
            transition(task, "cancelled", mark, reason="taken out of the plan")
            for task in before
            if task.key not in wanted
        ),
    ]


async def _edited(plan: Plan, approval_id: str, deps: Deps, context: PlanContext) -> Plan:
    """Apply what a person changed, by the same checks that a model's plan passes."""
    decision = await deps.ledger.get(ApprovalDecision, approval_id) if approval_id else None
    if decision is None or decision.edit is None:
        return plan
    wanted = decision.edit
    kept = drop_tasks(plan.tasks, [str(t) for t in cast(list[object], wanted.get("drop", []))])
    added = [ProposedTask.model_validate(t) for t in cast(list[object], wanted.get("add", []))]
    joined = join_proposed(kept.tasks, PlanProposal(why=decision.reason, tasks=added[:8]), context, origin="person")
    late = tuple(Refusal(t.title, "a plan takes eight more tasks") for t in added[8:])
    return Plan(joined.tasks, (*plan.refused, *kept.refused, *joined.refused, *late))
