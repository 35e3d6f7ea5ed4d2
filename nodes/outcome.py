"""What a node gives back: its state update, and what the ledger is to remember with it.

Nodes write nothing themselves. `graph.recording` commits an outcome in one transaction together with the update, so a
node that is run again after a crash gives its first update back instead of doing its work twice.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..contracts.ports import Deps, Writes
from ..contracts.task import Budget, CommunicationPolicy, Risk
from ..rules.planning import PlanContext
from ..rules.transition import Stamp


class Outcome(NamedTuple):
    update: Mapping[str, Any]
    writes: Writes = Writes()


def stamp(deps: Deps, by: str) -> Stamp:
    return Stamp(deps.run_id, by, deps.clock.now())


def plan_context(deps: Deps, risk: Risk) -> PlanContext:
    """What every task of this run is made from."""
    team, evidence = deps.team, deps.evidence
    whole = team.budget
    return PlanContext(
        run_id=deps.run_id,
        lead=team.root_owner,
        incident=evidence.incident,
        coverage=evidence.coverage(),
        services=frozenset(evidence.services()),
        risk=risk,
        budget=Budget(
            tokens=whole.tokens, probe_calls=min(60, whole.probe_calls), seconds=whole.seconds,
            review_rounds=whole.review_rounds,
        ),
        at=deps.clock.now(),
        policy=CommunicationPolicy(may_contact_others=team.topology in {"controlled_bus", "hierarchical"}),
    )  # fmt: skip
