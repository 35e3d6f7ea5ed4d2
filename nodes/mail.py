"""The leads' mail, read once the work of a wave is there: noted, decided, passed on, or made a task."""

from collections.abc import Sequence
from typing import NamedTuple

from ..contracts.arbitration import Candidate, DecisionRecord
from ..contracts.base import AgentId, Record, TaskId
from ..contracts.claim import Claim
from ..contracts.event import Event
from ..contracts.lifecycle import MESSAGE_OVER, STANDING, TASK_OVER
from ..contracts.message import USER, AgentMessage, Draft
from ..contracts.message_payload import BlockerRaised, DependencyAnswer, DependencyQuestion, SubtaskRequest
from ..contracts.ports import Deps
from ..contracts.task import Task
from ..rules.communication import letters
from ..rules.communication.lead import consider, settle
from ..rules.communication.questions import passed_back, relayed
from ..rules.communication.relations import LEADS, lead_of, role_of
from ..rules.transition import transition
from .correspondence import agents_read, likely_owner
from .delegate import overrun
from .messaging import Postbox
from .outcome import plan_context, stamp

MOST_HOPS = 3
"""From lead to lead to lead within one step: root and two domains."""


class Mail(NamedTuple):
    """What reading the mail gave besides the messages themselves."""

    records: tuple[Record, ...]
    events: tuple[Event, ...]
    grew: bool
    """Whether a task was added to the plan."""


class LeadsMail:
    """One reading of the mail of some leads."""

    def __init__(self, box: Postbox, leads: Sequence[AgentId]) -> None:
        self._box, self._leads, self._deps = box, list(dict.fromkeys(leads)), box.deps
        self._records: list[Record] = []
        self._events: list[Event] = []
        self._new: list[Task] = []

    def read(self) -> Mail:
        for _ in range(MOST_HOPS):
            for message in self._box.unread(*self._leads):
                self._handle(message, message.to_agent or self._deps.team.root_owner)
        return Mail((*self._records, *self._new), tuple(self._events), bool(self._new))

    def _handle(self, message: AgentMessage, lead: AgentId) -> None:
        payload = message.payload
        if isinstance(payload, SubtaskRequest):
            self._wish(message, lead)
        elif isinstance(payload, DependencyQuestion):
            self._pass_on(message, lead)
        elif isinstance(payload, DependencyAnswer):
            self._pass_back(message, lead)
        elif isinstance(payload, BlockerRaised) and payload.needs == "user":
            sent = self._box.post(_to_the_person(message, self._deps.team.root_owner))
            self._box.resolve(message, lead, sent.message_id if sent else "", "noted")
        else:
            self._decide(message, lead)

    def _decide(self, message: AgentMessage, lead: AgentId) -> None:
        settled = settle(message, lead, self._deps.run_id, self._deps.clock.now())
        if settled is None:
            self._box.resolve(message, lead, reason="noted")
            return
        self._records += [r for r in settled if r is not None]
        tasks = tuple(t for t in (message.task_id, *message.related_task_ids) if t is not None)
        told = [self._tell(settled.decision, lead, message.from_agent, message.task_id, tasks, message.thread_id)]
        for key in tasks[1:]:
            owner = likely_owner(self._box.tasks[key], self._deps)
            if owner is not None and owner != message.from_agent:
                told.append(self._tell(settled.decision, lead, owner, key, tasks, message.thread_id))
        self._box.resolve(message, lead, next((t for t in told if t), settled.decision.decision_id))

    def _tell(
        self,
        decision: DecisionRecord,
        lead: AgentId,
        to: AgentId,
        task: TaskId | None,
        tasks: tuple[TaskId, ...],
        thread: str,
    ) -> str:
        sent = self._box.post(letters.decision_recorded(decision, lead, to, task, tasks, thread))
        return sent.message_id if sent else ""

    def _wish(self, message: AgentMessage, lead: AgentId) -> None:
        """A wish that a planned task will fulfil becomes a question to its owner; else it may become a task."""
        may_grow = not overrun(self._deps)
        wish = consider(message, self._box.tasks, plan_context(self._deps, "low"), may_grow=may_grow)
        if wish.covered_by is not None:
            self._ask(message, lead, wish.covered_by)
        elif wish.new is not None:
            ready, event = transition(
                wish.new, "ready", stamp(self._deps, lead), reason=f"asked for by {message.from_agent}"
            )
            self._new.append(ready)
            self._events.append(event)
            self._box.see((ready,))
            self._box.resolve(message, lead, ready.key)
        else:
            self._box.resolve(message, lead, f"declined: {wish.declined}")

    def _ask(self, message: AgentMessage, lead: AgentId, task: TaskId) -> None:
        owner = likely_owner(self._box.tasks[task], self._deps)
        read = self._box.acknowledge(message, lead)
        if owner is None or self._box.post(relayed(read, lead, owner, task)) is None:
            self._box.resolve(read, lead, "declined: nobody could be asked")

    def _pass_on(self, message: AgentMessage, lead: AgentId) -> None:
        """Across domains a question goes from lead to lead; the owner answers its own lead when it is done."""
        key = next(iter(message.related_task_ids), None)
        task = self._box.tasks.get(key) if key is not None else None
        other = lead_of(task, self._deps.team) if task is not None else lead
        if task is not None and other != lead and task.state not in TASK_OVER:
            self._box.acknowledge(message, lead)
            self._box.post(relayed(message, lead, other, task.spec.task_id))

    def _pass_back(self, answer: AgentMessage, lead: AgentId) -> None:
        """To whoever asked this lead in the same thread."""
        asked = [
            m
            for m in self._box.thread(answer.thread_id)
            if m.to_agent == lead and m.from_agent != answer.from_agent and m.state not in MESSAGE_OVER
        ]
        for question in asked:
            sent = self._box.post(passed_back(answer, question, lead))
            if sent is not None and role_of(question.from_agent, self._deps.team) in LEADS:
                self._leads.append(question.from_agent)  # it hands the answer on in the same step
            self._box.resolve(question, lead, sent.message_id if sent else answer.message_id)
        self._box.resolve(answer, lead, reason="noted")


async def read_mail(box: Postbox, wave: Sequence[Task], judged: Sequence[Record], deps: Deps) -> Mail:
    """What the agents, then the leads of these tasks, do with their mail. `judged` is not in the ledger yet."""
    claims = await _standing_claims(judged, deps)
    agents_read(claims, box)
    mail = LeadsMail(box, [lead_of(t, deps.team) for t in wave]).read()
    agents_read(claims, box)
    box.expire("mail")
    return mail


async def _standing_claims(judged: Sequence[Record], deps: Deps) -> dict[TaskId, list[Claim]]:
    """Of tasks that are done, the claims that hold."""
    found: list[Record] = [*await deps.ledger.all(Candidate), *await deps.ledger.all(Claim), *judged]
    claims = {c.id: c for c in found if isinstance(c, Claim)}
    standing = {c.key: c for c in found if isinstance(c, Candidate)}
    return {c.task_id: [claims[i] for i in c.claims if i in claims] for c in standing.values() if c.state in STANDING}


def _to_the_person(message: AgentMessage, lead: AgentId) -> Draft:
    return Draft(
        from_agent=lead,
        to_agent=USER,
        task_id=message.task_id,
        summary=message.content_summary,
        payload=message.payload,
        priority=message.priority,
        thread_id=message.thread_id,
    )
