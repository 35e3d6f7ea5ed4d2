"""How sure a ranking may be, and when it must not name a cause at all."""

from collections.abc import Sequence

from ...contracts.report import Outcome
from .board import Board
from .candidates import Candidate

ENOUGH, ENOUGH_WHERE_ASKED = 0.15, 0.02
"""Least score of a cause that is named; less where the asker has fixed that something is to blame."""
ANOMALOUS, ANOMALOUS_WHERE_ASKED = 0.45, 0.25
"""Least strength of a symptom that makes an incident; less where the asker has fixed that something is to blame."""
CEILING = 0.95
CLEAR_MARGIN = 0.3
SAME_VIEW = {"path": "metric", "traffic": "metric"}
"""Kinds of evidence that are read off the same series."""


def confidence_of(candidate: Candidate, others: Sequence[Candidate], board: Board) -> float:
    """Score, less where a rival is near, where one kind of evidence stands alone, and where only the alert speaks."""
    rival = max((other.score for other in others if not _same_place(candidate, other)), default=0.0)
    margin = min(1.0, max(0.0, candidate.score - rival) / CLEAR_MARGIN)
    families = {SAME_VIEW.get(s.family, s.family) for s in board.telling if s.claim is not None}
    breadth = 1.0 if len(families) >= 2 else 0.8 if families else 0.4
    return round(min(CEILING, candidate.score * (0.6 + 0.4 * margin) * breadth * 1.15), 4)


def _same_place(one: Candidate, other: Candidate) -> bool:
    """Whether one is the service that the other happened in: that is no contradiction."""
    kinds = {one.cause.kind, other.cause.kind}
    return kinds > {"service"} and (one.cause.service or one.cause.ref) == (other.cause.service or other.cause.ref)


def outcome_of(board: Board, found: Sequence[Candidate]) -> Outcome:
    if not board.claims:
        return "inconclusive"
    strongest = max((s.weight for s in board.symptoms if s.claim is not None), default=0.0)
    if strongest < (ANOMALOUS_WHERE_ASKED if _asked_for_one(board) else ANOMALOUS):
        return (
            "no_incident"
            if board.of("metric", "log", "trace", "resource", "topology") or strongest > 0
            else "inconclusive"
        )
    enough = ENOUGH_WHERE_ASKED if _asked_for_one(board) else ENOUGH
    if not found or found[0].score < enough or _one_view(board, found[0]):
        return "inconclusive"
    return "cause_found"


def _asked_for_one(board: Board) -> bool:
    """Whether the answer space holds causes, and nothing to say that there is none."""
    space = board.incident.answer_space
    kinds = {*space.kinds, *(cause.kind for cause in space.causes)}
    return bool(kinds) and "none" not in kinds


def _one_view(board: Board, top: Candidate) -> bool:
    """Whether all that is known is that one service is slow or fails: where that comes from cannot be told."""
    if board.incident.answer_space.kinds or board.incident.answer_space.causes or top.cause.kind != "service":
        return False
    golden = all(s.golden for s in board.telling)
    return (
        golden
        and len({s.service for s in board.telling}) == 1
        and any(caller == top.cause.ref for caller, _ in board.edges)
    )
