"""Everything that could be to blame, on one scale, and what of it the asker's answer space allows."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime

from ...contracts.base import ClaimId
from ...contracts.incident import AnswerSpace, CauseKind, CauseRef
from .board import Board
from .changes import ChangeScore
from .diagnoses import Diagnosis
from .operational import OperationalCause
from .services import ServiceScore
from .taxonomy import listed_name, reason

YIELDS, YIELDS_SAME, FULL = 0.6, 0.85, 0.5
"""How far a cause without a change gives way to a change that explains the symptoms with a score of `FULL` or more: the
first where it has evidence of its own, the second where all its evidence is what the change explains."""
UNLISTED = 0.6
"""What is left of a cause whose fault kind the asker's list does not hold."""
UNEXPLAINED = 0.22
"""Score of `none` where changes were read and none of them explains anything."""
EXPLAINED_ELSEWHERE = 0.5
"""How far a service gives way to a change or an outside cause that explains it."""


@dataclass(frozen=True)
class Candidate:
    cause: CauseRef
    reason: str
    score: float
    onset: datetime | None = None
    claims_for: tuple[ClaimId, ...] = ()
    claims_against: tuple[ClaimId, ...] = ()
    note: str = ""
    remedy: str = ""
    seat: frozenset[str] = frozenset()
    """Services that hold an outside cause rather than suffer from it."""
    nearness: float = 0.0
    """How suspicious time and place make it, whatever its content."""
    unread: bool = False


def candidates(
    board: Board,
    changes: Sequence[ChangeScore],
    operational: Sequence[OperationalCause],
    services: Sequence[ServiceScore],
    diagnosed: Sequence[Diagnosis] = (),
) -> tuple[Candidate, ...]:
    best = changes[0] if changes else None
    best_change = best.score if best else 0.0
    outside = [_outside(cause, best, board) for cause in operational]
    objects = [_object(diagnosis) for diagnosis in diagnosed]
    explained = max([best_change, *(c.score for c in (*outside, *objects))], default=0.0)
    inside = [_service(service, explained) for service in services]
    found = [*(_change(change) for change in changes), *outside, *objects, *inside]
    if changes:
        found.append(_none(best_change))
    return tuple(sorted(found, key=_order))


def answerable(found: Sequence[Candidate], space: AnswerSpace) -> tuple[Candidate, ...]:
    """What the asker accepts. A cause that is no change answers `none` where that is all that is left for it."""
    kinds = set(space.kinds) or {cause.kind for cause in space.causes}
    if not kinds:
        return tuple(_named([c for c in found if c.cause.kind != "none" or c.score > 0], space))
    kept = [named for c in found if (named := _into(c, kinds, space)) is not None]
    return tuple(_named(sorted(_best_of_each(kept, by_reason=bool(space.reasons)), key=_order), space))


def _into(candidate: Candidate, kinds: AbstractSet[CauseKind], space: AnswerSpace) -> Candidate | None:
    kind = candidate.cause.kind
    if kind in kinds:
        return _listed(candidate, space)
    if "none" in kinds and kind not in {"change", "service", "component"}:
        return replace(candidate, cause=CauseRef(kind="none", ref="none"))
    if kind == "service" and "component" in kinds:
        return _listed(replace(candidate, cause=CauseRef(kind="component", ref=candidate.cause.ref)), space)
    return None


def _listed(candidate: Candidate, space: AnswerSpace) -> Candidate | None:
    if not space.causes or candidate.cause.kind == "none":
        return candidate
    same = [cause for cause in space.causes if cause.kind == candidate.cause.kind]
    match = next((cause for cause in same if _same(cause.ref, candidate.cause.ref)), None)
    if match is None:
        return None
    return replace(candidate, cause=match.model_copy(update={"service": match.service or candidate.cause.service}))


def _same(listed: str, found: str) -> bool:
    one, other = listed.lower(), found.lower()
    if one == other or one.rpartition("/")[2] == other.rpartition("/")[2]:
        return True
    return min(len(one), len(other)) >= 7 and (one.startswith(other) or other.startswith(one)) and _hexadecimal(one)


def _hexadecimal(text: str) -> bool:
    return all(char in "0123456789abcdef" for char in text)


def _best_of_each(found: Iterable[Candidate], *, by_reason: bool) -> list[Candidate]:
    best: dict[tuple[str, str, str], Candidate] = {}
    for candidate in found:
        key = (candidate.cause.kind, candidate.cause.ref, candidate.reason if by_reason else "")
        if key not in best or _order(candidate) < _order(best[key]):
            best[key] = candidate
    return list(best.values())


def _named(found: Sequence[Candidate], space: AnswerSpace) -> list[Candidate]:
    """Fault kinds from the asker's own list, where there is one."""
    if not space.reasons:
        return list(found)
    named = [replace(c, reason=listed_name(c.reason, space.reasons)) for c in found]
    return sorted((c if c.reason else replace(c, score=round(UNLISTED * c.score, 4)) for c in named), key=_order)


def _change(change: ChangeScore) -> Candidate:
    return Candidate(
        cause=CauseRef(kind="change", ref=change.ref, service=change.service), reason=change.reason, score=change.score,
        onset=change.at, claims_for=change.claims_for, claims_against=change.claims_against, note=change.note,
        nearness=change.nearness, unread=change.unread,
    )  # fmt: skip


def _outside(cause: OperationalCause, best: ChangeScore | None, board: Board) -> Candidate:
    seat = frozenset(
        name
        for name in cause.services
        if name not in {a.service for a in board.incident.alerts} and _is_seat(name, cause)
    )
    return Candidate(
        cause=CauseRef(kind=cause.kind, ref=cause.service or cause.reason.name, service=cause.service),
        reason=cause.reason.name,
        score=round(cause.score * (1 - _yielded(cause, best)), 4),
        onset=cause.at,
        claims_for=cause.claims,
        note=cause.note,
        remedy=cause.reason.remedy,
        seat=seat,
    )


def _yielded(cause: OperationalCause, best: ChangeScore | None) -> float:
    if best is None:
        return 0.0
    shared = len(set(cause.claims) & set(best.claims_for)) / max(1, len(cause.claims))
    return min(1.0, best.score / FULL) * (YIELDS + (YIELDS_SAME - YIELDS) * shared)


def _object(diagnosis: Diagnosis) -> Candidate:
    known = reason(diagnosis.reason)
    return Candidate(
        cause=diagnosis.cause, reason=diagnosis.reason, score=diagnosis.score, claims_for=diagnosis.claims,
        note=diagnosis.note, remedy=known.remedy if known else "",
    )  # fmt: skip


def _is_seat(name: str, cause: OperationalCause) -> bool:
    """Whether a service's very name is what the fault is about, as a resolver's is about names."""
    return any(pattern.search(name) for pattern in cause.reason.text)


def _service(service: ServiceScore, explained: float) -> Candidate:
    return Candidate(
        cause=CauseRef(kind="service", ref=service.name, service=service.name),
        reason=service.reason,
        score=round(service.score * (1 - EXPLAINED_ELSEWHERE * explained), 4),
        onset=service.onset,
        claims_for=service.claims,
        note=f"Position on the call graph: {service.position.replace('_', ' ')}." if service.position else "",
    )


def _none(best_change: float) -> Candidate:
    return Candidate(
        cause=CauseRef(kind="none", ref="none"),
        reason="",
        score=round(UNEXPLAINED * (1 - best_change), 4),
        note="No change that was live in time explains the symptoms.",
    )


def _order(candidate: Candidate) -> tuple[float, str, str]:
    return (-candidate.score, candidate.cause.kind, candidate.cause.ref)
