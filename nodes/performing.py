"""An agent's work on one task, whoever gave it the task: ask, look, say what was found."""

from typing import NamedTuple

from ..contracts.base import ObservationId, Record, derived_id
from ..contracts.delegation import DelegationBrief
from ..contracts.event import Event
from ..contracts.evidence import Observation
from ..contracts.message import Draft
from ..contracts.ports import Deps
from ..contracts.proposal import FindingsProposal
from ..contracts.report import ActionTaken, AgentReport, Blocker, CheckList, Finding
from ..contracts.task import Task
from ..prompts.questions import FindingsPrompt
from ..rules.claims import sift
from ..rules.wording import say
from .analysis import analyzed
from .asking import ask, question, refusals
from .inputs import undone_dependencies
from .sounding import Alive, Sounding, unheard


class Performed(NamedTuple):
    report: AgentReport
    records: tuple[Record, ...]
    """The report and the observations that it rests on."""
    events: tuple[Event, ...]
    drafts: tuple[Draft, ...] = ()
    """What its owner wants to say to others."""

    @property
    def observed_nothing(self) -> bool:
        """Whether every question was denied: the agent may not ask any of them, somebody else may."""
        seen = [r for r in self.records if isinstance(r, Observation)]
        return bool(seen) and all(o.answer.status == "denied" for o in seen)


async def perform(task: Task, brief: DelegationBrief, deps: Deps, alive: Alive = unheard) -> Performed:
    """The analyst's findings by rule, and claims of a model that repeat facts.

    Gives up on nothing: what cannot be asked is a blocker in the report. `alive` hears of each question that is asked.
    """
    sounding = Sounding(deps, task, brief, alive)
    found = await analyzed(task, sounding, deps)
    proposed = await _proposed(deps, task, brief, sounding, found)
    report = _report(task, brief, (*found, *proposed), sounding, deps)
    without = tuple(f"built without: {title}" for title in await undone_dependencies(task, deps))
    report = report.model_copy(update={"open_questions": (*report.open_questions, *without)})
    return Performed(report, (*sounding.observed.values(), report), tuple(sounding.events))


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
    known = f", {sounding.repeats} of them known before" if sounding.repeats else ""
    strongest = f"; strongest: {say(findings[0].claim)}" if findings else ""
    return AgentReport(
        report_id=derived_id("rep", deps.run_id, task.key, task.attempt, brief.to_agent),
        delegation_id=brief.delegation_id,
        contract_version=brief.contract_version,
        task_id=task.spec.task_id,
        agent_id=brief.to_agent,
        attempt=task.attempt,
        summary=f"{len(findings)} findings from {len(observed)} observations{known}{strongest}",
        findings=findings,
        actions_taken=(ActionTaken(action="asked", observations=tuple(o.id for o in observed)),),
        open_questions=tuple(f"{o.call.probe}: {o.answer.note}" for o in observed if o.answer.status == "partial"),
        blockers=tuple(
            Blocker(
                blocker=f"{o.call.probe}: {o.answer.note}",
                needs="manager" if o.answer.status == "denied" else "tool",
            )
            for o in silent
        ),
        verification=CheckList(not_verified=tuple(ObservationId(o.id) for o in silent)),
        next_steps=tuple(f"give access for {o.call.probe}" for o in silent if o.answer.status == "denied"),
    )
