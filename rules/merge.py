"""From rankings to one result: where a model may order causes, and what the whole must satisfy."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

from ..contracts.arbitration import MechanismJudgement
from ..contracts.base import ClaimId
from ..contracts.claim import OPPOSITES, Claim
from ..contracts.incident import CauseRef, Incident
from ..contracts.lifecycle import TASK_OVER
from ..contracts.proposal import MechanismProposal
from ..contracts.report import RankedCause, Ranking, RuledOut
from ..contracts.task import Task

LATE = timedelta(minutes=10)
"""A cause may seem to begin so long after the first alert before that counts against it: sampling and clocks."""
MOST_JUDGED = 3
SHORTEST_QUOTE = 8
"""Characters; anything shorter stands everywhere."""
LIFT = {"yes": 1, "unclear": 0, "no": -1}


def contenders(ranking: Ranking, margin: float) -> tuple[RankedCause, ...]:
    """Causes that the evidence does not separate from the first one: at most `margin` of score behind it."""
    if not ranking.causes:
        return ()
    top = ranking.causes[0].score
    return tuple(c for c in ranking.causes if top - c.score <= margin)[:MOST_JUDGED]


def check_mechanism(cause: CauseRef, proposal: MechanismProposal, stands: Callable[[str], bool]) -> MechanismJudgement:
    """A judgement counts only where it quotes the source, and every quote `stands` there."""
    quotes = tuple(" ".join(q.split()) for q in proposal.quotes)
    found = bool(quotes) and all(len(q) >= SHORTEST_QUOTE and stands(q) for q in quotes)
    return MechanismJudgement(
        cause_ref=cause.ref,
        verdict=proposal.verdict,
        quotes=tuple(q[:200] for q in quotes),
        checked=found,
    )


def order_within_margin(
    baseline: Ranking, full: Ranking, judgements: Sequence[MechanismJudgement], margin: float
) -> Ranking:
    """The baseline's causes, of which the contenders may change places, and no other.

    Whatever a model adds moves causes inside the margin of the rules' own ranking: it breaks ties, it cannot make a
    cause that the evidence puts behind come first.
    """
    front = contenders(baseline, margin)
    if len(front) < 2:
        return baseline
    checked = {j.cause_ref: LIFT[j.verdict] for j in judgements if j.checked}
    seen = {_key(c.cause): c.score for c in full.causes}
    before = {_key(c.cause): n for n, c in enumerate(front)}
    ordered = sorted(
        front,
        key=lambda c: (
            -checked.get(c.cause.ref, 0),
            -round(seen.get(_key(c.cause), c.score), 6),
            before[_key(c.cause)],
        ),
    )
    rest = tuple(c for c in baseline.causes if _key(c.cause) not in before)
    first = ordered[0]
    if _key(first.cause) == _key(front[0].cause):
        return baseline.model_copy(update={"causes": (*ordered, *rest)})
    other = next((r for r in (full,) if r.causes and _key(r.causes[0].cause) == _key(first.cause)), None)
    told = other or baseline
    return baseline.model_copy(
        update={
            "causes": (*ordered, *rest),
            "chain": told.chain if other else (),
            "remediation": told.remediation if other else (),
        }
    )


class Integration(NamedTuple):
    ranking: Ranking
    passed: tuple[str, ...]
    failed: tuple[str, ...]


def integrate(
    ranking: Ranking,
    claims: Mapping[ClaimId, Claim],
    tasks: Sequence[Task],
    incident: Incident,
    edges: frozenset[tuple[str, str]],
) -> Integration:
    """Check the composite as a whole; a cause that fails moves to what was ruled out, with its reason."""
    failed: list[str] = []
    ruled_out: list[RuledOut] = []
    kept: list[RankedCause] = []
    for cause in ranking.causes:
        why = _cause_fault(cause, claims, incident)
        if why:
            failed.append(f"{cause.cause.ref}: {why}")
            ruled_out.append(RuledOut(cause=cause.cause, why=why, claims=cause.claims_for))
        else:
            kept.append(cause)
    broken = [
        f"{link.source} -> {link.target}"
        for link in ranking.chain
        if not _link_holds(link.source, link.target, edges, set(link.claims), claims)
    ]
    failed += [f"the chain's step {step} follows no observed edge or claim" for step in broken]
    lost = [t.spec.title for t in tasks if t.spec.required and t.state not in TASK_OVER]
    failed += [f"required task {title!r} is not accounted for" for title in lost]
    failed += _contradictions(claims)
    outcome = "inconclusive" if ranking.outcome == "cause_found" and not kept else ranking.outcome
    chain = () if broken else ranking.chain
    names = (
        "causes precede effects",
        "causes carry accepted claims",
        "chain follows edges",
        "required tasks accounted for",
        "no contradiction left",
    )
    bad = (
        any("after the first alert" in f for f in failed),
        any("no accepted claim" in f for f in failed),
        bool(broken),
        bool(lost),
        any("contradict" in f for f in failed),
    )
    merged = ranking.model_copy(
        update={
            "outcome": outcome,
            "causes": tuple(kept),
            "chain": chain,
            "ruled_out": (*ranking.ruled_out, *ruled_out),
        }
    )
    return Integration(merged, tuple(n for n, b in zip(names, bad, strict=True) if not b), tuple(failed))


def _cause_fault(cause: RankedCause, claims: Mapping[ClaimId, Claim], incident: Incident) -> str:
    first = incident.first_alert
    fired = first.fired_at if first else None
    if cause.onset and fired and cause.onset > fired + LATE:
        return f"it begins {cause.onset:%H:%M:%S}, after the first alert at {fired:%H:%M:%S}"
    if cause.cause.kind != "none" and not any(c in claims for c in cause.claims_for):
        return "no accepted claim carries it"
    return ""


def _link_holds(
    source: str, target: str, edges: frozenset[tuple[str, str]], cited: set[ClaimId], claims: Mapping[ClaimId, Claim]
) -> bool:
    return (source, target) in edges or (target, source) in edges or any(c in claims for c in cited)


def _contradictions(claims: Mapping[ClaimId, Claim]) -> list[str]:
    held: dict[tuple[str, str, str, str], Claim] = {}
    found = []
    for claim in claims.values():
        place = (claim.subject.kind, claim.subject.ref, claim.signal, claim.object)
        other = held.setdefault(place, claim)
        if claim.relation in OPPOSITES.get(other.relation, frozenset()) and claim.at == other.at:
            found.append(f"{claim.id} and {other.id} contradict each other")
    return found


def _key(cause: CauseRef) -> tuple[str, str]:
    return cause.kind, cause.ref
