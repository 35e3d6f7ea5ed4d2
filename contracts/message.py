"""What agents say to each other: directed, typed, about a task, with references instead of contents.

A message changes nothing by itself: no owner, no task, no state. Records do, and rules write those.
"""

from typing import Literal, get_args

from pydantic import Field, model_validator

from .base import AgentId, Contract, Record, RunId, TaskId, Utc
from .lifecycle import MessageState
from .message_payload import Line, Payload, Ref
from .task import Priority

Channel = Literal["lead_channel", "taskboard", "eventbus", "mailbox", "review_queue", "escalation"]
"""Where a message goes; artifact store and decision log are no channels of messages, but what these refer to."""
MessageKind = Literal[
    "task_assigned", "clarification_requested", "progress_reported", "blocker_raised", "report_submitted",
    "revision_requested", "subtask_requested", "dependency_question", "dependency_answer", "artifact_handoff",
    "review_requested", "review_result", "blocker_support_requested", "interface_contract_proposal", "conflict_notice",
    "decision_proposed", "decision_recorded", "handoff_requested", "handoff_accepted",
]  # fmt: skip
KINDS: tuple[MessageKind, ...] = get_args(MessageKind)
Visibility = Literal["lead_only", "task_participants", "team", "verifier", "human"]
Occasion = Literal[
    "mission_update", "global_constraint_change", "critical_blocker", "major_decision", "security_warning"
]
"""What may be told to everybody at once."""
USER = AgentId("user")
"""The person whom the lead answers to."""


class ExpectedResponse(Contract):
    required: bool = True
    format: Line
    """What the answer must be: a message kind, a report, an acknowledgement."""
    deadline_ms: int | None = Field(default=None, ge=0)
    """From when it was sent; without one it expires with its task."""


class MessagePolicy(Contract):
    """What the message may bring about; the gate refuses more than its kind allows."""

    max_visibility: Visibility = "task_participants"
    can_create_task: bool = False
    can_modify_task_state: bool = False
    can_transfer_ownership: bool = False


class AgentMessage(Record):
    """One message, kept with how far it got."""

    record_kind = "message"

    message_id: str
    run_id: RunId
    thread_id: str
    """The first message's id; answers stand in its thread."""
    from_agent: AgentId
    to_agent: AgentId | None
    """None is a broadcast."""
    channel: Channel
    kind: MessageKind
    task_id: TaskId | None
    related_task_ids: tuple[TaskId, ...] = ()
    priority: Priority = "medium"
    blocking: bool = False
    """Whether the sender cannot go on without the answer."""
    content_summary: Line
    payload: Payload
    context_refs: tuple[Ref, ...] = Field(default=(), max_length=20)
    artifact_refs: tuple[Ref, ...] = Field(default=(), max_length=20)
    evidence_refs: tuple[Ref, ...] = Field(default=(), max_length=20)
    expected_response: ExpectedResponse | None = None
    policy: MessagePolicy = MessagePolicy()
    broadcast_as: Occasion | None = None
    """Of a broadcast: which of the five occasions it is."""
    state: MessageState = "sent"
    created_at: Utc
    updated_at: Utc
    """When it came into its state."""

    @property
    def key(self) -> str:
        return self.message_id

    @model_validator(mode="after")
    def _payload_is_of_its_kind(self) -> "AgentMessage":
        if self.payload.kind != self.kind:
            raise ValueError(f"a {self.kind} message cannot carry a {self.payload.kind}")
        return self

    @property
    def refs(self) -> tuple[str, ...]:
        return (*self.context_refs, *self.artifact_refs, *self.evidence_refs)


class Readers(Contract):
    """Who besides sender and receiver may read it."""

    visible_to_lead: bool
    visible_to_task_owner: bool
    visible_to_verifier: bool


class MailboxMessage(Contract):
    """A directed message as its receiver sees it."""

    message_id: str
    thread_id: str
    from_agent: AgentId
    to_agent: AgentId
    task_id: TaskId | None
    related_task_ids: tuple[TaskId, ...]
    kind: MessageKind
    priority: Priority
    blocking: bool
    content_summary: str
    payload: Payload
    context_refs: tuple[str, ...]
    artifact_refs: tuple[str, ...]
    evidence_refs: tuple[str, ...]
    expected_response: ExpectedResponse | None
    visibility: Readers
    created_at: Utc

    @classmethod
    def of(cls, message: AgentMessage) -> "MailboxMessage":
        """Raise ValueError for a broadcast: that is in nobody's mailbox."""
        if message.to_agent is None:
            raise ValueError(f"message {message.message_id} is addressed to everybody")
        reach = message.policy.max_visibility
        readers = Readers(
            visible_to_lead=reach != "verifier",
            visible_to_task_owner=reach in {"task_participants", "team"},
            visible_to_verifier=reach != "lead_only",
        )
        shown = {name: getattr(message, name) for name in cls.model_fields if name != "visibility"}
        return cls(**shown, visibility=readers)


class Draft(Contract):
    """What somebody wants to say, before code gives it an id, a channel and a policy."""

    from_agent: AgentId
    to_agent: AgentId | None
    task_id: TaskId | None
    related_task_ids: tuple[TaskId, ...] = ()
    summary: Line
    payload: Payload
    blocking: bool = False
    priority: Priority = "medium"
    context_refs: tuple[Ref, ...] = ()
    artifact_refs: tuple[Ref, ...] = ()
    evidence_refs: tuple[Ref, ...] = ()
    expected_response: ExpectedResponse | None = None
    policy: MessagePolicy | None = None
    """None: as its kind has it."""
    broadcast_as: Occasion | None = None
    thread_id: str = ""
    """Of the message that it answers; empty where it begins a thread."""
