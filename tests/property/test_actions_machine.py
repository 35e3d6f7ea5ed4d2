"""Whatever people, clocks and crashes do: what runs was approved, as it was shown, by a person, in time, once.

`LEADLINE_EXAMPLES` sets how many histories are tried; `benchmarks/actions_machine.py` tries 2,000.
"""

# ruff: noqa: FBT001  - hypothesis hands rules their arguments by name

import asyncio
import os
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from leadline.contracts.action import Action
from leadline.contracts.approval import ApprovalDecision, ApprovalRequest
from leadline.contracts.base import digest_of
from leadline.contracts.errors import ApprovalRefused, LeaseLost
from leadline.contracts.ports import ActionCall, Deps, TargetReply
from leadline.nodes.act import act
from leadline.nodes.check_actions import check_actions
from leadline.nodes.prepare_action import prepare_action
from leadline.nodes.propose_actions import propose_actions
from leadline.nodes.reconcile_actions import reconcile_actions
from leadline.rules.actions.guards import is_person
from leadline.rules.approvals import check_answer
from leadline.runtime.action_catalog import parse_catalog
from leadline.runtime.answers import expire
from tests.doubles.acting import CATALOG, Remedied, timedelta
from tests.doubles.desk import DeskInMemory
from tests.doubles.lying_target import DOES_NOTHING, LyingTarget

STEPS = {
    "act": propose_actions, "ask": prepare_action, "approved": prepare_action, "edited": prepare_action,
    "rejected": prepare_action, "expired": prepare_action, "execute": act, "reconcile": reconcile_actions,
    "check": check_actions,
}  # fmt: skip
LIES = ("honest", "drops", "works", "fails_later", "loses_key", "other", "forges", "broken", "refuses")
QUICK = CATALOG.replace("replicas: {type: integer", "replicas: {default: 3, type: integer").replace(
    "every_seconds: 0.01", "every_seconds: 0.000001"
).replace("call_seconds: 0.3", "call_seconds: 0.001").replace("settle_seconds: 0.05", "settle_seconds: 0.001")  # fmt: skip
CATALOGS = (parse_catalog(QUICK, "test"), parse_catalog(QUICK.replace("risk: low", "risk: high"), "changed"))


class Crash(BaseException):
    """The process is gone: nothing catches it."""


@dataclass
class Fuse:
    """Counts writes and calls of one process; blows before or after the given one."""

    at: int = 0
    after: bool = False
    count: int = 0

    def before(self) -> None:
        self.count += 1
        if self.count == self.at and not self.after:
            raise Crash

    def done(self) -> None:
        if self.count == self.at and self.after:
            raise Crash


class FusedLedger:
    """A ledger whose process may die at a write."""

    def __init__(self, ledger: Any, fuse: Fuse) -> None:
        self._ledger, self._fuse = ledger, fuse

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    async def commit(self, *given: Any, **named: Any) -> None:
        self._fuse.before()
        await self._ledger.commit(*given, **named)
        self._fuse.done()


class Witness(LyingTarget):
    """Sees every execution, and when it came."""

    def __init__(self, behaviour: str, desk_clock: Any) -> None:
        super().__init__(behaviour)
        self.seen: list[tuple[str, float]] = []
        self.fuse = Fuse()
        self.clock = desk_clock

    async def execute(self, call: ActionCall) -> TargetReply:
        self.fuse.before()
        self.seen.append((call.command.command_id, self.clock.ticks))
        reply = await super().execute(call)
        self.fuse.done()
        return reply


class Actions(RuleBasedStateMachine):
    @initialize(lie=st.sampled_from(LIES), two=st.booleans())
    def begin(self, lie: str, two: bool) -> None:
        self.loop = asyncio.new_event_loop()
        remedies = (("rollback", "till"), ("scale", "door")) if two else (("rollback", "till"),)
        self.desk = DeskInMemory(CATALOGS[0], LyingTarget(), Remedied(remedies=remedies))
        self.target = self.desk.target = Witness(lie, self.desk.clock)
        self.deps: Deps = self.do(self.desk.open())
        self.stale: list[Deps] = []
        self.acting, self.approval = "act", ""
        self.checkpoints = [("act", "")]
        self.edited_at: dict[str, float] = defaultdict(float)
        self.decided_at: dict[str, float] = {}
        self.now = 0.0
        Actions.finish(self)  # as far as the first question

    def teardown(self) -> None:
        if hasattr(self, "loop"):
            self.loop.close()

    def do(self, work: Any) -> Any:
        return self.loop.run_until_complete(work)

    # --- the run goes on ---
    @rule(at=st.integers(0, 6), after=st.booleans())
    def go_on(self, at: int, after: bool) -> None:
        """One step of the graph, in which the process may die."""
        if self.acting == "asked":
            self._take_answer()
        if self.acting in STEPS:
            self._step(Fuse(at, after))

    @rule()
    def finish(self) -> None:
        for _ in range(12):
            if self.acting == "asked":
                self._take_answer()
            if self.acting not in STEPS:
                return
            self._step(Fuse())

    def _step(self, fuse: Fuse) -> None:
        self.target.fuse = fuse
        deps = replace(self.deps, ledger=FusedLedger(self.deps.ledger, fuse))
        try:
            outcome = self.do(STEPS[self.acting]({"acting": self.acting, "approval": self.approval}, deps))
            self.do(deps.ledger.commit(outcome.writes))
        except Crash:
            self.restart()
            return
        finally:
            self.target.fuse = Fuse()
        self.acting = outcome.update.get("acting", self.acting)
        self.approval = outcome.update.get("approval", self.approval)
        self.checkpoints.append((self.acting, self.approval))

    def _take_answer(self) -> None:
        """What a resume does with the question that the run waits at."""
        decision = self.do(self.deps.ledger.get(ApprovalDecision, self.approval))
        if decision is None:
            request = self.do(self.deps.ledger.get(ApprovalRequest, self.approval))
            decision = self.do(expire(self.deps.ledger, request, self.desk.clock, self.desk.uptime.mark()))
        if decision is not None:
            self.acting = decision.decision

    @rule()
    def restart(self) -> None:
        """The process dies between two steps; another takes the run."""
        self.stale.append(self.deps)
        self.deps = self.do(self.desk.take())

    @precondition(lambda self: self.stale)
    @rule(data=st.data())
    def a_process_that_lost_the_run_goes_on(self, data: st.DataObject) -> None:
        old = data.draw(st.sampled_from(self.stale))
        before = len(self.target.seen)
        try:
            outcome = self.do(act({"acting": "execute"}, old))
            self.do(old.ledger.commit(outcome.writes))
        except LeaseLost:
            pass
        assert len(self.target.seen) == before

    @rule(data=st.data())
    def an_older_checkpoint_is_restored(self, data: st.DataObject) -> None:
        self.acting, self.approval = data.draw(st.sampled_from(self.checkpoints))

    @rule(n=st.integers(0, 1))
    def the_catalog_is_replaced(self, n: int) -> None:
        self.desk.catalog = CATALOGS[n]
        self.restart()

    # --- people ---
    @rule(crash=st.integers(0, 6), after=st.booleans())
    def the_right_person_approves(self, crash: int, after: bool) -> None:
        """What is asked now; and the run goes on, to its end or to where its process dies."""
        if self.acting == "asked":
            request = self.do(self.deps.ledger.get(ApprovalRequest, self.approval))
            self._answer(request, "approved", "ada", request.subject_digest, None)
            self._take_answer()
        for n in range(4):
            if self.acting in STEPS:
                self._step(Fuse(crash if n == 1 else 0, after))

    @rule(
        data=st.data(), what=st.sampled_from(["approved", "edited", "rejected"]),
        by=st.sampled_from(["ada", "bob", "eve", "policy:bot", "model:x", ""]), honest=st.sampled_from([True, True, False]),
        change=st.sampled_from(["c1", "c2", "c3; rm"]),
    )  # fmt: skip
    def somebody_answers(self, data: st.DataObject, what: Any, by: str, honest: bool, change: str) -> None:
        """To a question of this run, open or not, as it was shown or with another digest."""
        requests = self.do(self.deps.ledger.all(ApprovalRequest))
        if not requests:
            return
        request = data.draw(st.sampled_from(requests))
        digest = request.subject_digest if honest else digest_of("something else")
        edit = {"arguments": {"change": change} if "change" in request.content["arguments"] else {"replicas": 4}}
        self._answer(request, what, by, digest, edit if what == "edited" else None)

    def _answer(self, request: ApprovalRequest, what: Any, by: str, digest: Any, edit: Any) -> None:
        decision = ApprovalDecision(
            approval_id=request.approval_id, decision=what, by=by, reason="because", subject_digest=digest, edit=edit,
            decided_at=self.desk.clock.now(),
        )  # fmt: skip
        try:
            check_answer(request, decision, self.desk.clock.now(), self.desk.uptime.mark())
            self.do(self.desk.store.decide(request, decision))
        except ApprovalRefused:
            return
        self.now += 1
        self.decided_at[request.approval_id] = self.now
        if what == "edited":
            self.edited_at[request.content["command"]["intent_id"]] = self.now

    # --- clocks ---
    @rule(minutes=st.sampled_from([1, 30, 61]), step=st.sampled_from([0, -60, -1440, 60]))
    def time_passes_and_somebody_sets_the_clock(self, minutes: int, step: int) -> None:
        self.desk.clock.pass_by(timedelta(minutes=minutes))
        self.desk.clock.set_back(timedelta(minutes=-step))

    # --- what always holds ---
    @invariant()
    def what_ran_was_approved(self) -> None:
        if not hasattr(self, "deps"):
            return
        ledger = self.deps.ledger
        actions = {a.key: a for a in self.do(ledger.all(Action))}
        requests = {r.approval_id: r for r in self.do(ledger.all(ApprovalRequest))}
        decisions = {d.approval_id: d for d in self.do(ledger.all(ApprovalDecision))}
        for command_id, ticks in self.target.seen:
            action = actions[command_id]
            given = [d for d in decisions.values() if d.decision == "approved" and _shows(requests, d, action)]
            assert len(given) == 1
            (decision,) = given
            request = requests[decision.approval_id]
            assert decision.subject_digest == request.subject_digest == digest_of(request.content)
            assert is_person(decision.by)
            assert request.approvers == ("*",) or decision.by in request.approvers
            assert ticks - request.asked_uptime.seconds <= 3600
            assert self.decided_at[decision.approval_id] > self.edited_at[action.command.intent_id]

    @invariant()
    def nothing_ran_twice(self) -> None:
        if hasattr(self, "deps"):
            ids = [command_id for command_id, _ in self.target.seen]
            assert len(ids) == len(set(ids))
            assert all(n == 1 for n in self.target.world.runs.values())

    @invariant()
    def what_is_said_is_so(self) -> None:
        if not hasattr(self, "deps"):
            return
        for action in self.do(self.deps.ledger.all(Action)):
            ran = self.target.world.runs[action.command.idempotency_key]
            if action.state == "succeeded":
                assert ran == 1
            if action.state in {"failed", "denied", "proposed", "ready"}:
                assert ran == 0
            if self.target.world.behaviour in DOES_NOTHING:
                assert action.state != "succeeded"


def _shows(requests: dict[str, ApprovalRequest], decision: ApprovalDecision, action: Action) -> bool:
    return requests[decision.approval_id].content.get("command") == action.command.model_dump(mode="json")


EXAMPLES = int(os.environ.get("LEADLINE_EXAMPLES", "25"))
Actions.TestCase.settings = settings(
    max_examples=EXAMPLES, stateful_step_count=50 if EXAMPLES > 100 else 30, deadline=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
TestActions = Actions.TestCase
