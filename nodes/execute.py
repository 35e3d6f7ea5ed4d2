"""Do one task: ask, look, say what was found."""

from typing import TypedDict

from ..contracts.base import ObservationId, derived_id
from ..contracts.delegation import DelegationBrief
from ..contracts.ports import Deps, Writes
from ..contracts.proposal import FindingsProposal
from ..contracts.report import ActionTaken, AgentReport, Blocker, CheckList, Finding
from ..contracts.task import Task
from ..prompts.questions import FindingsPrompt
from ..rules.claims import sift
from ..rules.transition import transition
from ..rules.wording import say
from .analysis import analyzed
from .asking import ask, question, refusals
from .outcome import Outcome, stamp
from .sounding import Sounding


class ExecuteInput(TypedDict):
    task_id: str


class ExecuteUpdate(TypedDict):
    pass


async def execute(state: ExecuteInput, deps: Deps) -> Outcome:
    """Adds one agent's report: the analyst's findings by rule, and claims of a model that repeat facts.

    Gives up on nothing: what cannot be asked is a blocker in the report.
    """
    task = await _begun(state["task_id"], deps)
    owner = task.spec.assignment.owner or deps.team.root_owner
    brief = await _brief(task, deps)
    sounding = Sounding(deps, task, brief)
    found = await analyzed(task, sounding, deps)
    proposed = await _proposed(deps, task, brief, sounding, found)
    report = _report(task, brief, (*found, *proposed), sounding, deps)
    submitted, event = transition(task, "report_submitted", stamp(deps, owner), reason=report.summary)
    writes = Writes(records=(*sounding.observed.values(), report, submitted), events=(*sounding.events, event))
    return Outcome(ExecuteUpdate(), writes)


async def _begun(task_id: str, deps: Deps) -> Task:
    """The task, marked as running at once so that anyone watching sees it."""
    task = await deps.ledger.get(Task, task_id)
    if task is None:
        raise LookupError(f"task {task_id!r} is not in the ledger")
    if task.state == "running":
        return task
    running, event = transition(task, "running", stamp(deps, task.spec.assignment.owner or "execute"))
    await deps.ledger.commit(Writes(records=(running,), events=(event,)))
    return running


async def _brief(task: Task, deps: Deps) -> DelegationBrief:
    key = derived_id("dlg", deps.run_id, task.key, task.attempt, task.spec.assignment.owner or "")
    brief = await deps.ledger.get(DelegationBrief, key)
    if brief is None:
        raise LookupError(f"task {task.key!r} was handed out without a brief")
    return brief


async def _proposed(
    deps: Deps, task: Task, brief: DelegationBrief, sounding: Sounding, found: tuple[Finding, ...]
) -> tuple[Finding, ...]:
    known = tuple(f.claim for f in found)
    agent = deps.team.agent(brief.to_agent)
    answer = await ask(
        deps,
        "findings",
        question(deps, FindingsPrompt, brief=brief, observations=tuple(sounding.observed.values()), claims=known),
        FindingsProposal(claims=[]),
        node="execute",
        task=task,
        agent=agent,
    )
    sifted = sift(answer.value.claims, sounding.observed, known, agent=agent.id, task=task.spec.task_id)
    about = f"{task.key}.{task.attempt}"
    sounding.events += refusals(deps, "execute.findings", sifted.refused, about=about)
    return tuple(Finding(claim=c, confidence=round(c.strength, 3)) for c in sifted.claims)


def _report(
    task: Task, brief: DelegationBrief, findings: tuple[Finding, ...], sounding: Sounding, deps: Deps
) -> AgentReport:
    observed = tuple(sounding.observed.values())
    silent = tuple(o for o in observed if o.answer.status in {"denied", "failed"})
    strongest = f"; strongest: {say(findings[0].claim)}" if findings else ""
    return AgentReport(
        report_id=derived_id("rep", deps.run_id, task.key, task.attempt, brief.to_agent),
        delegation_id=brief.delegation_id,
        contract_version=brief.contract_version,
        task_id=task.spec.task_id,
        agent_id=brief.to_agent,
        attempt=task.attempt,
        summary=f"{len(findings)} findings from {len(observed)} observations{strongest}",
        findings=findings,
        actions_taken=(ActionTaken(action="asked", observations=tuple(o.id for o in observed)),),
        open_questions=tuple(f"{o.call.probe}: {o.answer.note}" for o in observed if o.answer.status == "partial"),
        blockers=tuple(Blocker(blocker=f"{o.call.probe}: {o.answer.note}", needs="tool") for o in silent),
        verification=CheckList(not_verified=tuple(ObservationId(o.id) for o in silent)),
        next_steps=tuple(f"give access for {o.call.probe}" for o in silent if o.answer.status == "denied"),
    )
