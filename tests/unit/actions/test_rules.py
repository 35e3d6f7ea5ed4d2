"""Sums, receipts, replays, settling, guards: one table each."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from leadline.contracts.action import Action, ExecutionReceipt
from leadline.contracts.approval import ApprovalDecision
from leadline.contracts.base import RunId
from leadline.contracts.errors import KeyConflict
from leadline.contracts.lifecycle import ACTION
from leadline.contracts.ports import ProbedOutcome, TargetReply
from leadline.rules.actions.guards import ActionGrounds, is_person
from leadline.rules.actions.identity import fingerprint
from leadline.rules.actions.joint import joint_check
from leadline.rules.actions.receipts import judge
from leadline.rules.actions.replay import find_submission
from leadline.rules.actions.settling import seconds_on_its_way, settle
from leadline.rules.actions.templates import filled, filled_text
from leadline.rules.transition import Grounds, Refused, Stamp, transition
from leadline.runtime.action_catalog import parse_catalog
from tests.doubles.acting import CATALOG
from tests.doubles.calls import attempt_of, call_for, spec_for

AT = datetime(2026, 11, 30, tzinfo=UTC)
MARK = Stamp(RunId("run-1"), "test", AT)


def action(n: int = 1, state: Any = "proposed", **command: Any) -> Action:
    base = call_for(spec_for(), intent=str(n)).command
    target = base.target.model_copy(update={"name": f"service-{n}"})
    made = base.model_copy(update={"target": target, "kind": "rollback"} | command)
    return Action(command=made, proposal_id="prp-1", state=state, approval_id=f"apr-{n}")


class TestJoint:
    def check(self, *approved: Action, known: tuple[Action, ...] = (), seconds: float = 1000.0) -> list[str]:
        joint = joint_check(approved, (*known, *approved), parse_catalog(CATALOG, "t"), seconds)
        assert len(joint.fit) + len(joint.excess) == len(approved)
        return [why for _, why in joint.excess]

    def test_each_alone_fits(self) -> None:
        assert self.check(action(1), action(2)) == []

    def test_so_many_actions(self) -> None:
        reads = [action(n, effect="read", risk="low") for n in range(1, 5)]
        assert self.check(*reads) == ["a run may carry out 3 actions"]

    def test_so_many_irreversible_ones(self) -> None:
        final = [action(n, effect="irreversible_write", risk="low") for n in (1, 2)]
        assert self.check(*final) == ["a run may make 1 irreversible writes"]

    def test_the_sum_of_risks(self) -> None:
        high = [action(n, risk="high") for n in (1, 2, 3)]
        assert self.check(*high) == ["they weigh 12 risk points, a run may carry 8"]

    def test_what_was_attempted_counts_whatever_came_of_it(self) -> None:
        known = tuple(action(n, state) for n, state in enumerate(("failed", "manual_review", "succeeded"), start=5))
        assert self.check(action(1), known=known) == ["a run may carry out 3 actions"]

    def test_what_was_denied_does_not_count(self) -> None:
        assert self.check(action(1), known=tuple(action(n, "denied") for n in (5, 6, 7))) == []

    def test_one_resource_is_changed_once(self) -> None:
        one, two = action(1), action(2)
        same = two.model_copy(update={"command": two.command.model_copy(update={"target": one.command.target})})
        assert self.check(one, same) == [f"{one.key} already changes production/service/service-1"]

    def test_an_undo_always_fits(self) -> None:
        known = tuple(action(n, "succeeded") for n in (5, 6, 7))
        assert self.check(action(1, compensates=known[0].key), known=known) == []

    def test_the_runs_time(self) -> None:
        assert self.check(action(1), seconds=0.1) == ["it may take 0.3 s and the run has 0.1 s left"]


CALL = call_for(spec_for())
GOOD = TargetReply(
    "succeeded", body=b"{}", echoed_key=CALL.command.idempotency_key, echoed_fingerprint=CALL.command.fingerprint,
    must_echo=True, reference="op-1",
)  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "outcome", "detail"),
    [
        (GOOD, "succeeded", ""),
        (GOOD._replace(outcome="failed"), "failed", ""),
        (GOOD._replace(authentic=False), "unknown", "not signed"),
        (GOOD._replace(echoed_key="idk-other"), "unknown", "another command"),
        (GOOD._replace(echoed_key=""), "unknown", "does not say which"),
        (GOOD._replace(echoed_key="", must_echo=False), "succeeded", ""),
        (GOOD._replace(echoed_fingerprint="0" * 64), "unknown", "another action under this key"),
        (TargetReply("failed", delivered=False, authentic=False), "failed", ""),
    ],
)
def test_what_an_answer_proves(reply: TargetReply, outcome: str, detail: str) -> None:
    receipt = judge(reply, CALL.command, attempt_of(CALL), source="response", at=AT)
    assert receipt.outcome == outcome
    assert detail in receipt.detail
    if outcome == "unknown":
        assert receipt.external_reference == ""


class TestSubmissions:
    """Same key and meaning: where it stands, or the first result. Same key, other meaning: refused."""

    receipt = judge(GOOD, CALL.command, attempt_of(CALL), source="response", at=AT)

    def done(self, state: Any = "succeeded") -> Action:
        return Action(command=CALL.command, proposal_id="prp-1", state=state, approval_id="apr-1")

    def test_a_new_key(self) -> None:
        assert find_submission(CALL.command, (), ()) is None

    def test_the_first_result_again(self) -> None:
        late = self.receipt.model_copy(update={"receipt_id": "rcp-2", "late": True, "response": None})
        standing = find_submission(CALL.command, (self.done(),), (self.receipt, late))
        assert standing is not None
        assert standing.receipt == self.receipt

    @pytest.mark.parametrize("state", ["proposed", "running", "pending", "unknown"])
    def test_where_it_stands(self, state: Any) -> None:
        standing = find_submission(CALL.command, (self.done(state),), ())
        assert standing is not None
        assert (standing.action.state, standing.receipt) == (state, None)

    def test_another_meaning(self) -> None:
        other = {"change": "c2", "replicas": 5}
        evil = CALL.command.model_copy(
            update={"arguments": other, "fingerprint": fingerprint(CALL.command.kind, CALL.command.target, other)}
        )
        with pytest.raises(KeyConflict, match="belongs to another action"):
            find_submission(evil, (self.done(),), (self.receipt,))


@pytest.mark.parametrize(
    ("status", "probed", "to"),
    [
        ("succeeded", "not_done", "succeeded"),
        ("failed", "done", "failed"),
        ("pending", "unclear", "pending"),
        ("unknown", "done", "succeeded"),
        ("unknown", "not_done", "failed"),
        ("unknown", "unclear", "manual_review"),
        (None, "unclear", "manual_review"),
        (None, "not_done", "failed"),
    ],
)
def test_how_an_unknown_is_settled(status: Any, probed: Any, to: str) -> None:
    receipt = (
        None
        if status is None
        else judge(GOOD._replace(outcome=status), CALL.command, attempt_of(CALL), source="poll", at=AT)
    )
    assert settle(receipt, ProbedOutcome(probed)).to == to


@pytest.mark.parametrize(("passed", "left"), [(0, 2.5), (0.5, 2.0), (2.3, 0.2), (9, 0), (-3600, 2.5)])
def test_how_long_an_effect_can_still_come(passed: float, left: float) -> None:
    """Half a second for the call, two for the target's queue; a clock that was set back makes it no longer."""
    attempt = attempt_of(CALL)
    now = attempt.started_at + timedelta(seconds=passed)
    silent = judge(TargetReply("unknown", detail="timeout"), CALL.command, attempt, source="response", at=AT)
    assert seconds_on_its_way(attempt, (silent,), 2.0, now) == pytest.approx(left)


def test_what_the_target_answered_is_through() -> None:
    attempt = attempt_of(CALL)
    answered = judge(TargetReply("unknown", body=b"500"), CALL.command, attempt, source="response", at=AT)
    assert seconds_on_its_way(attempt, (answered,), 2.0, attempt.started_at) == 0


class TestTable:
    """After the call nothing but a receipt moves an action."""

    approval = ApprovalDecision(
        approval_id="apr-1", decision="approved", by="ada", subject_digest="0" * 64, decided_at=AT
    )

    @pytest.mark.parametrize("state", ["running", "pending", "unknown", "manual_review"])
    @pytest.mark.parametrize("to", ["succeeded", "failed"])
    def test_without_a_receipt_nothing_is_confirmed(self, state: Any, to: str) -> None:
        with pytest.raises(Refused, match="receipt_says"):
            transition(action(state=state), to, MARK)

    @pytest.mark.parametrize("wrong", [{"command_id": "cmd-0"}, {"late": True}, {"outcome": "unknown"}])
    def test_a_receipt_that_is_not_its_own_moves_nothing(self, wrong: Any) -> None:
        moved = action(state="unknown")
        receipt = judge(GOOD, CALL.command, attempt_of(CALL), source="poll", at=AT).model_copy(
            update={"command_id": moved.key} | wrong
        )
        with pytest.raises(Refused):
            transition(moved, "succeeded", MARK, grounds=Grounds(action=ActionGrounds(receipt=receipt)))

    @pytest.mark.parametrize(
        "change",
        [{"decision": "rejected"}, {"decision": "expired"}, {"by": "policy:x"}, {"by": ""}, {"approval_id": "apr-2"}],
    )
    def test_only_a_persons_approval_of_this_question_makes_it_ready(self, change: Any) -> None:
        given = self.approval.model_copy(update=change)
        with pytest.raises(Refused, match="approved_by_a_person"):
            transition(action(), "ready", MARK, grounds=Grounds(action=ActionGrounds(approval=given)))
        ready, _ = transition(action(), "ready", MARK, grounds=Grounds(action=ActionGrounds(approval=self.approval)))
        assert ready.state == "ready"

    @pytest.mark.parametrize(
        "change", [{"command_id": "cmd-0"}, {"idempotency_key": "x"}, {"fingerprint": "0" * 64}, {"approval_id": "x"}]
    )
    def test_nothing_runs_without_its_own_recorded_intent(self, change: Any) -> None:
        ready = action(state="ready", command_id=CALL.command.command_id)
        command = ready.command
        attempt = attempt_of(CALL).model_copy(
            update={"idempotency_key": command.idempotency_key, "fingerprint": command.fingerprint}
        )
        transition(ready, "running", MARK, grounds=Grounds(action=ActionGrounds(attempt=attempt)))
        with pytest.raises(Refused, match="intent_is_recorded"):
            transition(
                ready, "running", MARK, grounds=Grounds(action=ActionGrounds(attempt=attempt.model_copy(update=change)))
            )

    def test_every_state_ends_somewhere(self) -> None:
        ends = {s for s, steps in ACTION.items() if not steps}
        assert ends == {"succeeded", "failed", "denied"}
        for start in ACTION:
            seen, todo = set(), [start]
            while todo:
                state = todo.pop()
                seen.add(state)
                todo += [s for s in ACTION[state] if s not in seen]
            assert seen & ends


@pytest.mark.parametrize(
    ("by", "person"), [("ada", True), ("DOMAIN:ada", True), ("", False), (" ", False), ("policy:timeout", False), ("Model:x", False), ("rules:x", False)]
)  # fmt: skip
def test_who_is_a_person(by: str, *, person: bool) -> None:
    assert is_person(by) == person


def test_a_value_that_looks_like_a_placeholder_stays_as_it_is() -> None:
    values = {"a": "{b}", "b": "secret", "n": 5}
    assert filled_text("x={a}", values) == "x={b}"
    assert filled({"spec": {"n": "{n}", "t": "n={n}", "l": ["{a}"]}}, values) == {
        "spec": {"n": 5, "t": "n=5", "l": ["{b}"]}
    }


def test_a_receipt_of_a_person_is_kept_as_one() -> None:
    receipt = ExecutionReceipt(receipt_id="r", attempt_id="a", command_id="c", source="person", outcome="failed", at=AT)
    assert (receipt.delivered, receipt.late) == (True, False)
