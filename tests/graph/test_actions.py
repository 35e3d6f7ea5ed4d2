"""The act phase, from proposal to report, on paper evidence."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leadline.contracts.action import Action, ActionAttempt, ActionProposal, ExecutionReceipt
from leadline.graph.versions import VERSIONS
from leadline.runtime.outcome import PersonAnswer, StartRequest
from tests.doubles.acting import ACT, Remedied, Stage
from tests.doubles.lying_target import BEHAVIOURS, DOES_NOTHING, ENDS, LyingTarget

MakeStage = Callable[..., Stage]


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeStage:
    monkeypatch.chdir(tmp_path)
    return lambda behaviour="honest", **more: Stage(tmp_path, LyingTarget(behaviour), **more)


async def records(service: Any, run_id: str, kind: Any) -> Any:
    return await service.store.reader(run_id).all(kind)


async def test_a_run_that_only_advises_is_what_it_was(stage: MakeStage) -> None:
    at = stage()
    async with at.open() as service:
        done = await service.start(StartRequest(bundle=Path("paper")))
        assert done.exit_code == 0
        assert done.report.actions == ()
        assert [r.action for r in done.report.remediation] == ["rollback"]
        assert await records(service, done.run.run_id, ActionProposal) == ()
        nodes = [e.subject for e in await service.store.reader(done.run.run_id).events() if e.kind == "node.finished"]
        assert "propose_actions" not in nodes
    assert at.target.calls == []


async def test_a_run_that_proposes_asks_nobody_and_calls_nothing(stage: MakeStage) -> None:
    at = stage()
    async with at.open() as service:
        done = await service.start(StartRequest(bundle=Path("paper"), act="propose"))
    (note,) = done.report.actions
    assert (done.exit_code, note.state, note.kind, note.effect) == (0, "proposed", "rollback", "reversible_write")
    assert note.arguments == {"change": "c1"}
    assert at.target.calls == []


@pytest.mark.parametrize("graph", VERSIONS)
async def test_an_approved_action_is_done_once_and_reported(stage: MakeStage, graph: str) -> None:
    at = stage()
    async with at.open() as service:
        waiting = await service.start(StartRequest(bundle=Path("paper"), act="act", graph=graph))
        assert (waiting.exit_code, waiting.waiting.point) == (5, "action")
        assert at.target.calls.count("execute") == 0
        done = await service.resume(waiting.run.run_id, PersonAnswer(None, "approved"))
    (note,) = done.report.actions
    assert (done.exit_code, note.state, note.approved_by, note.proposed_by) == (0, "succeeded", "ada", "rules")
    assert list(at.target.world.runs.values()) == [1]
    assert note.check.startswith("no live source")


async def test_what_is_shown_is_the_command_and_its_digest(stage: MakeStage) -> None:
    from leadline.contracts.base import digest_of

    async with stage().open() as service:
        waiting = (await service.start(ACT)).waiting
        (action,) = await records(service, waiting.run_id, Action)
    content = waiting.content
    assert content["command"] == action.command.model_dump(mode="json")
    assert (content["effect"], waiting.risk) == ("reversible_write", "medium")
    assert content["dry_run"] == {"outcome": "would_work", "preview": ["would rollback"], "precondition": "v1"}
    assert content["evidence"]
    assert waiting.subject_digest == digest_of(content)
    assert (min(content), max(content)) == ("action", "why_proposed")
    assert "nothing is done" in waiting.on_ignore


@pytest.mark.parametrize(("answer", "why"), [("rejected", "too risky")])
async def test_a_rejected_action_is_not_done_and_the_run_concludes(stage: MakeStage, answer: Any, why: str) -> None:
    at = stage()
    async with at.open() as service:
        waiting = await service.start(ACT)
        done = await service.resume(waiting.run.run_id, PersonAnswer(None, answer, why))
    (note,) = done.report.actions
    assert (done.run.state, note.state) == ("concluded", "denied")
    assert why in note.reason
    assert "execute" not in at.target.calls


class TestEdit:
    async def test_an_edit_is_another_command_that_is_asked_again(self, stage: MakeStage) -> None:
        at = stage()
        async with at.open() as service:
            first = await service.start(ACT)
            edit = {"arguments": {"change": "c2"}}
            second = await service.resume(first.run.run_id, PersonAnswer(None, "edited", "the other one", edit))
            assert second.waiting.approval_id != first.waiting.approval_id
            shown = second.waiting.content["command"]
            assert (shown["arguments"], shown["revision"]) == ({"change": "c2"}, 2)
            assert shown["idempotency_key"] != first.waiting.content["command"]["idempotency_key"]
            done = await service.resume(first.run.run_id, PersonAnswer(None, "approved"))
        old, new = done.report.actions
        assert (old.state, new.state, new.proposed_by) == ("denied", "succeeded", "ada")
        assert list(at.target.world.runs.values()) == [1]

    @pytest.mark.parametrize(
        "edit",
        [
            {"arguments": {"change": "c1; rm -rf /"}},
            {"arguments": {"force": True}},
            {"target": "nowhere"},
            {"effect": "read"},
            {"arguments": "c2"},
        ],
        ids=["shell", "unknown argument", "unknown target", "own effect", "no mapping"],
    )
    async def test_an_edit_that_fails_the_checks_leaves_the_command_to_be_asked_anew(
        self, stage: MakeStage, edit: Any
    ) -> None:
        at = stage()
        async with at.open() as service:
            first = await service.start(ACT)
            second = await service.resume(first.run.run_id, PersonAnswer(None, "edited", "", edit))
            assert second.waiting.content["command"] == first.waiting.content["command"]
            assert "edit refused" in second.waiting.content["before"]
            assert second.waiting.approval_id != first.waiting.approval_id
        assert "execute" not in at.target.calls


class TestLies:
    @pytest.mark.parametrize("behaviour", BEHAVIOURS)
    async def test_every_command_ends_where_it_must(self, stage: MakeStage, behaviour: str) -> None:
        at = stage(behaviour)
        async with at.open() as service:
            waiting = await service.start(ACT)
            done = await service.resume(waiting.run.run_id, PersonAnswer(None, "approved"))
            (action,) = await records(service, done.run.run_id, Action)
            attempts = await records(service, done.run.run_id, ActionAttempt)
        assert (done.run.state, action.state) == ("concluded", ENDS[behaviour])
        assert at.target.calls.count("execute") == len(attempts) == 1
        ran = 0 if behaviour in DOES_NOTHING else 2 if behaviour == "twice" else 1
        assert sum(at.target.world.runs.values()) == ran
        assert done.report.actions[0].state == ENDS[behaviour]

    async def test_a_target_that_was_never_reached_is_tried_again_and_no_more(self, stage: MakeStage) -> None:
        from leadline.contracts.ports import TargetReply

        at = stage()

        async def unreachable(_call: Any) -> TargetReply:
            at.target.calls.append("execute")
            return TargetReply("failed", delivered=False, detail="connection refused")

        at.target.execute = unreachable  # type: ignore[method-assign]
        async with at.open() as service:
            waiting = await service.start(ACT)
            done = await service.resume(waiting.run.run_id, PersonAnswer(None, "approved"))
            attempts = await records(service, done.run.run_id, ActionAttempt)
            receipts = await records(service, done.run.run_id, ExecutionReceipt)
        assert [a.n for a in attempts] == [1, 2]
        assert len({a.idempotency_key for a in attempts}) == 1
        assert [r.delivered for r in receipts] == [False, False]
        assert done.report.actions[0].state == "failed"


class TestTogether:
    async def test_two_approved_actions_are_checked_together(self, stage: MakeStage) -> None:
        """Two writes to one service are one too many."""
        catalog = stage().catalog.replace("replicas: {type: integer", "replicas: {default: 3, type: integer")
        at = stage(evidence=Remedied(remedies=(("rollback", "till"), ("scale", "till"))), catalog=catalog)
        async with at.open() as service:
            first = await service.start(ACT)
            second = await service.resume(first.run.run_id, PersonAnswer(None, "approved"))
            assert second.waiting.content["action"] == "scale production/service/till"
            assert "execute" not in at.target.calls
            done = await service.resume(first.run.run_id, PersonAnswer(None, "approved"))
        back, scaled = done.report.actions
        assert (back.state, scaled.state) == ("succeeded", "denied")
        assert "already changes production/service/till" in scaled.reason

    async def test_two_on_two_services_are_both_done(self, stage: MakeStage) -> None:
        catalog = stage().catalog.replace("replicas: {type: integer", "replicas: {default: 3, type: integer")
        at = stage(evidence=Remedied(remedies=(("rollback", "till"), ("scale", "door"))), catalog=catalog)
        async with at.open() as service:
            first = await service.start(ACT)
            await service.resume(first.run.run_id, PersonAnswer(None, "approved"))
            done = await service.resume(first.run.run_id, PersonAnswer(None, "approved"))
        assert [a.state for a in done.report.actions] == ["succeeded", "succeeded"]
        assert sorted(at.target.world.runs.values()) == [1, 1]

    async def test_nothing_more_is_begun_while_an_outcome_is_unknown(self, stage: MakeStage) -> None:
        catalog = stage().catalog.replace("replicas: {type: integer", "replicas: {default: 3, type: integer")
        at = stage("loses_key", evidence=Remedied(remedies=(("rollback", "till"), ("scale", "door"))), catalog=catalog)
        async with at.open() as service:
            first = await service.start(ACT)
            await service.resume(first.run.run_id, PersonAnswer(None, "approved"))
            done = await service.resume(first.run.run_id, PersonAnswer(None, "approved"))
        assert [a.state for a in done.report.actions] == ["manual_review", "denied"]
        assert at.target.calls.count("execute") == 1


async def test_the_shipped_catalog_pretends_and_the_report_says_so(stage: MakeStage) -> None:
    async with stage().open(actions=None) as service:
        waiting = await service.start(ACT)
        done = await service.resume(waiting.run.run_id, PersonAnswer(None, "approved"))
    (note,) = done.report.actions
    assert (note.state, note.simulated, note.helped) == ("succeeded", True, "not_checked")
