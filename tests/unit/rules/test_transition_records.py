"""What an event tells of a change of state, and how often guards were overruled."""

from datetime import UTC, datetime, timedelta

import pytest

from leadline.contracts.base import AgentId, RunId
from leadline.contracts.event import Event
from leadline.contracts.message import AgentMessage
from leadline.contracts.message_payload import Progress
from leadline.rules.forced import forced_share
from leadline.rules.transition import Grounds, Refused, Stamp, transition
from tests.doubles.letters import ANSWER, CHANGES, LOGS, draft, message, plan, question, task

NOON = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)


def stamp(seconds: float = 0.0) -> Stamp:
    return Stamp(RunId("run-1"), "ada", NOON + timedelta(seconds=seconds))


class TestAnEvent:
    def test_names_the_states_the_agent_and_the_reason(self) -> None:
        moved, event = transition(plan()[LOGS], "blocked", stamp(), reason="no access")
        assert (event.lifecycle, event.from_state, event.to_state, event.by, event.reason) == (
            "task", "running", "blocked", "ada", "no access",
        )  # fmt: skip
        assert moved.state == "blocked"

    def test_tells_how_long_the_record_was_in_the_state_that_it_leaves(self) -> None:
        first, one = transition(plan()[LOGS], "blocked", stamp(2.5))
        _second, other = transition(first, "running", stamp(10.0))
        assert (one.duration_ms, other.duration_ms) == (2500.0, 7500.0)

    def test_carries_a_digest_of_what_it_was_given(self) -> None:
        same = [transition(plan()[LOGS], "blocked", stamp())[1].input_hash for _ in range(2)]
        other = transition(plan()[CHANGES], "blocked", stamp())[1].input_hash
        assert len(set(same)) == 1
        assert len(same[0]) == 16
        assert other not in same

    def test_has_the_same_id_whenever_it_is_told(self) -> None:
        ids = {transition(plan()[LOGS], "blocked", stamp(s))[1].event_id for s in (0.0, 9.0)}
        assert len(ids) == 1

    def test_a_refused_change_leaves_no_event(self) -> None:
        with pytest.raises(Refused, match="cannot go from running to merged"):
            transition(plan()[LOGS], "merged", stamp())


class TestForce:
    def test_skips_a_guard_and_is_marked(self) -> None:
        ownerless = task(LOGS, "log_reader").model_copy(update={"state": "verifying"})
        with pytest.raises(Refused, match="has_checked_evidence"):
            transition(ownerless, "accepted", stamp())
        moved, event = transition(ownerless, "accepted", stamp(), forced=True, reason="the verifier is down")
        assert (moved.state, event.forced, event.reason) == ("accepted", True, "the verifier is down")

    def test_never_skips_the_table(self) -> None:
        with pytest.raises(Refused, match="cannot go"):
            transition(plan()[LOGS], "merged", stamp(), forced=True)

    def test_its_share_is_counted(self) -> None:
        def moved(n: int, *, forced: bool, lifecycle: str = "task") -> Event:
            return Event(event_id=f"e{n}", kind="transition", lifecycle=lifecycle, forced=forced, at=NOON)

        events = [
            *(moved(n, forced=False) for n in range(18)), moved(18, forced=True), moved(19, forced=True, lifecycle="fuse"),
            Event(event_id="x", kind="node.finished", at=NOON),
        ]  # fmt: skip
        share = forced_share(events)
        assert (share.forced, share.transitions, share.share) == (2, 20, 0.1)
        assert share.by_lifecycle == {"task": 1, "fuse": 1}
        assert forced_share([]).share == 0.0


class TestAMessage:
    def delivered(self, **more: object) -> AgentMessage:
        return transition(message(question(**more)), "delivered", stamp())[0]

    def test_goes_its_way(self) -> None:
        sent = message(draft(Progress(findings=("x",), next_step="y"), "log_reader", "lead"))
        states = [sent.state]
        for to in ("delivered", "acknowledged", "resolved"):
            sent, event = transition(sent, to, stamp(float(len(states))))
            states.append(sent.state)
            assert event.lifecycle == "message"
        assert states == ["sent", "delivered", "acknowledged", "resolved"]
        assert sent.updated_at == NOON + timedelta(seconds=3)

    def test_that_wants_an_answer_is_resolved_by_one_alone(self) -> None:
        read, _ = transition(self.delivered(expected_response=ANSWER), "acknowledged", stamp())
        with pytest.raises(Refused, match="is_answered"):
            transition(read, "resolved", stamp())
        assert transition(read, "resolved", stamp(), grounds=Grounds(response="msg-2"))[0].state == "resolved"

    def test_expires_after_its_deadline_or_with_its_task(self) -> None:
        waiting = self.delivered(expected_response=ANSWER)
        for grounds in (Grounds(), Grounds(now=NOON + timedelta(seconds=39))):
            with pytest.raises(Refused, match="answer_is_overdue"):
                transition(waiting, "expired", stamp(), grounds=grounds)
        for grounds in (Grounds(now=NOON + timedelta(seconds=40)), Grounds(task_over=True)):
            assert transition(waiting, "expired", stamp(), grounds=grounds)[0].state == "expired"

    def test_without_a_deadline_waits_for_its_task(self) -> None:
        forever = self.delivered()
        with pytest.raises(Refused):
            transition(forever, "expired", stamp(), grounds=Grounds(now=NOON + timedelta(days=99)))

    def test_that_is_over_stays_over(self) -> None:
        over, _ = transition(self.delivered(), "expired", stamp(), grounds=Grounds(task_over=True))
        with pytest.raises(Refused):
            transition(over, "acknowledged", stamp())
        assert over.from_agent == AgentId("log_reader")
