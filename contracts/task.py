"""The task contract: what is to be done, within which bounds, and when it counts as done."""

from typing import Literal

from pydantic import Field

from .base import AgentId, Contract, Record, RunId, TaskId, Utc
from .evidence import ProbeCall
from .lifecycle import TaskState

TaskType = Literal[
    "research", "planning", "implementation", "review", "verification", "debugging", "summarization", "decision",
    "handoff",
]  # fmt: skip
Priority = Literal["low", "medium", "high", "critical"]
Risk = Literal["low", "medium", "high"]
WriteScope = Literal["none", "patch_only", "workspace_write", "production_write"]
DataClass = Literal["public", "internal", "confidential", "restricted"]
AllocationMode = Literal[
    "lead_push", "capability_matching", "claim_with_lease", "recursive_delegation", "redundant_assignment",
    "human_assignment",
]  # fmt: skip
OutputFormat = Literal["agent_report", "patch", "plan", "research_brief", "review", "test_result", "decision_record"]
RISK_ORDER: tuple[Risk, ...] = ("low", "medium", "high")


class Scope(Contract):
    allowed_paths: tuple[str, ...] = ()
    """Sources of the bundle that the task may read; empty means those its probes name."""
    forbidden_paths: tuple[str, ...] = ()
    allowed_domains: tuple[str, ...] = ()
    """Services that the task is about; empty means all."""
    data_classification: DataClass = "internal"
    write_scope: WriteScope = "none"


class Assignment(Contract):
    mode: AllocationMode = "lead_push"
    owner: AgentId | None = None
    candidates: tuple[AgentId, ...] = ()
    reviewer: AgentId | None = None
    verifier: AgentId | None = None
    lease_id: str | None = None
    parent_task_id: TaskId | None = None
    domain_scope: str = ""


class InputRef(Contract):
    kind: Literal["message", "artifact", "file", "memory", "url", "task", "decision"]
    ref: str
    reason: str


class OutputContract(Contract):
    format: OutputFormat = "agent_report"
    must_include_evidence: bool = True
    must_include_confidence: bool = True
    schema_ref: str = "leadline.contracts.report:AgentReport"


class Budget(Contract):
    """What may be spent, checked before spending."""

    tokens: int = Field(default=60_000, ge=0)
    """Prompt plus answer tokens of all model calls."""
    probe_calls: int = Field(default=60, ge=0)
    seconds: float = Field(default=600.0, gt=0)
    """Wall-clock time, by a monotonic clock."""
    cost: float = Field(default=0.0, ge=0)
    """Money, in the team's currency; 0 where models run locally."""
    messages: int = Field(default=20, ge=0)
    clarification_rounds: int = Field(default=1, ge=0)
    review_rounds: int = Field(default=1, ge=0)
    broadcasts: int = Field(default=0, ge=0)
    wait_seconds: float = Field(default=120.0, ge=0)


class CommunicationPolicy(Contract):
    may_ask: bool = True
    may_contact_others: bool = False
    must_report_progress: bool = True
    progress_interval: Literal["on_blocker", "periodic", "on_completion"] = "on_completion"


class TaskSpec(Contract):
    """The smallest contract of a delegated piece of work."""

    task_id: TaskId
    run_id: RunId
    title: str
    goal: str
    why_this_matters: str
    non_goals: tuple[str, ...] = ()
    task_type: TaskType = "research"
    priority: Priority = "medium"
    risk_level: Risk = "low"
    dependencies: tuple[TaskId, ...] = ()
    required: bool = True
    """Whether the whole fails where this fails."""
    required_capabilities: tuple[str, ...]
    required_tools: tuple[str, ...] = ()
    """Probes that the owner must be allowed to run."""
    scope: Scope = Scope()
    assignment: Assignment = Assignment()
    input_refs: tuple[InputRef, ...] = ()
    questions: tuple[ProbeCall, ...] = ()
    """What is to be asked whatever else is: a follow-up is made for these."""
    output_contract: OutputContract | None = OutputContract()
    success_criteria: tuple[str, ...]
    expected_output: str
    budget: Budget = Budget()
    communication_policy: CommunicationPolicy = CommunicationPolicy()
    created_by: AgentId
    created_at: Utc
    updated_at: Utc


class Task(Record):
    """A task and where it stands."""

    record_kind = "task"

    spec: TaskSpec
    state: TaskState = "draft"
    attempt: int = 1
    """Grows with every revision and reassignment; earlier attempts keep their reports."""
    rounds: int = 0
    """Revisions asked of the present owner."""
    failed_owners: tuple[AgentId, ...] = ()
    """Who had it before and could not do it."""
    required_changes: tuple[str, ...] = ()
    """What the last review wants changed."""
    position: int = 0
    """Place in the plan, from 0."""
    origin: Literal["rules", "model", "person"] = "rules"
    """Who thought of it."""

    @property
    def key(self) -> str:
        return self.spec.task_id
