"""Claims that cannot both hold, and which of them stands by which authority."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import combinations
from typing import NamedTuple

from ..contracts.arbitration import ArbitrationRecord, Authority, Conflict
from ..contracts.base import ClaimId, RunId, TaskId, derived_id
from ..contracts.claim import OPPOSITES, Claim

TOGETHER = timedelta(minutes=30)
"""Statements about moments further apart than this can both hold."""


class Ruling(NamedTuple):
    conflict: Conflict
    record: ArbitrationRecord
    dropped: tuple[ClaimId, ...]


def find_conflicts(claims: Sequence[Claim], tasks: Mapping[ClaimId, TaskId]) -> tuple[Conflict, ...]:
    """Opposite relations of one subject and signal at one time."""
    groups: dict[tuple[str, str, str, str], list[Claim]] = {}
    for claim in claims:
        groups.setdefault((claim.subject.kind, claim.subject.ref, claim.signal, claim.object), []).append(claim)
    return tuple(
        _conflict(one, other, tasks)
        for group in groups.values()
        for one, other in combinations(sorted(group, key=lambda c: c.id), 2)
        if other.relation in OPPOSITES.get(one.relation, frozenset()) and _same_time(one, other)
    )


def rule_on(conflict: Conflict, claims: Mapping[ClaimId, Claim], *, run_id: RunId, at: datetime) -> Ruling:
    """By the probe. Both sides passed its re-run: what rules asked stands over what a model asked, then the clearer."""
    sides = sorted((claims[c] for c in conflict.claims), key=lambda c: (c.origin != "rules", -c.strength, c.id))
    upheld, lost = sides[0], sides[1:]
    why = (
        "its question was asked by rule, the other's by a model"
        if upheld.origin != lost[0].origin
        else f"it shows the clearer deviation ({upheld.strength:.2f} against {lost[0].strength:.2f})"
    )
    record = ArbitrationRecord(
        arbitration_id=derived_id("arb", run_id, conflict.conflict_id),
        root_run_id=run_id,
        conflict_id=conflict.conflict_id,
        conflict_type=conflict.conflict_class,
        subject=conflict.subject,
        candidates=conflict.claims,
        upheld=(upheld.id,),
        authority=conflict.authority,
        decision=f"{upheld.subject.ref} {upheld.relation}",
        reason=why,
        evidence_refs=tuple(dict.fromkeys(o for side in sides for o in side.observations)),
        decided_by="rule:fact-conflict@1",
        created_at=at,
    )
    return Ruling(conflict, record, tuple(c.id for c in lost))


def _same_time(one: Claim, other: Claim) -> bool:
    return one.at is None or other.at is None or abs(one.at - other.at) <= TOGETHER


def _conflict(one: Claim, other: Claim, tasks: Mapping[ClaimId, TaskId]) -> Conflict:
    subject = f"{one.subject.ref} {one.signal}"
    return Conflict(
        conflict_id=derived_id("cfl", one.id, other.id),
        conflict_class="fact",
        subject=subject,
        description=f"{one.id} says that {subject} {one.relation}, {other.id} that it {other.relation}",
        tasks=tuple(dict.fromkeys(tasks[c.id] for c in (one, other) if c.id in tasks)),
        claims=(one.id, other.id),
        options=(f"uphold {one.id}", f"uphold {other.id}"),
        authority=Authority(type="executable_probe", ref=one.observations[0]),
    )
