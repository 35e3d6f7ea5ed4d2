"""Who runs short of processor, and whose network is slow or loses packets?

Method: medians of each metric before and after the start of the trouble, and the numbers that alerts quote (`Normal=a
-> Current=b`) where there are no metrics. A node whose TCP retransmissions rose above all others loses packets. A
service whose processor time or throttling rose with its latency is short of processor. Else the one service is looked
for that explains every slow one: all others call it, directly or not, and what it calls is as quick as before; or
nearly all that it calls became slow with it. Its network is slow where neither its processor nor its memory moved.
Where no one service explains it, the node that holds the slow ones. Strength: .9 for a measured loss or throttling,
.75 for a delay that one service explains, .5 for one that only a node does. Asked where the bundle describes a
cluster. Cost: one pass over the metrics.
"""

# ruff: noqa: E501  # one pattern stands on one line

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...contracts.claim import Fact
from ...contracts.evidence import Answer
from ..cluster.cluster import Cluster
from ..cluster.facts import component, diagnosis, node, strongest
from ..tables import Tables
from ..topology import call_graph_of
from .base import Params, Probe, answered

MAX_SERIES = 4000
SLOW = 2.5
"""Factor by which a latency must rise."""
LEAST_MS = 30.0
"""And at least so far: a rise below it hurts nobody."""
RETRANSMITS, OVER_OTHERS = 1.0, 2.0
BUSY = 2.0
_LATENCY = re.compile(r"latency|duration|response.?time|p[59]\d|slow response", re.IGNORECASE)
_RETRANSMIT = re.compile(r"retran", re.IGNORECASE)
_THROTTLED = re.compile(r"cfs|throttl", re.IGNORECASE)
_PROCESSOR = re.compile(r"cpu", re.IGNORECASE)
_QUOTED = re.compile(r"(?:([\w-]+): )?Normal=([0-9.]+) ?([A-Za-z/%]*) *-> *Current=([0-9.]+) ?([A-Za-z/%]*)")
_SHARE = re.compile(r"(\d+(?:\.\d+)?) ?% (?:of )?(?:cpu )?throttl|throttl\w* .{0,30}?(\d+(?:\.\d+)?) ?%", re.IGNORECASE)
HEAVY = 25.0
"""Per cent of the periods that a container was throttled, from which it hurts (as the Kubernetes mixin alerts)."""
_VALUE = re.compile(r"\[([^\]]+)\] \| Val: ([0-9.]+)")


class Reading(NamedTuple):
    name: str
    """Of the service or node."""
    metric: str
    before: float
    after: float
    quote: str


class ResourcePressure(Params):
    """None: all services and nodes are looked at."""


def answer(tables: Tables, params: ResourcePressure) -> Answer:
    del params
    readings = [*_measured(tables), *_told(tables)]
    cluster = Cluster.read(tables)
    nodes = frozenset(cluster.of("node"))
    lossy = list(_lossy(readings, nodes))
    busy = [*_busy(readings, nodes), *_throttled(tables, cluster)]
    facts = [*lossy, *busy]
    facts += _slow(tables, cluster, readings, nodes, quiet=not lossy, busy=frozenset(f.subject.ref for f in busy))
    return answered(tables, "metrics", strongest(facts), window=None, rows_read=len(readings))


# --- readings ---------------------------------------------------------------------------------------------------------
def _measured(tables: Tables) -> Iterator[Reading]:
    periods = tables.periods()
    if not tables.has("metrics") or periods is None:
        return
    rows = tables.rows(
        f"""SELECT service, metric, unit,
            quantile_disc(value, 0.5) FILTER (ts >= $b0 AND ts < $b1) AS b,
            quantile_disc(value, 0.5) FILTER (ts >= $a0 AND ts <= $a1) AS a
        FROM metrics WHERE service <> '' AND isfinite(value)
        GROUP BY service, metric, unit HAVING b IS NOT NULL AND a IS NOT NULL
        ORDER BY service, metric, unit LIMIT {MAX_SERIES}""",  # noqa: S608  # a constant
        periods.sql,
    )
    for service, metric, unit, before, after in rows:
        scale = 1000.0 if unit in {"s", "seconds", "sec"} and _LATENCY.search(metric) else 1.0
        yield Reading(
            service, metric, before * scale, after * scale,
            f"{metric} of {service}: median {before:.4g} before, {after:.4g} after {unit or ''}".strip(),
        )  # fmt: skip


def _told(tables: Tables) -> Iterator[Reading]:
    for alert in tables.incident.alerts:
        for part in alert.summary.split(";"):
            kind = part.strip().partition(" |")[0]
            for metric, before, unit, after, _ in _QUOTED.findall(part):
                scale = 1000.0 if unit == "s" and _LATENCY.search(kind) else 1.0
                name = metric if metric and not metric.lower().endswith("bound") else ""
                yield Reading(
                    alert.service,
                    f"{kind} {name}",
                    float(before) * scale,
                    float(after) * scale,
                    f"alert on {alert.service}: {part.strip()}",
                )
            for metric, value in _VALUE.findall(part):
                yield Reading(
                    alert.service, f"{kind} {metric}", 0.0, float(value), f"alert on {alert.service}: {part.strip()}"
                )


# --- what they show ---------------------------------------------------------------------------------------------------
def _lossy(readings: list[Reading], nodes: frozenset[str]) -> Iterator[Fact]:
    worst: dict[str, Reading] = {}
    for r in readings:
        if r.name in nodes and _RETRANSMIT.search(r.metric) and (r.name not in worst or r.after > worst[r.name].after):
            worst[r.name] = r
    ordered = sorted(worst.values(), key=lambda r: (-r.after, r.name))
    if not ordered:
        return
    first, rest = ordered[0], ordered[1].after if len(ordered) > 1 else 0.0
    if first.after >= RETRANSMITS and first.after >= 10 * first.before and first.after >= OVER_OTHERS * rest:
        yield diagnosis(
            node(first.name), "network", "node_packet_loss", 0.95, first.quote, value=first.after, baseline=first.before
        )


def _busy(readings: list[Reading], nodes: frozenset[str]) -> Iterator[Fact]:
    for name in sorted({r.name for r in readings} - nodes):
        mine = [r for r in readings if r.name == name]
        throttled = [r for r in mine if _THROTTLED.search(r.metric) and r.after >= 0.3 and r.after >= 3 * r.before]
        used = [
            r
            for r in mine
            if _PROCESSOR.search(r.metric) and not _THROTTLED.search(r.metric) and r.after >= BUSY * r.before > 0
        ]
        if throttled and used:
            both = max(throttled, key=lambda r: (r.after, r.quote))
            yield diagnosis(
                component(name),
                "processor",
                "cpu_saturation",
                0.95,
                f"{both.quote}; {max(used).quote}",
                value=both.after,
                baseline=both.before,
            )


def _throttled(tables: Tables, cluster: Cluster) -> Iterator[Fact]:
    """What an alert calls throttled, with the limit that the object describes."""
    for alert in tables.incident.alerts:
        share = _SHARE.search(alert.summary)
        if not alert.service or not share or float(share.group(1) or share.group(2)) < HEAVY:
            continue
        workload = next(
            (w for w in cluster.workloads if alert.service == w.name or alert.service.startswith(f"{w.name}-")), None
        )
        limits = [
            str(((c.get("resources") or {}).get("limits") or {}).get("cpu"))
            for c in (workload.containers() if workload else ())
            if ((c.get("resources") or {}).get("limits") or {}).get("cpu")
        ]
        limit = f"; its CPU limit is {', '.join(limits)}: increasing the limit would end it" if limits else ""
        yield diagnosis(component(workload.name if workload else alert.service), "processor", "cpu_saturation", 0.8,
                        f"alert on {alert.service}: {alert.summary}{limit}", value=float(share.group(1) or share.group(2)), unit="%")  # fmt: skip


def _slow(
    tables: Tables,
    cluster: Cluster,
    readings: list[Reading],
    nodes: frozenset[str],
    *,
    quiet: bool,
    busy: frozenset[str],
) -> Iterator[Fact]:
    worst: dict[str, Reading] = {}
    for r in readings:
        if (
            r.name in nodes
            or not _LATENCY.search(r.metric)
            or r.after < SLOW * r.before
            or r.after - r.before < LEAST_MS
        ):
            continue
        if r.name not in worst or r.after - r.before > worst[r.name].after - worst[r.name].before:
            worst[r.name] = r
    if not worst or not quiet:
        return
    calls = _calls(tables)
    found = sorted(_explainers(frozenset(worst), calls), key=lambda pair: (-pair[1], -worst[pair[0]].after, pair[0]))
    if found:
        for place, (name, share) in enumerate(found[:2]):
            if name in busy:
                continue
            reading = worst[name]
            others = ", ".join(sorted(set(worst) - {name})) or "no other"
            yield diagnosis(
                component(name), "network", "network_delay", round((0.75 if not busy else 0.4) * share - 0.15 * place, 4),
                f"{reading.quote}; its processor is as before, and it explains the slowness of {others}",
                value=reading.after, baseline=reading.before, unit="ms",
            )  # fmt: skip
    elif not busy:
        yield from _by_node(cluster, worst)


def _calls(tables: Tables) -> Mapping[str, frozenset[str]]:
    return {caller: frozenset(callees) for caller, callees in call_graph_of(tables).callees.items()}


def _explainers(slow: frozenset[str], calls: Mapping[str, frozenset[str]]) -> Iterator[tuple[str, float]]:
    """Services that one fault of theirs would make all of `slow` slow, with the share that it explains."""
    for name in sorted(slow):
        callers = _callers(name, calls)
        callees = calls.get(name, frozenset())
        below = callees & slow
        if not below:
            explained = len(slow & (callers | {name})) / len(slow)
        elif len(below) >= 0.6 * len(callees) and len(below) > 1:
            explained = 0.95 * len(slow & (callers | {name} | _reached(name, calls))) / len(slow)
        else:
            continue
        if explained >= 0.75:
            yield name, explained


def _callers(name: str, calls: Mapping[str, frozenset[str]]) -> frozenset[str]:
    found: set[str] = set()
    frontier = {name}
    while frontier:
        frontier = {caller for caller, callees in calls.items() if callees & frontier} - found
        found |= frontier
    return frozenset(found)


def _reached(name: str, calls: Mapping[str, frozenset[str]]) -> frozenset[str]:
    found: set[str] = set()
    frontier = set(calls.get(name, frozenset()))
    while frontier:
        found |= frontier
        frontier = {callee for caller in frontier for callee in calls.get(caller, frozenset())} - found
    return frozenset(found)


def _by_node(cluster: Cluster, worst: Mapping[str, Reading]) -> Iterator[Fact]:
    placed = {pod.owner: pod.node for pod in cluster.pods if pod.node}
    counts = Counter(placed[name] for name in worst if name in placed)
    if not counts or len(worst) < 3:
        return
    totals = Counter(placed.values())
    best = min(counts, key=lambda name: (-counts[name] / totals[name], -counts[name], name))
    names = sorted(name for name in worst if placed.get(name) == best)
    yield diagnosis(node(best), "network", "node_network_delay", 0.5,
                    f"{len(names)} of {totals[best]} services on {best} became slow: {', '.join(names)}; {worst[names[0]].quote}")  # fmt: skip


PROBE = Probe(
    name="resource_pressure",
    question="Who runs short of processor, and whose network is slow or loses packets?",
    sources=("resources",),
    cost="moderate",
    params=ResourcePressure,
    answer=answer,
)
