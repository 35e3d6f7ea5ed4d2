"""Faults that a cluster's own objects show: each names its object and its kind, so nothing has to be guessed."""

import re
from collections import defaultdict
from dataclasses import dataclass, replace

from ...contracts.base import ClaimId
from ...contracts.claim import Claim
from ...contracts.incident import CauseRef
from .board import Board
from .support import noisy_or

ASIDE = 0.6
"""How far a diagnosis counts whose object is not the one asked about, where another's is."""
SEEN = 0.2
"""What trouble of the same object, seen elsewhere, adds to a diagnosis."""
NAMESPACE = "namespace/"
_KIND = re.compile(r"[a-z]+(_[a-z0-9]+)+")
"""A fault kind, as against a state like `NotReady`."""


@dataclass(frozen=True)
class Diagnosis:
    cause: CauseRef
    reason: str
    score: float
    claims: tuple[ClaimId, ...]
    note: str


def diagnoses(board: Board) -> tuple[Diagnosis, ...]:
    """Surest first."""
    grouped: dict[tuple[str, str], list[Claim]] = defaultdict(list)
    for claim in board.of("resource"):
        if claim.relation == "states" and _KIND.fullmatch(claim.object):
            grouped[claim.subject.ref, claim.object].append(claim)
    found = [_diagnosis(board, claims) for claims in grouped.values()]
    return tuple(sorted(_aside(board, found), key=lambda d: (-d.score, d.cause.ref, d.reason)))


def _aside(board: Board, found: list[Diagnosis]) -> list[Diagnosis]:
    """Where nothing is known of who calls whom, trouble of another object than the one asked about stands aside."""
    asked = {d.cause.ref for d in found if _is_asked(board, d)}
    if not asked or board.edges:
        return found
    return [d if d.cause.ref in asked else replace(d, score=round(ASIDE * d.score, 4)) for d in found]


def _is_asked(board: Board, diagnosis: Diagnosis) -> bool:
    incident = board.incident
    name = diagnosis.cause.ref.rpartition("/")[2]
    told = " ".join([incident.title, incident.question, *(a.service for a in incident.alerts)])
    return len(name) > 3 and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w])", told) is not None


def _diagnosis(board: Board, claims: list[Claim]) -> Diagnosis:
    best = max(claims, key=lambda c: (c.strength, c.id))
    name = best.subject.ref.rpartition("/")[2]
    seen = [c for c in board.of("resource", "log", "metric", "trace") if c.relation != "states" and _about(c, name)]
    strongest = max((c.strength for c in seen), default=0.0)
    score = noisy_or([0.8 * best.strength, SEEN * strongest])
    return Diagnosis(
        cause=_cause(best), reason=best.object, score=round(score, 4),
        claims=tuple(dict.fromkeys([best.id, *(c.id for c in sorted(seen, key=lambda c: (-c.strength, c.id))[:4])])),
        note=best.quote[:160] or f"{best.subject.ref}: {best.object.replace('_', ' ')}",
    )  # fmt: skip


def _cause(claim: Claim) -> CauseRef:
    if claim.subject.kind == "node":
        return CauseRef(kind="infrastructure", ref=f"node/{claim.subject.ref}")
    if claim.subject.ref.startswith(NAMESPACE):
        return CauseRef(kind="capacity", ref=claim.subject.ref)
    return CauseRef(kind="component", ref=claim.subject.ref, service=claim.subject.service)


def _about(claim: Claim, name: str) -> bool:
    """Whether a claim is of the object, of a pod of it, or of its address."""
    ref = claim.subject.ref.rpartition("/")[2].partition(":")[0]
    return name in {ref, claim.subject.service} or (len(name) > 3 and ref.startswith(f"{name}-"))
