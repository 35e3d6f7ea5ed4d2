"""Rulings, each by the authority that its conflict names. Nothing here counts heads."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from ...contracts.arbitration import ArbitrationRecord, Conflict, ConflictSide
from ...contracts.base import RunId, derived_id


class Ruling(NamedTuple):
    conflict: Conflict
    record: ArbitrationRecord


def rule_on(
    conflict: Conflict, *, run_id: RunId, at: datetime, holds: Mapping[str, bool] | None = None, person: str = ""
) -> Ruling:
    """Settle a conflict.

    Args:
        holds: of a fact's sides, whether their probes, asked again, still say so; none given: they were just checked.
        person: what the person decided whose conflict it is: `set_aside` or `keep`.
    """
    upheld, reason, by = _decide(conflict, holds or {}, person)
    decision = " and ".join(s.says for s in conflict.sides if s.ref in upheld) or "none of them stands"
    record = ArbitrationRecord(
        arbitration_id=derived_id("arb", run_id, conflict.conflict_id),
        root_run_id=run_id,
        conflict_id=conflict.conflict_id,
        conflict_type=conflict.conflict_class,
        subject=conflict.subject,
        candidates=tuple(s.ref for s in conflict.sides),
        upheld=upheld,
        authority=conflict.authority,
        decision=decision,
        reason=reason,
        evidence_refs=tuple(dict.fromkeys(o for side in conflict.sides for o in side.evidence)),
        decided_by=by,
        created_at=at,
    )
    return Ruling(conflict.model_copy(update={"ruling": f"{decision}: {reason}"}), record)


def _decide(conflict: Conflict, holds: Mapping[str, bool], person: str) -> tuple[tuple[str, ...], str, str]:
    if conflict.conflict_class == "fact":
        return _by_probe(conflict, holds)
    if conflict.conflict_class == "plan":
        return _by_risk(conflict)
    if conflict.conflict_class == "requirement":
        return _by_owner(conflict, person)
    return (
        (),
        "the work is divided anew: a merge of the patches is a new artifact with checks of its own",
        (conflict.decision_owner),
    )


def _by_probe(conflict: Conflict, holds: Mapping[str, bool]) -> tuple[tuple[str, ...], str, str]:
    """What does not hold when asked again falls. Then a rule's question stands over a model's, then the clearer one."""
    standing = [s for s in conflict.sides if holds.get(s.ref, True)]
    if not standing:
        return (), "no side holds when its question is asked again", conflict.decision_owner
    ordered = sorted(standing, key=lambda s: (s.origin == "model", -s.strength, s.ref))
    first = ordered[0]
    return (first.ref,), _why_first(first, ordered[1:], conflict), conflict.decision_owner


def _why_first(first: ConflictSide, others: list[ConflictSide], conflict: Conflict) -> str:
    if not others:
        return f"of {len(conflict.sides)} sides it alone holds when its question is asked again"
    if first.origin != others[0].origin:
        return "its question was asked by rule, the other's by a model"
    return f"it shows the clearer deviation ({first.strength:.2f} against {others[0].strength:.2f})"


def _by_risk(conflict: Conflict) -> tuple[tuple[str, ...], str, str]:
    first = min(conflict.sides, key=lambda s: (-s.strength, s.ref))
    return (first.ref,), "it can break least beyond what is broken", conflict.decision_owner


def _by_owner(conflict: Conflict, person: str) -> tuple[tuple[str, ...], str, str]:
    remedy, requirement = conflict.sides
    if conflict.authority.type == "person" and person == "set_aside":
        return (remedy.ref,), f"{conflict.authority.ref} set the requirement aside", conflict.decision_owner
    if conflict.authority.type == "person" and person == "keep":
        return (requirement.ref,), f"{conflict.authority.ref} keeps the requirement", conflict.decision_owner
    if conflict.authority.type == "person":
        return (requirement.ref,), f"{conflict.authority.ref} was not asked: the requirement stands", "policy:default"
    return (requirement.ref,), "a policy stands; no agent may weigh it", conflict.decision_owner
