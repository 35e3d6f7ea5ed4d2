"""How often the guards were overruled."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from ..contracts.event import Event


class ForcedShare(NamedTuple):
    forced: int
    transitions: int
    by_lifecycle: dict[str, int]
    """Of the forced ones."""

    @property
    def share(self) -> float:
        """0 where nothing moved."""
        return self.forced / self.transitions if self.transitions else 0.0


def forced_share(events: Iterable[Event]) -> ForcedShare:
    """A share that grows says that thresholds or guards do not fit how the team works."""
    moved = [e for e in events if e.kind == "transition"]
    forced = [e for e in moved if e.forced]
    return ForcedShare(len(forced), len(moved), dict(Counter(e.lifecycle for e in forced)))
