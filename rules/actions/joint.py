"""Several approved actions together: each was fine alone, the sum may still be too much for one run."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ...contracts.action import Action
from ...contracts.action_catalog import ActionCatalog, ActionLimits
from ...contracts.lifecycle import ActionState

POINTS = {"low": 1, "medium": 2, "high": 4}
SPENT: frozenset[ActionState] = frozenset({"running", "succeeded", "failed", "pending", "unknown", "manual_review"})
"""States in which an action has been attempted: it counts against the run."""


class Joint(NamedTuple):
    fit: tuple[Action, ...]
    excess: tuple[tuple[Action, str], ...]
    """What does not fit any more, with the limit that it breaks."""


def joint_check(
    approved: Sequence[Action], all_actions: Sequence[Action], catalog: ActionCatalog, seconds_left: float
) -> Joint:
    """Take the approved ones in their order, as long as the run's limits bear them; an undo always fits."""
    counted = [a for a in all_actions if a.state in SPENT]
    fit: list[Action] = []
    excess: list[tuple[Action, str]] = []
    left = seconds_left
    for action in approved:
        spec = catalog.spec(action.command.kind)
        needed = spec.call_seconds if spec else 0.0
        why = "" if action.command.compensates else _breaks(action, counted, catalog.limits)
        if not why and needed > left:
            why = f"it may take {needed:g} s and the run has {max(0.0, left):g} s left"
        if why:
            excess.append((action, why))
        else:
            fit.append(action)
            counted.append(action)
            left -= needed
    return Joint(tuple(fit), tuple(excess))


def _breaks(action: Action, counted: Sequence[Action], limits: ActionLimits) -> str:
    every = [*counted, action]
    effects = Counter(a.command.effect for a in every)
    final = effects["irreversible_write"]
    writes = final + effects["reversible_write"]
    points = sum(POINTS[a.command.risk] for a in every)
    same = [
        a.key
        for a in counted
        if a.command.target == action.command.target and "read" not in (a.command.effect, action.command.effect)
    ]
    checks = (
        (len(every) > limits.actions, f"a run may carry out {limits.actions} actions"),
        (writes > limits.writes, f"a run may make {limits.writes} writes"),
        (final > limits.irreversible, f"a run may make {limits.irreversible} irreversible writes"),
        (points > limits.risk_points, f"they weigh {points} risk points, a run may carry {limits.risk_points}"),
        (bool(same), f"{', '.join(same)} already changes {action.command.target}"),
    )
    return next((why for broken, why in checks if broken), "")
