"""Say what could be done about the cause, from the catalog alone."""

import json
from typing import TypedDict

from ..contracts.action import Action
from ..contracts.arbitration import Composite
from ..contracts.base import derived_id
from ..contracts.claim import Claim
from ..contracts.event import Event
from ..contracts.ports import Deps, Writes
from ..contracts.proposal import ActionsProposal, ProposedAction
from ..prompts.questions import ActionsPrompt
from ..rules.actions.baseline import baseline_actions
from ..rules.actions.proposals import Taken, take_proposals
from ..rules.narrative import claim_lines
from .action_book import action_event, desk_of, floor_of, proposed_events
from .asking import ask, question
from .outcome import Outcome

MOST_TOLD = 24
"""Claims that a model is shown."""


class ProposeActionsInput(TypedDict):
    acting: str


class ProposeActionsUpdate(TypedDict):
    acting: str


async def propose_actions(state: ProposeActionsInput, deps: Deps) -> Outcome:
    """Adds proposals, the refused ones with their reason, and a command for each that may be asked about.

    The rules' own stand whatever a model says; a model adds to them, by the same checks. A run that may only propose
    ends here.
    """
    desk = desk_of(deps)
    if await deps.ledger.all(Action):  # an older checkpoint was taken up: what was made of it stands
        return Outcome(ProposeActionsUpdate(acting="ask"))
    composite = await deps.ledger.get(Composite, "composite")
    if composite is None or composite.ranking.outcome != "cause_found":
        return Outcome(ProposeActionsUpdate(acting="done"))
    floor = await floor_of(deps)
    base = baseline_actions(composite.ranking, desk.catalog)
    added = await _from_model(composite, base.proposal, deps)
    own = take_proposals(base.proposal.actions, (), floor, origin="rules", by="rules")
    more = take_proposals(added, own.actions, floor, origin="model", by=f"model:{deps.proposer.name}")
    proposals = (*own.proposals, *more.proposals)
    actions = (*own.actions, *more.actions)
    events = (*_told(own, state, deps), *_told(more, state, deps), *_left(base.left, deps))
    if state["acting"] != "act":
        advice = tuple(p.model_copy(update={"command_id": ""}) for p in proposals)
        return Outcome(ProposeActionsUpdate(acting="done"), Writes(records=advice, events=events))
    update = ProposeActionsUpdate(acting="ask" if actions else "done")
    return Outcome(update, Writes(records=(*proposals, *actions), events=events))


async def _from_model(composite: Composite, baseline: ActionsProposal, deps: Deps) -> list[ProposedAction]:
    """What a model proposes besides the rules' own."""
    claims = sorted(await deps.ledger.all(Claim), key=lambda c: (-c.strength, c.id))[:MOST_TOLD]
    answer = await ask(
        deps,
        "actions",
        question(
            deps,
            ActionsPrompt,
            ranking=composite.ranking,
            claims=claim_lines(claims),
            actions=desk_of(deps).catalog.kinds,
        ),
        baseline,
        node="propose_actions",
    )
    if answer.origin == "rules":
        return []
    known = {_meaning(a) for a in baseline.actions}
    return [a for a in answer.value.actions if _meaning(a) not in known]


def _meaning(item: ProposedAction) -> tuple[str, str, str]:
    try:
        arguments = json.dumps(json.loads(item.arguments_json), sort_keys=True)
    except (ValueError, RecursionError):
        arguments = item.arguments_json
    return item.kind, item.target, arguments


def _told(taken: Taken, state: ProposeActionsInput, deps: Deps) -> tuple[Event, ...]:
    """A run that may only propose makes no commands."""
    kept = taken if state["acting"] == "act" else taken._replace(actions=())
    return proposed_events(deps, kept, "propose_actions")


def _left(left: tuple[str, ...], deps: Deps) -> tuple[Event, ...]:
    """Remedies that stay advice."""
    return tuple(
        action_event(deps, "action.refused", derived_id("rem", deps.run_id, why), why, by="propose_actions")
        for why in left
    )
