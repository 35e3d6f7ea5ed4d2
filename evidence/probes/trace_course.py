"""Which services handle the same requests in another way than before?

Method: spans are joined to visits, one request's stay in one service (visits.py). A visit's events are the log lines
that carry its span, by the place in the code where they were written or by their template, the steps inside and the
calls that it made. For each operation and event the share of visits that show it is compared before and after,
stratified by the way that led there, so that another mix of traffic is no change (Mantel and Haenszel, 1959); so is,
after Yu et al., 2023 (fine-grained root causes from multi-modal observability data, ESEC/FSE), the share of those
visits that came as far as the event's usual predecessor. What appears counts
in full where it tells of a failure and a fifth else; what vanishes counts in full as a line, 0.6 as a call or a step,
and not where it told of a failure: a service that recovers is no cause. Strength: |difference|^0.7 x z / (z + 2), less
0.6 of the most that a service shows that it leads to: what a callee does differently shows in its callers as well. Two
facts per operation at most. Cost: reads at most 250,000 spans and as many log lines.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from ...contracts.claim import Fact, Relation
from ...contracts.evidence import Answer
from ..series import moment
from ..subjects import subject_for
from ..tables import Tables
from ..visits import Event, Path, Visit, Visits, visits_of
from .base import Params, Probe, ServiceNames, answered, cut, rounded, strength, undated

MIN_STRENGTH = 0.1
HALF, POWER = 2.0, 0.7
ROUTINE, INNER = 0.2, 0.6
EXPLAINED = 0.6
"""How much of a callee's strength a caller gives away."""
FACTS_PER_OPERATION = 2
Operation = tuple[str, str]


class TraceCourse(Params):
    services: tuple[str, ...] = ServiceNames
    """Only what these do; empty means all."""
    split_at: datetime | None = None
    """Where before ends; the default is docs/probes.md's."""


class Stratum(NamedTuple):
    shown_before: int
    before: int
    shown_after: int
    after: int


class _Drift(NamedTuple):
    operation: Operation
    event: Event
    given: str
    """The event that usually comes before it, where only visits that came so far were compared."""
    before: float
    after: float
    strength: float


def answer(tables: Tables, params: TraceCourse) -> Answer:
    periods = tables.periods(params.split_at)
    if periods is None:
        return undated("traces")
    visits = visits_of(tables, periods)
    drifts = sorted(_drifts(visits.found), key=lambda d: (-d.strength, d.operation, d.event, d.given))
    own: dict[str, float] = {}
    for drift in drifts:
        own.setdefault(drift.operation[0], drift.strength)
    placed = _placed(own, visits.found)
    facts = list(_facts(tables, drifts, own, placed, visits, set(params.services)))
    return answered(tables, "traces", facts, window=periods.whole, rows_read=visits.spans)


def mantel_haenszel(strata: Iterable[Stratum]) -> tuple[float, float]:
    """Difference of two shares and its z score with continuity correction, over strata that hold both."""
    excess = variance = difference = weights = 0.0
    for one in sorted(strata):
        if not one.before or not one.after:
            continue
        total, shown = one.before + one.after, one.shown_before + one.shown_after
        excess += one.shown_after - one.after * shown / total
        variance += one.before * one.after * shown * (total - shown) / (total * total * max(total - 1, 1))
        weight = one.before * one.after / total
        difference += weight * (one.shown_after / one.after - one.shown_before / one.before)
        weights += weight
    if not weights:
        return 0.0, 0.0
    return difference / weights, max(abs(excess) - 0.5, 0.0) / math.sqrt(variance + 0.25)


def _drifts(visits: Sequence[Visit]) -> Iterator[_Drift]:
    sizes: dict[Path, list[int]] = defaultdict(lambda: [0, 0])
    shown: dict[tuple[Operation, Event], dict[Path, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for visit in visits:
        sizes[visit.path][visit.after] += 1
        for event in visit.events:
            shown[visit.path[-1], event][visit.path][visit.after] += 1
    for (operation, event), paths in shown.items():
        strata = [Stratum(seen[0], sizes[path][0], seen[1], sizes[path][1]) for path, seen in paths.items()]
        yield from _drift(operation, event, "", strata)
    for (operation, event, given), strata in _after_predecessors(visits).items():
        yield from _drift(operation, event, given.name, strata)


def _after_predecessors(visits: Sequence[Visit]) -> dict[tuple[Operation, Event, Event], list[Stratum]]:
    """For each line that is no failure, the visits that show the line that usually stands before it."""
    earlier: dict[tuple[Operation, Event], Counter[Event]] = defaultdict(Counter)
    for visit in visits:
        lines = [event for event in visit.events if event.kind == "log"]
        if not visit.after:
            for one, other in pairwise(lines):
                if not other.failed:
                    earlier[visit.path[-1], other][one] += 1
    usual: dict[Operation, list[tuple[Event, Event]]] = defaultdict(list)
    for (operation, event), found in earlier.items():
        usual[operation].append((min(found, key=lambda e: (-found[e], e)), event))
    counts: dict[tuple[Operation, Event, Event], dict[Path, list[int]]] = defaultdict(
        lambda: defaultdict(lambda: [0, 0, 0, 0])
    )
    for visit in visits:
        seen = set(visit.events)
        for given, event in usual.get(visit.path[-1], ()):
            if given in seen:
                count = counts[visit.path[-1], event, given][visit.path]
                count[2 * visit.after] += event in seen
                count[2 * visit.after + 1] += 1
    return {key: [Stratum(*count) for count in paths.values()] for key, paths in counts.items()}


def _drift(operation: Operation, event: Event, given: str, strata: Sequence[Stratum]) -> Iterator[_Drift]:
    difference, z = mantel_haenszel(strata)
    weight = _weight(event, difference)
    strong = weight * abs(difference) ** POWER * z / (z + HALF)
    before, after = sum(s.before for s in strata), sum(s.after for s in strata)
    if strong >= MIN_STRENGTH / 2:
        yield _Drift(
            operation, event, given, sum(s.shown_before for s in strata) / before,
            sum(s.shown_after for s in strata) / after, strong,
        )  # fmt: skip


def _weight(event: Event, difference: float) -> float:
    if event.failed:
        return 1.0 if difference > 0 else 0.0
    return (ROUTINE if difference > 0 else 1.0) * (1.0 if event.kind == "log" else INNER)


def _placed(own: dict[str, float], visits: Sequence[Visit]) -> dict[str, float]:
    """What is left of each service's strength where services that it leads to show as much."""
    led: dict[str, set[str]] = defaultdict(set)
    for path in {visit.path for visit in visits}:
        services = [service for service, _ in path]
        for place, service in enumerate(services):
            led[service].update(services[place + 1 :])
    return {
        service: strong
        - EXPLAINED * max((own.get(b, 0.0) for b in led[service] if b != service and service not in led[b]), default=0)
        for service, strong in own.items()
    }


def _facts(
    tables: Tables,
    drifts: Sequence[_Drift],
    own: dict[str, float],
    placed: dict[str, float],
    visits: Visits,
    named: set[str],
) -> Iterator[Fact]:
    said: Counter[Operation] = Counter()
    firsts = _firsts(visits.found)
    for drift in drifts:
        service = drift.operation[0]
        strong = strength(drift.strength / own[service] * placed[service])
        if strong < MIN_STRENGTH or said[drift.operation] >= FACTS_PER_OPERATION or (named and service not in named):
            continue
        said[drift.operation] += 1
        first = firsts.get((drift.operation, drift.event)) if drift.after > drift.before else None
        yield Fact(
            subject=subject_for(tables.incident, service), signal="trace:course", relation=_relation(drift),
            object=cut(_said(drift), 240), value=rounded(drift.after), baseline=rounded(drift.before), unit="ratio",
            at=moment(first) if first is not None else None, strength=strong,
            quote=cut(visits.quotes.get(drift.event.name, "")) if drift.event.kind == "log" else "",
        )  # fmt: skip


def _said(drift: _Drift) -> str:
    behind = f" behind {drift.given}" if drift.given else ""
    return f"{drift.operation[1]}: {drift.event.kind} {drift.event.name}{behind}"


def _relation(drift: _Drift) -> Relation:
    if drift.after > drift.before:
        return "rises" if drift.before else "appears"
    return "falls" if drift.after else "vanishes"


def _firsts(visits: Sequence[Visit]) -> dict[tuple[Operation, Event], int]:
    found: dict[tuple[Operation, Event], int] = {}
    for visit in visits:
        if visit.after:
            for event in visit.events:
                key = (visit.path[-1], event)
                found[key] = min(found.get(key, visit.start), visit.start)
    return found


PROBE = Probe(
    name="trace_course",
    question="Which services handle the same requests in another way than before?",
    sources=("traces",),
    cost="heavy",
    params=TraceCourse,
    answer=answer,
)
