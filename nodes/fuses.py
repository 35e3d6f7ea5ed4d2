"""The agents' fuses as one node sees them."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from ..contracts.base import AgentId, Record, TaskId
from ..contracts.event import Event
from ..contracts.fuse import AgentFuse
from ..contracts.message_payload import ReportSubmitted
from ..contracts.ports import Deps
from ..contracts.proposal_record import ProposalRecord
from ..contracts.report import AgentReport
from ..contracts.task import Task
from ..contracts.verification import VerificationResult
from ..rules.fuses import Moved, Seen, after_report, cooled, is_isolated, rebuilt, wants_rebuild
from ..rules.transition import transition
from .messaging import Postbox
from .outcome import stamp

COUNTED = frozenset({"down", "timeout", "server_error", "incomplete", "not_json", "wrong_shape", "format_ignored"})
"""Faults of a model or its server; that a budget is spent or a prompt too long is none of the agent's."""


@dataclass
class FuseBook:
    deps: Deps
    fuses: dict[AgentId, AgentFuse]
    _changed: dict[AgentId, AgentFuse] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)

    @classmethod
    async def open(cls, deps: Deps) -> "FuseBook":
        """With fuses closed whose isolation is over."""
        book = cls(deps, {f.agent_id: f for f in await deps.ledger.all(AgentFuse)})
        for fuse in list(book.fuses.values()):
            book._keep(cooled(fuse, stamp(deps, "fuses")))
        return book

    @property
    def records(self) -> tuple[Record, ...]:
        return tuple(self._changed.values())

    @property
    def isolated(self) -> dict[AgentId, str]:
        now = self.deps.clock.now()
        return {
            agent: f"is isolated until {fuse.until:%H:%M:%S}Z: {fuse.reason}" if fuse.until else "is isolated"
            for agent, fuse in self.fuses.items()
            if is_isolated(fuse, now)
        }

    async def after(self, results: Iterable[VerificationResult], box: Postbox) -> None:
        """Count what these reports showed of their agents."""
        fallbacks = await self._fallbacks()
        for result in results:
            told = (m for m in box.of_task(TaskId(result.task_id), "report_submitted"))
            for message in told:
                said = message.payload
                if isinstance(said, ReportSubmitted) and said.report_id == result.report_id:
                    kept = result.decision != "reject"
                    self._count(message.from_agent, Seen(said.seconds, kept, tuple(fallbacks[message.from_agent])))

    def _count(self, agent: AgentId, seen: Seen) -> None:
        """An agent that nothing is to be said of gets no record."""
        mark, limits = stamp(self.deps, "fuses"), self.deps.team.agent(agent).fuse
        before = self.fuses.get(agent) or AgentFuse(agent_id=agent, since=mark.at)
        moved = after_report(before, limits, seen, mark)
        if agent in self.fuses or moved.fuse != before:
            self._keep(moved)
        if wants_rebuild(moved.fuse, limits):
            for reset in rebuilt(self.fuses, agent, self.deps.team, mark):
                self._keep(reset)

    async def _fallbacks(self) -> dict[AgentId, list[datetime]]:
        """When rules answered for each agent's model."""
        found: dict[AgentId, list[datetime]] = defaultdict(list)
        if self.deps.proposer.name == "rules":
            return found
        for record in await self.deps.ledger.all(ProposalRecord):
            if record.degraded in COUNTED and record.agent is not None:
                found[record.agent].append(record.at)
        return found

    def _keep(self, moved: Moved) -> None:
        self._changed[moved.fuse.agent_id] = self.fuses[moved.fuse.agent_id] = moved.fuse
        self.events += moved.events


def taken_from(
    tasks: Iterable[Task], domains: frozenset[str], book: FuseBook
) -> tuple[tuple[Task, ...], tuple[Event, ...]]:
    """What was given to an agent that is isolated now, and that it has not begun, is given to others."""
    isolated, mark = book.isolated, stamp(book.deps, "fuses")
    moved = []
    for task in tasks:
        given, owner = task.spec.assignment, task.spec.assignment.owner
        if task.state == "assigned" and given.domain_scope in domains and owner is not None and owner in isolated:
            moved.append(transition(task, "reassigned", mark, reason=f"{owner} {isolated[owner]}"))
    return tuple(task for task, _ in moved), tuple(event for _, event in moved)


async def best_findings(tasks: Iterable[Task], deps: Deps) -> dict[TaskId, float]:
    """Confidence of the best finding of earlier attempts, of tasks that are given out again."""
    again = {t.spec.task_id for t in tasks if t.state == "reassigned"}
    best: dict[TaskId, float] = {}
    for report in await deps.ledger.all(AgentReport) if again else ():
        if report.task_id in again:
            found = max((f.confidence for f in report.findings), default=0.0)
            best[report.task_id] = max(found, best.get(report.task_id, 0.0))
    return best
