"""What others want done when something changes its state: hooks of installed packages, called after the commit.

A package offers one as an entry point of the group `leadline.transition_hooks`: a function of one `Event`. It is told,
and cannot object: the change is in the ledger by then. A hook that fails is named in the log and stops nothing.
"""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

from ..contracts.event import Event

GROUP = "leadline.transition_hooks"
Hook = Callable[[Event], None]
_LOG = logging.getLogger("leadline.hooks")


@dataclass(frozen=True)
class NamedHook:
    name: str
    call: Hook

    def __call__(self, event: Event) -> None:
        """Tell it of a change of state, and of nothing else."""
        if event.kind != "transition":
            return
        try:
            self.call(event)
        except Exception:  # noqa: BLE001 - a foreign hook may raise anything, and must not reach the run
            _LOG.exception("transition hook %r failed on %s of %s", self.name, event.to_state, event.subject)


def transition_hooks() -> tuple[Hook, ...]:
    """Those of the installed packages."""
    return loaded(entry_points(group=GROUP))


def loaded(points: Iterable[EntryPoint]) -> tuple[Hook, ...]:
    """By name; one that cannot be loaded is named in the log."""
    return tuple(hook for point in sorted(points, key=lambda p: p.name) if (hook := _loaded(point)) is not None)


def _loaded(point: EntryPoint) -> NamedHook | None:
    try:
        call = point.load()
    except Exception:  # noqa: BLE001 - whatever a foreign package does at its import
        _LOG.exception("transition hook %r of %s cannot be loaded", point.name, point.value)
        return None
    if not callable(call):
        _LOG.error("transition hook %r of %s is no function", point.name, point.value)
        return None
    return NamedHook(point.name, call)
