"""Do one task: ask, look, say what was found."""

from collections.abc import Sequence
from typing import TypedDict

from ..contracts.arbitration import Candidate
from ..contracts.base import ClaimId, ObservationId, derived_id
from ..contracts.claim import Claim
from ..contracts.delegation import CaseView, DelegationBrief
from ..contracts.ports import Analyst, Deps, Writes
from ..contracts.proposal import FindingsProposal
from ..contracts.report import ActionTaken, AgentReport, Blocker, CheckList, Finding
from ..contracts.task import Task
from ..prompts.questions import FindingsPrompt
from ..rules.claims import meaning, sift
from ..rules.transition import transition
from ..rules.wording import say
from .asking import ask, question, refusals
from .outcome import Outcome, stamp
from .sounding import Sounding

MOST_SHOWN = 20


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
    analyst = _analyst(task, deps)
    view = await _view(task, deps)
    sounding = Sounding(deps, task, brief)
    by_rule = await sounding.by_rules(analyst, view)
    own = tuple(analyst.findings(view, by_rule, owner)[: deps.limits.claims_per_report])
    if task.origin == "model":
        own = tuple(_contributed(f, task) for f in own)
    added = await sounding.by_model()
    shown = _shown_besides(analyst.findings(view, (*by_rule, *added), owner), own, task) if added else ()
    proposed = await _proposed(deps, task, brief, sounding, (*own, *shown))
    report = _report(task, brief, (*own, *shown, *proposed), sounding, deps)
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


def _analyst(task: Task, deps: Deps) -> Analyst:
    wanted = task.spec.required_capabilities[0]
    return next(a for a in deps.evidence.analysts() if a.capability == wanted)


async def _view(task: Task, deps: Deps) -> CaseView:
    """What the tasks that this one builds on had accepted; nothing that a model added may steer the rules."""
    before = set(task.spec.dependencies)
    carried = {c for cand in await deps.ledger.all(Candidate) if cand.task_id in before for c in cand.claims}
    claims = tuple(c for c in await deps.ledger.all(Claim) if c.id in carried and c.origin == "rules")
    return CaseView(task_id=task.spec.task_id, services=task.spec.scope.allowed_domains, upstream=claims)


def _shown_besides(all_found: Sequence[Finding], own: tuple[Finding, ...], task: Task) -> tuple[Finding, ...]:
    """What the rules see in questions that a model thought of."""
    said = {meaning(f.claim) for f in own}
    return tuple(_contributed(f, task) for f in all_found if meaning(f.claim) not in said)[:MOST_SHOWN]


def _contributed(finding: Finding, task: Task) -> Finding:
    """Marked as a model's contribution: the run without a model would not have it."""
    claim = finding.claim
    marked = claim.model_copy(update={"origin": "model", "id": ClaimId(derived_id("clm", task.key, "asked", claim.id))})
    return finding.model_copy(update={"claim": marked})


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
