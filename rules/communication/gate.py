"""The one gate that every message passes. Pure: what it is asked about and what it knows is all that it looks at."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ...contracts.base import TaskId
from ...contracts.message import USER, AgentMessage
from ...contracts.message_payload import DependencyAnswer, Progress, ReviewRequested
from ...contracts.task import Budget, Task
from ...contracts.team import TeamSpec
from ..allocation import CLASSES
from .kinds import ASKING, RULES, channel_of, policy_of
from .matrix import DECIDES, MATRIX, OCCASIONS
from .relations import LEADS, lead_of, participants, relation_of, role_of, tied
from .traffic import LONGEST_THREAD, Traffic

MOST_PAYLOAD = 4_000
"""Bytes of a payload as JSON."""


class GateContext(NamedTuple):
    team: TeamSpec
    tasks: Mapping[TaskId, Task]
    traffic: Traffic
    """Of the run so far, without the message that is judged."""

    def task(self, message: AgentMessage) -> Task | None:
        return self.tasks.get(message.task_id) if message.task_id is not None else None


class Admitted(NamedTuple):
    message: AgentMessage


class RefusedMessage(NamedTuple):
    message: AgentMessage
    reason: str


def judge(message: AgentMessage, context: GateContext) -> Admitted | RefusedMessage:
    """The first rule that it breaks refuses it."""
    for check in CHECKS:
        reason = check(message, context)
        if reason:
            return RefusedMessage(message, reason)
    return Admitted(message)


def _parties_are_known(message: AgentMessage, context: GateContext) -> str:
    known = {USER, *(a.id for a in context.team.agents)}
    unknown = [a for a in (message.from_agent, message.to_agent) if a is not None and a not in known]
    missing = [t for t in (message.task_id, *message.related_task_ids) if t is not None and t not in context.tasks]
    directed = message.to_agent is not None and USER not in (message.from_agent, message.to_agent)
    checks = (
        (bool(unknown), f"nobody here is called {', '.join(unknown)}"),
        (bool(missing), f"there is no task {', '.join(missing)}"),
        (directed and message.task_id is None, "it is about no task"),
    )
    return _first(checks)


def _way_is_open(message: AgentMessage, context: GateContext) -> str:
    relation = relation_of(message.from_agent, message.to_agent, context.task(message), context.team)
    way = MATRIX[relation][context.team.topology]
    if way.is_open:
        return ""
    named = relation.replace("_", " ")
    return f"no way from {message.from_agent} to {message.to_agent or 'all'} ({named}) here: {way.instead}"


def _kind_fits_the_parties(message: AgentMessage, context: GateContext) -> str:
    rule, team = RULES[message.kind], context.team
    sender = role_of(message.from_agent, team)
    receiver = role_of(message.to_agent, team) if message.to_agent is not None else None
    kind, topology = message.kind, team.topology
    channel = channel_of(kind, topology, to=message.to_agent)
    records = kind == "decision_recorded" and sender not in DECIDES["conflict"][topology]
    moves = kind == "handoff_accepted" and sender not in DECIDES["ownership"][topology]
    checks = (
        (records, f"{message.from_agent} decides nothing here: only a lead records decisions"),
        (moves, f"{message.from_agent} cannot move a task: only a lead does"),
        (sender != "user" and sender not in rule.senders, f"{message.from_agent} may not send {kind}"),
        (receiver is not None and receiver not in rule.receivers, f"{kind} is nothing for {message.to_agent}"),
        (message.channel != channel, f"{kind} goes on {channel}, not on {message.channel}"),
    )
    return _first(checks)


def _broadcast_is_due(message: AgentMessage, context: GateContext) -> str:
    if message.to_agent is not None:
        return "only a broadcast has an occasion" if message.broadcast_as else ""
    occasion = message.broadcast_as
    sender = role_of(message.from_agent, context.team)
    checks = (
        (sender not in LEADS, f"{message.from_agent} leads nobody: only a lead speaks to all"),
        (occasion is None, "a broadcast needs one of the five occasions"),
        (occasion is not None and message.kind not in OCCASIONS[occasion], f"{message.kind} is no {occasion}"),
    )
    return _first(checks)


def _sender_has_to_do_with_it(message: AgentMessage, context: GateContext) -> str:
    """A worker speaks for its own task; a peer that it writes to has a task that depends on it."""
    task, team = context.task(message), context.team
    sender, receiver = message.from_agent, message.to_agent
    if task is None or role_of(sender, team) != "agent":
        return ""
    if sender not in participants(context.tasks, (task.spec.task_id,), team):
        return f"{sender} has nothing to do with task {task.key}"
    relation = relation_of(sender, receiver, task, team)
    if relation not in {"peers", "peers_across"} or receiver is None:
        return ""
    related = message.related_task_ids
    strangers = [t for t in related if not tied(task.spec.task_id, t, context.tasks)]
    others = participants(context.tasks, (task.spec.task_id, *related), team)
    checks = (
        (not task.spec.communication_policy.may_contact_others, "its task does not let it contact others"),
        (RULES[message.kind].needs_tie and not related, "it names no task of the receiver's that depends on its own"),
        (bool(strangers), f"task {task.key} and {', '.join(strangers)} do not depend on each other"),
        (receiver not in others, f"{receiver} has nothing to do with it"),
    )
    return _first(checks)


def _asking_is_allowed(message: AgentMessage, context: GateContext) -> str:
    task = context.task(message)
    forbidden = task is not None and not task.spec.communication_policy.may_ask
    own = task is not None and message.from_agent == task.spec.assignment.owner
    return "its task does not let it ask" if message.kind in ASKING and forbidden and own else ""


def _moves_nothing(message: AgentMessage, context: GateContext) -> str:
    asked, most = message.policy, policy_of(message.kind, to=message.to_agent)
    task = context.task(message)
    checks = (
        (
            asked.can_transfer_ownership,
            "no message moves a task from one owner to another: the lead does, by assignment",
        ),
        (asked.can_modify_task_state, "no message changes a task's state"),
        (asked.can_create_task and not most.can_create_task, f"{message.kind} cannot create a task"),
        (
            asked.can_create_task and message.to_agent != lead_of(task, context.team),
            "a task is asked for at the lead alone",
        ),
    )
    return _first(checks)


def _refs_are_given(message: AgentMessage, _context: GateContext) -> str:
    missing = [name.replace("_", " ") for name in RULES[message.kind].refs if not getattr(message, name)]
    payload = message.payload
    unproven = isinstance(payload, DependencyAnswer) and payload.confidence > 0 and not message.evidence_refs
    aimless = isinstance(payload, ReviewRequested) and not payload.checklist_ref and not payload.focus
    checks = (
        (bool(missing), f"a {message.kind} needs {', '.join(missing)}"),
        (unproven, "a fact without evidence is a guess: say so with confidence 0, or refer to evidence"),
        (aimless, "a review needs a checklist or a focus"),
    )
    return _first(checks)


def _it_is_a_summary(message: AgentMessage, _context: GateContext) -> str:
    """References instead of contents: a text of several lines is a piece of telemetry, a file or a transcript."""
    payload = message.payload.model_dump(mode="json")
    size = len(message.payload.model_dump_json().encode())
    texts = [message.content_summary, *_texts(payload)]
    checks = (
        (size > MOST_PAYLOAD, f"its payload has {size} bytes, {MOST_PAYLOAD} at most: refer to it instead"),
        (any("\n" in t or "\r" in t for t in texts), "it copies lines: refer to them instead"),
        (any(not t.isprintable() for t in texts), "it holds control characters"),
        (isinstance(message.payload, Progress) and message.payload.is_empty, "it reports nothing new"),
    )
    return _first(checks)


def _readers_fit(message: AgentMessage, context: GateContext) -> str:
    """Who it is addressed to may read it at all."""
    receiver, team, task = message.to_agent, context.team, context.task(message)
    if receiver is None:
        return "" if message.policy.max_visibility == "team" else "a broadcast is for the whole team"
    role = role_of(receiver, team)
    reach = message.policy.max_visibility
    who = participants(context.tasks, tuple(t for t in (message.task_id, *message.related_task_ids) if t), team)
    secret = task.spec.scope.data_classification if task is not None else "public"
    cleared = role == "user" or CLASSES.index(team.agent(receiver).data_classification) >= CLASSES.index(secret)
    checks = (
        (reach == "lead_only" and role not in LEADS, "only the lead may read it"),
        (reach == "verifier" and role not in LEADS | {"verifier"}, "only verifier and lead may read it"),
        (reach == "human" and role not in {"user", "root_lead"}, "only a person may read it"),
        (
            reach == "task_participants" and role == "agent" and receiver not in who,
            f"{receiver} takes no part in the task",
        ),
        (not cleared, f"{receiver} may not see {secret} data"),
    )
    return _first(checks)


def _budget_is_left(message: AgentMessage, context: GateContext) -> str:
    task, traffic = context.task(message), context.traffic
    budget: Budget = task.spec.budget if task is not None else context.team.budget
    checks = (
        (message.message_id in traffic.ids, "it says again what was said already"),
        (
            traffic.threads[message.thread_id] >= LONGEST_THREAD,
            f"its thread has {LONGEST_THREAD} messages: the lead has to decide",
        ),
    )
    return _first(checks) or traffic.spent(message, budget)


Check = Callable[[AgentMessage, GateContext], str]
CHECKS: tuple[Check, ...] = (
    _parties_are_known,
    _moves_nothing,
    _broadcast_is_due,
    _way_is_open,
    _kind_fits_the_parties,
    _sender_has_to_do_with_it,
    _asking_is_allowed,
    _refs_are_given,
    _it_is_a_summary,
    _readers_fit,
    _budget_is_left,
)


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [t for pair in value.items() for part in pair for t in _texts(part)]
    return [t for item in value for t in _texts(item)] if isinstance(value, list) else []


def _first(checks: tuple[tuple[bool, str], ...]) -> str:
    return next((why for bad, why in checks if bad), "")
