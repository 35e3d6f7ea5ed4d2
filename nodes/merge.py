"""Put the parts together and check the whole."""

from typing import TypedDict

from ..contracts.arbitration import ArbitrationRecord, Candidate, Composite, Conflict
from ..contracts.base import Record
from ..contracts.claim import Claim
from ..contracts.event import Event
from ..contracts.ports import Deps, Writes
from ..contracts.report import Ranking
from ..contracts.task import Budget, Task
from ..contracts.verification import VerificationResult
from ..rules.merge import Whole, integrate
from ..rules.transition import Grounds, transition
from .outcome import Outcome, stamp
from .settling import rule_remedies, standing_remedies


class MergeInput(TypedDict):
    approval: str


class MergeUpdate(TypedDict):
    pass


async def merge(state: MergeInput, deps: Deps) -> Outcome:
    """Adds the integration checks: what fails them leaves the result with its reason, nothing is filled in by guess."""
    composite = await deps.ledger.get(Composite, "composite")
    if composite is None:
        raise LookupError("there is nothing to merge: no composite was arbitrated")
    open_conflicts = [c for c in await deps.ledger.all(Conflict) if not c.ruling]
    rulings = await rule_remedies(open_conflicts, state["approval"], deps)
    ranking = composite.ranking.model_copy(update={"remediation": standing_remedies(composite.ranking, rulings)})
    tasks = await deps.ledger.all(Task)
    checked = integrate(await _whole(ranking, tasks, deps))
    merged = composite.model_copy(
        update={"ranking": checked.ranking, "passed": checked.passed, "failed": checked.failed}
    )
    records, events = await _settled(tasks, deps)
    return Outcome(
        MergeUpdate(), Writes(records=(*(r for ruling in rulings for r in ruling), merged, *records), events=events)
    )


async def _whole(ranking: Ranking, tasks: tuple[Task, ...], deps: Deps) -> Whole:
    lost = {ref for record in await deps.ledger.all(ArbitrationRecord) for ref in record.lost}
    claims = {c.id: c for c in await deps.ledger.all(Claim) if c.id not in lost}
    usage = deps.proposer.usage()
    return Whole(
        ranking=ranking,
        claims=claims,
        tasks=tasks,
        incident=deps.evidence.incident,
        edges=frozenset((c.subject.ref, c.object) for c in claims.values() if c.relation == "calls"),
        budget=deps.team.budget,
        spent=Budget(tokens=usage.tokens_in + usage.tokens_out, seconds=max(usage.seconds, 0.001)),
    )


async def _settled(tasks: tuple[Task, ...], deps: Deps) -> tuple[tuple[Record, ...], tuple[Event, ...]]:
    """Accepted work enters the result; its candidates and tasks say so."""
    mark = stamp(deps, deps.team.root_owner)
    results = {r.report_id: r for r in await deps.ledger.all(VerificationResult)}
    by_task: dict[str, VerificationResult] = {}
    records: list[Record] = []
    events: list[Event] = []
    for candidate in (c for c in await deps.ledger.all(Candidate) if c.state == "validated"):
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
