"""What a message says, one model per kind: summaries and references, never the thing itself."""

from typing import Annotated, Literal

from pydantic import Field

from .base import AgentId, Contract, TaskId
from .task import Risk

Line = Annotated[str, Field(min_length=1, max_length=400)]
"""A sentence or two."""
Ref = Annotated[str, Field(min_length=1, max_length=160, pattern=r"^\S+$")]
"""Id of a record, an artifact, a file's lines: something that can be looked up."""
Name = Annotated[str, Field(min_length=1, max_length=120)]


class Clarification(Contract):
    """Asked only where work cannot go on; it never asks for the whole context."""

    kind: Literal["clarification_requested"] = "clarification_requested"
    question: Line
    why_blocking: Line
    options: tuple[Line, ...] = Field(min_length=1, max_length=4)
    """What could be answered; the first is what the asker does if nobody answers."""
    needed_by: Line


class TaskAssigned(Contract):
    """The brief is the contract; this points at it."""

    kind: Literal["task_assigned"] = "task_assigned"
    delegation_id: Ref
    contract_version: Ref
    objective: Line
    attempt: int = Field(ge=1)
    lease_id: str = Field(default="", max_length=160)


class Progress(Contract):
    """What is new, and nothing else: no background, nothing said before."""

    kind: Literal["progress_reported"] = "progress_reported"
    findings: tuple[Line, ...] = Field(default=(), max_length=5)
    blockers: tuple[Line, ...] = Field(default=(), max_length=5)
    artifacts: tuple[Ref, ...] = Field(default=(), max_length=5)
    risks: tuple[Line, ...] = Field(default=(), max_length=5)
    next_step: Line

    @property
    def is_empty(self) -> bool:
        return not (self.findings or self.blockers or self.artifacts or self.risks)


class BlockerRaised(Contract):
    """Says who must act and what they could do; the agent does not get round it by itself."""

    kind: Literal["blocker_raised"] = "blocker_raised"
    blocker: Line
    needs: Literal["user", "lead", "tool", "another_agent"]
    who: Name
    """Who exactly: a person's role, an agent, a probe or a data source."""
    suggested_resolution: tuple[Line, ...] = Field(min_length=1, max_length=4)
    risk: Risk = "low"


class ReportSubmitted(Contract):
    kind: Literal["report_submitted"] = "report_submitted"
    report_id: Ref
    attempt: int = Field(ge=1)
    findings: int = Field(ge=0)
    """How many; they stand in the report."""
    seconds: float = Field(ge=0.0)
    """From the first question to the report."""


class RevisionRequested(Contract):
    kind: Literal["revision_requested"] = "revision_requested"
    report_id: Ref
    reason: Line
    required_changes: tuple[Line, ...] = Field(min_length=1, max_length=20)
    deadline_policy: Literal["same_lease", "new_lease"]
    """Whether the owner goes on under the lease that it has, or takes a new one from the board."""


class SubtaskRequest(Contract):
    """A wish, no task: the lead alone makes one of it."""

    kind: Literal["subtask_requested"] = "subtask_requested"
    title: Name
    reason: Line
    capability: Name
    """What an agent must be able to do for it."""
    suggested_agent: AgentId | None = None
    required_tools: tuple[Name, ...] = Field(default=(), max_length=12)
    services: tuple[Name, ...] = Field(default=(), max_length=12)
    """Where to look; empty for everywhere."""
    expected_output: Name = "agent_report"


class DependencyQuestion(Contract):
    """About a task that one's own is tied to, and nothing else."""

    kind: Literal["dependency_question"] = "dependency_question"
    question: Line
    about: tuple[Name, ...] = Field(default=(), max_length=12)
    """Subjects that the answer should speak of: services, identifiers, keys."""
    answer_fields: tuple[Name, ...] = Field(min_length=1, max_length=8)
    """What the answer must hold."""


class DependencyAnswer(Contract):
    kind: Literal["dependency_answer"] = "dependency_answer"
    question_id: Ref
    answer: Line
    confidence: float = Field(ge=0.0, le=1.0)
    """0 says that it is no fact: nothing was found that speaks to the question."""


class ArtifactHandoff(Contract):
    kind: Literal["artifact_handoff"] = "artifact_handoff"
    artifact_ref: Ref
    why_relevant: Line
    important_fields: tuple[Name, ...] = Field(default=(), max_length=12)


class ReviewRequested(Contract):
    """Names what is reviewed, and by which list or with which focus."""

    kind: Literal["review_requested"] = "review_requested"
    artifact_ref: Ref
    checklist_ref: str = Field(default="", max_length=160)
    focus: tuple[Line, ...] = Field(default=(), max_length=8)


class ReviewIssue(Contract):
    issue: Line
    evidence_refs: tuple[Ref, ...] = Field(min_length=1, max_length=12)
    suggested_fix: Line


class ReviewResult(Contract):
    kind: Literal["review_result"] = "review_result"
    artifact_ref: Ref
    status: Literal["approved", "changes_requested"]
    blocking_issues: tuple[ReviewIssue, ...] = Field(default=(), max_length=12)
    comments: tuple[Line, ...] = Field(default=(), max_length=8)


class BlockerSupport(Contract):
    """Asks for help; the task stays its owner's."""

    kind: Literal["blocker_support_requested"] = "blocker_support_requested"
    blocker: Line
    needed_artifacts: tuple[Line, ...] = Field(min_length=1, max_length=8)


class InterfaceContract(Contract):
    """What two tasks agree on, by reference to the agreement's own artifact."""

    kind: Literal["interface_contract_proposal"] = "interface_contract_proposal"
    contract: dict[Name, Ref] = Field(min_length=1, max_length=8)
    """Part of the interface to the artifact that states it: `response_schema` to its schema."""
    compatibility: Literal["backward_compatible", "breaking", "unknown"]
    requires_ack: bool = True


class ConflictNotice(Contract):
    """A contradiction as an object of its own, for whoever has to decide."""

    kind: Literal["conflict_notice"] = "conflict_notice"
    conflict_id: Ref
    description: Line
    involved_artifacts: tuple[Ref, ...] = Field(min_length=1, max_length=12)
    risk: Risk
    suggested_resolution: tuple[Line, ...] = Field(min_length=1, max_length=6)
    decision_owner: Name


class DecisionProposed(Contract):
    kind: Literal["decision_proposed"] = "decision_proposed"
    subject: Line
    options: tuple[Line, ...] = Field(min_length=1, max_length=6)
    preferred: Line


class DecisionRecorded(Contract):
    """Tells of an entry in the decision log; the entry is the decision, this is none."""

    kind: Literal["decision_recorded"] = "decision_recorded"
    decision_id: Ref
    decision: Line
    affected_tasks: tuple[TaskId, ...] = Field(default=(), max_length=50)


class HandoffRequested(Contract):
    """Asks the lead to give the task to somebody else; until it does, nothing has changed."""

    kind: Literal["handoff_requested"] = "handoff_requested"
    reason: Line
    suggested_agent: AgentId | None = None


class HandoffAccepted(Contract):
    """The lead's word that a task has moved, by the assignment that moved it."""

    kind: Literal["handoff_accepted"] = "handoff_accepted"
    assignment_id: Ref
    new_owner: AgentId


Payload = Annotated[
    TaskAssigned
    | Clarification
    | Progress
    | BlockerRaised
    | ReportSubmitted
    | RevisionRequested
    | SubtaskRequest
    | DependencyQuestion
    | DependencyAnswer
    | ArtifactHandoff
    | ReviewRequested
    | ReviewResult
    | BlockerSupport
    | InterfaceContract
    | ConflictNotice
    | DecisionProposed
    | DecisionRecorded
    | HandoffRequested
    | HandoffAccepted,
    Field(discriminator="kind"),
]
