"""What a run decided, step by step, in words that two runs of the same bundle can share."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from .records import RunRecords

Stage = Literal["plan", "assignment", "verification", "arbitration", "ranking", "verdict"]
STAGES: tuple[Stage, ...] = ("plan", "assignment", "verification", "arbitration", "ranking", "verdict")


class Decision(NamedTuple):
    stage: Stage
    subject: str
    decision: str


class Parting(NamedTuple):
    """Where two runs stop being the same; one side is empty where it decided nothing."""

    stage: Stage
    subject: str
    before: str
    after: str


def decisions(records: RunRecords) -> tuple[Decision, ...]:
    """In the order of the stages; ids of the run itself do not occur."""
    return tuple(sorted(_told(records), key=lambda d: (STAGES.index(d.stage), d.subject)))


def partings(before: RunRecords, after: RunRecords) -> tuple[Parting, ...]:
    """All differences, the first of them first: what follows may be its consequence."""
    old = {(d.stage, d.subject): d.decision for d in decisions(before)}
    new = {(d.stage, d.subject): d.decision for d in decisions(after)}
    keys = sorted(old.keys() | new.keys(), key=lambda key: (STAGES.index(key[0]), key[1]))
    return tuple(
        Parting(stage, subject, old.get((stage, subject), ""), new.get((stage, subject), ""))
        for stage, subject in keys
        if old.get((stage, subject)) != new.get((stage, subject))
    )


def _told(records: RunRecords) -> Iterator[Decision]:
    titles = {task.spec.task_id: task.spec.title for task in records.tasks}
    for task in records.tasks:
        needs = sorted(titles.get(need, "?") for need in task.spec.dependencies)
        wanted = ", ".join(task.spec.required_capabilities)
        yield Decision("plan", task.spec.title, f"{wanted}; after {', '.join(needs) or 'nothing'}; by {task.origin}")
        yield Decision("assignment", task.spec.title, str(task.spec.assignment.owner or "nobody"))
    for result in records.verifications:
        subject = f"{titles.get(result.task_id, '?')}, attempt {result.attempt}"
        failed = ", ".join(result.checks.failed)
        yield Decision("verification", subject, result.decision + (f": {failed}" if failed else ""))
    for ruling in records.arbitrations:
        yield Decision("arbitration", ruling.subject, f"{ruling.decision}, by {ruling.authority.type}")
    if records.composite is not None:
        for place, cause in enumerate(records.composite.ranking.causes, start=1):
            named = f"{cause.cause.kind} {cause.cause.ref}" + (f" ({cause.reason})" if cause.reason else "")
            yield Decision("ranking", f"{place:02d}", named)
    if records.report is not None:
        yield Decision("verdict", "outcome", records.report.outcome)
        first = next(iter(records.report.causes), None)
        yield Decision("verdict", "confidence", f"{first.confidence:.2f}" if first else "none")
