"""Check what came back: the contract first, then each claim against its questions asked again."""

import asyncio
from typing import NamedTuple, TypedDict

from ..contracts.arbitration import Candidate
from ..contracts.base import AgentId, ObservationId, Record, derived_id
from ..contracts.delegation import DelegationBrief
from ..contracts.event import Event
from ..contracts.evidence import Answer, Observation
from ..contracts.ports import Deps, Writes
from ..contracts.proposal import ReviewProposal
from ..contracts.report import AgentReport
from ..contracts.task import Task
from ..contracts.verification import VerificationResult
from ..prompts.questions import ReviewPrompt
from ..rules.allocation import allocate
from ..rules.communication import letters
from ..rules.delegation import contract_version
from ..rules.narrative import claim_lines
from ..rules.transition import Grounds, Stamp, transition
from ..rules.validation import Submission
from ..rules.verification import accepted_claims, judge, object_to
from .asking import ask, question
from .correspondence import told_of_verdict
from .fuses import FuseBook, taken_from
from .mail import read_mail
from .messaging import Postbox
from .outcome import Outcome, stamp

AT_ONCE = 4
"""Questions asked again at the same time."""


class VerifyInput(TypedDict):
    wave: list[str]


class VerifyUpdate(TypedDict):
    next: str


class Judged(NamedTuple):
    task: Task
    records: tuple[Record, ...]
    events: tuple[Event, ...]


async def verify(state: VerifyInput, deps: Deps) -> Outcome:
    """Adds a verdict for each report of the wave, and the claims that hold.

    A report whose claims fail goes back once for revision where a model made them; one that breaks its contract goes to
    another agent; where there is none, the task is cancelled and the report says so.
    """
    tasks = [t for t in await deps.ledger.all(Task) if t.key in set(state["wave"]) and t.state == "report_submitted"]
    again, box = Rerun(deps), await Postbox.open(deps)
    judged = [await _judge(task, again, box, deps) for task in tasks]
    records = tuple(r for j in judged for r in (*j.records, j.task))
    mail = await read_mail(box, [j.task for j in judged], records, deps)
    fuses = await FuseBook.open(deps)
    await fuses.after((r for r in records if isinstance(r, VerificationResult)), box)
    domains = frozenset(j.task.spec.assignment.domain_scope for j in judged)
    taken, told = taken_from(box.tasks.values(), domains, fuses)
    unassigned = mail.grew or bool(taken) or any(j.task.state == "reassigned" for j in judged)
    writes = Writes(
        records=(*records, *mail.records, *box.records(), *fuses.records, *taken),
        events=(*(e for j in judged for e in j.events), *mail.events, *box.events(), *fuses.events, *told),
    )
    return Outcome(VerifyUpdate(next="select" if unassigned else "delegate"), writes)


class Rerun:
    """Asks recorded questions again, each once for all who cite it."""

    def __init__(self, deps: Deps) -> None:
        self._deps = deps
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._answers: dict[ObservationId, asyncio.Task[Answer]] = {}

    async def of(self, observations: tuple[Observation, ...]) -> dict[ObservationId, Answer]:
        for observation in observations:
            if observation.id not in self._answers:
                self._answers[observation.id] = asyncio.create_task(self._ask(observation))
        return {o.id: await self._answers[o.id] for o in observations}

    async def _ask(self, observation: Observation) -> Answer:
        async with self._slots:
            return await self._deps.evidence.ask(observation.call)


async def _judge(task: Task, again: Rerun, box: Postbox, deps: Deps) -> Judged:
    mark = stamp(deps, _verifier(task, deps))
    report, brief = await _submitted(task, deps)
    observations = await _observations(report, deps)
    cited = {ref for f in report.findings for ref in f.claim.observations} or set(observations)
    reruns = await again.of(tuple(o for ref, o in observations.items() if ref in cited and o.answer.status != "denied"))
    submission = Submission(report, task, brief, contract_version(task, deps.config), observations, reruns)
    result = await _reviewed(judge(submission, verifier=_verifier(task, deps)), report, task, box, deps)
    verifying, started = transition(task, "verifying", mark)
    decided = _decide(verifying, result, report, await _earlier(task, deps), mark, deps)
    lost = tuple(
        Event(
            event_id=derived_id("evt", deps.run_id, "verify", report.report_id, v.claim),
            kind="claim.refused", subject=v.claim, by=mark.by, reason=f"{v.verdict}: {v.why}", at=mark.at,
        )
        for v in result.verdicts
        if v.verdict != "supported"
    )  # fmt: skip
    told_of_verdict(decided.task, result, box)
    return Judged(decided.task, (result, *decided.records), (started, *decided.events, *lost))


async def _earlier(task: Task, deps: Deps) -> Candidate | None:
    """The candidate of the attempt before."""
    found = [c for c in await deps.ledger.all(Candidate) if c.task_id == task.spec.task_id and c.attempt < task.attempt]
    return max(found, key=lambda c: c.attempt, default=None)


async def _submitted(task: Task, deps: Deps) -> tuple[AgentReport, DelegationBrief]:
    owner = task.spec.assignment.owner or ""
    report = await deps.ledger.get(AgentReport, derived_id("rep", deps.run_id, task.key, task.attempt, owner))
    brief = await deps.ledger.get(DelegationBrief, derived_id("dlg", deps.run_id, task.key, task.attempt, owner))
    if report is None or brief is None:
        raise LookupError(f"task {task.key!r} was submitted without a report or a brief")
    return report, brief


async def _observations(report: AgentReport, deps: Deps) -> dict[ObservationId, Observation]:
    refs = dict.fromkeys(
        (
            *(r for a in report.actions_taken for r in a.observations),
            *(r for f in report.findings for r in f.claim.observations),
        )
    )
    found = [await deps.ledger.get(Observation, ref) for ref in refs]
    return {o.id: o for o in found if o is not None}


def _verifier(task: Task, deps: Deps) -> AgentId:
    return task.spec.assignment.verifier or deps.team.root_owner


async def _reviewed(
    result: VerificationResult, report: AgentReport, task: Task, box: Postbox, deps: Deps
) -> VerificationResult:
    """A model reviews what a model claimed, and everything where the risk is high."""
    by_model = any(f.claim.origin == "model" for f in report.findings)
    if not result.passed or not report.findings or not (by_model or task.spec.risk_level == "high"):
        return result
    claims, reviewer = tuple(f.claim for f in report.findings), _verifier(task, deps)
    asked = box.post(letters.review_requested(task, report, reviewer, report.findings))
    answer = await ask(
        deps,
        "review",
        question(deps, ReviewPrompt, report=report, claims_text=claim_lines(claims)),
        ReviewProposal(objections=[]),
        node="verify",
        task=task,
        agent=deps.team.agent(reviewer),
    )
    if asked is not None:
        said = box.post(letters.review_result(task, report, reviewer, answer.value.objections, asked.thread_id))
        box.resolve(asked, reviewer, said.message_id if said else "nothing to say")
    return object_to(result, answer.value, claims)


def _decide(
    task: Task, result: VerificationResult, report: AgentReport, earlier: Candidate | None, mark: Stamp, deps: Deps
) -> Judged:
    """Make the report a candidate, and move its task on; a refused candidate is kept with its reason."""
    candidate, linked = _candidate(task, result, report, earlier)
    if result.decision == "accept":
        claims = accepted_claims(report, result)
        accepted, first = transition(
            task, "accepted", mark, grounds=Grounds(verification=result), reason=f"{len(claims)} claims hold"
        )
        validated, second = transition(candidate, "validated", mark)
        return Judged(accepted, (*claims, validated, *linked), (first, second))
    reason = "; ".join(result.checks.failed)[:400]
    refused, told = transition(candidate.model_copy(update={"reason": reason}), "rejected", mark, reason=reason)
    if result.decision == "revise":
        back, event = transition(task, "revision_requested", mark, reason=reason)
        changed = back.model_copy(
            update={"attempt": task.attempt + 1, "rounds": task.rounds + 1, "required_changes": result.required_changes}
        )
        return Judged(changed, (refused, *linked), (event, told))
    moved, events = _passed_on(task, reason, mark, deps)
    return Judged(moved, (refused, *linked), (*events, told))


def _candidate(
    task: Task, result: VerificationResult, report: AgentReport, earlier: Candidate | None
) -> tuple[Candidate, tuple[Candidate, ...]]:
    """A newer version takes the place of the older one by a link both ways, never by arriving last."""
    held = accepted_claims(report, result) if result.passed else tuple(f.claim for f in report.findings)
    candidate = Candidate(
        candidate_id=derived_id("cnd", report.report_id),
        task_id=task.spec.task_id,
        report_id=report.report_id,
        attempt=task.attempt,
        claims=tuple(c.id for c in held),
        evidence=tuple(dict.fromkeys(ref for c in held for ref in c.observations)),
        supersedes=earlier.candidate_id if earlier else "",
    )
    linked = (earlier.model_copy(update={"superseded_by": candidate.candidate_id}),) if earlier else ()
    return candidate, linked


def _passed_on(task: Task, reason: str, mark: Stamp, deps: Deps) -> tuple[Task, tuple[Event, ...]]:
    """To another agent where there is one that has not failed at it."""
    rejected, first = transition(task, "rejected", mark, reason=reason)
    owner = task.spec.assignment.owner
    free = rejected.model_copy(
        update={"attempt": task.attempt + 1, "failed_owners": (*task.failed_owners, *((owner,) if owner else ()))}
    )
    if allocate(free, deps.team, load={}, success={}, at=mark.at).selected:
        moved, second = transition(free, "reassigned", mark, reason=f"{owner} could not do it: {reason}")
    else:
        moved, second = transition(free, "cancelled", mark, reason=f"nobody else can do it: {reason}")
    return moved, (first, second)
