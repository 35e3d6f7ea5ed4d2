"""How the rooms reach each other: protocols, and the `Deps` that a run's nodes are handed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, Literal, NamedTuple, Protocol, TypeVar

from pydantic import JsonValue

from .approval import ApprovalDecision, ApprovalRequest
from .base import AgentId, Digest, Record, RunId, TaskId
from .claim import Claim
from .delegation import CaseView
from .event import Event
from .evidence import Answer, ArtifactRef, Observation, ProbeCall, ProbeSpec, Source, SourceCoverage
from .incident import CauseRef, Incident
from .lifecycle import RunState
from .proposal import Proposal
from .report import ChartSeries, Finding, Ranking, Usage
from .run import Run, RunConfig, RunLease
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
