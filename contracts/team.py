"""Who can do what, within which bounds."""

from typing import Literal, get_args

from pydantic import Field

from .base import AgentId, Contract
from .task import Budget, DataClass, WriteScope

Topology = Literal["single", "star", "controlled_bus", "hierarchical"]
HumanPointName = Literal["plan", "assignment", "report", "decision", "action"]
AskName = Literal["plan", "triage", "probes", "findings", "mechanism", "review", "narrative", "actions", "messages"]
ASKS: tuple[AskName, ...] = get_args(AskName)
USUAL_ASKS: tuple[AskName, ...] = tuple(name for name in ASKS if name != "messages")
"""What messages a model would write is asked once more per task: where a team wants that, its file says so."""
RedundancyCondition = Literal["risk_high", "production_write", "security_sensitive", "confidence_below_threshold"]
ActionMode = Literal["off", "propose", "act"]


class Fuse(Contract):
    """Thresholds after which an agent is warned about, isolated, rebuilt."""

    slow_seconds: float = Field(default=30.0, gt=0)
    contract_failures: int = Field(default=3, ge=1)
    """So many refused reports in a row isolate the agent."""
    isolation_seconds: float = Field(default=600.0, ge=0)
    fallbacks_per_hour: int = Field(default=5, ge=1)


class AgentSpec(Contract):
    """Abilities, not a personality: selection goes by capabilities and probes."""

    id: AgentId
    description: str
    capabilities: tuple[str, ...]
    probes: tuple[str, ...] = ()
    """Probes that it may run; `*` allows all."""
    data_scopes: tuple[str, ...] = ("*",)
    """Sources that it may read; `*` allows all."""
    data_classification: DataClass = "confidential"
    """The highest class of data that it may see."""
    domain: str = ""
    """The part of a hierarchy that it belongs to; its lead is the agent there with capability `lead_domain`."""
    max_concurrency: int = Field(default=1, ge=1)
    write_scope: WriteScope = "none"
    """The widest side effect that it may have."""
    accepts_delegation: bool = True
    uses_model: bool = True
    """Whether a model may be asked on its behalf; otherwise rules alone."""
    prompt_version: str = "1"
    budget: Budget = Budget()
    on_failure: Literal["rework", "reassign", "escalate"] = "rework"
    fuse: Fuse = Fuse()


class HumanPoint(Contract):
    """Where a person is asked, for how long, and what happens after."""

    name: HumanPointName
    when: Literal["always", "high_risk", "never"] = "never"
    timeout_seconds: float = Field(default=86_400.0, gt=0)
    on_timeout: Literal["cancel", "keep_waiting", "escalate"] = "keep_waiting"
    escalate_to: str = ""
    """Whose turn it is after the timeout; with `escalate` the question is put to them, for as long again."""


class ActionPolicy(Contract):
    """Whether a run may do more than advise."""

    mode: ActionMode = "off"
    """`propose` checks what could be done against the catalog and says so; `act` asks a person for each action."""


class Requirement(Contract):
    """Something that a remedy must respect, and who may set it aside."""

    id: str
    statement: str
    forbids: tuple[str, ...]
    """Remedies that it rules out: `rollback`, `restart`, …"""
    services: tuple[str, ...] = ()
    """Where it applies; empty for everywhere."""
    owner: str = ""
    """The person who may set it aside; empty where it stands as a policy."""


class TeamSpec(Contract):
    """A team file, read and checked."""

    name: str
    version: str
    topology: Topology = "star"
    root_owner: AgentId
    """The one agent that answers for the final report."""
    agents: tuple[AgentSpec, ...] = Field(min_length=1)
    human_points: tuple[HumanPoint, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    budget: Budget = Budget(tokens=400_000, probe_calls=400, seconds=1800.0)
    """Of a whole run."""
    asks: tuple[AskName, ...] = USUAL_ASKS
    """Questions that a model is asked at all; the rules answer the others."""
    lease_seconds: float = Field(default=120.0, gt=0)
    """How long a claimed task stays with an agent that gives no sign of life."""
    most_expiries: int = Field(default=3, ge=1)
    """Expired leases on one task after which the lead, then a person, has to act."""
    margin: float = Field(default=0.1, ge=0.0, le=0.5)
    """How close, in score, causes must lie for a model's judgement to order them."""
    actions: ActionPolicy = ActionPolicy()
    redundant_when: tuple[RedundancyCondition, ...] = (
        "production_write",
        "security_sensitive",
        "confidence_below_threshold",
    )
    """Which of the four conditions let a task have two owners; `risk_high` would double every task of such a run."""
    confidence_threshold: float = Field(default=0.3, ge=0.0, le=1.0)
    """Where the best finding of an earlier attempt lies below, the next attempt may have two owners."""
    person_assigns: tuple[str, ...] = ()
    """Capabilities whose tasks a person gives out; tasks that write to production always are."""

    def agent(self, agent_id: AgentId) -> AgentSpec:
        """Raise KeyError for an unknown id."""
        found = next((a for a in self.agents if a.id == agent_id), None)
        if found is None:
            raise KeyError(agent_id)
        return found

    def point(self, name: HumanPointName) -> HumanPoint:
        return next((p for p in self.human_points if p.name == name), HumanPoint(name=name))
