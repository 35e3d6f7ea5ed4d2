"""Sentences rendered from statements; nothing is ever read back from them."""

from datetime import datetime

from ..contracts.claim import Statement
from ..contracts.incident import CauseRef
from ..contracts.report import RankedCause, Ranking

VERBS = {
    "rises": "rose",
    "falls": "fell",
    "unchanged": "did not change",
    "appears": "appeared",
    "vanishes": "vanished",
    "fails": "fails",
    "slows": "slowed down",
    "waits_on": "waits on",
    "calls": "calls",
    "precedes": "came before the first anomaly",
    "touches": "touches",
    "sets": "sets",
    "matches": "speaks of",
    "states": "states",
}
KINDS = {
    "change": "change",
    "config": "configuration",
    "dependency": "dependency",
    "capacity": "capacity of",
    "infrastructure": "infrastructure",
    "external": "external",
    "component": "component",
    "service": "service",
}
SHORT_REF = 12


def clock(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S}Z"


def number(value: float, unit: str = "") -> str:
    text = f"{value:.4g}" if abs(value) < 1e6 else f"{value:.3e}"
    return f"{text} {unit}".rstrip()


def say(statement: Statement) -> str:
    """`cartservice: metric cpu rose from 0.2 to 0.9 at 2026-07-11 13:36:00Z`."""
    source, _, name = statement.signal.partition(":")
    parts = [f"{_subject(statement)}: {source} {name}".rstrip(), VERBS[statement.relation]]
    if statement.object:
        parts.append(f"“{statement.object[:160]}”")
    if statement.value is not None and statement.baseline is not None:
        parts.append(f"from {number(statement.baseline, statement.unit)} to {number(statement.value, statement.unit)}")
    elif statement.value is not None:
        parts.append(f"({number(statement.value, statement.unit)})")
    if statement.at is not None:
        parts.append(f"at {clock(statement.at)}")
    return " ".join(parts)


def _subject(statement: Statement) -> str:
    subject = statement.subject
    ref = subject.ref[:SHORT_REF] if subject.kind == "change" and subject.ref.isalnum() else subject.ref
    named = f"{subject.kind} {ref}" if subject.kind in {"change", "document", "node", "component"} else ref
    return f"{named} ({subject.service})" if subject.service and subject.service != subject.ref else named


def name_cause(cause: CauseRef) -> str:
    if cause.kind == "none":
        return "no change: an operational or external trigger" if not cause.ref or cause.ref == "none" else cause.ref
    ref = cause.ref[:SHORT_REF] if cause.kind == "change" and cause.ref.isalnum() else cause.ref
    at = f" on {cause.service}" if cause.service and cause.service != cause.ref else ""
    return f"{KINDS[cause.kind]} {ref}{at}"


def reason_words(reason: str) -> str:
    return reason.replace("_", " ")


def headline(ranking: Ranking, first: RankedCause | None) -> str:
    """The verdict in one line."""
    if ranking.outcome == "no_incident":
        return "Nothing in the data departs from normal: no incident."
    if ranking.outcome == "inconclusive" or first is None:
        return "Inconclusive: the evidence does not single out a cause."
    reason = f" ({reason_words(first.reason)})" if first.reason else ""
    return f"Most likely cause: {name_cause(first.cause)}{reason}, confidence {first.confidence:.2f}."
