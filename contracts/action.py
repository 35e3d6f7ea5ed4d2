"""An action on its way: suggested by a model or a rule, fixed and owned by code, attempted, confirmed.

Five objects, each with an identifier that answers its own question: `run_id` which investigation, `intent_id` which
one purpose of it, `command_id` which unchangeable command, `attempt_id` which try, `idempotency_key` which submission
the target has seen, `external_reference` what the target calls it. None stands in for another.
"""

from typing import Literal

from pydantic import Field, JsonValue

from .action_catalog import Effect
from .base import ClaimId, Contract, Digest, ObservationId, Record, RunId, Utc
from .lifecycle import ActionState
from .task import Risk

ReceiptOutcome = Literal["succeeded", "failed", "pending", "unknown"]
ReceiptSource = Literal["response", "poll", "callback", "reconciliation", "person"]
Helped = Literal["helped", "partly", "unchanged", "worse", "not_checked"]


class ResourceRef(Contract):
    """What is acted upon."""

    environment: str
    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.environment}/{self.kind}/{self.name}"


class ActionProposal(Record):
    """A suggestion, kept whether it was taken or refused."""

    record_kind = "action_proposal"

    proposal_id: str
    run_id: RunId
    kind: str
    target: str
    arguments: dict[str, JsonValue]
    """As they were proposed."""
    claims: tuple[ClaimId, ...] = ()
    """Accepted claims that speak for it."""
    why: str = ""
    """The proposer's own words; never shown before the command."""
    origin: Literal["rules", "model", "person"]
    proposed_by: str
    command_id: str = ""
    """The command that came of it; empty where it was refused."""
    refused: str = ""
    """Why it was refused; empty where it was taken."""
    at: Utc

    @property
    def key(self) -> str:
        return self.proposal_id


class ActionCommand(Contract):
    """Exactly what would be done. It never changes: an edit makes another command."""

    command_id: str
    run_id: RunId
    intent_id: str
    revision: int = Field(default=1, ge=1)
    """Of the intent; grows with each edit."""
    tenant: str
    user: str
    """On whose behalf, from the settings."""
    kind: str
    target: ResourceRef
    arguments: dict[str, JsonValue]
    """Normalised: all defaults filled in, types as the catalog has them."""
    effect: Effect
    risk: Risk
    policy: Digest
    """Version of the catalog that it was checked against."""
    fingerprint: Digest
    """Of kind, target and arguments, and of nothing else."""
    idempotency_key: str
    compensates: str = ""
    """The command that this one undoes."""
    deadline_at: Utc
    """No attempt begins after it."""
    created_at: Utc


class Action(Record):
    """A command and where it stands; only `rules.transition` moves it."""

    record_kind = "action"

    command: ActionCommand
    proposal_id: str
    state: ActionState = "proposed"
    approval_id: str = ""
    """The question to a person that is or was asked about it."""
    attempts: int = 0
    reason: str = ""
    """Why it stands where it stands."""
    replaced_by: str = ""
    """The command that a person's edit made of it."""
    undone_by: str = ""
    """The command that compensates it."""

    @property
    def key(self) -> str:
        return self.command.command_id


class DryRun(Record):
    """What the target says would happen; nothing was changed for it."""

    record_kind = "action_dry_run"

    command_id: str
    outcome: Literal["would_work", "would_fail", "not_available"]
    preview: tuple[str, ...] = ()
    """Lines of the target's answer, cut."""
    precondition: str = ""
    """The version of the resource that was seen; it is what the command may change, and no later one."""
    at: Utc

    @property
    def key(self) -> str:
        return self.command_id


class ActionAttempt(Record):
    """One try, committed before the call. Without a receipt it says that something may have happened."""

    record_kind = "action_attempt"

    attempt_id: str
    command_id: str
    n: int
    epoch: int
    """Of the lease under which it was made."""
    holder: str
    idempotency_key: str
    fingerprint: Digest
    approval_id: str
    """The approval that it uses up."""
    call_seconds: float
    started_at: Utc

    @property
    def key(self) -> str:
        return self.attempt_id


class ExecutionReceipt(Record):
    """What is known of an attempt: the target's word, checked, or how it was found out."""

    record_kind = "action_receipt"

    receipt_id: str
    attempt_id: str
    command_id: str
    source: ReceiptSource
    outcome: ReceiptOutcome
    delivered: bool = True
    """False where it is certain that nothing reached the target."""
    simulated: bool = False
    """Whether the target only pretends."""
    external_reference: str = ""
    response: Digest | None = None
    """Artifact with the target's answer, byte for byte."""
    detail: str = ""
    by: str = ""
    """The person, where a person settled it."""
    late: bool = False
    """It came when the outcome had been decided; kept, and it moves nothing by itself."""
    at: Utc

    @property
    def key(self) -> str:
        return self.receipt_id


class SymptomCheck(Contract):
    """One question that showed the symptom, asked again on fresh data."""

    observation: ObservationId
    probe: str
    before: tuple[str, ...]
    """What it showed in the incident, in sentences."""
    still_there: tuple[str, ...]
    status: str
    """Of the fresh answer."""


class OutcomeCheck(Record):
    """Whether the symptom went away after an action."""

    record_kind = "action_check"

    command_id: str
    verdict: Helped
    why: str
    checks: tuple[SymptomCheck, ...] = ()
    at: Utc

    @property
    def key(self) -> str:
        return self.command_id
