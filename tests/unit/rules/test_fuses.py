"""Three levels of fuse, with a clock that is moved."""

from datetime import UTC, datetime, timedelta

import pytest

from leadline.contracts.base import AgentId, RunId
from leadline.contracts.fuse import AgentFuse
from leadline.contracts.team import AgentSpec, Fuse, TeamSpec
from leadline.rules.fuses import Seen, after_report, cooled, is_isolated, rebuilt, wants_rebuild
from leadline.rules.transition import Refused, Stamp, transition

NOON = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)
LIMITS = Fuse(slow_seconds=3.0, contract_failures=3, isolation_seconds=600.0, fallbacks_per_hour=5)
TEAM = TeamSpec(
    name="t", version="7", root_owner=AgentId("a"),
    agents=(AgentSpec(id=AgentId("a"), description="a", capabilities=()),),
)  # fmt: skip


class Watched:
    """An agent's fuse as its reports come in, one a minute."""

    def __init__(self, limits: Fuse = LIMITS) -> None:
        self.limits, self.now = limits, NOON
        self.fuse = AgentFuse(agent_id=AgentId("a"), since=NOON)
        self.told: list[tuple[str, str]] = []

    @property
    def stamp(self) -> Stamp:
        return Stamp(RunId("run-1"), "test", self.now)

    def report(self, seconds: float = 1.0, *, kept: bool = True, fallbacks: int = 0) -> str:
        self.now += timedelta(minutes=1)
        times = tuple(self.now - timedelta(seconds=n) for n in range(fallbacks))
        moved = after_report(self.fuse, self.limits, Seen(seconds, kept, times), self.stamp)
        self.fuse = moved.fuse
        self.told += [(e.from_state, e.to_state) for e in moved.events]
        return self.fuse.state

    def wait(self, minutes: float) -> str:
        self.now += timedelta(minutes=minutes)
        moved = cooled(self.fuse, self.stamp)
        self.fuse = moved.fuse
        self.told += [(e.from_state, e.to_state) for e in moved.events]
        return self.fuse.state


def test_slow_is_warned_about_and_in_time_again_is_not() -> None:
    agent = Watched()
    assert [agent.report(s) for s in (2.9, 3.1, 4.0, 1.0)] == ["closed", "warned", "warned", "closed"]
    assert agent.told == [("closed", "warned"), ("warned", "closed")]


def test_failures_in_a_row_isolate_for_a_while() -> None:
    agent = Watched()
    assert [agent.report(kept=False) for _ in range(3)] == ["closed", "closed", "open"]
    assert is_isolated(agent.fuse, agent.now)
    assert agent.wait(9.9) == "open"
    assert agent.wait(0.2) == "closed"
    assert (agent.fuse.failures, agent.fuse.until) == (0, None)
    assert agent.told == [("closed", "open"), ("open", "closed")]


def test_a_good_report_between_breaks_the_row() -> None:
    agent = Watched()
    assert [agent.report(kept=k) for k in (False, False, True, False, False)] == ["closed"] * 5


def test_a_warned_agent_can_be_isolated() -> None:
    agent = Watched()
    assert [agent.report(9.0, kept=False) for _ in range(3)] == ["warned", "warned", "open"]


def test_an_open_fuse_cannot_be_closed_before_its_time() -> None:
    agent = Watched()
    for _ in range(3):
        agent.report(kept=False)
    with pytest.raises(Refused, match="isolation_is_over"):
        transition(agent.fuse, "closed", agent.stamp)


def test_fallbacks_within_an_hour_rebuild_the_team() -> None:
    agent = Watched()
    for _ in range(4):
        agent.report(fallbacks=1)
    assert not wants_rebuild(agent.fuse, LIMITS)
    agent.report(fallbacks=1)
    assert wants_rebuild(agent.fuse, LIMITS)


def test_fallbacks_of_more_than_an_hour_ago_count_no_more() -> None:
    agent = Watched()
    for _ in range(4):
        agent.report(fallbacks=1)
    agent.wait(60)
    agent.report(fallbacks=1)
    assert len(agent.fuse.fallbacks) == 1


def test_a_fallback_is_counted_once() -> None:
    agent = Watched()
    seen = Seen(1.0, True, (NOON + timedelta(seconds=5),))
    for _ in range(3):
        agent.fuse = after_report(agent.fuse, LIMITS, seen, agent.stamp).fuse
    assert len(agent.fuse.fallbacks) == 1


def test_rebuilding_closes_by_force_and_says_so() -> None:
    one, other = Watched(), Watched()
    for _ in range(3):
        one.report(kept=False)
    for _ in range(5):
        other.report(fallbacks=1)
    fuses = {AgentId("a"): one.fuse, AgentId("b"): other.fuse.model_copy(update={"agent_id": AgentId("b")})}
    reset = rebuilt(fuses, AgentId("b"), TEAM, other.stamp)
    assert [(m.fuse.state, m.fuse.failures, m.fuse.fallbacks, m.fuse.rebuilds) for m in reset] == [
        ("closed", 0, (), 1),
        ("closed", 0, (), 1),
    ]
    told = [e for m in reset for e in m.events]
    assert [(e.from_state, e.to_state, e.forced) for e in told] == [("open", "closed", True)]
    assert told[0].reason == "team rebuilt from t 7: b fell back 5 times in an hour"


def test_every_change_of_a_fuse_is_an_event_of_its_own() -> None:
    agent = Watched()
    ids = set()
    for seconds in (9.0, 1.0, 9.0, 1.0):
        agent.now += timedelta(minutes=1)
        moved = after_report(agent.fuse, LIMITS, Seen(seconds, True), agent.stamp)
        agent.fuse = moved.fuse
        ids.update(e.event_id for e in moved.events)
    assert len(ids) == 4
