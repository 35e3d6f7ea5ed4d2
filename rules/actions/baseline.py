"""What the rules would do: the ranking's own remedies, where the catalog has an answer to them."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from pydantic import JsonValue

from ...contracts.action_catalog import ActionCatalog, ActionSpec
from ...contracts.proposal import ActionsProposal, ProposedAction
from ...contracts.report import RankedCause, Ranking, Remedy

MOST = 4


class Baseline(NamedTuple):
    proposal: ActionsProposal
    left: tuple[str, ...]
    """Remedies that stay advice, each with its reason."""


def baseline_actions(ranking: Ranking, catalog: ActionCatalog) -> Baseline:
    first = ranking.causes[0] if ranking.causes else None
    actions: list[ProposedAction] = []
    left: list[str] = []
    for remedy in ranking.remediation:
        spec = next((s for s in catalog.kinds if remedy.action in s.remedies), None)
        if spec is None:
            left.append(f"{remedy.action} {remedy.target}: the catalog has no action for it")
            continue
        arguments, missing = _arguments(spec, first)
        if missing:
            left.append(f"{remedy.action} {remedy.target}: rules cannot say {', '.join(missing)}")
        else:
            actions.append(_proposed(spec, remedy, arguments))
    return Baseline(ActionsProposal(actions=actions[:MOST]), tuple(left))


def _arguments(spec: ActionSpec, cause: RankedCause | None) -> tuple[dict[str, JsonValue], Sequence[str]]:
    found: dict[str, JsonValue] = {}
    for name, described in spec.arguments.items():
        if cause is not None and described.source == "cause" and cause.cause.kind in {"change", "config"}:
            found[name] = cause.cause.ref
        elif cause is not None and described.source == "cause_service" and cause.cause.service:
            found[name] = cause.cause.service
    missing = [n for n, d in spec.arguments.items() if d.required and d.default is None and n not in found]
    return found, missing


def _proposed(spec: ActionSpec, remedy: Remedy, arguments: dict[str, JsonValue]) -> ProposedAction:
    return ProposedAction(
        kind=spec.kind,
        target=remedy.target,
        arguments_json=json.dumps(arguments, sort_keys=True),
        claims=list(remedy.why[:12]),
        why=f"{remedy.action} is what puts the first cause right",
    )
