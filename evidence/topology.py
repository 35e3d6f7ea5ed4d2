"""The call graph of a bundle: who calls whom, and who can be reached from where."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from .tables import Tables

MAX_EDGES = 20_000
PLACES = ("runs_on", "runs on", "hosted_on", "deployed_on", "scheduled_on", "located_in", "part_of", "member_of")
"""Kinds of edges that say where something runs or what it belongs to, and lead no call."""


class CallGraph:
    def __init__(self, edges: Iterable[tuple[str, str, float]]) -> None:
        self.weights: dict[tuple[str, str], float] = {}
        callees: defaultdict[str, set[str]] = defaultdict(set)
        callers: defaultdict[str, set[str]] = defaultdict(set)
        for caller, callee, weight in edges:
            if caller and callee and caller != callee:
                self.weights[caller, callee] = max(weight, self.weights.get((caller, callee), 0.0))
                callees[caller].add(callee)
                callers[callee].add(caller)
        self.callees: Mapping[str, set[str]] = callees
        self.callers: Mapping[str, set[str]] = callers

    def __contains__(self, service: str) -> bool:
        return bool(self.callees.get(service) or self.callers.get(service))

    def reached(self, start: str, hops: int | None = None) -> set[str]:
        """All services that a call to `start` can lead to, without itself."""
        found: set[str] = set()
        edge = {start}
        while edge and (hops is None or hops > 0):
            edge = {callee for service in edge for callee in self.callees.get(service, ())} - found - {start}
            found |= edge
            hops = None if hops is None else hops - 1
        return found


def call_graph_of(tables: Tables) -> CallGraph:
    named = ", ".join("?" for _ in PLACES)
    rows = tables.rows(
        f"""SELECT caller, callee, max(weight) FROM edges WHERE lower(coalesce(kind, '')) NOT IN ({named})
        GROUP BY caller, callee ORDER BY caller, callee LIMIT ?""",  # noqa: S608  # placeholders only
        [*PLACES, MAX_EDGES],
    )
    return CallGraph((caller, callee, float(weight)) for caller, callee, weight in rows)
