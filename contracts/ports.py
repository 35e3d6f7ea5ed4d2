"""How the rooms reach each other: protocols, and the `Deps` that a run's nodes are handed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, Literal, NamedTuple, Protocol, TypeVar, runtime_checkable

from pydantic import JsonValue

from .action import ActionCommand
from .action_catalog import ActionCatalog, ActionSpec
from .approval import ApprovalDecision, ApprovalRequest, UptimeMark
from .base import AgentId, Digest, Record, RunId, TaskId
from .claim import Claim
from .delegation import CaseView
from .event import Event
from .evidence import Answer, ArtifactRef, Observation, ProbeCall, ProbeSpec, Source, SourceCoverage
from .incident import CauseRef, Incident
from .lifecycle import RunState
from .message import Draft, MailboxMessage
from .proposal import Proposal
from .report import ChartSeries, Finding, Ranking, Usage
from .run import Run, RunConfig, RunLease
from .task import Task
from .team import TeamSpec

P = TypeVar("P", bound=Proposal)
R = TypeVar("R", bound=Record)


# --- time -------------------------------------------------------------------------------------------------------------
class Clock(Protocol):
    def now(self) -> datetime:
        """The wall clock, in UTC: for records, never for deadlines."""
        ...

    def monotonic(self) -> float:
        """Seconds that only grow: for deadlines and durations."""
        ...


# --- evidence ---------------------------------------------------------------------------------------------------------
class Analyst(Protocol):
    """One field of evidence, read by rules."""

    @property
    def capability(self) -> str:
        """What a task must require to be this analyst's: `analyze_metrics`."""
        ...

    @property
    def sources(self) -> tuple[Source, ...]:
        """It has work where one of them is there."""
        ...

    @property
    def after(self) -> tuple[str, ...]:
        """Capabilities whose claims it builds on."""
        ...

    def next_questions(self, view: CaseView, observed: Sequence[Observation]) -> Sequence[ProbeCall]:
        """What to ask now, given what this task has observed; empty when it has seen enough."""
        ...

    def findings(self, view: CaseView, observed: Sequence[Observation], agent: AgentId) -> Sequence[Finding]:
        """What the observations show, strongest first, bounded in number; every claim repeats a fact."""
        ...


class Desk(NamedTuple):
    """What an agent sees of its mail."""

    agent: AgentId
    lead: AgentId
    task: Task
    tasks: Sequence[Task]
    """The plan, in its order."""
    inbox: Sequence[MailboxMessage]
    """Addressed to it and not settled yet."""
    findings: Sequence[Finding]
    """What it found in this task."""


@runtime_checkable
class Correspondent(Protocol):
    """An analyst that has something to say to others. What it drafts passes the gate like everything else."""

    def letters(self, desk: Desk) -> Sequence[Draft]: ...


class Evidence(Protocol):
    """One opened bundle, its probes and those who read them."""

    @property
    def incident(self) -> Incident: ...

    @property
    def bundle_digest(self) -> Digest: ...

    def coverage(self) -> tuple[SourceCoverage, ...]: ...

    def services(self) -> tuple[str, ...]:
        """Services that the telemetry names, sorted, at most 500."""
        ...

    def probes(self) -> tuple[ProbeSpec, ...]:
        """Those that this bundle can answer."""
        ...

    async def ask(self, call: ProbeCall) -> Answer:
        """Never raises for what the data holds: unknown probes and parameters are `denied`, faults are `failed`."""
        ...

    def analysts(self) -> tuple[Analyst, ...]: ...

    def rank(self, claims: Sequence[Claim]) -> Ranking:
        """Causes by stated rules (docs/ranking.md), from claims alone; the order of `claims` does not matter."""
        ...

    def separating(self, ranking: Ranking, asked: Sequence[ProbeCall]) -> tuple[ProbeCall, ...]:
        """Questions not asked yet that would tell the first causes apart, the most telling first; at most four."""
        ...

    async def source_text(self, cause: CauseRef) -> tuple[str, ...]:
        """Redacted lines that a mechanism can be quoted from: a change's diff, a log's templates."""
        ...

    async def charts(self, ranking: Ranking, claims: Sequence[Claim]) -> tuple[ChartSeries, ...]:
        """The decisive metrics around the onset, at most four series of at most 240 points."""
        ...

    def close(self) -> None: ...


# --- proposers --------------------------------------------------------------------------------------------------------
class Rendered(NamedTuple):
    """A prompt's text; `system` never changes, `shared` is equal for all agents of a run, `task` is this one's."""

    system: str
    shared: str
    task: str


class Prompt(Protocol):
    """The variables of one template, able to render themselves."""

    @property
    def template(self) -> str: ...

    def render(self) -> Rendered: ...


@dataclass(frozen=True, kw_only=True)
class Ask(Generic[P]):
    """One question to a proposer."""

    ask_id: str
    """Derived from run, task, attempt, form and ordinal: the same question is answered once."""
    node: str
    """The graph node that asks."""
    form: type[P]
    prompt: Prompt
    baseline: P
    """What the rules answer; it stands where no model does."""
    task_id: TaskId | None = None
    agent: AgentId | None = None
    uses_model: bool = True


ProposalOrigin = Literal["model", "rules"]


@dataclass(frozen=True, kw_only=True)
class Proposed(Generic[P]):
    value: P
    origin: ProposalOrigin
    degraded: str = ""
    """Why the rules answered where a model was asked, else empty."""


class Proposer(Protocol):
    """Fills forms. It never raises for anything that a model or its server does."""

    @property
    def name(self) -> str:
        """`rules`, `ollama:qwen3:8b`, `scripted`."""
        ...

    async def propose(self, ask: Ask[P]) -> Proposed[P]: ...

    def usage(self) -> Usage:
        """Spent in this run so far, over all its processes."""
        ...

    async def close(self) -> None: ...


# --- records ----------------------------------------------------------------------------------------------------------
class Writes(NamedTuple):
    """What one commit holds. Records replace their older version; an event that is there already is left alone."""

    records: tuple[Record, ...] = ()
    events: tuple[Event, ...] = ()


class LedgerReader(Protocol):
    """One run's records, for reading."""

    async def get(self, kind: type[R], key: str) -> R | None: ...

    async def all(self, kind: type[R]) -> tuple[R, ...]:
        """In the order in which they were first written."""
        ...

    async def events(self, after: int = 0, limit: int | None = None) -> tuple[Event, ...]: ...

    async def artifact(self, ref: Digest) -> bytes | None: ...


class Ledger(LedgerReader, Protocol):
    """One run's records, held under one lease; every write is refused once the lease has moved on (`LeaseLost`)."""

    @property
    def lease(self) -> RunLease: ...

    async def commit(self, writes: Writes, *, step: str = "", update: Mapping[str, JsonValue] | None = None) -> None:
        """All or nothing, in one transaction. With `step`, remembers `update` as that step's result."""
        ...

    async def recall(self, step: str) -> dict[str, JsonValue] | None:
        """The result of a step that was committed before, so that it is not done twice."""
        ...

    async def save_artifact(self, content: bytes, media_type: str) -> ArtifactRef: ...


class RunStore(Protocol):
    """All runs of one database."""

    async def create(self, run: Run, holder: str, ttl_seconds: float) -> RunLease:
        """The run's row, before anything else of it is written."""
        ...

    async def run(self, run_id: RunId) -> Run:
        """Raise `UnknownRun`. An unambiguous beginning of an id is accepted."""
        ...

    async def runs(self, *, limit: int = 50, evaluation: bool = False) -> tuple[Run, ...]: ...

    async def take(self, run_id: RunId, holder: str, ttl_seconds: float) -> RunLease:
        """Raise `RunHeld` while another process holds it."""
        ...

    async def renew(self, lease: RunLease, ttl_seconds: float) -> None:
        """Raise `LeaseLost`."""
        ...

    async def release(self, lease: RunLease) -> None: ...

    async def set_state(self, lease: RunLease, state: RunState, reason: str = "") -> None: ...

    def ledger(self, lease: RunLease) -> Ledger: ...

    def reader(self, run_id: RunId) -> LedgerReader: ...

    async def decide(self, request: ApprovalRequest, decision: ApprovalDecision) -> None:
        """Store the one answer to a request; raise `ApprovalRefused` where it is not open any more. Needs no lease."""
        ...

    async def close(self) -> None: ...


# --- actions ----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class ActionCall:
    """All that a target may know of a command."""

    command: ActionCommand
    spec: ActionSpec
    precondition: str = ""
    """Version of the resource that the dry run saw, empty where it told none."""
    attempt_id: str = ""
    epoch: int = 0
    """Of the run's lease: a target that keeps the highest can refuse an older one."""
    reference: str = ""
    """The target's own name for it, where an earlier answer gave one."""


class TargetReply(NamedTuple):
    """What came back from a target, before anyone believes it."""

    outcome: Literal["succeeded", "failed", "pending", "unknown"]
    delivered: bool = True
    """False only where it is certain that nothing reached the target."""
    body: bytes = b""
    reference: str = ""
    echoed_key: str = ""
    """The idempotency key that the answer names; empty where it names none."""
    echoed_fingerprint: str = ""
    must_echo: bool = False
    """Whether this target's answers have to name key and fingerprint."""
    authentic: bool = True
    """False where a signature was due and is missing or wrong."""
    simulated: bool = False
    detail: str = ""


class DryRunReply(NamedTuple):
    outcome: Literal["would_work", "would_fail", "not_available"]
    preview: tuple[str, ...] = ()
    precondition: str = ""


class ProbedOutcome(NamedTuple):
    """What the state itself says about a command's effect."""

    outcome: Literal["done", "not_done", "unclear"]
    detail: str = ""


class ActionTarget(Protocol):
    """Where actions are carried out. No method raises for anything that the target does."""

    @property
    def name(self) -> str: ...

    async def dry_run(self, call: ActionCall) -> DryRunReply:
        """Changes nothing."""
        ...

    async def execute(self, call: ActionCall) -> TargetReply:
        """The one call with an effect. Sends once: whether to try again is not its decision."""
        ...

    async def status(self, call: ActionCall) -> TargetReply:
        """How the command went, by reference or key; `unknown` where the target does not know it. Changes nothing."""
        ...

    async def outcome(self, call: ActionCall) -> ProbedOutcome:
        """Whether the effect is there, asked of the state and not of the record. Changes nothing."""
        ...

    async def close(self) -> None: ...


class OpenFresh(Protocol):
    """The incident's evidence as it is now, from a live source."""

    async def __call__(self, since: datetime) -> Evidence | None:
        """None where no source gives data later than `since`. The caller closes it."""
        ...


class Uptime(Protocol):
    def mark(self) -> UptimeMark | None:
        """None where the machine does not say."""
        ...


@dataclass(frozen=True, kw_only=True)
class ActionDesk:
    """What a run needs to do more than advise."""

    catalog: ActionCatalog
    targets: Mapping[str, ActionTarget]
    tenant: str
    user: str
    uptime: Uptime
    fresh: OpenFresh | None = None
    stall_seconds: float = 5.0
    """A process that stood still for longer between recording an intent and calling does not call any more."""


# --- what nodes are handed --------------------------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class Limits:
    """Bounds that are no budget: they keep records and screens small."""

    claims_per_report: int = 60
    recursion: int = 400
    """Supersteps of one run before the graph is stopped as runaway."""


@dataclass(frozen=True, kw_only=True)
class Deps:
    """Handed to every node through LangGraph's runtime context; nothing of it is ever stored."""

    run_id: RunId
    config: RunConfig
    team: TeamSpec
    evidence: Evidence
    proposer: Proposer
    ledger: Ledger
    clock: Clock
    started: float = 0.0
    """Monotonic start of this process's part of the run."""
    limits: Limits = field(default_factory=Limits)
    actions: ActionDesk | None = None
    """None where the run only advises."""
