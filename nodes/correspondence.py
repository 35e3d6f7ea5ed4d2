"""What an agent reads and writes around its work: its report's arrival, what is new, what is in the way, questions."""

from collections.abc import Mapping, Sequence

from ..contracts.base import AgentId, TaskId
from ..contracts.claim import Claim
from ..contracts.lifecycle import MESSAGE_OVER
from ..contracts.message import Draft, MailboxMessage
from ..contracts.message_payload import DependencyQuestion
from ..contracts.ports import Correspondent, Deps, Desk
from ..contracts.report import Finding
from ..contracts.task import Task
from ..contracts.verification import VerificationResult
from ..rules.allocation import allocate
from ..rules.communication import letters
from ..rules.communication.questions import Asker, answer_to, question_of
from ..rules.communication.relations import lead_of
from ..rules.conflicts import Ruling
from .messaging import Postbox
from .performing import Performed

MOST_LETTERS = 40
"""Drafts of one task that are looked at at all: a flood ends here, whatever budget it has."""
MOST_ROUNDS = 3
"""Of answers that bring questions that bring answers, within one step."""


async def corresponded(task: Task, done: Performed, seconds: float, deps: Deps) -> Performed:
    """The same work, with the owner's mail of this task read, answered and written."""
    box = await Postbox.open(deps)
    correspond(task, done, seconds, box)
    return done._replace(records=(*done.records, *box.records()), events=(*done.events, *box.events()))


def correspond(task: Task, done: Performed, seconds: float, box: Postbox) -> None:
    report = done.report
    box.see((task,))
    me, lead, key = report.agent_id, lead_of(task, box.deps.team), task.spec.task_id
    given = [m for m in box.of_task(key, "task_assigned", "revision_requested") if m.to_agent == me]
    thread = given[-1].thread_id if given else ""
    told = letters.reported_already(box.of_task(key, "progress_reported"))
    box.post(letters.submitted(task, report, seconds, lead, thread))
    box.resolve_all(given, me, report.report_id)
    box.post(letters.progress(task, report, told, lead, thread))
    box.post(letters.blocked(task, report, lead, thread))
    _read(task, me, report.findings, box)
    if not _writers(task, box.deps):
        box.post(question_of(Asker(task, report, box.tasks, box.deps.team, lambda t: likely_owner(t, box.deps))))
    for draft in done.drafts[:MOST_LETTERS]:
        box.post(draft)


def agents_read(claims: Mapping[TaskId, Sequence[Claim]], box: Postbox) -> None:
    """Mail to agents whose task is done is read now, and answered from the claims that hold."""
    for _ in range(MOST_ROUNDS):
        before = len(box.events())
        for key, held in claims.items():
            owner = box.tasks[key].spec.assignment.owner
            if owner is not None and box.unread(owner):
                _read(box.tasks[key], owner, tuple(Finding(claim=c, confidence=c.strength) for c in held), box)
        if len(box.events()) == before:
            return


def told_of_verdict(task: Task, result: VerificationResult, box: Postbox) -> None:
    """The owner hears what must change; a verdict without changes shows in the task's state."""
    box.see((task,))
    if result.decision == "revise":
        lease = box.deps.team.topology == "controlled_bus"
        given = box.of_task(task.spec.task_id, "task_assigned")
        box.post(letters.revision(task, result, new_lease=lease, thread=given[-1].thread_id if given else ""))


def told_of_rulings(rulings: Sequence[Ruling], box: Postbox) -> None:
    """A conflict that rules found is told by the verifier to the lead, the ruling by the lead to the verifier."""
    team = box.deps.team
    verifier = next((a.id for a in team.agents if "verify" in a.capabilities), team.root_owner)
    for conflict, record in rulings:
        if not conflict.tasks or verifier == team.root_owner:
            continue
        about = conflict.tasks[0]
        notice = box.post(letters.conflict_notice(conflict, verifier, team.root_owner, about), once=True)
        if notice is None or notice.state in MESSAGE_OVER:
            continue
        sent = box.post(letters.ruling_told(record, team.root_owner, verifier, about, conflict.tasks, notice.thread_id))
        box.resolve(notice, team.root_owner, sent.message_id if sent else record.arbitration_id)
        if sent is not None:
            box.resolve(sent, verifier, reason="read")


def likely_owner(task: Task, deps: Deps) -> AgentId | None:
    """Who has a task, or would be given it."""
    if task.spec.assignment.owner is not None:
        return task.spec.assignment.owner
    chosen = allocate(task, deps.team, load={}, success={}, at=task.spec.created_at).selected
    return chosen[0].agent_id if chosen else None


def _read(task: Task, me: AgentId, findings: Sequence[Finding], box: Postbox) -> None:
    """Analysts that correspond answer for themselves; for the others, rules answer what claims can answer."""
    writers = _writers(task, box.deps)
    if not writers:
        _answer_questions(task, [f.claim for f in findings], me, box)
    mine = [m for m in box.unread(me) if task.spec.task_id in (m.task_id, *m.related_task_ids)]
    inbox = tuple(MailboxMessage.of(box.acknowledge(m, me)) for m in mine)
    if writers:
        plan = tuple(sorted(box.tasks.values(), key=lambda t: t.position))
        desk = Desk(me, lead_of(task, box.deps.team), task, plan, inbox, findings)
        _send([draft for writer in writers for draft in writer.letters(desk)], desk, box)
    for letter in inbox:
        message = box.messages[letter.message_id]
        if message.expected_response is None:
            box.resolve(message, me, reason="read")


def _writers(task: Task, deps: Deps) -> list[Correspondent]:
    wanted = set(task.spec.required_capabilities)
    return [a for a in deps.evidence.analysts() if a.capability in wanted and isinstance(a, Correspondent)]


def _answer_questions(task: Task, claims: Sequence[Claim], me: AgentId, box: Postbox) -> None:
    """Questions about this task, to its owner or to the owner's lead, are answered by whoever has done it."""
    lead = lead_of(task, box.deps.team)
    for question in box.unread(me, lead):
        about = question.related_task_ids or (question.task_id,)
        if not isinstance(question.payload, DependencyQuestion) or task.spec.task_id not in about:
            continue
        mine = question.to_agent == me
        asked = question if mine else question.model_copy(update={"from_agent": lead})
        answer = box.post(answer_to(asked, me, task.spec.task_id, claims))
        if answer is not None and mine:
            box.resolve(question, me, answer.message_id)
        elif answer is not None:  # the lead hands it on, and the question is settled by that
            box.acknowledge(question, lead)


def _send(drafts: Sequence[Draft], desk: Desk, box: Postbox) -> None:
    """Whatever a draft says, it is its owner's and about its owner's task."""
    for draft in drafts[:MOST_LETTERS]:
        sent = box.post(draft.model_copy(update={"from_agent": desk.agent, "task_id": desk.task.spec.task_id}))
        if sent is None or not draft.thread_id:
            continue
        for earlier in box.thread(draft.thread_id):
            if earlier.to_agent == desk.agent and earlier.state not in MESSAGE_OVER:
                box.resolve(earlier, desk.agent, sent.message_id)
