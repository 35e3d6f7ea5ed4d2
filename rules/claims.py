"""Which proposed statements are what an observation says."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

from ..contracts.base import AgentId, ClaimId, ObservationId, TaskId, canonical_json, derived_id
from ..contracts.claim import OPPOSITES, Claim, Fact, Origin, Statement
from ..contracts.evidence import Answer, Observation
from ..contracts.proposal import ProposedClaim
from .planning import Refusal

TOLERANCE = 0.01
"""Relative distance within which two numbers are the same: probes round, models copy."""
SAME_MOMENT = timedelta(minutes=30)
"""Statements of one meaning that lie closer together speak of the same happening."""
STATEMENT_FIELDS = tuple(Statement.model_fields)


class Sifted(NamedTuple):
    claims: tuple[Claim, ...]
    refused: tuple[Refusal, ...]


def claim_of(fact: Fact, observation: ObservationId, *, agent: AgentId, origin: Origin, task: TaskId) -> Claim:
    """A claim that repeats a fact; the same fact of the same observation gives the same id within its task."""
    said = {name: getattr(fact, name) for name in STATEMENT_FIELDS}
    key = canonical_json(fact.model_dump(mode="json"))
    return Claim(
        **said,
        id=ClaimId(derived_id("clm", task, origin, observation, key)),
        observations=(observation,),
        made_by=agent,
        origin=origin,
    )


def sift(
    proposed: Sequence[ProposedClaim],
    observations: Mapping[ObservationId, Observation],
    known: Sequence[Claim],
    *,
    agent: AgentId,
    task: TaskId,
) -> Sifted:
    """Keep what repeats a fact of a readable observation and adds something; say why the rest went."""
    said = {meaning(c) for c in known}
    kept: list[Claim] = []
    refused: list[Refusal] = []
    for item in proposed:
        observation = observations.get(ObservationId(item.observation))
        why = _fault(item, observation)
        if why or observation is None:
            refused.append(Refusal(f"{item.subject} {item.relation} ({item.observation})"[:200], why))
            continue
        claim = claim_of(
            observation.answer.facts[item.fact - 1], observation.id, agent=agent, origin="model", task=task
        )
        if meaning(claim) not in said:  # what is said already adds nothing, and is no fault
            said.add(meaning(claim))
            kept.append(claim)
    return Sifted(tuple(kept), tuple(refused))


def _fault(item: ProposedClaim, observation: Observation | None) -> str:
    if observation is None:
        return "no such observation"
    if observation.answer.status not in {"ok", "partial"}:
        return f"the observation is {observation.answer.status}: it shows nothing"
    if not 1 <= item.fact <= len(observation.answer.facts):
        return f"the observation has no fact {item.fact}"
    fact = observation.answer.facts[item.fact - 1]
    checks = (
        (item.subject.strip() != fact.subject.ref, f"the fact is about {fact.subject.ref!r}"),
        (item.relation != fact.relation, f"the fact says {fact.relation!r}"),
        (item.value is not None and not same_number(item.value, fact.value), f"the fact's number is {fact.value}"),
    )
    return next((why for bad, why in checks if bad), "")


def same_number(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= TOLERANCE * max(abs(one), abs(other), 1e-9)


def stated_by(claim: Claim, answer: Answer) -> Fact | None:
    """The fact of an answer that says what the claim says: subject, signal, relation, object, number and time."""
    return next((f for f in answer.facts if _agrees(claim, f)), None)


def contradicted_by(claim: Claim, answer: Answer) -> Fact | None:
    """A fact about the same subject and signal that cannot hold beside the claim."""
    against = OPPOSITES.get(claim.relation, frozenset())
    return next(
        (
            f
            for f in answer.facts
            if f.subject == claim.subject
            and f.signal == claim.signal
            and f.object == claim.object
            and f.relation in against
        ),
        None,
    )


def _agrees(claim: Claim, fact: Fact) -> bool:
    return (
        (fact.subject, fact.signal, fact.relation, fact.object)
        == (claim.subject, claim.signal, claim.relation, claim.object)
        and same_number(fact.value, claim.value)
        and same_number(fact.baseline, claim.baseline)
        and fact.at == claim.at
    )


def meaning(claim: Claim) -> tuple[str, ...]:
    """Equal for claims that say the same of the same thing, whatever their numbers."""
    return (claim.subject.kind, claim.subject.ref, claim.signal, claim.relation, claim.object)


def distinct(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """One claim for each meaning and time, carrying all its observations; the rules' own wording comes first.

    Saying something twice makes it no stronger: the strength is that of the claim that is kept.
    """
    kept: dict[tuple[str, ...], list[Claim]] = {}
    for claim in sorted(claims, key=lambda c: (c.origin == "model", -c.strength, c.id)):
        same = kept.setdefault(meaning(claim), [])
        twin = next((n for n, other in enumerate(same) if _overlap(claim, other)), None)
        if twin is None:
            same.append(claim)
        else:
            sources = dict.fromkeys((*same[twin].observations, *claim.observations))
            same[twin] = same[twin].model_copy(update={"observations": tuple(sources)})
    return tuple(claim for same in kept.values() for claim in same)


def _overlap(one: Claim, other: Claim) -> bool:
    return one.at is None or other.at is None or abs(one.at - other.at) <= SAME_MOMENT
