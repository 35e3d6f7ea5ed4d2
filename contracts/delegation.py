"""What an agent is handed: least context, references instead of copies."""

from .base import AgentId, Contract, Record, TaskId
from .claim import Claim
from .task import Budget, CommunicationPolicy, InputRef, OutputContract, Scope


class DelegationBrief(Record):
    """Compiled by code from the task, the agent and the store."""

    record_kind = "brief"

    delegation_id: str
    contract_version: str
    """Changes when the task contract, the team or the graph does; a report under another one is stale."""
    task_id: TaskId
    attempt: int
    from_agent: AgentId
    to_agent: AgentId
    objective: str
    why_this_matters: str
    non_goals: tuple[str, ...]
    context_summary: str
    input_refs: tuple[InputRef, ...]
    constraints: tuple[str, ...]
    allowed_tools: tuple[str, ...]
    forbidden_tools: tuple[str, ...]
    scope: Scope
    success_criteria: tuple[str, ...]
    output_contract: OutputContract
    communication_policy: CommunicationPolicy
    budget: Budget

    @property
    def key(self) -> str:
        return self.delegation_id


class CaseView(Contract):
    """What an analyst may look at while it works: its incident and what is known, nothing raw."""

    task_id: TaskId
    services: tuple[str, ...] = ()
    """Services that the task is limited to; empty means all."""
    upstream: tuple[Claim, ...] = ()
    """Claims that the tasks it depends on had accepted."""
