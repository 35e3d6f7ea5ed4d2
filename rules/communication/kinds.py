"""What each kind of message is for: who may send it to whom, on which channel, with which references."""

from typing import Literal, NamedTuple

from ...contracts.message import USER, Channel, MessageKind, MessagePolicy, Visibility
from ...contracts.team import Topology
from .relations import Role

RefField = Literal["context_refs", "artifact_refs", "evidence_refs"]
LEAD: frozenset[Role] = frozenset({"root_lead", "domain_lead"})
WORKER: frozenset[Role] = frozenset({"agent", "verifier"})
ANYBODY: frozenset[Role] = LEAD | WORKER
ASKING = frozenset({"clarification_requested", "dependency_question", "blocker_support_requested", "subtask_requested"})
"""Kinds that want something of somebody; a task may forbid its owner to ask."""


class KindRule(NamedTuple):
    channel: Channel
    senders: frozenset[Role]
    receivers: frozenset[Role]
    refs: tuple[RefField, ...] = ()
    """Of each at least one."""
    needs_tie: bool = False
    """Whether the tasks of sender and receiver must depend on each other."""
    visibility: Visibility = "task_participants"
    may_create_task: bool = False


TO_LEAD: frozenset[Role] = LEAD.union(("user",))
CHECKERS: frozenset[Role] = LEAD.union(("verifier",))
TO_ALL: frozenset[Role] = ANYBODY.union(("user",))
RULES: dict[MessageKind, KindRule] = {
    "task_assigned": KindRule("lead_channel", LEAD, ANYBODY, ("context_refs",)),
    "clarification_requested": KindRule("lead_channel", ANYBODY, TO_LEAD, ("context_refs",)),
    "progress_reported": KindRule("lead_channel", ANYBODY, TO_LEAD),
    "blocker_raised": KindRule("lead_channel", ANYBODY, TO_LEAD, visibility="team"),
    "report_submitted": KindRule("lead_channel", ANYBODY, LEAD, ("artifact_refs",)),
    "revision_requested": KindRule("lead_channel", CHECKERS, ANYBODY, ("artifact_refs",)),
    "subtask_requested": KindRule("lead_channel", ANYBODY, LEAD, ("context_refs",), may_create_task=True),
    "dependency_question": KindRule("mailbox", ANYBODY, ANYBODY, ("context_refs",), needs_tie=True),
    "dependency_answer": KindRule("mailbox", ANYBODY, ANYBODY, needs_tie=True),
    "artifact_handoff": KindRule("mailbox", ANYBODY, ANYBODY, ("artifact_refs",), needs_tie=True),
    "review_requested": KindRule("review_queue", ANYBODY, ANYBODY, ("artifact_refs",)),
    "review_result": KindRule("review_queue", ANYBODY, ANYBODY, ("artifact_refs",)),
    "blocker_support_requested": KindRule("mailbox", ANYBODY, ANYBODY, ("context_refs",), needs_tie=True),
    "interface_contract_proposal": KindRule("mailbox", ANYBODY, ANYBODY, ("artifact_refs",), needs_tie=True),
    "conflict_notice": KindRule("lead_channel", ANYBODY, CHECKERS, ("artifact_refs",), visibility="team"),
    "decision_proposed": KindRule("lead_channel", ANYBODY, TO_LEAD),
    "decision_recorded": KindRule("lead_channel", CHECKERS, TO_ALL, ("context_refs",), visibility="team"),
    "handoff_requested": KindRule("lead_channel", WORKER, LEAD),
    "handoff_accepted": KindRule("lead_channel", LEAD, ANYBODY, ("context_refs",)),
}


def channel_of(kind: MessageKind, topology: Topology, *, to: str | None) -> Channel:
    """A broadcast goes on the event bus, what the person must see is an escalation, the board keeps assignments."""
    if to is None:
        return "eventbus"
    if to == USER:
        return "escalation"
    if kind == "task_assigned" and topology == "controlled_bus":
        return "taskboard"
    return RULES[kind].channel


def policy_of(kind: MessageKind, *, to: str | None) -> MessagePolicy:
    """The most that a message of this kind may bring about: no kind moves a task or changes its state."""
    rule = RULES[kind]
    visibility: Visibility = "team" if to is None else "human" if to == USER else rule.visibility
    return MessagePolicy(max_visibility=visibility, can_create_task=rule.may_create_task)
