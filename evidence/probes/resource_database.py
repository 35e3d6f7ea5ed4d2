"""Which database ran into a limit, lags or failed over, and has it recovered since?

Method: events that tell of a database instance (storage, connections, failover, replication) are put in order; its
metrics by the words of their names: free storage, connections, replica lag, processor, queue of the disk, each by the
median of its last fifth against its first fifth and its most. What came back to where it was counts as recovered. A
processor that is busy while replication lags or storage ends is its companion. The statement with the most load is
named beside. Strength: .95 where an event and a metric agree, .85 for either; events from before the metrics begin say
nothing. Cost: one pass over metrics, the resources once.
"""

# ruff: noqa: E501  # one pattern stands on one line

import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from ...contracts.claim import Fact
from ...contracts.evidence import Answer
from ..cluster.cluster import Cluster
from ..cluster.facts import component, diagnosis, strongest
from ..tables import Tables, utc
from .base import Params, Probe, answered

MAX_POINTS = 200_000
BUSY = 85.0
FULL, LOW = 0.9, 0.1
LAG_SECONDS, LAG_FACTOR = 30.0, 5.0
QUEUED = 10.0
AGREE, ALONE = 0.95, 0.85

_FREE = re.compile(
    r"free.{0,3}(?:local)?storage|free.{0,3}(?:disk|space)|(?:disk|storage|volume).{0,6}(?:free|avail)", re.IGNORECASE
)
_CONNECTIONS = re.compile(
    r"^(?:database|db|active|client|current)?[_ ]?connections?(?:[_ ](?:count|active|open|in.use))?$|numbackends|threads.connected",
    re.IGNORECASE,
)
_LAG = re.compile(r"repl\w*.?lag|seconds.behind", re.IGNORECASE)
_CPU = re.compile(r"cpu.{0,3}util|cpu.{0,3}(?:percent|usage|pct)", re.IGNORECASE)
_QUEUE = re.compile(r"disk.?queue|write.?latency|read.?latency|commit.?latency", re.IGNORECASE)
_WAL = re.compile(r"transaction.?log|wal", re.IGNORECASE)
_EVENTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("database_storage_exhausted", re.compile(r"out of storage|storage[^.]{0,30}(?:critically low|is (?:getting )?low|full)|insufficient storage|free storage (?:space|capacity)[^.]{0,30}low|no space left", re.IGNORECASE)),
    ("database_connections_exhausted", re.compile(r"(?:approaching|reached|exceeded|at)[^.]{0,20}max_?connections|remaining connection slots|too many (?:connections|clients)", re.IGNORECASE)),
    ("database_replication_lag", re.compile(r"replication lag[^.]{0,60}(?:exceeded|behind|high)|replica is significantly behind|replication (?:stopped|error|has stopped)", re.IGNORECASE)),
    ("database_failover", re.compile(r"fail-?over[^.]{0,60}(?:initiated|started|in progress|completed|finished)|finished a .{0,20}fail-?over", re.IGNORECASE)),
)  # fmt: skip
_OVER = re.compile(
    r"autoscaling completed|allocated storage has been increased|storage[^.]{0,30}(?:recovered|expanded|increased)|lag[^.]{0,30}(?:recovered|normal|caught up)|connections[^.]{0,30}(?:recovered|normal)",
    re.IGNORECASE,
)
_LIMIT = re.compile(r"(\d+) (?:of|/|out of) (\d+)")


class _Series(NamedTuple):
    name: str
    first: float
    last: float
    least: float
    most: float

    @property
    def text(self) -> str:
        return f"{self.name} from {self.first:.6g} to {self.last:.6g} (least {self.least:.6g}, most {self.most:.6g})"


class _Told(NamedTuple):
    at: datetime | None
    kind: str
    text: str


class ResourceDatabase(Params):
    """None: all instances are looked at."""


def answer(tables: Tables, params: ResourceDatabase) -> Answer:
    del params
    cluster = Cluster.read(tables)
    series = _series(tables)
    told = _told(tables, cluster, set(series))
    statement = _statement(cluster)
    names = sorted({*series, *told})
    limits = [fact for name in names for fact in _limits(name, series, told.get(name, []), statement)]
    hit = {fact.subject.ref for fact in limits if fact.relation == "states"}
    busy = [fact for name in names for fact in _busy(name, series.get(name, []), statement, companion=name in hit)]
    quiet = [_within(name, mine) for name, mine in sorted(series.items()) if len(mine) > 1 or told.get(name)]
    facts = [*limits, *busy] or quiet
    return answered(tables, "resources", strongest(facts), window=None, rows_read=len(cluster.rows))


def _series(tables: Tables) -> dict[str, list[_Series]]:
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for service, metric, value in tables.rows(
        f"""SELECT service, metric, value FROM metrics WHERE service <> '' AND isfinite(value)
        ORDER BY service, metric, ts, value LIMIT {MAX_POINTS}"""  # noqa: S608  # a constant
    ):
        if any(p.search(metric) for p in (_FREE, _CONNECTIONS, _LAG, _CPU, _QUEUE, _WAL)):
            found[service, metric].append(value)
    series: dict[str, list[_Series]] = defaultdict(list)
    for (service, metric), values in found.items():
        fifth = max(1, len(values) // 5)
        first, last = sorted(values[:fifth]), sorted(values[-fifth:])
        series[service].append(_Series(metric, first[len(first) // 2], last[len(last) // 2], min(values), max(values)))
    return dict(series)


def _told(tables: Tables, cluster: Cluster, measured: set[str]) -> dict[str, list[_Told]]:
    """Events of instances, in their order, from where the metrics begin."""
    coverage = tables.coverage("metrics")
    start = coverage.start
    found: dict[str, list[_Told]] = defaultdict(list)
    for row in cluster.rows:
        if not row.kind.startswith("event") or "/" in row.name:
            continue
        kind = next((k for k, pattern in _EVENTS if pattern.search(row.body)), "over" if _OVER.search(row.body) else "")
        at = utc(row.ts) if row.ts else None
        early = at is not None and start is not None and at < start and (start - at).total_seconds() > 3600
        if kind and not early and (row.name in measured or _EVENTS[0][1].search(row.body) or kind != "over"):
            found[row.name].append(_Told(at, kind, row.body))
    for events in found.values():
        events.sort(key=lambda e: (e.at is None, e.at.isoformat() if e.at else "", e.text))
    return dict(found)


def _statement(cluster: Cluster) -> str:
    """The statement with the most load on the database."""
    best: tuple[float, str] = (0.0, "")
    for row in cluster.rows:
        load = re.search(r"db_load ([0-9.]+)", row.status)
        if row.kind == "sql" and load and float(load.group(1)) > best[0]:
            best = (float(load.group(1)), row.name)
    return f"; most load ({best[0]:g}) by {best[1][:110]}" if best[1] else ""


def _limits(name: str, series: dict[str, list[_Series]], told: list[_Told], statement: str) -> Iterator[Fact]:
    mine = series.get(name, [])
    over = [e for e in told if e.kind == "over"]
    yield from _storage(name, mine, told, over, statement)
    yield from _connections(name, mine, told, statement)
    yield from _lag(name, mine, series, told, statement)
    yield from _failover(name, mine, told)


def _within(name: str, mine: list[_Series]) -> Fact:
    text = "; ".join(s.text for s in mine[:3])
    fact = diagnosis(
        component(name), "database", "within limits", 0.3, f"{name} is within its normal bounds, no failure: {text}"
    )
    return fact.model_copy(update={"relation": "unchanged"})


def _storage(name: str, mine: list[_Series], told: list[_Told], over: list[_Told], statement: str) -> Iterator[Fact]:
    events = [e for e in told if e.kind == "database_storage_exhausted"]
    free = next((s for s in mine if _FREE.search(s.name)), None)
    came_back = free is not None and free.last >= max(0.5 * free.most, 2 * free.least) and free.least < 0.5 * free.most
    if (came_back or (over and free is None)) and (events or came_back):
        text = (over[-1].text if over else "") + (f"; {free.text}" if free else "")
        yield _recovered(name, f"storage of {name} has recovered, no active failure: {text}")
        return
    low = (
        free is not None and free.most > 0 and free.last <= LOW * free.most and free.last <= LOW * max(free.first, 1.0)
    )
    if events or low:
        said = events[-1].text if events else ""
        shown = f"; {free.text}" if free is not None and low else ""
        yield diagnosis(component(name), "database", "database_storage_exhausted", AGREE if events and low else ALONE,
                        f"storage space of {name}: {said}{shown}{statement}", at=events[0].at if events else None)  # fmt: skip


def _connections(name: str, mine: list[_Series], told: list[_Told], statement: str) -> Iterator[Fact]:
    events = [e for e in told if e.kind == "database_connections_exhausted"]
    used = next((s for s in mine if _CONNECTIONS.search(s.name)), None)
    if not events:
        return
    limit = next((int(m.group(2)) for e in events if (m := _LIMIT.search(e.text))), 0)
    full = used is not None and (used.last >= FULL * limit if limit else used.last >= 1.3 * used.first)
    if used is not None and not full and used.last <= 1.1 * used.first:
        return
    shown = f"; {used.text}" + (f" of max_connections {limit}" if limit else "") if used else ""
    yield diagnosis(component(name), "database", "database_connections_exhausted", AGREE if full else ALONE,
                    f"connections of {name}: {events[-1].text}{shown}{statement}", at=events[0].at)  # fmt: skip


def _lag(
    name: str, mine: list[_Series], series: dict[str, list[_Series]], told: list[_Told], statement: str
) -> Iterator[Fact]:
    lag = next((s for s in mine if _LAG.search(s.name)), None)
    events = [e for e in told if e.kind == "database_replication_lag"]
    grown = lag is not None and lag.last >= LAG_SECONDS and lag.last >= LAG_FACTOR * max(lag.first, 0.1)
    if not grown and not (events and lag is None):
        return
    primary = _primary(name, series)
    wal = next((s for s in series.get(primary, []) if _WAL.search(s.name) and s.last >= 2 * max(s.first, 1.0)), None)
    shown = "; ".join(
        text
        for text in (lag.text if lag else "", f"WAL: {wal.text}" if wal else "", events[-1].text if events else "")
        if text
    )
    yield diagnosis(component(primary), "database", "database_replication_lag", AGREE if grown and (events or wal) else ALONE,
                    f"replication lag of replica {name}: {shown}{statement}")  # fmt: skip


def _primary(replica: str, series: dict[str, list[_Series]]) -> str:
    """The instance whose name the replica's begins with."""
    return max((n for n in series if n != replica and replica.startswith(n)), key=len, default=replica)


def _failover(name: str, mine: list[_Series], told: list[_Told]) -> Iterator[Fact]:
    events = [e for e in told if e.kind == "database_failover"]
    if events:
        dropped = next((s for s in mine if _CONNECTIONS.search(s.name) and s.least <= 0.5 * s.first), None)
        shown = f"; {dropped.text}" if dropped else ""
        yield diagnosis(component(name), "database", "database_failover", AGREE if dropped else 0.8,
                        f"{events[0].text} {events[-1].text if len(events) > 1 else ''}{shown}", at=events[0].at)  # fmt: skip


def _busy(name: str, mine: list[_Series], statement: str, *, companion: bool) -> Iterator[Fact]:
    cpu = next((s for s in mine if _CPU.search(s.name)), None)
    if cpu is not None and cpu.last >= BUSY and cpu.last >= 1.3 * cpu.first:
        yield diagnosis(component(name), "database", "database_cpu_saturated", 0.5 if companion else 0.9, f"{cpu.text}{statement}",
                        value=cpu.last, baseline=cpu.first, unit="%")  # fmt: skip
    queue = max(
        (s for s in mine if _QUEUE.search(s.name) and s.first > 0), key=lambda s: s.last / s.first, default=None
    )
    if queue is not None and queue.last >= QUEUED * queue.first:
        yield diagnosis(component(name), "database", "database_io_saturated", 0.45 if companion else 0.75, f"{queue.text}{statement}",
                        value=queue.last, baseline=queue.first)  # fmt: skip


def _recovered(name: str, text: str) -> Fact:
    fact = diagnosis(component(name), "database", "recovered", 0.9, text)
    return fact.model_copy(update={"relation": "unchanged"})


PROBE = Probe(
    name="resource_database",
    question="Which database ran into a limit, lags or failed over, and has it recovered since?",
    sources=("resources",),
    cost="moderate",
    params=ResourceDatabase,
    answer=answer,
)
