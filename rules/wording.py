"""Sentences rendered from statements; nothing is ever read back from them."""

import math
from collections.abc import Callable
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
KIBI = 1024
BYTES = ("By", "KiBy", "MiBy", "GiBy", "TiBy")
ESTABLISHED = 0.4
"""Below this confidence the first cause is a lead, and is called that."""
LONG = 300
"""Characters of a line that is shown for what it says."""


def clock(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S}Z"


def number(value: float, unit: str = "") -> str:
    """Four digits at most, thousands apart, bytes in the size that a person reads; the unit `1` is none."""
    if unit == "By" and abs(value) >= KIBI:
        power = min(int(math.log(abs(value), KIBI)), len(BYTES) - 1)
        return f"{value / KIBI**power:.4g} {BYTES[power]}"
    text = f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"
    return f"{text} {unit}".rstrip() if unit != "1" else text


def say(statement: Statement) -> str:
    """One sentence without its full stop: `cartservice: cpu rose from 0.2 to 0.9 at 2026-07-11 13:36:00Z`."""
    return SAYINGS.get(statement.signal.partition(":")[0], _plainly)(statement)


def _plainly(of: Statement) -> str:
    name = of.signal.partition(":")[2].replace("_", " ")
    about = f" {_quoted(of.object)}" if of.object else ""
    return f"{_subject(of)}: {name} {VERBS[of.relation]}{about}{_numbers(of)}{_when(of)}"


def _of_metric(of: Statement) -> str:
    name = of.signal.partition(":")[2]
    with_other = f" with {_quoted(of.object)}" if of.object else ""
    return f"{_subject(of)}: {name} {VERBS[of.relation]}{with_other}{_numbers(of)}{_when(of)}"


def _of_log(of: Statement) -> str:
    name = of.signal.partition(":")[2]
    if name == "error_rate":
        return f"{_subject(of)}: log errors {VERBS[of.relation]}{_numbers(of)}{_when(of)}"
    return f"{_subject(of)} logs: {_quoted(of.object)} {VERBS[of.relation]}{_numbers(of)}{_when(of)}"


def _of_change(of: Statement) -> str:
    subject = _subject(of)
    if of.relation == "precedes":
        lead = f" {number(of.value)} min before the first anomaly" if of.value is not None else ""
        target = f" reached {of.object}" if of.object else " was made"
        return f"{subject}{target}{lead}{_when(of)}"
    if of.relation == "sets":
        return f"{subject} sets {_quoted(of.object)}{_numbers(of)}"
    return f"{subject} {VERBS[of.relation]} {_quoted(of.object)}"


def _of_topology(of: Statement) -> str:
    if of.relation == "calls":
        return f"{of.subject.ref} calls {of.object}"
    return f"{_subject(of)} is {of.object.replace('_', ' ')} on the call graph"


def _of_object(of: Statement) -> str:
    """What is wrong with an object, then the line that shows it, for nobody should have to look it up."""
    what = of.object.replace("_", " ") if of.relation == "states" else f"{VERBS[of.relation]} {of.object}".strip()
    shown = f": {_quoted(of.quote, LONG)}" if of.quote and of.quote != of.object else ""
    return f"{_subject(of)}: {what}{_numbers(of)}{_when(of)}{shown}"


SAYINGS: dict[str, Callable[[Statement], str]] = {
    "metric": _of_metric,
    "log": _of_log,
    "change": _of_change,
    "topology": _of_topology,
    "resource": _of_object,
    "document": _of_object,
}
"""How statements of a source are worded; the others plainly."""


def _quoted(text: str, limit: int = 160) -> str:
    return f"“{text[:limit]}”"


def _numbers(of: Statement) -> str:
    unit = of.unit.replace("_", " ")
    if of.value is not None and of.baseline is not None:
        return f" from {number(of.baseline, unit if unit == 'By' else '')} to {number(of.value, unit)}"
    return f" ({number(of.value, unit)})" if of.value is not None else ""


def _when(of: Statement) -> str:
    return f" at {clock(of.at)}" if of.at is not None else ""


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
    if first.confidence < ESTABLISHED:
        return f"Not established. Strongest lead: {name_cause(first.cause)}{reason}."
    return f"Most likely cause: {name_cause(first.cause)}{reason}."
