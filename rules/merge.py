"""What the merged result must satisfy as a whole; parts that pass can still make a whole that fails."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from ..contracts.base import ClaimId
from ..contracts.claim import OPPOSITES, Claim
from ..contracts.incident import Incident
from ..contracts.lifecycle import TASK_OVER
from ..contracts.report import RankedCause, Ranking, RuledOut
from ..contracts.task import Budget, Task

LATE = timedelta(minutes=10)
"""A change may seem to come so long after the first alert before that counts against it: sampling and clocks."""


class Whole(NamedTuple):
    """The composite and all that it is held against."""

    ranking: Ranking
    claims: Mapping[ClaimId, Claim]
    tasks: Sequence[Task]
    incident: Incident
    edges: frozenset[tuple[str, str]]
    """Observed calls."""
    budget: Budget
    spent: Budget
    """What the run used, in the fields that it counts."""


class Integration(NamedTuple):
    ranking: Ranking
    passed: tuple[str, ...]
    failed: tuple[str, ...]


def causes_precede_effects(whole: Whole) -> tuple[str, ...]:
    """What was done after the first alert did not cause it. When symptoms were seen to begin says nothing here."""
    first = whole.incident.first_alert
    fired = first.fired_at if first else None
    return tuple(
        f"{c.cause.ref}: it was made {made:%H:%M:%S}, after the first alert at {fired:%H:%M:%S}"
        for c in whole.ranking.causes
        if fired and (made := _made(c, whole.claims)) is not None and made > fired + LATE
    )


def _made(cause: RankedCause, claims: Mapping[ClaimId, Claim]) -> datetime | None:
    """The earliest time at which a change is known to have reached anything."""
    known = [claims[ref] for ref in cause.claims_for if ref in claims]
    times = [c.at for c in known if c.signal == "change:time" and c.subject.ref == cause.cause.ref and c.at is not None]
    return min(times, default=None)


def causes_carry_claims(whole: Whole) -> tuple[str, ...]:
    return tuple(
        f"{c.cause.ref}: no accepted claim carries it"
        for c in whole.ranking.causes
        if c.cause.kind != "none" and not any(ref in whole.claims for ref in c.claims_for)
    )


def chain_follows_edges(whole: Whole) -> tuple[str, ...]:
    """Each step lies on an observed call, or carries an accepted claim of its own."""
    return tuple(
        f"the chain's step {link.source} -> {link.target} follows no observed edge or claim"
        for link in whole.ranking.chain
        if not {(link.source, link.target), (link.target, link.source)} & whole.edges
        and not any(ref in whole.claims for ref in link.claims)
    )


def required_tasks_are_accounted_for(whole: Whole) -> tuple[str, ...]:
    return tuple(
        f"required task {t.spec.title!r} is {t.state}"
        for t in whole.tasks
        if t.spec.required and t.state not in TASK_OVER
    )


def no_contradiction_is_left(whole: Whole) -> tuple[str, ...]:
    held: dict[tuple[str, str, str, str], Claim] = {}
    found = []
    for claim in whole.claims.values():
        place = (claim.subject.kind, claim.subject.ref, claim.signal, claim.object)
        other = held.setdefault(place, claim)
        if claim.relation in OPPOSITES.get(other.relation, frozenset()) and claim.at == other.at:
            found.append(f"{claim.id} and {other.id} contradict each other")
    return tuple(found)


def scope_is_kept(whole: Whole) -> tuple[str, ...]:
    """What only one narrow task saw is no statement about other services."""
    return tuple(f"affected service {service!r} is in no accepted claim" for service in _unseen_services(whole))


def budgets_hold(whole: Whole) -> tuple[str, ...]:
    """Parts within their budgets can be over it together."""
    allowed, spent = whole.budget, whole.spent
    checks = (
        (spent.tokens > allowed.tokens, f"{spent.tokens} tokens of {allowed.tokens}"),
        (spent.seconds > allowed.seconds, f"{spent.seconds:g} s of {allowed.seconds:g}"),
    )
    return tuple(f"over budget together: {what}" for over, what in checks if over)


def root_goal_is_answered(whole: Whole) -> tuple[str, ...]:
    """A verdict names a cause, or says what is missing, or that nothing happened."""
    ranking = whole.ranking
    silent = ranking.outcome == "cause_found" and not ranking.causes
    return ("a cause was found but none is named",) if silent else ()


CHECKS: dict[str, Callable[[Whole], tuple[str, ...]]] = {
    "causes precede effects": causes_precede_effects,
    "causes carry accepted claims": causes_carry_claims,
    "chain follows edges": chain_follows_edges,
    "required tasks accounted for": required_tasks_are_accounted_for,
    "no contradiction left": no_contradiction_is_left,
    "scope kept": scope_is_kept,
    "budgets hold": budgets_hold,
    "root goal answered": root_goal_is_answered,
}
OF_A_CAUSE = ("causes precede effects", "causes carry accepted claims")


def integrate(whole: Whole) -> Integration:
    """Run every check. A cause that fails its own leaves the result with the reason; nothing is filled in instead."""
    found = {name: check(whole) for name, check in CHECKS.items()}
    faults = [f for name in OF_A_CAUSE for f in found[name]]
    why = {c.cause.ref: next((f for f in faults if f.startswith(f"{c.cause.ref}: ")), "") for c in whole.ranking.causes}
    kept = tuple(c for c in whole.ranking.causes if not why[c.cause.ref])
    fallen = tuple(_ruled_out(c, why[c.cause.ref]) for c in whole.ranking.causes if why[c.cause.ref])
    unseen = _unseen_services(whole)
    merged = whole.ranking.model_copy(
        update={
            "outcome": "inconclusive" if whole.ranking.outcome == "cause_found" and not kept else whole.ranking.outcome,
            "causes": kept,
            "chain": () if found["chain follows edges"] else whole.ranking.chain,
            "affected_services": tuple(s for s in whole.ranking.affected_services if s not in unseen),
            "ruled_out": (*whole.ranking.ruled_out, *fallen),
        }
    )
    return Integration(
        merged,
        tuple(name for name, faults_of in found.items() if not faults_of),
        tuple(f for faults_of in found.values() for f in faults_of),
    )


def _ruled_out(cause: RankedCause, why: str) -> RuledOut:
    return RuledOut(cause=cause.cause, why=why.partition(": ")[2], claims=cause.claims_for)


def _unseen_services(whole: Whole) -> tuple[str, ...]:
    known = {c.subject.owner for c in whole.claims.values()} | {s for edge in whole.edges for s in edge}
    known |= {c.object for c in whole.claims.values()} | set(whole.incident.services)
    known |= {a.service for a in whole.incident.alerts}
    return tuple(s for s in whole.ranking.affected_services if s not in known)
