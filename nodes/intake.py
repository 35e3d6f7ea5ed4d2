"""Take the incident in: what was reported, what the bundle holds, how risky it looks before anyone has looked."""

from typing import TypedDict

from ..contracts.base import derived_id
from ..contracts.event import Event
from ..contracts.ports import Deps, Writes
from ..rules.classification import risk_of
from .outcome import Outcome


class IntakeInput(TypedDict):
    run_id: str


class IntakeUpdate(TypedDict):
    risk: str


async def intake(state: IntakeInput, deps: Deps) -> Outcome:
    """Adds the first risk estimate and the record of what can be seen; gives up on nothing."""
    incident = deps.evidence.incident
    seen = Event(
        event_id=derived_id("evt", state["run_id"], "intake"),
        kind="run.started",
        subject=incident.id,
        by="intake",
        reason=incident.title,
        data={c.source: c.status for c in deps.evidence.coverage()},
        at=deps.clock.now(),
    )
    return Outcome(IntakeUpdate(risk=risk_of(incident)), Writes(events=(seen,)))
