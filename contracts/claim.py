"""Statements that code can check: a probe's facts, and the claims that agents build on them."""

from typing import Literal

from pydantic import Field

from .base import AgentId, ClaimId, Contract, ObservationId, Record, Utc

SubjectKind = Literal["service", "instance", "edge", "change", "node", "component", "document", "external", "incident"]
Relation = Literal[
    "rises",  # value above its baseline
    "falls",  # value below its baseline
    "unchanged",
    "appears",  # was not there before
    "vanishes",
    "fails",  # an error, a refused or broken state
    "slows",  # takes longer itself
    "waits_on",  # takes longer because of `object`
    "calls",  # edge: subject calls `object`
    "precedes",  # happened before the first anomaly
    "touches",  # a change touches `object` (file, key, identifier)
    "sets",  # a change or state gives `object` the value `value`, before it `baseline`
    "matches",  # text of subject speaks of `object`
    "states",  # a state or a source says `object`
]
Origin = Literal["rules", "model", "person"]

OPPOSITES: dict[Relation, frozenset[Relation]] = {
    "rises": frozenset({"falls", "unchanged"}),
    "falls": frozenset({"rises", "unchanged"}),
    "unchanged": frozenset({"rises", "falls", "slows"}),
    "slows": frozenset({"unchanged"}),
    "appears": frozenset({"vanishes"}),
    "vanishes": frozenset({"appears"}),
}
"""Relations that cannot both hold of one subject, signal and time."""


class Subject(Contract):
    kind: SubjectKind
    ref: str
    """The name within its kind; an edge is `caller->callee`."""
    service: str = ""
    """The service that it belongs to, where that is another name than `ref`."""

    @property
    def owner(self) -> str:
        """The service to look at: its own, or the callee of an edge, or itself."""
        return self.service or (self.ref.rpartition("->")[2] if self.kind == "edge" else self.ref)


class Statement(Contract):
    """Subject, signal, relation, object, time and number: the whole grammar of what can be said."""

    subject: Subject
    signal: str
    """What was looked at, `source:name`: `metric:cpu`, `log:template`, `trace:self_time`, `change:diff`."""
    relation: Relation
    object: str = ""
    """The other party: a callee, a log template, a configuration key, a state's name."""
    value: float | None = None
    """The number seen, in `unit`."""
    baseline: float | None = None
    """The number it is held against, in `unit`."""
    unit: str = ""
    at: Utc | None = None
    """When it began, or happened."""
    strength: float = Field(default=0.0, ge=0.0, le=1.0)
    """How far from normal or how clear, 0 to 1, on the scale that the probe's docstring states."""
    quote: str = Field(default="", max_length=400)
    """The telling piece of the source, redacted and cut; never the whole."""


class Fact(Statement):
    """One row of a probe's answer."""


class Claim(Statement, Record):
    """A statement that an agent stands for, with the observations that carry it."""

    record_kind = "claim"

    id: ClaimId
    observations: tuple[ObservationId, ...] = Field(min_length=1)
    made_by: AgentId
    origin: Origin
    """Who thought of it; code checks all of them the same way."""

    @property
    def key(self) -> str:
        return self.id
