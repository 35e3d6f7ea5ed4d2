"""Posting through the gate, and what becomes of what was posted.

A node opens a postbox, posts and moves messages in it, and hands its records and events over with its own outcome: no
message costs a commit or a step of its own.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..contracts.base import AgentId, Record, TaskId, derived_id
from ..contracts.event import Event
from ..contracts.lifecycle import MESSAGE_OVER, TASK_OVER
from ..contracts.message import AgentMessage, Draft, MessageKind
from ..contracts.ports import Deps
from ..contracts.task import Task
from ..rules.communication.composing import compose
from ..rules.communication.gate import GateContext, RefusedMessage, judge
from ..rules.communication.traffic import Traffic
from ..rules.transition import Grounds, transition
from .outcome import stamp


@dataclass
class Postbox:
    """The messages of a run as one node sees and changes them."""

    deps: Deps
    tasks: dict[TaskId, Task]
    messages: dict[str, AgentMessage]
    traffic: Traffic
    _about: dict[TaskId | None, dict[str, None]] = field(default_factory=dict)
    _unread: dict[AgentId | None, dict[str, None]] = field(default_factory=dict)
    _changed: dict[str, AgentMessage] = field(default_factory=dict)
    _events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        for message in self.messages.values():
            self._file(message)

    @classmethod
    async def open(cls, deps: Deps) -> "Postbox":
        found = await deps.ledger.all(AgentMessage)
        tasks = {t.spec.task_id: t for t in await deps.ledger.all(Task)}
        return cls(deps, tasks, {m.message_id: m for m in found}, Traffic.of(found))

    # --- saying -------------------------------------------------------------------------------------------------------
    def post(self, draft: Draft | None, *, once: bool = False) -> AgentMessage | None:
        """Deliver what the gate admits; of what it refuses an event is kept. None says nothing.

        With `once`, what was posted before is given back as it is instead of being refused as a repetition.
        """
        if draft is None:
            return None
        mark = stamp(self.deps, draft.from_agent)
        message = compose(draft, run_id=self.deps.run_id, topology=self.deps.team.topology, at=mark.at)
        if once and message.message_id in self.messages:
            return self.messages[message.message_id]
        verdict = judge(message, GateContext(self.deps.team, self.tasks, self.traffic))
        if isinstance(verdict, RefusedMessage):
            self._events.append(self._refusal(verdict))
            return None
        self.traffic.add(message)
        delivered, event = transition(message, "delivered", mark, reason=_told(message))
        self._keep(delivered, event)
        return delivered

    def see(self, tasks: Iterable[Task]) -> None:
        """Tasks as they are by now, before they are committed."""
        self.tasks.update({t.spec.task_id: t for t in tasks})

    # --- reading ------------------------------------------------------------------------------------------------------
    def unread(self, *receivers: AgentId) -> list[AgentMessage]:
        return [self.messages[i] for r in dict.fromkeys(receivers) for i in self._unread.get(r, ())]

    def of_task(self, task: TaskId, *kinds: MessageKind) -> list[AgentMessage]:
        """In the order in which they were posted."""
        found = (self.messages[i] for i in self._about.get(task, ()))
        return [m for m in found if m.kind in kinds]

    def thread(self, thread: str) -> list[AgentMessage]:
        return [m for m in self.messages.values() if m.thread_id == thread]

    # --- what becomes of it -------------------------------------------------------------------------------------------
    def acknowledge(self, message: AgentMessage, by: AgentId) -> AgentMessage:
        if message.state != "delivered":
            return message
        moved, event = transition(message, "acknowledged", stamp(self.deps, by))
        return self._keep(moved, event)

    def resolve(self, message: AgentMessage, by: AgentId, response: str = "", reason: str = "") -> AgentMessage:
        """Read, if it was not, and settled by what answers it."""
        if message.state in MESSAGE_OVER:
            return message
        read = self.acknowledge(message, by)
        answered = Grounds(response=response)
        moved, event = transition(read, "resolved", stamp(self.deps, by), grounds=answered, reason=reason or response)
        return self._keep(moved, event)

    def resolve_all(self, messages: Iterable[AgentMessage], by: AgentId, response: str = "") -> None:
        for message in messages:
            self.resolve(message, by, response)

    def expire(self, by: str) -> None:
        """What waits for an answer beyond its deadline, or about a task that is over, waits no longer."""
        mark = stamp(self.deps, by)
        for message in list(self.messages.values()):
            expected = message.expected_response
            if message.state in MESSAGE_OVER or expected is None:
                continue
            over = self._nobody_waits(message)
            late = (mark.at - message.created_at).total_seconds() * 1000 >= (expected.deadline_ms or float("inf"))
            if over or late:
                grounds = Grounds(now=mark.at, task_over=over)
                why = "its task is over" if over else "nobody answered in time"
                self._keep(*transition(message, "expired", mark, grounds=grounds, reason=why))

    # --- handing over -------------------------------------------------------------------------------------------------
    def records(self) -> tuple[Record, ...]:
        return tuple(self._changed.values())

    def events(self) -> tuple[Event, ...]:
        return tuple(self._events)

    def emptied(self) -> tuple[tuple[Record, ...], tuple[Event, ...]]:
        """What was not handed over yet, for whoever commits more than once."""
        given = self.records(), self.events()
        self._changed, self._events = {}, []
        return given

    # --- within -------------------------------------------------------------------------------------------------------
    def _keep(self, message: AgentMessage, event: Event) -> AgentMessage:
        self.messages[message.message_id] = self._changed[message.message_id] = message
        self._file(message)
        self._events.append(event)
        return message

    def _file(self, message: AgentMessage) -> None:
        self._about.setdefault(message.task_id, {})[message.message_id] = None
        tray = self._unread.setdefault(message.to_agent, {})
        if message.state == "delivered":
            tray[message.message_id] = None
        else:
            tray.pop(message.message_id, None)

    def _nobody_waits(self, message: AgentMessage) -> bool:
        """Whether those who could answer, or the asker where nobody else is named, are done."""
        about = message.related_task_ids or ((message.task_id,) if message.task_id else ())
        known = [self.tasks[key] for key in about if key in self.tasks]
        return bool(known) and all(task.state in TASK_OVER for task in known)

    def _refusal(self, refused: RefusedMessage) -> Event:
        message = refused.message
        return Event(
            event_id=derived_id("evt", self.deps.run_id, "refused", message.message_id, refused.reason),
            kind="message.refused",
            subject=message.task_id or message.message_id,
            by=message.from_agent,
            reason=refused.reason,
            data={"kind": message.kind, "to": message.to_agent or "all", "summary": message.content_summary},
            at=message.created_at,
        )


def _told(message: AgentMessage) -> str:
    return f"{message.kind} to {message.to_agent or 'all'}: {message.content_summary}"
