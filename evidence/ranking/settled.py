"""Whether what was looked at is over, or never was one: a check that passed, a limit that was raised in time, noise."""

from collections.abc import Sequence

from .board import Board, Symptom
from .diagnoses import Diagnosis

SHOWN = 0.5
"""Least score of a diagnosis that keeps an incident open."""
QUIET = frozenset({"ok", "normal", "resolved", "inactive", "healthy"})


def settled(board: Board, found: Sequence[Diagnosis]) -> bool:
    """Only where the asker does not say that something is to blame, and no object shows a fault of its own."""
    space = board.incident.answer_space
    if space.kinds or space.causes or any(d.score >= SHOWN for d in found):
        return False
    return _alert_is_over(board) or _recovered(board) or _only_moved(board) or _nothing_there(board)


def uncollected(board: Board) -> tuple[str, ...]:
    """What was asked for and could not be read, in the words of the failure."""
    return tuple(dict.fromkeys(c.quote for c in board.of("document") if c.object == "uncollected"))


def blind(board: Board) -> bool:
    """Whether what could not be collected is all that is known."""
    return bool(uncollected(board)) and all(c.object == "uncollected" for c in board.claims)


def _nothing_there(board: Board) -> bool:
    """Whether what was looked for was read to its end and is empty, and nothing else complains."""
    empty = any(c.signal == "document:line" and c.object == "empty" for c in board.claims)
    return empty and not uncollected(board) and not any(s.claim for s in board.telling)


def _alert_is_over(board: Board) -> bool:
    """Whether every alert says of itself that it does not fire."""
    alerts = board.incident.alerts
    return bool(alerts) and all(a.labels.get("state", "").lower() in QUIET for a in alerts)


def _recovered(board: Board) -> bool:
    alerted = {a.service for a in board.incident.alerts}
    return any(
        c.object == "recovered" and c.relation == "unchanged" and (c.subject.owner in alerted or not alerted)
        for c in board.of("resource")
    )


def _only_moved(board: Board) -> bool:
    """Whether all that moved is load and use of resources: nothing failed, nothing was slow, no line complains."""
    telling = board.telling
    return bool(telling) and bool(board.of("resource", "log")) and not any(_hurts(s) for s in telling)


def _hurts(symptom: Symptom) -> bool:
    if symptom.family in {"traffic", "resource"} and symptom.metric:
        return False
    return not symptom.metric or symptom.golden
