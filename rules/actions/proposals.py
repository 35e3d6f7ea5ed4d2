"""From a proposal to a command, or to the reason why it is refused before anyone is asked."""

import fnmatch
import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from pydantic import JsonValue

from ...contracts.action import Action, ActionCommand, ActionProposal, ResourceRef
from ...contracts.action_catalog import ActionCatalog, ActionSpec
from ...contracts.base import ClaimId, RunId, canonical_json, derived_id
from ...contracts.claim import Origin
from ...contracts.proposal import ProposedAction
from ...contracts.team import Requirement
from .arguments import check_arguments, is_plain_name
from .identity import command_id, fingerprint, idempotency_key, intent_id


class Floor(NamedTuple):
    """What a proposal is checked against."""

    run_id: RunId
    catalog: ActionCatalog
    tenant: str
    user: str
    services: frozenset[str]
    """Services that the evidence knows."""
    claims: frozenset[ClaimId]
    """Accepted claims."""
    at: datetime
    requirements: tuple[Requirement, ...] = ()
    """Of the team file."""
    standing: frozenset[tuple[str, str]] = frozenset()
    """Remedies and their services that stood when conflicts were settled: what a person set aside for them stays so."""


class Taken(NamedTuple):
    proposals: tuple[ActionProposal, ...]
    """All of them, with the reason where one was refused."""
    actions: tuple[Action, ...]
    """New commands, in the order of their proposals."""


def take_proposals(
    proposed: Sequence[ProposedAction], known: Sequence[Action], floor: Floor, *, origin: Origin, by: str
) -> Taken:
    """Check each; what is taken becomes a command whose effect, risk, ids, key and deadline come from code."""
    actions: list[Action] = []
    kept: list[ActionProposal] = []
    for n, item in enumerate(proposed):
        proposal, arguments = _read(item, floor, origin, by, n)
        spec = floor.catalog.spec(item.kind)
        why = proposal.refused or _refusal(item, spec, arguments, [*known, *actions], floor)
        if why or spec is None:
            kept.append(proposal.model_copy(update={"refused": why}))
            continue
        action = _action(spec, item.target, arguments, proposal.proposal_id, floor)
        actions.append(action)
        kept.append(proposal.model_copy(update={"command_id": action.key}))
    return Taken(tuple(kept), tuple(actions))


def edited(action: Action, change: Mapping[str, JsonValue], floor: Floor, *, by: str) -> Taken:
    """A person's edit is another command of the same intent, checked as any proposal is."""
    old = action.command
    spec = floor.catalog.spec(old.kind)
    extra = sorted(set(change) - {"arguments", "target"})
    arguments = change.get("arguments", {})
    merged = {**old.arguments, **arguments} if isinstance(arguments, dict) else {}
    wanted: dict[str, JsonValue] = {k: v for k, v in merged.items() if v is not None}
    target = str(change.get("target", old.target.name))
    item = ProposedAction(kind=old.kind, target=target[:200], arguments_json="{}", claims=[], why="")
    proposal = _proposal(item, wanted, floor, "person", by, f"edit of {action.key}")
    if extra or not isinstance(arguments, dict):
        what = f"fields {', '.join(extra)}" if extra else "arguments that are no mapping"
        why = f"an edit changes arguments and target, not {what}"
    else:
        why = _refusal(item, spec, wanted, (), floor)
    if why or spec is None:
        return Taken((proposal.model_copy(update={"refused": why}),), ())
    made = _action(spec, target, wanted, proposal.proposal_id, floor, intent=old.intent_id, revision=old.revision + 1)
    made = made.model_copy(update={"command": made.command.model_copy(update={"compensates": old.compensates})})
    return Taken((proposal.model_copy(update={"command_id": made.key}),), (made,))


def compensating(action: Action, floor: Floor, *, by: str, origin: Origin) -> Taken:
    """The command that undoes a succeeded one, linked to it. An unknown outcome is settled first."""
    old = action.command
    spec = floor.catalog.spec(old.kind)
    undo = spec.compensation if spec else None
    arguments: dict[str, JsonValue] = {}
    if undo is not None:
        arguments = {k: _from(v, old.arguments) for k, v in undo.arguments.items()}
    kind = undo.kind if undo else ""
    item = ProposedAction(kind=kind, target=old.target.name, arguments_json="{}", claims=[], why="")
    proposal = _proposal(item, arguments, floor, origin, by, f"undo of {action.key}")
    undoing = floor.catalog.spec(kind)
    why = _undo_refusal(action, kind, undoing)
    if not why and undoing is not None:
        why = "; ".join(check_arguments(undoing, arguments).faults)
    if why or undoing is None:
        return Taken((proposal.model_copy(update={"refused": why}),), ())
    intent = intent_id(floor.run_id, kind, old.target, f"undo {action.key}")
    made = _action(undoing, old.target.name, arguments, proposal.proposal_id, floor, intent=intent)
    made = made.model_copy(update={"command": made.command.model_copy(update={"compensates": action.key})})
    return Taken((proposal.model_copy(update={"command_id": made.key}),), (made,))


def _from(value: JsonValue, arguments: Mapping[str, JsonValue]) -> JsonValue:
    if isinstance(value, str) and value.startswith("{") and value.endswith("}"):
        return arguments.get(value[1:-1])
    return value


def _undo_refusal(action: Action, kind: str, undoing: ActionSpec | None) -> str:
    if action.state in {"unknown", "pending", "running", "manual_review"}:
        return f"{action.key} is {action.state}: what it did has to be known before it can be undone"
    if action.state != "succeeded":
        return f"{action.key} is {action.state}: there is nothing to undo"
    if action.undone_by:
        return f"{action.key} has its undo already, {action.undone_by}"
    if undoing is None:
        return f"the catalog names nothing that undoes {action.command.kind}" if not kind else f"no kind {kind!r}"
    return ""


def _read(
    item: ProposedAction, floor: Floor, origin: Origin, by: str, n: int
) -> tuple[ActionProposal, dict[str, JsonValue]]:
    try:
        given = json.loads(item.arguments_json or "{}", parse_constant=_no_constant, object_pairs_hook=_no_repeats)
        canonical_json(given).encode("utf-8")  # refuses infinities and halves of characters
    except (ValueError, RecursionError) as fault:
        bad = _proposal(item, {}, floor, origin, by, str(n))
        return bad.model_copy(update={"refused": f"its arguments are no JSON: {str(fault)[:120]}"}), {}
    if not isinstance(given, dict):
        bad = _proposal(item, {}, floor, origin, by, str(n))
        return bad.model_copy(update={"refused": "its arguments are no JSON object"}), {}
    return _proposal(item, given, floor, origin, by, str(n)), given


def _proposal(
    item: ProposedAction, arguments: dict[str, JsonValue], floor: Floor, origin: Origin, by: str, about: str
) -> ActionProposal:
    return ActionProposal(
        proposal_id=derived_id("prp", floor.run_id, origin, about, item.kind, item.target, repr(arguments)[:2000]),
        run_id=floor.run_id,
        kind=item.kind[:80],
        target=item.target[:200],
        arguments=arguments,
        claims=tuple(ClaimId(c) for c in item.claims if ClaimId(c) in floor.claims),
        why=item.why,
        origin=origin,
        proposed_by=by,
        at=floor.at,
    )


def _refusal(
    item: ProposedAction, spec: ActionSpec | None, arguments: Mapping[str, JsonValue], known: Sequence[Action],
    floor: Floor,
) -> str:  # fmt: skip
    if spec is None:
        return f"the catalog has no action {item.kind[:60]!r}"
    unknown = [c[:40] for c in item.claims if ClaimId(c) not in floor.claims]
    if unknown:
        return f"it cites claims that were not accepted: {', '.join(unknown[:3])}"
    misplaced = _misplaced(item.target, spec, floor)
    if misplaced:
        return misplaced
    checked = check_arguments(spec, arguments)
    return "; ".join(checked.faults[:4]) or _repeats(spec, item.target, checked.values, known, floor)


def _misplaced(name: str, spec: ActionSpec, floor: Floor) -> str:
    if not is_plain_name(name):
        return f"{name[:60]!r} is no name of a resource"
    if name not in floor.services:
        return f"no {spec.resource_kind} {name[:60]!r} is known to the evidence"
    if not any(fnmatch.fnmatchcase(name, pattern) for pattern in spec.resources):
        return f"the catalog does not allow {spec.kind} on {name!r}"
    return _forbidden(spec, name, floor)


def _forbidden(spec: ActionSpec, name: str, floor: Floor) -> str:
    means = {spec.kind, *spec.remedies}
    if any((remedy, name) in floor.standing for remedy in means):
        return ""
    for requirement in floor.requirements:
        if means.intersection(requirement.forbids) and (not requirement.services or name in requirement.services):
            return f"requirement {requirement.id!r} forbids it: {requirement.statement}"[:200]
    return ""


def _repeats(
    spec: ActionSpec, name: str, arguments: Mapping[str, JsonValue], known: Sequence[Action], floor: Floor
) -> str:
    target = _resource(spec, name, floor.catalog)
    of_kind = [a for a in known if a.command.kind == spec.kind]
    for other in (a for a in of_kind if a.command.target == target):
        if other.command.fingerprint == fingerprint(spec.kind, target, arguments):
            return f"it is proposed already, as {other.key}"
        return f"{other.key} proposes it with other arguments; a person can edit that one"
    if len(of_kind) >= spec.per_run:
        return f"one run may propose {spec.kind} {spec.per_run} times"
    return ""


def _resource(spec: ActionSpec, name: str, catalog: ActionCatalog) -> ResourceRef:
    return ResourceRef(environment=catalog.environment, kind=spec.resource_kind, name=name)


def _action(
    spec: ActionSpec, name: str, arguments: Mapping[str, JsonValue], proposal: str, floor: Floor, *,
    intent: str = "", revision: int = 1,
) -> Action:  # fmt: skip
    target = _resource(spec, name, floor.catalog)
    values = check_arguments(spec, arguments).values
    purpose = intent or intent_id(floor.run_id, spec.kind, target)
    command = ActionCommand(
        command_id=command_id(floor.run_id, purpose, revision),
        run_id=floor.run_id,
        intent_id=purpose,
        revision=revision,
        tenant=floor.tenant,
        user=floor.user,
        kind=spec.kind,
        target=target,
        arguments=values,
        effect=spec.effect,
        risk=spec.risk,
        policy=floor.catalog.version,
        fingerprint=fingerprint(spec.kind, target, values),
        idempotency_key=idempotency_key(floor.tenant, floor.run_id, purpose, revision),
        deadline_at=floor.at + timedelta(seconds=spec.approval_seconds + spec.call_seconds * spec.attempts),
        created_at=floor.at,
    )
    return Action(command=command, proposal_id=proposal)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _no_repeats(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found
