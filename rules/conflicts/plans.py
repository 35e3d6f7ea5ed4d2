"""Plan conflicts: remedies of one target that exclude each other."""

from collections.abc import Sequence
from itertools import combinations

from ...contracts.arbitration import Authority, Conflict, ConflictSide
from ...contracts.base import derived_id
from ...contracts.report import Remedy

EXCLUSIVE: tuple[frozenset[str], ...] = (
    frozenset({"rollback", "roll-forward"}),
    frozenset({"scale", "scale-down"}),
    frozenset({"restart", "drain"}),
    frozenset({"enable-flag", "disable-flag"}),
)
RISKS: dict[str, float] = {
    "escalate-upstream": 0.0, "monitor": 0.0, "scale": 0.2, "disable-flag": 0.2, "rotate-certificate": 0.3,
    "rollback": 0.3, "restart": 0.4, "scale-down": 0.5, "enable-flag": 0.5, "roll-forward": 0.6, "drain": 0.6,
    "purge-bad-data": 0.8,
}  # fmt: skip
"""How much a remedy can break beyond what is broken, 0 to 1; what is not listed counts as 0.5."""
UNKNOWN_RISK = 0.5


def risk_of(action: str) -> float:
    return RISKS.get(action, UNKNOWN_RISK)


def plan_conflicts(remedies: Sequence[Remedy]) -> tuple[Conflict, ...]:
    return tuple(
        _conflict(one, other)
        for one, other in combinations(sorted(remedies, key=lambda r: (r.target, r.action)), 2)
        if one.target == other.target and frozenset({one.action, other.action}) in EXCLUSIVE
    )


def _conflict(one: Remedy, other: Remedy) -> Conflict:
    sides = tuple(
        ConflictSide(ref=f"{r.action}:{r.target}", says=f"{r.action} {r.target}", strength=1 - risk_of(r.action))
        for r in (one, other)
    )
    return Conflict(
        conflict_id=derived_id("cfl", "plan", *(s.ref for s in sides)),
        conflict_class="plan",
        subject=one.target,
        description=f"{one.action} and {other.action} of {one.target} exclude each other",
        sides=sides,
        risk="high" if max(risk_of(one.action), risk_of(other.action)) > UNKNOWN_RISK else "medium",
        options=tuple(f"choose {s.ref}" for s in sides),
        authority=Authority(type="policy", ref="remedy-risk@1"),
        decision_owner="policy:remedy-risk@1",
    )
