"""Whether a report keeps its contract, and whether its claims hold when their questions are asked again."""

from collections.abc import Mapping, Sequence

from ..contracts.base import AgentId, ClaimId, ObservationId
from ..contracts.claim import Claim
from ..contracts.delegation import DelegationBrief
from ..contracts.evidence import Answer, Observation
from ..contracts.proposal import ReviewProposal
from ..contracts.report import AgentReport, CheckList
from ..contracts.task import Task
from ..contracts.verification import ClaimVerdict, RerunResult, VerificationResult
from .claims import contradicted_by, stated_by

ANSWERED = frozenset({"ok", "empty", "partial"})


def rerun_result(observation: Observation, again: Answer) -> RerunResult:
    same = again.digest == observation.answer_digest == observation.answer.digest
    why = (
        ""
        if same
        else f"answered {again.status} with digest {again.digest[:12]}, recorded {observation.answer_digest[:12]}"
    )
    return RerunResult(observation=observation.id, same=same, why=why)


def verdict_on(
    claim: Claim, observations: Mapping[ObservationId, Observation], reruns: Mapping[ObservationId, Answer]
) -> ClaimVerdict:
    """Supported where any of its observations, asked again, still says so and none says the opposite."""
    verdict, why = "unsupported", "none of its observations says so"
    for ref in claim.observations:
        recorded, again = observations.get(ref), reruns.get(ref)
        if recorded is None or again is None:
            why = f"observation {ref} is not there"
        elif recorded.answer.status != "ok":
            why = f"observation {ref} is {recorded.answer.status}"
        elif again.digest != recorded.answer_digest:
            why = f"observation {ref} answers otherwise when asked again"
        elif (fact := contradicted_by(claim, again)) is not None and stated_by(claim, again) is None:
            return ClaimVerdict(claim=claim.id, verdict="contradicted", why=f"observation {ref} says {fact.relation}")
        elif stated_by(claim, again) is not None:
            verdict, why = "supported", ""
            break
    return ClaimVerdict.model_validate({"claim": claim.id, "verdict": verdict, "why": why})


def contract_faults(report: AgentReport, task: Task, brief: DelegationBrief, version: str) -> tuple[str, ...]:
    """What makes the whole report void: another task, another contract, an owner that is none."""
    checks = (
        (report.task_id != task.spec.task_id, f"it answers task {report.task_id}, not {task.spec.task_id}"),
        (report.delegation_id != brief.delegation_id, "it answers another delegation"),
        (
            not version == brief.contract_version == report.contract_version,
            "its contract version is stale",
        ),
        (report.agent_id != task.spec.assignment.owner, f"{report.agent_id} does not own the task"),
        (report.attempt != task.attempt, f"it is of attempt {report.attempt}, the task is at {task.attempt}"),
    )
    return tuple(why for bad, why in checks if bad)


def scope_faults(
    report: AgentReport, task: Task, observations: Mapping[ObservationId, Observation], brief: DelegationBrief
) -> tuple[str, ...]:
    cited = {ref for f in report.findings for ref in f.claim.observations}
    outside = sorted({observations[r].call.probe for r in cited if r in observations} - set(brief.allowed_tools))
    lost = sorted(cited - set(observations))
    foreign = (
        sorted({o.bundle_digest[:12] for o in observations.values()})
        if len({o.bundle_digest for o in observations.values()}) > 1
        else []
    )
    checks = (
        (bool(outside), f"it used probes that its brief forbids: {', '.join(outside)}"),
        (bool(lost), f"it cites observations that are not there: {', '.join(lost)}"),
        (bool(foreign), f"its observations are of different bundles: {', '.join(foreign)}"),
        (
            task.spec.scope.write_scope == "none" and bool(report.artifacts_created),
            "it wrote artifacts though it may only read",
        ),
    )
    return tuple(why for bad, why in checks if bad)


def judge(
    report: AgentReport,
    task: Task,
    brief: DelegationBrief,
    version: str,
    observations: Mapping[ObservationId, Observation],
    reruns: Mapping[ObservationId, Answer],
    *,
    verifier: AgentId,
) -> VerificationResult:
    """Contract, scope, evidence, then claim by claim. The merger never fills a gap that this finds."""
    void = contract_faults(report, task, brief, version) or scope_faults(report, task, observations, brief)
    results = tuple(rerun_result(observations[ref], again) for ref, again in reruns.items())
    verdicts = tuple(verdict_on(f.claim, observations, reruns) for f in report.findings)
    failing = tuple(v for v in verdicts if v.verdict != "supported")
    answered = any(observations[ref].answer.status in ANSWERED for ref in reruns)
    differing = tuple(r for r in results if not r.same)
    failed = (
        *void,
        *(() if answered else ("no observation of it was answered",)),
        *(f"observation {r.observation}: {r.why}" for r in differing),
        *(f"claim {v.claim}: {v.why}" for v in failing),
    )
    own = {f.claim.id for f in report.findings if f.claim.origin == "rules"}
    if void or not answered:
        decision = "reject"
    elif failing and task.rounds < task.spec.budget.review_rounds and any(v.claim not in own for v in failing):
        decision = "revise"  # rules would say the same again; a model may do better
    else:
        decision = "accept"  # without its failing claims
    names = ("contract", "scope", "evidence readable", "observations repeat", "claims hold")
    bad = (
        bool(contract_faults(report, task, brief, version)),
        bool(void),
        not answered,
        bool(differing),
        bool(failing),
    )
    return VerificationResult(
        report_id=report.report_id,
        task_id=task.spec.task_id,
        attempt=task.attempt,
        verifier=verifier,
        checks=CheckList(
            run=names,
            passed=tuple(n for n, b in zip(names, bad, strict=True) if not b),
            failed=failed,
            not_verified=report.verification.not_verified,
        ),
        reruns=results,
        verdicts=verdicts,
        required_changes=tuple(f"leave out or correct {v.claim}: {v.why}" for v in failing)
        if decision == "revise"
        else (),
        decision=decision,
    )


def object_to(result: VerificationResult, review: ReviewProposal, claims: Sequence[Claim]) -> VerificationResult:
    """Write a reviewer's objections down.

    They lower what a model claimed; what rules found is asked again, not argued with.
    """
    by_id = {c.id: c for c in claims}
    heard = tuple(o for o in review.objections if ClaimId(o.claim) in by_id)
    doubted = {ClaimId(o.claim) for o in heard if by_id[ClaimId(o.claim)].origin == "model"}
    verdicts = tuple(
        v.model_copy(update={"verdict": "not_checkable", "why": "a reviewer objects"})
        if v.claim in doubted and v.verdict == "supported"
        else v
        for v in result.verdicts
    )
    return result.model_copy(
        update={"objections": tuple(f"{o.claim}: {o.objection[:300]}" for o in heard), "verdicts": verdicts}
    )


def accepted_claims(report: AgentReport, result: VerificationResult) -> tuple[Claim, ...]:
    return tuple(f.claim for f in report.findings if result.verdict_of(f.claim.id) == "supported")
