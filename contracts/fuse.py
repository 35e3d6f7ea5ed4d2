"""How an agent has been doing, and whether it is given work."""

from .base import AgentId, Record, Utc
from .lifecycle import FuseState


class AgentFuse(Record):
    """One agent's fuse within a run: warned where it is slow, open while it is isolated."""

    record_kind = "fuse"

    agent_id: AgentId
    state: FuseState = "closed"
    since: Utc
    until: Utc | None = None
    """When an open fuse may close again."""
    slow: int = 0
    """Reports in a row that took longer than its threshold."""
    failures: int = 0
    """Reports in a row that broke their contract."""
    fallbacks: tuple[Utc, ...] = ()
    """When the rules answered for its model, within the last hour."""
    counted_until: Utc | None = None
    """Fallbacks up to here are counted."""
    turns: int = 0
    """Changes of its state so far."""
    rebuilds: int = 0
    """How often its team was read from its spec anew because of fallbacks."""
    reason: str = ""

    @property
    def key(self) -> str:
        return self.agent_id
