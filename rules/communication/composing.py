"""From what somebody wants to say to a message: id, channel, thread and policy come from code."""

from datetime import datetime

from ...contracts.base import RunId, canonical_json, derived_id
from ...contracts.message import AgentMessage, Draft
from ...contracts.team import Topology
from .kinds import channel_of, policy_of


def compose(draft: Draft, *, run_id: RunId, topology: Topology, at: datetime) -> AgentMessage:
    """The same words of the same sender to the same receiver about the same task are one message."""
    kind = draft.payload.kind
    said = canonical_json(draft.payload.model_dump(mode="json"))
    message_id = derived_id(
        "msg", run_id, draft.from_agent, draft.to_agent or "*", draft.task_id or "", *draft.related_task_ids, said
    )
    return AgentMessage(
        message_id=message_id,
        run_id=run_id,
        thread_id=draft.thread_id or message_id,
        from_agent=draft.from_agent,
        to_agent=draft.to_agent,
        channel=channel_of(kind, topology, to=draft.to_agent),
        kind=kind,
        task_id=draft.task_id,
        related_task_ids=draft.related_task_ids,
        priority=draft.priority,
        blocking=draft.blocking,
        content_summary=draft.summary,
        payload=draft.payload,
        context_refs=draft.context_refs,
        artifact_refs=draft.artifact_refs,
        evidence_refs=draft.evidence_refs,
        expected_response=draft.expected_response,
        policy=draft.policy or policy_of(kind, to=draft.to_agent),
        broadcast_as=draft.broadcast_as,
        created_at=at,
        updated_at=at,
    )
