"""Graph versions by name, and the fingerprint of each one's structure."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph

from ..contracts.base import Digest, digest_of
from ..contracts.errors import UsageError
from ..contracts.ports import Deps
from ..contracts.team import Topology
from . import bus, hierarchy, star
from .state import State

Builder = Callable[[], StateGraph[State, Deps, State, State]]
Compiled = CompiledStateGraph[State, Deps, State, State]


class GraphVersion(NamedTuple):
    name: str
    description: str
    topology: Topology
    build: Builder


VERSIONS: dict[str, GraphVersion] = {
    v.name: v
    for v in (
        GraphVersion(
            "single@1", "one agent does it all: the baseline that teams are measured against", "single", star.build
        ),
        GraphVersion(
            "star@1", "the lead delegates, workers answer to it, code verifies and merges", "star", star.build
        ),
        GraphVersion("bus@1", "tasks on a board, agents claim them and work under leases", "controlled_bus", bus.build),
        GraphVersion(
            "hierarchy@1",
            "domain leads delegate to their workers, the root sees their summaries",
            "hierarchical",
            hierarchy.build,
        ),
    )
}


def version(name: str) -> GraphVersion:
    """Raise `UsageError` for an unknown name, saying which there are."""
    found = VERSIONS.get(name)
    if found is None:
        raise UsageError(
            f"unknown graph version {name!r}", why=f"there are: {', '.join(VERSIONS)}", hint="leadline graph"
        )
    return found


def compile_version(name: str, saver: BaseCheckpointSaver[Any] | None) -> Compiled:
    """A copy of the one compiled graph, with this saver: compiling costs tens of milliseconds, a copy none."""
    return _compiled(name).copy({"checkpointer": saver})


@cache
def _compiled(name: str) -> Compiled:
    return version(name).build().compile(name=name)


@cache
def structure_hash(name: str) -> Digest:
    """Of nodes, edges and channels; it sees a renamed node or a moved edge, not a changed line of code."""
    graph = compile_version(name, None)
    drawn = graph.get_graph()
    nodes = sorted(str(n) for n in drawn.nodes)
    edges = sorted(f"{e.source}>{e.target}:{e.conditional}" for e in drawn.edges)
    channels = sorted(f"{key}:{type(channel).__name__}" for key, channel in graph.channels.items())
    return digest_of([version(name).topology, nodes, edges, channels])
