"""Look whether it helped."""

import asyncio
from typing import TypedDict

from ..contracts.action import Action, OutcomeCheck
from ..contracts.base import Record
from ..contracts.claim import Claim
from ..contracts.event import Event
from ..contracts.evidence import Observation
from ..contracts.ports import Deps, Evidence, Writes
from ..rules.actions.aftercheck import Verdict, compare, newly_wrong, symptoms, verdict
from ..rules.actions.proposals import Taken, compensating
from ..rules.actions.replay import deciding
from .action_book import Book, action_event, desk_of, floor_of, proposed_events, read_book, spec_of
from .outcome import Outcome

NODE = "check_actions"
NO_SOURCE = "no live source gives data from after the action"
SIMULATED = "its target only pretends: there is nothing to look for"


class CheckActionsInput(TypedDict):
    acting: str


class CheckActionsUpdate(TypedDict):
    acting: str
    approval: str


async def check_actions(_state: CheckActionsInput, deps: Deps) -> Outcome:
    """Adds, for each action that took effect, the symptom's own questions asked again on fresh data.

    Where something got worse and the catalog knows what undoes the action, that is put before a person. Without a
    live source nothing is claimed.
    """
    book = await read_book(deps.ledger)
    known = {c.command_id for c in await deps.ledger.all(OutcomeCheck)}
    records: list[Record] = []
    events: list[Event] = []
    asks = False
    for action in (a for a in book.actions if a.state == "succeeded" and a.key not in known):
        found = await _checked(action, book, deps)
        records.append(found)
        events.append(action_event(deps, "action.checked", action.key, f"{found.verdict}: {found.why}", by=NODE))
        undo = await _undone(action, found, deps)
        if undo is not None:
            records += [*undo.proposals, *undo.actions]
            records += [action.model_copy(update={"undone_by": made.key}) for made in undo.actions]
            events += proposed_events(deps, undo, NODE)
            asks |= bool(undo.actions)
    update = CheckActionsUpdate(acting="ask" if asks else "done", approval="")
    return Outcome(update, Writes(records=tuple(records), events=tuple(events)))


async def _checked(action: Action, book: Book, deps: Deps) -> OutcomeCheck:
    desk = desk_of(deps)
    proof = deciding(action, book.receipts)
    spec = spec_of(action, desk)
    if proof is None or proof.simulated or desk.fresh is None:
        why = SIMULATED if proof and proof.simulated else NO_SOURCE
        return OutcomeCheck(command_id=action.key, verdict="not_checked", why=why, at=deps.clock.now())
    await asyncio.sleep(spec.check_after_seconds if spec else 0.0)
    fresh = await desk.fresh(proof.at)
    if fresh is None:
        return OutcomeCheck(command_id=action.key, verdict="not_checked", why=NO_SOURCE, at=deps.clock.now())
    try:
        return await _compared(action, fresh, deps)
    finally:
        fresh.close()


async def _compared(action: Action, fresh: Evidence, deps: Deps) -> OutcomeCheck:
    observations = {o.id: o for o in await deps.ledger.all(Observation)}
    before = symptoms(await deps.ledger.all(Claim), observations)
    answers = [await fresh.ask(o.call) for o in before]
    checks = tuple(compare(o, a) for o, a in zip(before, answers, strict=True))
    worse = tuple(said for o, a in zip(before, answers, strict=True) for said in newly_wrong(o, a))
    found: Verdict = verdict(checks, worse)
    return OutcomeCheck(command_id=action.key, verdict=found.verdict, why=found.why, checks=checks, at=deps.clock.now())


async def _undone(action: Action, found: OutcomeCheck, deps: Deps) -> Taken | None:
    """The proposal to undo what made it worse; an undo is never undone by itself."""
    if found.verdict != "worse" or action.command.compensates:
        return None
    return compensating(action, await floor_of(deps), by="rule:undo-what-made-it-worse", origin="rules")
