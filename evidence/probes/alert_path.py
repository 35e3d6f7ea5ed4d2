"""From the alerted service along its calls: where does the same measure leave its range, and where does that end?

Method: the alert's own measure (or, where others do not have it by name, one of its kind: duration, success, errors) is
compared for each service that the alerted one reaches by calls, against the time before and against the best of the
window's own points before the alert; the smaller distance counts, since what lies off all the time is no incident. A
service gives way to a callee that calls others itself and moves by at least 0.3 as much, or to one that calls nobody
and moves by 0.4 as much. An endpoint that calls nobody counts half where a caller of it also calls a service that moves
and does: it may only be the address of that service. What no move leads to counts 0.7 (a traversal after MonitorRank
and after Hardt et al., 2023). Strength: z / (z + 6) at the end of a path, half
of it for each step back. Cost: the series of one measure.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np

from ...contracts.claim import Fact
from ...contracts.evidence import Answer
from ..robust import Floats
from ..series import Series, load_series, micros, moment
from ..subjects import subject_for
from ..tables import Periods, Tables
from ..topology import CallGraph, call_graph_of
from .base import Params, Probe, answered, rounded, saturating, strength, undated

HALF, MIN_Z, MIN_USUAL = 6.0, 3.0, 3
LEAST = {"duration": 0.2, "success": 0.005, "errors": 0.1}
"""Least move that counts, as a share of the usual value; of errors in their own unit."""
SPREAD = {"duration": 0.06, "success": 0.002, "errors": 0.02}
"""Least spread, likewise."""
EXPLAINS, LEAF_EXPLAINS = 0.3, 0.4
MIRROR, BACK, APART = 0.5, 0.5, 0.7
_KINDS = (
    ("success", re.compile(r"success|availab", re.IGNORECASE)),
    ("errors", re.compile(r"error|fault|fail|5xx", re.IGNORECASE)),
    ("duration", re.compile(r"latency|duration|response.?time|elapsed", re.IGNORECASE)),
)


class AlertPath(Params):
    service: str = ""
    """Where to begin; the default is the first alert's."""
    metric: str = ""
    """The measure; the default is the first alert's."""


class Move(NamedTuple):
    z: float
    size: float
    """In the measure's unit, towards the bad side."""
    value: float
    baseline: float
    at: datetime
    series: Series


def answer(tables: Tables, params: AlertPath) -> Answer:
    alert = tables.incident.first_alert
    service = params.service or (alert.service if alert else "")
    metric = params.metric or (alert.metric if alert else "")
    kind = kind_of(metric)
    periods = tables.periods()
    if not service or not kind:
        return Answer(status="empty", note="no alert names a service and a duration, a share of success or errors")
    window = tables.window
    if periods is None or window is None or not tables.has("metrics"):
        return undated("metrics")
    graph = call_graph_of(tables)
    near = sorted({service, *graph.reached(service)})
    loaded = load_series(tables, Periods(periods.before, window), services=near)
    alike = [s for s in loaded.series if s.metric == metric]
    if len({s.service for s in alike}) < 2:
        alike = [s for s in loaded.series if kind_of(s.metric) == kind]
    moves = _moves(alike, kind, periods, window.start, tables.split or periods.after.start)
    facts = list(_facts(tables, graph, service, moves))
    return answered(tables, "metrics", facts, window=periods.whole, rows_read=loaded.rows)


def kind_of(metric: str) -> str:
    return next((kind for kind, pattern in _KINDS if pattern.search(metric)), "")


def _moves(series: Sequence[Series], kind: str, periods: Periods, begin: datetime, split: datetime) -> dict[str, Move]:
    """Of each service the clearest."""
    found: dict[str, Move] = {}
    for one in series:
        move = _move(one, kind, periods, begin, max(split, periods.after.start))
        if move is not None and (one.service not in found or move.z > found[one.service].z):
            found[one.service] = move
    return found


def _move(series: Series, kind: str, periods: Periods, begin: datetime, split: datetime) -> Move | None:
    usual = series.part(periods.before.start, periods.before.end, include_end=False)
    early = series.part(begin, split, include_end=False)
    inside = (series.times >= micros(split)) & (series.times <= micros(periods.after.end))
    late, times = series.values[inside], series.times[inside]
    if len(usual) < MIN_USUAL or not len(late):
        return None
    bad = -1.0 if kind == "success" else 1.0
    peak, at = _worst(late, bad)
    references = [usual, *([_best(early, bad)] if len(early) else [])]
    distances = [_distance(peak, reference, kind, bad) for reference in references]
    z, size = min(distance[0] for distance in distances), min(distance[1] for distance in distances)
    centre = float(np.median(usual))
    if z < MIN_Z or size < LEAST[kind] * (1.0 if kind == "errors" else abs(centre)):
        return None
    return Move(z, size, peak, centre, moment(int(times[at])), series)


def _best(early: Floats, bad: float) -> Floats:
    """Of the window's own time before the alert its best point: the incident may have begun already."""
    return np.array([early.min() if bad > 0 else early.max()])


def _worst(values: Floats, bad: float) -> tuple[float, int]:
    """The worst of two points in a row, so that one of them alone does not decide, and where they begin."""
    if len(values) < 2:
        return float(values[0]), 0
    pairs = (values[1:] + values[:-1]) / 2
    at = int(np.argmax(pairs * bad))
    return float(pairs[at]), at


def _distance(peak: float, reference: Floats, kind: str, bad: float) -> tuple[float, float]:
    centre = float(np.median(reference))
    least = SPREAD[kind] * (1.0 if kind == "errors" else abs(centre))
    spread = max(1.4826 * float(np.median(np.abs(reference - centre))), least, 1e-12)
    return (peak - centre) * bad / spread, (peak - centre) * bad


def _facts(tables: Tables, graph: CallGraph, start: str, moves: Mapping[str, Move]) -> Iterator[Fact]:
    ends = {name: _explained_by(name, graph, moves) for name in moves}
    for name, move in sorted(moves.items()):
        steps = _steps(name, ends)
        strong = saturating(move.z, HALF) * BACK**steps
        if not graph.callees.get(name) and _mirrors(name, graph, moves):
            strong *= MIRROR
        if name == start:
            strong *= BACK
        elif name not in ends.values():
            strong *= APART
        yield Fact(
            subject=subject_for(tables.incident, name), signal=f"path:{move.series.metric}",
            relation="falls" if move.value < move.baseline else "rises",
            object="the path ends here" if not steps else f"leads to {ends[name]}", value=rounded(move.value),
            baseline=rounded(move.baseline), unit=move.series.unit, at=move.at, strength=strength(strong),
        )  # fmt: skip


def _explained_by(name: str, graph: CallGraph, moves: Mapping[str, Move]) -> str:
    """The callee that moves most like it, or nothing."""
    options = []
    for callee in sorted(graph.callees.get(name, ())):
        if callee in moves and name not in graph.reached(callee):
            inner = bool(graph.callees.get(callee))
            share = moves[callee].size / moves[name].size
            if share >= (EXPLAINS if inner else LEAF_EXPLAINS):
                options.append((inner, min(share, 1.0), moves[callee].z, callee))
    return max(options)[3] if options else ""


def _steps(name: str, ends: Mapping[str, str]) -> int:
    seen = {name}
    while (name := ends[name]) and name not in seen:
        seen.add(name)
    return len(seen) - 1


def _mirrors(name: str, graph: CallGraph, moves: Mapping[str, Move]) -> bool:
    """Whether a caller of this endpoint also calls a service that moves and that calls others itself."""
    callers = graph.callers.get(name, set())
    return any(
        other in moves and other != name and other not in callers and graph.callees.get(other)
        for caller in callers
        for other in graph.callees.get(caller, ())
    )


PROBE = Probe(
    name="alert_path",
    question="Along the alerted service's calls, where does the same measure leave its range, and where does that end?",
    sources=("metrics",),
    cost="moderate",
    params=AlertPath,
    answer=answer,
)
