"""Fact conflicts: claims of one subject and signal that say opposite things, or other numbers of one moment."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import combinations

from ...contracts.arbitration import Authority, Conflict, ConflictSide
from ...contracts.base import ClaimId, TaskId, derived_id
from ...contracts.claim import OPPOSITES, Claim
from ..wording import say

TOGETHER = timedelta(minutes=30)
"""Statements about moments further apart than this can both hold."""
APART = 0.5
"""Share by which two numbers of one signal and window may differ: aggregates of other windows do, up to that."""


def fact_conflicts(claims: Sequence[Claim], tasks: Mapping[ClaimId, TaskId]) -> tuple[Conflict, ...]:
    groups: dict[tuple[str, str, str, str], list[Claim]] = {}
    for claim in claims:
        groups.setdefault((claim.subject.kind, claim.subject.ref, claim.signal, claim.object), []).append(claim)
    return tuple(
        _conflict(one, other, why, tasks)
        for group in groups.values()
        for one, other in combinations(sorted(group, key=lambda c: c.id), 2)
        if (why := _incompatible(one, other))
    )


def _incompatible(one: Claim, other: Claim) -> str:
    if set(one.observations) & set(other.observations):
        return ""  # two readings of one answer: each was checked against it
    if other.relation in OPPOSITES.get(one.relation, frozenset()) and _same_time(one, other):
        return f"one says {one.relation}, the other {other.relation}"
    if one.relation != other.relation or one.at is None or one.at != other.at:
        return ""
    if one.value is not None and other.value is not None and not _near(one.value, other.value):
        return f"one says {one.value:g}, the other {other.value:g} of the same moment"
    return ""


def _near(one: float, other: float) -> bool:
    return abs(one - other) <= APART * max(abs(one), abs(other), 1e-9)


def _same_time(one: Claim, other: Claim) -> bool:
    return one.at is None or other.at is None or abs(one.at - other.at) <= TOGETHER


def _conflict(one: Claim, other: Claim, why: str, tasks: Mapping[ClaimId, TaskId]) -> Conflict:
    sides = tuple(
        ConflictSide(ref=c.id, says=say(c), by=c.made_by, origin=c.origin, strength=c.strength, evidence=c.observations)
        for c in (one, other)
    )
    return Conflict(
        conflict_id=derived_id("cfl", "fact", one.id, other.id),
        conflict_class="fact",
        subject=f"{one.subject.ref} {one.signal}",
        description=why,
        tasks=tuple(dict.fromkeys(tasks[c.id] for c in (one, other) if c.id in tasks)),
        sides=sides,
        risk="medium",
        options=tuple(f"uphold {s.ref}" for s in sides),
        authority=Authority(type="executable_probe", ref=one.observations[0]),
        decision_owner="rule:fact-by-probe@1",
    )
