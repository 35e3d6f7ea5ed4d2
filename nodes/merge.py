"""Put the parts together and check the whole."""

from typing import TypedDict

from ..contracts.arbitration import ArbitrationRecord, Candidate, Composite
from ..contracts.base import Record
from ..contracts.claim import Claim
from ..contracts.event import Event
from ..contracts.ports import Deps, Writes
from ..contracts.task import Task
from ..contracts.verification import VerificationResult
from ..rules.merge import integrate
from ..rules.transition import Grounds, transition
from .outcome import Outcome, stamp


class MergeInput(TypedDict):
    round: int


class MergeUpdate(TypedDict):
    pass


async def merge(_state: MergeInput, deps: Deps) -> Outcome:
    """Adds the integration checks: what fails them leaves the result with its reason, nothing is filled in by guess."""
    composite = await deps.ledger.get(Composite, "composite")
    if composite is None:
        raise LookupError("there is nothing to merge: no composite was arbitrated")
    tasks = await deps.ledger.all(Task)
    claims = await deps.ledger.all(Claim)
    lost = {c for r in await deps.ledger.all(ArbitrationRecord) for c in r.candidates if c not in r.upheld}
    standing = {c.id: c for c in claims if c.id not in lost}
    edges = frozenset((c.subject.ref, c.object) for c in claims if c.relation == "calls")
    checked = integrate(composite.ranking, standing, tasks, deps.evidence.incident, edges)
    merged = composite.model_copy(
        update={"ranking": checked.ranking, "passed": checked.passed, "failed": checked.failed}
    )
    records, events = await _settled(tasks, deps)
    return Outcome(MergeUpdate(), Writes(records=(merged, *records), events=events))


async def _settled(tasks: tuple[Task, ...], deps: Deps) -> tuple[tuple[Record, ...], tuple[Event, ...]]:
    """Accepted work enters the result; its candidates and tasks say so."""
    mark = stamp(deps, deps.team.root_owner)
    results = {r.report_id: r for r in await deps.ledger.all(VerificationResult)}
    by_task: dict[str, VerificationResult] = {}
    records: list[Record] = []
    events: list[Event] = []
    for candidate in await deps.ledger.all(Candidate):
        checked = results[candidate.report_id]
        by_task[candidate.task_id] = checked
        accepted, event = transition(candidate, "accepted", mark, grounds=Grounds(verification=checked))
        records.append(accepted)
        events.append(event)
    for task in tasks:
        if task.state == "accepted":
            merged, event = transition(task, "merged", mark, grounds=Grounds(verification=by_task.get(task.key)))
            records.append(merged)
            events.append(event)
    return tuple(records), tuple(events)
