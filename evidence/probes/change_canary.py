"""Do the instances that a rollout released behave otherwise than the stable ones beside them?

Method: for each rollout that names its new instances, every metric of these is held against the same metric of the
other instances of the service at the same time, which a fault elsewhere moves alike (canary analysis, after Kayenta);
where no stable instance is left, against the time before the rollout. A share of success that is lower, a duration or
an error share that is higher, and new instances that stand still or from which nothing is heard while the stable ones
go on and are called, count; a calmer or busier processor does little. Strength: x / (x + 15) for x points of success,
less by the share that the stable ones fell as well; .85 for silence, .8 for standing still; (ratio - 1) / (ratio + 2)
for durations; at most .3 for use of resources. Calls that the service makes itself, as told by
`metric@caller->callee`, count for .4. Cost: the metrics of the services that are rolled out.
"""

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from ...contracts.claim import Fact, Relation, Subject
from ...contracts.evidence import Answer
from ...contracts.incident import TimeWindow
from ..tables import Tables, naive, utc
from .base import Params, Probe, answered, cut, rounded, saturating, strength, undated

MIN_POINTS = 2
MAX_ROWS = 400_000
SILENT, IDLE, OUTGOING = 0.85, 0.8, 0.4
_LISTS = ("released", "instances", "pods", "new_instances", "canary_instances")
_SUCCESS = re.compile(r"success|availab|hit", re.IGNORECASE)
_COST = re.compile(r"latency|duration|error|fail|5xx|timeout", re.IGNORECASE)
_USE = re.compile(r"cpu|memory|mem|heap|rss", re.IGNORECASE)
_NODE = re.compile(r"node|host", re.IGNORECASE)


class ChangeCanary(Params):
    ref: str = ""
    """Only this rollout; empty means all."""


class Rollout(NamedTuple):
    ref: str
    service: str
    at: datetime
    instances: frozenset[str]


class Side(NamedTuple):
    canary: list[float]
    stable: list[float]
    before: list[float]


def answer(tables: Tables, params: ChangeCanary) -> Answer:
    rollouts = [r for r in _rollouts(tables) if params.ref in {"", r.ref}]
    if not rollouts:
        return Answer(status="empty", note="no rollout names the instances that it released")
    if not tables.has("metrics"):
        return undated("metrics")
    facts: list[Fact] = []
    read = 0
    for rollout in rollouts:
        sides = _sides(tables, rollout)
        read += sum(len(side.canary) + len(side.stable) + len(side.before) for side in sides.values())
        facts += _facts(rollout, sides)
    window = TimeWindow(start=min(r.at for r in rollouts), end=max(r.at for r in rollouts))
    return answered(tables, "metrics", facts, window=window, rows_read=read)


def _rollouts(tables: Tables) -> list[Rollout]:
    rows = tables.rows(
        "SELECT ts, service, ref, attributes FROM changes WHERE ts IS NOT NULL ORDER BY ts, ref, service, attributes"
    )
    found: dict[tuple[str, str], Rollout] = {}
    for ts, service, ref, attributes in rows:
        names = frozenset(_instances(attributes))
        if not names or not service:
            continue
        known = found.get((ref, service))
        found[ref, service] = Rollout(
            ref, service, known.at if known else utc(ts), names | (known.instances if known else frozenset())
        )
    return list(found.values())


def _instances(attributes: str | None) -> Iterator[str]:
    try:
        held = json.loads(attributes or "{}")
    except ValueError:
        return
    for key in _LISTS:
        value = held.get(key) if isinstance(held, dict) else None
        names = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else ()
        yield from (str(name).strip() for name in names if str(name).strip())


def _sides(tables: Tables, rollout: Rollout) -> dict[str, Side]:
    rows = tables.rows(
        """SELECT metric, instance, ts, value FROM metrics WHERE service = ? AND instance <> '' AND value IS NOT NULL
        AND isfinite(value) ORDER BY metric, instance, ts, value LIMIT ?""",
        [rollout.service, MAX_ROWS],
    )
    begin = naive(rollout.at)
    sides: dict[str, Side] = defaultdict(lambda: Side([], [], []))
    for metric, instance, ts, value in rows:
        if _NODE.search(metric) or "->" in instance:
            continue
        side = sides[metric]
        (side.canary if instance in rollout.instances else side.stable if ts > begin else side.before).append(value)
    return dict(sides)


def _facts(rollout: Rollout, sides: dict[str, Side]) -> list[Fact]:
    held = {
        name: side if len(side.stable) >= MIN_POINTS else side._replace(stable=side.before)
        for name, side in sides.items()
    }
    heard = {name: side for name, side in held.items() if len(side.stable) >= MIN_POINTS}
    spoken = {name: side for name, side in heard.items() if len(side.canary) >= MIN_POINTS}
    if heard and not spoken:
        return [] if _nobody_asks(sides) else [_fact(rollout, "vanishes", "all metrics", None, None, SILENT)]
    found = [
        _fact(rollout, *said) for name, side in sorted(spoken.items()) if (said := _said(rollout.service, name, side))
    ]
    use = [
        _mean(side.canary) <= 0.15 * _mean(side.stable)
        for name, side in spoken.items()
        if _USE.search(name) and _mean(side.stable) > 0
    ]
    if len(use) > 1 and all(use):
        found.append(_fact(rollout, "vanishes", "use of resources", 0.0, None, IDLE))
    return found


def _nobody_asks(sides: Mapping[str, Side]) -> bool:
    """Whether the stable instances go on without being called any more: then silence tells nothing of the new ones."""
    calls = {name for name in sides if _SUCCESS.search(name) or _COST.search(name)}
    called = any(len(sides[name].stable) >= MIN_POINTS for name in calls)
    return bool(calls) and not called and any(len(side.stable) >= MIN_POINTS for side in sides.values())


def _said(service: str, metric: str, side: Side) -> tuple[Relation, str, float, float, float] | None:
    canary, stable = _mean(side.canary), _mean(side.stable)
    weight = OUTGOING if _outgoing(service, metric) else 1.0
    if _SUCCESS.search(metric):
        points = (stable - canary) * (100 if max(canary, stable) <= 1 else 1)
        if points <= 2:
            return None
        together = max(_mean(side.before) - stable, 0.0) if side.before else 0.0
        own = (stable - canary) / (stable - canary + together)
        return "falls", metric, canary, stable, weight * own * saturating(points, 15)
    if stable <= 0:
        return None
    ratio = canary / stable
    if _COST.search(metric):
        return ("rises", metric, canary, stable, weight * strength((ratio - 1) / (ratio + 2))) if ratio > 1.5 else None
    if _USE.search(metric) and ratio > 2:
        return "rises", metric, canary, stable, 0.3 * strength((ratio - 1) / (ratio + 2))
    return None


def _outgoing(service: str, metric: str) -> bool:
    return f"@{service}->" in metric


def _fact(
    rollout: Rollout, relation: Relation, metric: str, canary: float | None, stable: float | None, strong: float
) -> Fact:
    names = ", ".join(sorted(rollout.instances)[:4])
    return Fact(
        subject=Subject(kind="change", ref=rollout.ref, service=rollout.service),
        signal="change:canary",
        relation=relation,
        object=metric,
        value=rounded(canary),
        baseline=rounded(stable),
        at=rollout.at,
        strength=strength(strong),
        quote=cut(f"new instances {names} against the stable ones"),
    )


def _mean(values: Sequence[float]) -> float:
    """Exact whatever the order."""
    return math.fsum(values) / len(values) if values else 0.0


PROBE = Probe(
    name="change_canary",
    question="Do the instances that a rollout released behave otherwise than the stable ones beside them?",
    sources=("changes",),
    cost="moderate",
    params=ChangeCanary,
    answer=answer,
)
