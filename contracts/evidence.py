"""Questions that can be asked again, and their recorded answers."""

from typing import Literal

from pydantic import Field, JsonValue

from .base import AgentId, Contract, Digest, ObservationId, Record, TaskId, Utc, canonical_json, derived_id, digest_of
from .claim import Fact
from .incident import TimeWindow

Source = Literal["metrics", "logs", "traces", "changes", "topology", "resources", "documents"]
SOURCES: tuple[Source, ...] = ("metrics", "logs", "traces", "changes", "topology", "resources", "documents")
ObservationStatus = Literal["ok", "empty", "partial", "denied", "failed"]
SourceStatus = Literal["ok", "missing", "empty", "cut", "unreadable"]
Cost = Literal["cheap", "moderate", "heavy"]


class ProbeSpec(Contract):
    """What one probe asks, for the agents, the screens and the prompts."""

    name: str
    question: str
    """What it asks, in one sentence."""
    sources: tuple[Source, ...]
    """What it reads; it can only be asked where one of them is there."""
    params: dict[str, JsonValue]
    """JSON schema of its parameters."""
    cost: Cost
    version: int = 1
    """Grows when the same parameters may give another answer."""


class ProbeCall(Contract):
    """One question: a named probe with its parameters."""

    probe: str
    params: dict[str, JsonValue] = Field(default_factory=dict)

    @property
    def fingerprint(self) -> Digest:
        """Equal for equal questions; a repeat is served from the store."""
        return digest_of([self.probe, canonical_json(self.params)])


class Answer(Contract):
    """What a probe says. Equal bundle, probe version and parameters give equal bytes on every machine."""

    status: ObservationStatus
    """Only `ok` can support a claim; `partial` cannot support that something is absent."""
    facts: tuple[Fact, ...] = ()
    excerpt: tuple[str, ...] = ()
    """Evidence slice, level L1: redacted lines, cut."""
    window: TimeWindow | None = None
    """What span of the data was read."""
    rows_read: int = 0
    """Rows of the source inside the window."""
    note: str = ""
    """Why it is empty, partial, denied or failed; what was dropped or cut."""

    @property
    def digest(self) -> Digest:
        return digest_of(self.model_dump(mode="json"))


class Observation(Record):
    """A recorded answer."""

    record_kind = "observation"

    id: ObservationId
    call: ProbeCall
    probe_version: int
    bundle_digest: Digest
    answer: Answer
    answer_digest: Digest
    asked_by: AgentId
    task_id: TaskId
    asked_for: Literal["rules", "model"]
    """Whether the analyst's own rules asked, or a model proposed the question."""

    @property
    def key(self) -> str:
        return self.id

    @staticmethod
    def id_for(call: ProbeCall, bundle_digest: Digest) -> ObservationId:
        return ObservationId(derived_id("obs", call.fingerprint, bundle_digest))


class SourceCoverage(Contract):
    """What a bundle holds of one source."""

    source: Source
    status: SourceStatus
    files: int = 0
    rows: int = 0
    start: Utc | None = None
    end: Utc | None = None
    zones: tuple[str, ...] = ()
    """UTC offsets as they were written; `none` where times had no zone."""
    notes: tuple[str, ...] = ()
    """What was dropped, cut, guessed or not understood."""


class ArtifactRef(Contract):
    digest: Digest
    media_type: str
    size: int
    """Bytes."""
