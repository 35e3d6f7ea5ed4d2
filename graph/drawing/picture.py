"""What a diagram shows, before it is drawn in any way: steps, human points, agents, and what passes between them."""

from dataclasses import dataclass
from typing import Literal

from langchain_core.runnables.graph import Graph

from ...contracts.team import AgentSpec, HumanPoint, TeamSpec
from ...rules.fuses import thresholds
from ..interfaces import POINTS, Types, interface, passage

Trust = Literal["validated", "semi", "human"]
"""Checked records; telemetry and what a model says, before code has looked at it; a person's word."""
Shape = Literal["start", "end", "step", "human", "source"]
BUNDLE = "bundle"


@dataclass(frozen=True)
class Box:
    name: str
    title: str
    shape: Shape
    lines: tuple[str, ...] = ()
    cluster: str = ""
    """The subgraph that it belongs to, empty for the version's own."""


@dataclass(frozen=True)
class Arrow:
    source: str
    target: str
    output: str
    input: str
    trust: Trust
    conditional: bool

    @property
    def label(self) -> str:
        return f"[output: {self.output}] → [input: {self.input}]"


@dataclass(frozen=True)
class Card:
    """An agent, with the thresholds of its fuse at its corner."""

    name: str
    lines: tuple[str, ...]
    fuse: str
    role: Literal["lead", "domain lead", "verifier", "agent"]


@dataclass(frozen=True)
class Picture:
    title: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    cards: tuple[Card, ...]


def picture(name: str, drawn: Graph, team: TeamSpec) -> Picture:
    """Of a compiled graph as LangGraph lays it open, subgraphs included."""
    boxes = [_box(str(node), team) for node in drawn.nodes]
    arrows = [_arrow(e.source, e.target, conditional=e.conditional) for e in drawn.edges]
    readers = [b.name for b in boxes if interface(b.name).reads_telemetry]
    boxes.append(Box(BUNDLE, "telemetry bundle", "source", ("raw, read only",)))
    arrows += [
        Arrow(BUNDLE, reader, "telemetry", "Answer, redacted and cut", "semi", conditional=False) for reader in readers
    ]
    return Picture(f"{name}, team {team.name} {team.version}", tuple(boxes), tuple(arrows), cards(team))


def _box(node: str, team: TeamSpec) -> Box:
    cluster, _, step = node.rpartition(":")
    if step in {"__start__", "__end__"}:
        title = f"{cluster} begins" if cluster else step.strip("_")
        return Box(node, title, "start" if step == "__start__" else "end", cluster=cluster)
    if step in POINTS:
        return Box(node, step.replace("_", " "), "human", condition(team.point(POINTS[step])), cluster)
    asks = tuple(form.__name__.removesuffix("Proposal").lower() for form in interface(node).asks)
    lines = (f"model: {', '.join(asks)}",) if asks else ()
    return Box(node, step.replace("_", " "), "step", lines, cluster)


def condition(point: HumanPoint) -> tuple[str, ...]:
    """When a person is asked, for how long, and what follows."""
    when = {"always": "always", "high_risk": "if risk is high", "never": "never"}[point.when]
    if point.name == "assignment" and point.when == "never":
        when = "if a task is sensitive"
    if point.name == "decision":
        when = "if a person owns the conflict"
    if point.name == "action":
        when = "each action"
    after = {"cancel": "then cancelled", "keep_waiting": "then keeps waiting", "escalate": f"then {point.escalate_to}"}
    limit = f"{point.timeout_seconds / 3600:g} h, {after[point.on_timeout]}"
    return (when, limit if point.on_timeout != "keep_waiting" else "waits as long as it takes")


def _arrow(source: str, target: str, *, conditional: bool) -> Arrow:
    passed = passage(source, target)
    human = source.rpartition(":")[2] in POINTS or target.rpartition(":")[2] in POINTS
    trust: Trust = "human" if human else "semi" if source == "__start__" else "validated"
    return Arrow(source, target, _names(passed.output), _names(passed.input), trust, conditional)


def _names(types: Types) -> str:
    return " + ".join(t.__name__ for t in types) or "nothing"


def cards(team: TeamSpec) -> tuple[Card, ...]:
    return tuple(_card(agent, team) for agent in team.agents)


def _card(agent: AgentSpec, team: TeamSpec) -> Card:
    role: Literal["lead", "domain lead", "verifier", "agent"] = "agent"
    if agent.id == team.root_owner:
        role = "lead"
    elif "verify" in agent.capabilities:
        role = "verifier"
    elif "lead_domain" in agent.capabilities:
        role = "domain lead"
    able = ", ".join(agent.capabilities) or "no capability"
    told = able if len(able) <= 44 else f"{len(agent.capabilities)} capabilities"
    return Card(agent.id, (told,), thresholds(agent.fuse), role)
