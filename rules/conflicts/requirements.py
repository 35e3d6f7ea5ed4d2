"""Requirement conflicts: a remedy against something that the team must respect. No agent may weigh these."""

from collections.abc import Sequence

from ...contracts.arbitration import Authority, Conflict, ConflictSide
from ...contracts.base import derived_id
from ...contracts.report import Remedy
from ...contracts.team import Requirement


def requirement_conflicts(remedies: Sequence[Remedy], requirements: Sequence[Requirement]) -> tuple[Conflict, ...]:
    return tuple(
        _conflict(remedy, requirement)
        for remedy in remedies
        for requirement in requirements
        if remedy.action in requirement.forbids and (not requirement.services or remedy.target in requirement.services)
    )


def _conflict(remedy: Remedy, requirement: Requirement) -> Conflict:
    remedy_ref, requirement_ref = f"{remedy.action}:{remedy.target}", f"requirement:{requirement.id}"
    authority = (
        Authority(type="person", ref=requirement.owner)
        if requirement.owner
        else Authority(type="policy", ref=requirement.id)
    )
    return Conflict(
        conflict_id=derived_id("cfl", "requirement", remedy_ref, requirement_ref),
        conflict_class="requirement",
        subject=remedy.target,
        description=f"{remedy.action} of {remedy.target} would end the incident; {requirement.statement}",
        sides=(
            ConflictSide(ref=remedy_ref, says=f"{remedy.action} {remedy.target}"),
            ConflictSide(ref=requirement_ref, says=requirement.statement, by=requirement.owner),
        ),
        risk="high",
        options=(f"set {requirement.id} aside", f"give up {remedy_ref}"),
        authority=authority,
        decision_owner=f"person:{requirement.owner}" if requirement.owner else f"policy:{requirement.id}",
    )
