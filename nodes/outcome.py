"""What a node gives back: its state update, and what the ledger is to remember with it.

Nodes write nothing themselves. `graph.recording` commits an outcome in one transaction together with the update, so a
node that is run again after a crash gives its first update back instead of doing its work twice.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..contracts.ports import Deps, Writes
from ..rules.transition import Stamp


class Outcome(NamedTuple):
    update: Mapping[str, Any]
    writes: Writes = Writes()


def stamp(deps: Deps, by: str) -> Stamp:
    return Stamp(deps.run_id, by, deps.clock.now())
