"""In which way a task is given out: the user's table of modes and topologies (docs/team-protocol.md), as data."""

from collections.abc import Sequence
from typing import Literal

from ..contracts.base import AgentId
from ..contracts.task import AllocationMode, Task
from ..contracts.team import RedundancyCondition, TeamSpec, Topology

Use = Literal["first", "usual", "possible", "in_domain", "risky", "risky_review", "domain_review", "never"]
"""How a mode is used in a topology: before others, often, if need be; inside a domain; for risky tasks or reviews."""

TABLE: dict[AllocationMode, dict[Topology, Use]] = {
    "lead_push": {"single": "first", "star": "first", "controlled_bus": "possible", "hierarchical": "usual"},
    "capability_matching": {
        "single": "never", "star": "possible", "controlled_bus": "first", "hierarchical": "in_domain",
    },
    "claim_with_lease": {
        "single": "never", "star": "never", "controlled_bus": "first", "hierarchical": "never",
    },
    "recursive_delegation": {
        "single": "never", "star": "never", "controlled_bus": "never", "hierarchical": "first",
    },
    "redundant_assignment": {
        "single": "never", "star": "risky_review", "controlled_bus": "risky", "hierarchical": "domain_review",
    },
    "human_assignment": {
        "single": "risky", "star": "risky", "controlled_bus": "risky", "hierarchical": "risky",
    },
}  # fmt: skip
REVIEWS = frozenset({"review", "verification", "decision"})


def is_sensitive(task: Task, team: TeamSpec) -> bool:
    """Whether a person gives it out: it writes to production, or the team says so of what it takes."""
    spec, point = task.spec, team.point("assignment")
    asked = point.when == "always" or (point.when == "high_risk" and spec.risk_level == "high")
    named = bool(set(team.person_assigns).intersection(spec.required_capabilities))
    return spec.scope.write_scope == "production_write" or named or asked


def redundancy(task: Task, team: TeamSpec, confidence: float | None) -> tuple[RedundancyCondition, ...]:
    """Which of the team's conditions for a second owner hold; none where the topology does not allow one.

    Args:
        confidence: of the best finding of an earlier attempt; None where there was none.
    """
    use = TABLE["redundant_assignment"][team.topology]
    reviews_only = use in {"risky_review", "domain_review"}
    if use == "never" or task.spec.assignment.parent_task_id or (reviews_only and task.spec.task_type not in REVIEWS):
        return ()
    scope = task.spec.scope
    holds: dict[RedundancyCondition, bool] = {
        "risk_high": task.spec.risk_level == "high",
        "production_write": scope.write_scope == "production_write",
        "security_sensitive": scope.data_classification == "restricted",
        "confidence_below_threshold": confidence is not None and confidence < team.confidence_threshold,
    }
    return tuple(name for name in team.redundant_when if holds[name])


def choose_mode(
    task: Task, team: TeamSpec, candidates: Sequence[AgentId], *, claimed: bool = False, confidence: float | None = None
) -> AllocationMode:
    """The first mode of the table that fits: a person, two owners, a claim, the best of several, the only one."""
    if is_sensitive(task, team):
        return "human_assignment"
    if len(candidates) > 1 and redundancy(task, team, confidence):
        return "redundant_assignment"
    if claimed and TABLE["claim_with_lease"][team.topology] != "never":
        return "claim_with_lease"
    if len(candidates) > 1 and TABLE["capability_matching"][team.topology] != "never":
        return "capability_matching"
    return "lead_push"
