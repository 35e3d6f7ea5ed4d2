"""A process dies before or after every write and every call, in memory, at every target: nothing is done twice."""

from typing import Any

import pytest

from leadline.contracts.action import Action, ActionAttempt
from leadline.contracts.approval import ApprovalDecision, ApprovalRequest
from leadline.contracts.lifecycle import ACTION_OVER
from leadline.contracts.ports import ActionCall, DryRunReply, Ledger, ProbedOutcome, TargetReply
from leadline.nodes.act import act
from leadline.nodes.check_actions import check_actions
from leadline.nodes.prepare_action import prepare_action
from leadline.nodes.propose_actions import propose_actions
from leadline.nodes.reconcile_actions import reconcile_actions
from leadline.runtime.action_catalog import parse_catalog
from tests.doubles.acting import CATALOG
from tests.doubles.desk import DeskInMemory
from tests.doubles.lying_target import BEHAVIOURS, DOES_NOTHING, ENDS, LyingTarget

QUICK = (
    CATALOG.replace("every_seconds: 0.01", "every_seconds: 0.000001")
    .replace("call_seconds: 0.3", "call_seconds: 0.005")
    .replace("settle_seconds: 0.05", "settle_seconds: 0.005")
)
STEPS: dict[str, Any] = {
    "act": propose_actions, "ask": prepare_action, "answered": prepare_action, "execute": act,
    "reconcile": reconcile_actions, "check": check_actions,
}  # fmt: skip
MOST_POINTS = 40


class Crash(BaseException):
    pass


class Fuse:
    """Blows before or after the n-th write or call; 0 never."""

    def __init__(self, at: int = 0, moment: str = "before") -> None:
        self.at, self.moment, self.count = at, moment, 0

    async def around(self, work: Any) -> Any:
        self.count += 1
        if (self.count, self.moment) == (self.at, "before"):
            work.close()
            raise Crash
        done = await work
        if self.count == self.at:
            raise Crash
        return done


class Fused:
    """A ledger or a target whose process may die at it."""

    def __init__(self, inner: Any, fuse: Fuse) -> None:
        self._inner, self._fuse = inner, fuse

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def commit(self, *given: Any, **named: Any) -> None:
        await self._fuse.around(self._inner.commit(*given, **named))

    async def save_artifact(self, *given: Any) -> Any:
        return await self._fuse.around(self._inner.save_artifact(*given))

    async def dry_run(self, call: ActionCall) -> DryRunReply:
        reply: DryRunReply = await self._fuse.around(self._inner.dry_run(call))
        return reply

    async def execute(self, call: ActionCall) -> TargetReply:
        reply: TargetReply = await self._fuse.around(self._inner.execute(call))
        return reply

    async def status(self, call: ActionCall) -> TargetReply:
        reply: TargetReply = await self._fuse.around(self._inner.status(call))
        return reply

    async def outcome(self, call: ActionCall) -> ProbedOutcome:
        reply: ProbedOutcome = await self._fuse.around(self._inner.outcome(call))
        return reply


class Process:
    """Drives one run from step to step; what it has finished is what the next process begins with."""

    def __init__(self, behaviour: str) -> None:
        self.lying = LyingTarget(behaviour)
        self.desk = DeskInMemory(parse_catalog(QUICK, "test"), self.lying)
        self.acting, self.approval = "act", ""

    async def open(self) -> None:
        await self.desk.open()

    async def live(self, fuse: Fuse) -> None:
        """Until it is done, or dies."""
        self.desk.target = Fused(self.lying, fuse)
        deps = await self.desk.take()
        ledger: Any = Fused(deps.ledger, fuse)
        from dataclasses import replace

        deps = replace(deps, ledger=ledger)
        while True:
            if self.acting == "asked":
                await self._approve(ledger)
            if self.acting not in STEPS:
                return
            outcome = await STEPS[self.acting]({"acting": self.acting, "approval": self.approval}, deps)
            await ledger.commit(outcome.writes)
            self.acting = outcome.update["acting"]
            self.approval = outcome.update.get("approval", self.approval)

    async def _approve(self, ledger: Ledger) -> None:
        request = await ledger.get(ApprovalRequest, self.approval)
        assert request is not None
        if await ledger.get(ApprovalDecision, self.approval) is None:
            decision = ApprovalDecision(
                approval_id=request.approval_id, decision="approved", by="ada", subject_digest=request.subject_digest,
                decided_at=self.desk.clock.now(),
            )  # fmt: skip
            await self.desk.store.decide(request, decision)
        self.acting = "answered"


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
async def test_killed_at_every_point(behaviour: str) -> None:
    points = 0
    for at in range(1, MOST_POINTS):
        died = False
        for moment in ("before", "after"):
            process = Process(behaviour)
            await process.open()
            try:
                await process.live(Fuse(at, moment))
            except Crash:
                died = True
                points += 1
                await process.live(Fuse())
            await _check(process, behaviour)
        if not died:
            break
    assert points > 16
    assert at < MOST_POINTS - 1


async def _check(process: Process, behaviour: str) -> None:
    deps = await process.desk.take()
    (action,) = await deps.ledger.all(Action)
    attempts = await deps.ledger.all(ActionAttempt)
    ran = process.lying.world.runs[action.command.idempotency_key]
    assert action.state in ACTION_OVER
    assert process.lying.calls.count("execute") <= 1
    assert len(attempts) <= 1
    assert ran <= (2 if behaviour == "twice" else 1)
    if action.state == "succeeded":
        assert ran
    if action.state in {"failed", "denied"}:
        assert not ran
    if behaviour in DOES_NOTHING:
        assert not ran
    ended = {ENDS[behaviour], "manual_review"} if ran else {"failed", "manual_review", ENDS[behaviour]}
    assert action.state in ended
