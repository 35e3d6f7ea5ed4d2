"""Whether a report's claims hold when their questions are asked again, and what follows for its task."""

from collections.abc import Mapping, Sequence
from typing import Literal

from ..contracts.base import AgentId, ClaimId, ObservationId
from ..contracts.claim import Claim
from ..contracts.evidence import Answer, Observation
from ..contracts.proposal import ReviewProposal
from ..contracts.report import AgentReport, CheckList
from ..contracts.verification import ClaimVerdict, RerunResult, VerificationResult
from .claims import contradicted_by, stated_by
from .validation import Submission, validate

REPEAT, HOLD = "observations repeat", "claims hold"


def rerun_result(observation: Observation, again: Answer) -> RerunResult:
    recorded = observation.answer_digest
    same = again.digest == recorded == observation.answer.digest
    why = "" if same else f"answered {again.status} with digest {again.digest[:12]}, recorded {recorded[:12]}"
    return RerunResult(observation=observation.id, same=same, why=why)


def verdict_on(
    claim: Claim, observations: Mapping[ObservationId, Observation], reruns: Mapping[ObservationId, Answer]
) -> ClaimVerdict:
    """Supported where one of its observations, asked again, still says so in subject, direction, time and number.

    A failed, empty, denied or partial observation supports nothing; an opposite fact contradicts.
    """
    whys: list[str] = []
    for ref in claim.observations:
        recorded, again = observations.get(ref), reruns.get(ref)
        if recorded is None or again is None:
            whys.append(f"observation {ref} is not there")
        elif recorded.answer.status != "ok":
            whys.append(f"observation {ref} is {recorded.answer.status}")
        elif again.digest != recorded.answer_digest:
            whys.append(f"observation {ref} answers otherwise when asked again")
        elif stated_by(claim, again) is not None:
            return ClaimVerdict(claim=claim.id, verdict="supported")
        elif (fact := contradicted_by(claim, again)) is not None:
            return ClaimVerdict(claim=claim.id, verdict="contradicted", why=f"observation {ref} says {fact.relation}")
        else:
            whys.append(f"observation {ref} does not say so")
    missing = all(ref not in observations for ref in claim.observations)
    verdict: Literal["not_checkable", "unsupported"] = "not_checkable" if missing else "unsupported"
    return ClaimVerdict(claim=claim.id, verdict=verdict, why="; ".join(whys))


def judge(of: Submission, *, verifier: AgentId) -> VerificationResult:
    """The six checks of the whole report, then claim by claim. The merger never fills a gap that this finds.

    A void report is rejected. Failing claims send it back once where a model made them, for the rules would only say
    the same again; otherwise it is accepted without them.
    """
    found = validate(of)
    void = tuple(why for faults in found.values() for why in faults)
    results = tuple(rerun_result(of.observations[ref], again) for ref, again in of.reruns.items())
    verdicts = tuple(verdict_on(f.claim, of.observations, of.reruns) for f in of.report.findings)
    failing = tuple(v for v in verdicts if v.verdict != "supported")
    differing = tuple(r for r in results if not r.same)
    by_model = {f.claim.id for f in of.report.findings if f.claim.origin == "model"}
    rounds_left = of.task.rounds < of.task.spec.budget.review_rounds
    revisable = tuple(v for v in failing if v.claim in by_model)
    decision: Literal["accept", "revise", "reject"] = "accept"
    if void:
        decision = "reject"
    elif revisable and rounds_left:
        decision = "revise"
    bad = {name: bool(faults) for name, faults in found.items()} | {REPEAT: bool(differing), HOLD: bool(failing)}
    changes = tuple(f"leave out or correct {v.claim}: {v.why}" for v in revisable) if decision == "revise" else ()
    return VerificationResult(
        report_id=of.report.report_id,
        task_id=of.task.spec.task_id,
        attempt=of.task.attempt,
        verifier=verifier,
        checks=CheckList(
            run=tuple(bad),
            passed=tuple(name for name, failed in bad.items() if not failed),
            failed=(
                *void,
                *(f"observation {r.observation}: {r.why}" for r in differing),
                *(f"claim {v.claim}: {v.why}" for v in failing),
            ),
            not_verified=of.report.verification.not_verified,
        ),
        reruns=results,
        verdicts=verdicts,
        required_changes=changes,
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
