"""One ranking from all claims. Their order, their number and who made them do not matter: see docs/ranking.md."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from ...contracts.base import ClaimId
from ...contracts.claim import Claim
from ...contracts.incident import CauseRef, Incident
from ...contracts.report import Outcome, RankedCause, Ranking, RuledOut
from .board import INFERRED, Board
from .candidates import Candidate, answerable, candidates
from .chain import chain_of, remedies_of
from .changes import ChangeRanker
from .confidence import confidence_of, outcome_of
from .diagnoses import Diagnosis, diagnoses
from .operational import operational_causes
from .services import ServiceRanker
from .settled import blind, settled, uncollected

MAX_CAUSES = 10
KEPT, SHARE = 3, 0.12
"""So many causes are told in any case; further changes only from this share of the first one's score on."""
NEAR, MAX_UNREAD = 0.6, 4
"""From which nearness in time and place a change that nobody can judge is missed, and how many of them are told."""
ESTABLISHED, PIECES = 0.4, 2
"""Least confidence and least number of claims of a first cause that is more than a lead."""
MAX_RULED_OUT = 12


def rank(claims: Iterable[Claim], incident: Incident) -> Ranking:
    """Causes best first, within the incident's answer space; equal claims give equal rankings in any order."""
    board = Board(claims, incident)
    services = ServiceRanker(board)
    changes = ChangeRanker(board).scores()
    operational = operational_causes(board)
    diagnosed = diagnoses(board)
    found = candidates(board, changes, operational, services.scores, diagnosed)
    allowed = answerable(found, incident.answer_space)
    outcome = _outcome(board, diagnosed, allowed)
    first = services.first_failing()
    onset = next((s.onset for s in services.scores if s.name == first and s.onset), None) or board.onset
    causes = _ranked(allowed, board, onset) if outcome == "cause_found" else ()
    top = allowed[0] if causes else None
    seat = top.seat if top else frozenset()
    affected = services.affected(first, seat)
    return Ranking(
        outcome=outcome,
        causes=causes,
        first_failing_service=first if outcome == "cause_found" else "",
        affected_services=affected if outcome == "cause_found" else (),
        onset=onset if outcome != "no_incident" else None,
        chain=chain_of(board, top, first, affected) if top else (),
        ruled_out=_ruled_out(found, causes),
        remediation=remedies_of(top, first) if top else (),
        missing=_missing(board, allowed, found),
    )


def _outcome(board: Board, diagnosed: Sequence[Diagnosis], allowed: Sequence[Candidate]) -> Outcome:
    if blind(board):
        return "inconclusive"
    return "no_incident" if settled(board, diagnosed) else outcome_of(board, allowed)


def _ranked(allowed: Sequence[Candidate], board: Board, onset: datetime | None) -> tuple[RankedCause, ...]:
    """A change's onset is when its symptoms began, not when it went live: its time is a claim of its own."""
    kept = _worth_telling([c for c in allowed if c.score > 0])[:MAX_CAUSES]
    told = tuple(
        RankedCause(
            cause=c.cause, reason=c.reason, score=c.score,
            confidence=confidence_of(c, kept[:at] + kept[at + 1 :], board),
            onset=onset if c.cause.kind == "change" else c.onset,
            claims_for=c.claims_for, claims_against=c.claims_against, note=c.note,
        )
        for at, c in enumerate(kept)
    )  # fmt: skip
    return (_as_lead(told[0]), *told[1:]) if told else ()


def _worth_telling(found: Sequence[Candidate]) -> list[Candidate]:
    least = SHARE * found[0].score if found else 0.0
    return [c for at, c in enumerate(found) if at < KEPT or c.cause.kind not in {"change", "none"} or c.score >= least]


def _as_lead(first: RankedCause) -> RankedCause:
    """Where little speaks for the first cause, its note says that it is a lead."""
    few = len(first.claims_for) < PIECES
    if not few and first.confidence >= ESTABLISHED:
        return first
    confidence = min(first.confidence, ESTABLISHED - 0.01) if few else first.confidence
    note = f"Not established: {first.note[:1].lower()}{first.note[1:]}" if first.note else "Not established."
    return first.model_copy(update={"confidence": confidence, "note": note})


def _ruled_out(found: Sequence[Candidate], causes: Sequence[RankedCause]) -> tuple[RuledOut, ...]:
    """Changes that were looked at and cleared, those first that stood nearest to the incident."""
    named = {(cause.cause.kind, cause.cause.ref) for cause in causes[:1]}
    cleared = [
        c for c in found if c.cause.kind == "change" and c.claims_against and (c.cause.kind, c.cause.ref) not in named
    ]
    cleared.sort(key=lambda c: (-c.nearness, c.cause.ref))
    return tuple(RuledOut(cause=c.cause, why=c.note, claims=_ids(c.claims_against)) for c in cleared[:MAX_RULED_OUT])


def _ids(claims: Sequence[ClaimId]) -> tuple[ClaimId, ...]:
    return tuple(dict.fromkeys(claims))


def _missing(board: Board, allowed: Sequence[Candidate], everything: Sequence[Candidate]) -> tuple[str, ...]:
    """What would separate the causes further."""
    found = list(uncollected(board))
    if not board.of("metric", "log", "trace"):
        found.append("metrics, logs or traces of the time of the incident")
    unread = [c for c in allowed[:3] if c.cause.kind == "change" and c.unread]
    near = [c for c in everything if c.cause.kind == "change" and c.unread and c.nearness >= NEAR]
    unread += sorted(near, key=lambda c: (-c.nearness, c.cause.ref))[:MAX_UNREAD]
    found += dict.fromkeys(f"the diff of {c.cause.ref[:12]}" for c in unread)
    if board.changes and not any(_deployed(c) for c in board.of("change")):
        found.append("which deploy carried which change")
    return tuple(found)


def _deployed(claim: Claim) -> bool:
    return claim.signal == "change:time" and bool(claim.object) and not claim.object.endswith(INFERRED)


__all__ = ["CauseRef", "rank"]
