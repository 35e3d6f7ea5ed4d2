"""What agents return, and the one report that a run ends in."""

from typing import Literal

from pydantic import Field, JsonValue

from .base import AgentId, ClaimId, Contract, Digest, ObservationId, Record, RunId, TaskId, Utc
from .claim import Claim
from .evidence import SourceCoverage
from .incident import CauseKind, CauseRef
from .task import Risk

Outcome = Literal["cause_found", "no_incident", "inconclusive"]


class Finding(Contract):
    claim: Claim
    confidence: float = Field(ge=0.0, le=1.0)
    """From the claim's strength and its probe's trust; never from a model."""
    risk: Risk = "low"


class Blocker(Contract):
    blocker: str
    needs: Literal["user", "manager", "tool", "another_agent"]


class ActionTaken(Contract):
    action: str
    observations: tuple[ObservationId, ...] = ()


class CheckList(Contract):
    """What was checked of a piece of work."""

    run: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    not_verified: tuple[str, ...] = ()


class AgentReport(Record):
    """An agent's structured result for one attempt at one task."""

    record_kind = "agent_report"

    report_id: str
    delegation_id: str
    contract_version: str
    task_id: TaskId
    agent_id: AgentId
    attempt: int
    summary: str
    findings: tuple[Finding, ...] = ()
    actions_taken: tuple[ActionTaken, ...] = ()
    artifacts_created: tuple[str, ...] = ()
    """Digests of what it stored."""
    open_questions: tuple[str, ...] = ()
    blockers: tuple[Blocker, ...] = ()
    verification: CheckList = CheckList()
    recommendations: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()
    """Where a model was asked and the rules answered instead, and why."""

    @property
    def key(self) -> str:
        return self.report_id


class DomainSummary(Record):
    """What a domain lead hands to the root: claims by reference and sentences, never observations."""

    record_kind = "domain_summary"

    domain: str
    lead: AgentId
    tasks: tuple[TaskId, ...]
    claims: tuple[ClaimId, ...]
    headline: str
    open_questions: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return self.domain


class RankedCause(Contract):
    cause: CauseRef
    reason: str = ""
    """The fault kind, from the taxonomy; empty where unknown."""
    score: float = Field(ge=0.0, le=1.0)
    """Strength of the evidence for it, on the ranking's own scale; causes are compared by it."""
    confidence: float = Field(ge=0.0, le=1.0)
    onset: Utc | None = None
    claims_for: tuple[ClaimId, ...] = ()
    claims_against: tuple[ClaimId, ...] = ()
    note: str = ""
    """Why it stands where it stands, in one sentence of code's own."""


class ChainLink(Contract):
    """One step from cause to alert along an observed edge."""

    source: str
    target: str
    how: str
    claims: tuple[ClaimId, ...] = ()


class RuledOut(Contract):
    cause: CauseRef
    why: str
    claims: tuple[ClaimId, ...] = ()


class Remedy(Contract):
    action: str
    target: str
    why: tuple[ClaimId, ...] = ()


class Ranking(Contract):
    """What the evidence says, best cause first."""

    outcome: Outcome
    causes: tuple[RankedCause, ...] = ()
    """Up to ten."""
    first_failing_service: str = ""
    affected_services: tuple[str, ...] = ()
    onset: Utc | None = None
    chain: tuple[ChainLink, ...] = ()
    ruled_out: tuple[RuledOut, ...] = ()
    remediation: tuple[Remedy, ...] = ()
    missing: tuple[str, ...] = ()
    """What would be needed to say more."""


class CheckedClaim(Contract):
    """A claim as the report shows it."""

    id: ClaimId
    text: str
    observations: tuple[ObservationId, ...]
    verified: bool
    origin: Literal["rules", "model", "person"] = "rules"
    at: Utc | None = None
    service: str = ""


class Usage(Contract):
    model_calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    probe_calls: int = 0
    prompt_chars: int = 0
    """Characters sent to the model."""
    shared_chars: int = 0
    """Of these, the longest prefix shared with an earlier prompt of the run."""
    seconds: float = 0.0


class ReportedCause(Contract):
    rank: int
    kind: CauseKind
    ref: str
    service: str
    reason: str
    onset: Utc | None
    confidence: float
    claims: tuple[ClaimId, ...]
    against: tuple[ClaimId, ...] = ()
    """Claims that speak against it."""
    source: tuple[str, ...] = ()
    """Of the first causes: lines of what is blamed, its title and diff or its state, redacted and cut."""
    note: str = ""


class ShortVerdict(Contract):
    outcome: Outcome
    causes: tuple[ReportedCause, ...] = ()


class Sentence(Contract):
    """A sentence of the summary and the claims that carry it."""

    text: str
    claims: tuple[ClaimId, ...]


class TimelineEntry(Contract):
    at: Utc
    lane: Literal["alert", "change", "metric", "log", "trace", "resource", "external"]
    text: str
    claim: ClaimId | None = None


class ChartSeries(Contract):
    """A decisive metric around the onset, for the picture."""

    label: str
    unit: str
    onset: Utc | None
    points: tuple[tuple[Utc, float], ...]


class ConflictNote(Contract):
    subject: str
    description: str
    ruling: str


class DecisionNote(Contract):
    subject: str
    decision: str
    reason: str
    decided_by: str


class ModelContribution(Contract):
    """What asking a model changed."""

    tasks_added: int = 0
    probes_added: int = 0
    claims_added: int = 0
    claims_refused: int = 0
    order_changed: bool = False
    mechanisms: tuple[str, ...] = ()
    """Its checked judgements whether a cause explains the anomaly, each with its quote."""


class ActionNote(Contract):
    """What became of one proposed action."""

    command: str
    """Its id; empty where it was refused before there was one."""
    kind: str
    target: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    effect: str = ""
    state: str
    """As in the action's lifecycle, or `proposed` for advice alone, or `refused`."""
    reason: str = ""
    proposed_by: str = ""
    approved_by: str = ""
    reference: str = ""
    """What the target calls it."""
    simulated: bool = False
    """Whether its target only pretends: nothing was changed."""
    helped: Literal["helped", "partly", "unchanged", "worse", "not_checked"] = "not_checked"
    check: str = ""
    """What was found when the symptom was looked for again, or why nobody looked."""
    undoes: str = ""
    undone_by: str = ""


class IncidentReport(Record):
    """The end of a run, in the format of DESIGN.md section 11; `schema` 1."""

    record_kind = "incident_report"

    schema_version: Literal[1] = Field(default=1, alias="schema", serialization_alias="schema")
    run: RunId
    incident: str
    title: str
    graph: str
    proposer: str
    bundle: Digest
    status: Literal["concluded", "draft", "rejected"]
    outcome: Outcome
    headline: str
    """The verdict in one line, rendered from it."""
    causes: tuple[ReportedCause, ...] = ()
    first_failing_service: str = ""
    affected_services: tuple[str, ...] = ()
    chain: tuple[ChainLink, ...] = ()
    summary: tuple[Sentence, ...] = ()
    remediation: tuple[Remedy, ...] = ()
    actions: tuple[ActionNote, ...] = ()
    claims: tuple[CheckedClaim, ...] = ()
    ruled_out: tuple[RuledOut, ...] = ()
    coverage: tuple[SourceCoverage, ...] = ()
    missing: tuple[str, ...] = ()
    would_change: tuple[str, ...] = ()
    """Questions whose answers could change the order of the first causes."""
    timeline: tuple[TimelineEntry, ...] = ()
    charts: tuple[ChartSeries, ...] = ()
    degraded: tuple[str, ...] = ()
    conflicts: tuple[ConflictNote, ...] = ()
    decisions: tuple[DecisionNote, ...] = ()
    without_model: ShortVerdict
    model: ModelContribution = ModelContribution()
    usage: Usage = Usage()

    @property
    def key(self) -> str:
        return "report"
