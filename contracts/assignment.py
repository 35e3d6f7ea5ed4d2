"""Why this agent, why not the others, and for how long."""

from typing import Literal

from .base import AgentId, Contract, Record, TaskId, Utc
from .lifecycle import LeaseState
from .task import AllocationMode
from .team import Topology

Role = Literal["primary", "backup", "reviewer", "verifier", "domain_lead"]


class ScoreParts(Contract):
    """Each part in [0, 1]; `total` is their weighted sum (rules.allocation)."""

    agent_id: AgentId
    capability_match: float
    tool_permission_fit: float
    context_scope_fit: float
    availability: float
    past_success: float
    cost_efficiency: float
    latency_fit: float
    risk_penalty: float
    total: float


class SelectedAgent(Contract):
    agent_id: AgentId
    role: Role
    lease_id: str | None = None


class RejectedAgent(Contract):
    agent_id: AgentId
    reason: str


class AssignmentDecision(Record):
    """One allocation, kept for audit."""

    record_kind = "assignment"

    decision_id: str
    task_id: TaskId
    attempt: int
    topology: Topology
    mode: AllocationMode
    selected: tuple[SelectedAgent, ...]
    rejected: tuple[RejectedAgent, ...]
    scores: tuple[ScoreParts, ...]
    rationale: str
    risk_flags: tuple[str, ...] = ()
    required_approvals: tuple[Literal["lead", "verifier", "human"], ...] = ()
    created_by: Literal["lead_agent", "scheduler", "domain_lead", "human"]
    created_at: Utc

    @property
    def key(self) -> str:
        return self.decision_id


class TaskLease(Record):
    """The right to work on a task for a while; a claim alone is none."""

    record_kind = "lease"

    lease_id: str
    task_id: TaskId
    agent_id: AgentId
    state: LeaseState = "active"
    epoch: int
    """Grows with each grant for the task; a report under an older epoch is refused."""
    run_epoch: int
    """Of the run's own lease when this one was granted: a process that is gone leaves void leases behind."""
    granted_at: Utc
    expires_at: Utc
    heartbeat_at: Utc
    retry_count: int = 0
    """Leases on the task that expired before this one."""
    progress_summary: str = ""

    @property
    def key(self) -> str:
        return self.lease_id
