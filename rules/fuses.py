"""Three levels of fuse per agent, by thresholds of the team file. Pure: time comes in with the stamp.

Slow: warned. So many refused reports in a row: isolated for a while. So many fallbacks within an hour: the whole team
is put back to its spec, because one agent's trouble with its model is seldom its own.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from ..contracts.base import AgentId
from ..contracts.event import Event
from ..contracts.fuse import AgentFuse
from ..contracts.team import Fuse, TeamSpec
from .transition import Grounds, Stamp, transition

HOUR = timedelta(hours=1)


TIMES = "\u00d7"


class Seen(NamedTuple):
    """How one report came about."""

    seconds: float
    kept_contract: bool
    fallbacks: tuple[datetime, ...] = ()
    """When the rules answered for the agent's model, in this run."""


class Moved(NamedTuple):
    fuse: AgentFuse
    events: tuple[Event, ...] = ()


def thresholds(limits: Fuse) -> str:
    """As they are drawn at an agent: slow, failures in a row, fallbacks an hour."""
    return f"[W:{limits.slow_seconds:g}s|E:{limits.contract_failures}{TIMES}|C:{limits.fallbacks_per_hour}/h]"


def is_isolated(fuse: AgentFuse, now: datetime) -> bool:
    return fuse.state == "open" and (fuse.until is None or now < fuse.until)


def cooled(fuse: AgentFuse, stamp: Stamp) -> Moved:
    """An open fuse whose time is over closes, with its failures forgotten."""
    if fuse.state != "open" or is_isolated(fuse, stamp.at):
        return Moved(fuse)
    closed, event = transition(fuse, "closed", stamp, grounds=Grounds(now=stamp.at), reason="its isolation is over")
    return Moved(closed.model_copy(update={"failures": 0, "until": None, "reason": ""}), (event,))


def after_report(fuse: AgentFuse, limits: Fuse, seen: Seen, stamp: Stamp) -> Moved:
    """Count what happened, and warn or isolate where a threshold is reached."""
    known = fuse.counted_until
    recent = (*fuse.fallbacks, *(t for t in seen.fallbacks if known is None or t > known))
    counted = fuse.model_copy(
        update={
            "slow": fuse.slow + 1 if seen.seconds > limits.slow_seconds else 0,
            "failures": 0 if seen.kept_contract else fuse.failures + 1,
            "fallbacks": tuple(t for t in recent if stamp.at - t < HOUR),
            "counted_until": max((*((known,) if known else ()), *seen.fallbacks), default=None),
        }
    )
    if counted.state == "open":
        return Moved(counted)
    if counted.failures >= limits.contract_failures:
        return _opened(counted, limits, stamp)
    if counted.slow and counted.state == "closed":
        reason = f"took {seen.seconds:.1f} s, {limits.slow_seconds:g} s are usual"
        warned, event = transition(counted, "warned", stamp, reason=reason)
        return Moved(warned.model_copy(update={"reason": reason}), (event,))
    if not counted.slow and counted.state == "warned":
        closed, event = transition(counted, "closed", stamp, reason="in time again")
        return Moved(closed.model_copy(update={"reason": ""}), (event,))
    return Moved(counted)


def _opened(fuse: AgentFuse, limits: Fuse, stamp: Stamp) -> Moved:
    reason = f"{fuse.failures} reports in a row broke their contract"
    grounds = Grounds(most_failures=limits.contract_failures)
    opened, event = transition(fuse, "open", stamp, grounds=grounds, reason=reason)
    until = stamp.at + timedelta(seconds=limits.isolation_seconds)
    return Moved(opened.model_copy(update={"until": until, "reason": reason}), (event,))


def wants_rebuild(fuse: AgentFuse, limits: Fuse) -> bool:
    return len(fuse.fallbacks) >= limits.fallbacks_per_hour


def rebuilt(fuses: Mapping[AgentId, AgentFuse], cause: AgentId, team: TeamSpec, stamp: Stamp) -> tuple[Moved, ...]:
    """Every agent as its spec has it, nothing counted; what was open is closed by force, and says so."""
    fell = len(fuses[cause].fallbacks)
    reason = f"team rebuilt from {team.name} {team.version}: {cause} fell back {fell} times in an hour"
    return tuple(_reset(fuse, reason, stamp) for fuse in fuses.values())


def _reset(fuse: AgentFuse, reason: str, stamp: Stamp) -> Moved:
    forgotten = {"slow": 0, "failures": 0, "fallbacks": (), "until": None, "reason": reason}
    clean = fuse.model_copy(update={**forgotten, "rebuilds": fuse.rebuilds + 1})
    if fuse.state == "closed":
        return Moved(clean)
    closed, event = transition(clean, "closed", stamp, reason=reason, forced=True)
    return Moved(closed, (event,))
