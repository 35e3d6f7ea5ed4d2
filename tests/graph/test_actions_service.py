"""Answering, undoing and finding out, from any place and later."""

import asyncio
import base64
import json
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from leadline.adapters.targets.signing import sign
from leadline.contracts.action import Action, ActionAttempt
from leadline.contracts.approval import ApprovalDecision, ApprovalRequest
from leadline.contracts.errors import ActionRefused, ApprovalRefused, LeaseLost
from leadline.contracts.evidence import Answer
from leadline.runtime.actions import answer_action, reconcile_action, take_callback, undo_action
from leadline.runtime.actions_view import view_actions
from leadline.runtime.outcome import PersonAnswer
from tests.doubles.acting import ACT, CATALOG, MovedClock, MovedUptime, Remedied, Stage
from tests.doubles.lying_target import SECRET, LyingServer, LyingTarget
from tests.doubles.paper import shift

MakeStage = Callable[..., Stage]
YES = PersonAnswer(None, "approved")


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeStage:
    monkeypatch.chdir(tmp_path)
    return lambda behaviour="honest", **more: Stage(tmp_path, LyingTarget(behaviour), **more)


async def actions(service: Any, run_id: str) -> Any:
    return await service.store.reader(run_id).all(Action)


class TestAnswers:
    @pytest.mark.parametrize("by", ["nothing", "approval", "command"])
    async def test_an_approval_is_given_by_any_name_of_the_question(self, stage: MakeStage, by: str) -> None:
        at = stage()
        async with at.open() as service:
            waiting = await service.start(ACT)
            run = waiting.run.run_id
            names = {"nothing": None, "approval": waiting.waiting.approval_id}
            names["command"] = waiting.waiting.content["command"]["command_id"]
            done = await answer_action(service, run, PersonAnswer(names[by], "approved"))
        assert done.report.actions[0].state == "succeeded"

    async def test_one_of_eight_at_once_wins_and_the_others_hear_who(self, stage: MakeStage) -> None:
        at = stage()
        async with at.open() as service:
            run = (await service.start(ACT)).run.run_id
            got = await asyncio.gather(*(answer_action(service, run, YES) for _ in range(8)), return_exceptions=True)
        refused = [g for g in got if isinstance(g, ApprovalRefused)]
        assert (len(refused), len(got) - len(refused)) == (7, 1)
        assert all("ada" in str(r) and "approved" in str(r) for r in refused)
        assert list(at.target.world.runs.values()) == [1]

    async def test_who_may_not_approve_is_refused_and_another_may(self, stage: MakeStage) -> None:
        catalog = CATALOG.replace("    remedies: [rollback]", "    remedies: [rollback]\n    approvers: [bob]")
        at = stage(catalog=catalog)
        async with at.open() as service:
            run = (await service.start(ACT)).run.run_id
            with pytest.raises(ApprovalRefused, match="'ada' may not answer"):
                await answer_action(service, run, YES)
            with pytest.raises(ApprovalRefused, match="'ada' may not answer"):
                await service.resume(run, YES)
        at.user = "bob"
        async with at.open() as service:
            done = await answer_action(service, run, YES)
        assert done.report.actions[0].approved_by == "bob"

    @pytest.mark.parametrize("by", ["policy:auto", "model:x", "agent:lead", " "])
    async def test_no_machine_approves(self, stage: MakeStage, by: str) -> None:
        at = stage(user=by)
        async with at.open() as service:
            run = (await service.start(ACT)).run.run_id
            with pytest.raises(ApprovalRefused, match="may not answer"):
                await answer_action(service, run, YES)
        assert "execute" not in at.target.calls


class TestReplays:
    """An approval covers one command of one run, as it was shown, until it expires; once."""

    async def test_a_second_answer(self, stage: MakeStage) -> None:
        at = stage()
        async with at.open() as service:
            waiting = await service.start(ACT)
            await answer_action(service, waiting.run.run_id, YES)
            again = PersonAnswer(waiting.waiting.approval_id, "approved")
            for answer in (answer_action, lambda s, r, a: s.resume(r, a)):
                with pytest.raises(ApprovalRefused, match="not open any more: approved by ada"):
                    await answer(service, waiting.run.run_id, again)

    async def test_an_answer_to_another_run(self, stage: MakeStage) -> None:
        at = stage()
        async with at.open() as service:
            one, two = await service.start(ACT), await service.start(ACT)
            foreign = PersonAnswer(one.waiting.approval_id, "approved")
            with pytest.raises(ApprovalRefused, match="never asked"):
                await answer_action(service, two.run.run_id, foreign)

    async def test_an_answer_after_an_edit(self, stage: MakeStage) -> None:
        at = stage()
        async with at.open() as service:
            first = await service.start(ACT)
            edit = PersonAnswer(None, "edited", "", {"arguments": {"change": "c2"}})
            await answer_action(service, first.run.run_id, edit)
            with pytest.raises(ApprovalRefused, match="edited by ada"):
                await answer_action(service, first.run.run_id, PersonAnswer(first.waiting.approval_id, "approved"))
        assert "execute" not in at.target.calls

    @pytest.mark.parametrize("back", [timedelta(0), timedelta(hours=1), timedelta(days=1)], ids=str)
    async def test_an_answer_after_it_expired_whatever_the_wall_clock_says(
        self, stage: MakeStage, back: timedelta
    ) -> None:
        clock = MovedClock()
        at = stage(clock=clock, uptime=MovedUptime(clock))
        async with at.open() as service:
            run = (await service.start(ACT)).run.run_id
            clock.pass_by(timedelta(hours=1, seconds=1))
            clock.set_back(back)
            with pytest.raises(ApprovalRefused, match="expired"):
                await answer_action(service, run, YES)
            done = await service.resume(run)
        assert done.report.actions[0].state == "denied"
        assert "nobody answered" in done.report.actions[0].reason

    async def test_an_approval_that_expired_before_it_was_used(self, stage: MakeStage) -> None:
        """Given in time, but the process died, and the run goes on an hour later, by a clock that was set back."""
        clock = MovedClock()
        at = stage(clock=clock, uptime=MovedUptime(clock))
        async with at.open() as service:
            waiting = await service.start(ACT)
            await given(service, waiting.waiting, clock)
            clock.pass_by(timedelta(hours=1, seconds=1))
            clock.set_back(timedelta(hours=1))
            done = await service.resume(waiting.run.run_id)
        assert (done.report.actions[0].state, done.report.actions[0].reason) == ("denied", "the approval expired")
        assert "execute" not in at.target.calls

    async def test_one_byte_changed_in_what_was_approved(self, stage: MakeStage) -> None:
        at = stage()
        async with at.open() as service:
            waiting = await service.start(ACT)
            request = waiting.waiting
            wrong = request.model_copy(update={"subject_digest": request.subject_digest[:-1] + "0"})
            with pytest.raises(ApprovalRefused, match=r"something else|other content"):
                await given(service, wrong, service.parts.clock)

    async def test_one_byte_changed_in_the_stored_command(self, stage: MakeStage) -> None:
        """Whoever can write to the store changes what runs, not what was approved."""
        at = stage()
        async with at.open() as service:
            waiting = await service.start(ACT)
            run = waiting.run.run_id
            await given(service, waiting.waiting, service.parts.clock)
            (action,) = await actions(service, run)
            evil = action.command.model_copy(update={"arguments": {"change": "c2"}})
            await rewrite(service, run, action.model_copy(update={"command": evil}))
            done = await service.resume(run)
        note = done.report.actions[0]
        assert (note.state, note.reason) == ("denied", "the command is not what its fingerprint says")
        assert "execute" not in at.target.calls

    async def test_a_whole_other_command_under_the_same_approval(self, stage: MakeStage) -> None:
        from leadline.rules.actions.identity import fingerprint

        at = stage()
        async with at.open() as service:
            waiting = await service.start(ACT)
            run = waiting.run.run_id
            await given(service, waiting.waiting, service.parts.clock)
            (action,) = await actions(service, run)
            command, other = action.command, {"change": "c2"}
            evil = command.model_copy(
                update={"arguments": other, "fingerprint": fingerprint(command.kind, command.target, other)}
            )
            await rewrite(service, run, action.model_copy(update={"command": evil}))
            done = await service.resume(run)
        assert (done.report.actions[0].state, done.report.actions[0].reason) == ("denied", "another command was shown")
        assert "execute" not in at.target.calls

    async def test_a_catalog_that_changed_since(self, stage: MakeStage) -> None:
        at = stage()
        async with at.open() as service:
            waiting = await service.start(ACT)
        at.catalog = at.catalog.replace("risk: medium", "risk: high", 1)
        async with at.open() as service:
            done = await answer_action(service, waiting.run.run_id, YES)
        assert done.report.actions[0].state == "denied"
        assert "catalog changed" in done.report.actions[0].reason
        assert "execute" not in at.target.calls

    async def test_an_older_checkpoint(self, stage: MakeStage) -> None:
        """The graph is taken back to the question by hand; the approval is used up, the action stays as it is."""
        at = stage()
        async with at.open() as service:
            waiting = await service.start(ACT)
            run = waiting.run.run_id
            await answer_action(service, run, YES)
            await forget_after_question(service, run)
            done = await service.resume(run)
        assert done.report.actions[0].state == "succeeded"
        assert list(at.target.world.runs.values()) == [1]
        assert at.target.calls.count("execute") == 1


async def given(service: Any, request: ApprovalRequest, clock: Any) -> None:
    """An answer that was stored, by a process that then died."""
    decision = ApprovalDecision(
        approval_id=request.approval_id, decision="approved", by="ada", subject_digest=request.subject_digest,
        decided_at=clock.now(),
    )  # fmt: skip
    await service.store.decide(request, decision)


async def rewrite(service: Any, run_id: str, record: Any) -> None:
    from leadline.contracts.ports import Writes

    lease = await service.store.take(run_id, "here.invalid:1", 60)
    await service.store.ledger(lease).commit(Writes(records=(record,)))
    await service.store.release(lease)


async def forget_after_question(service: Any, run_id: str) -> None:
    """Drop the checkpoints after the question, as a restored backup of the checkpoints alone would."""
    import sqlite3

    raw = sqlite3.connect(service.settings.database)
    with raw:
        rows = raw.execute("SELECT checkpoint_id FROM writes WHERE channel = '__interrupt__'").fetchall()
        (asked,) = {row[0] for row in rows}
        (seq,) = raw.execute("SELECT seq FROM checkpoints WHERE checkpoint_id = ?", (asked,)).fetchone()
        raw.execute(
            "DELETE FROM writes WHERE checkpoint_id IN (SELECT checkpoint_id FROM checkpoints WHERE seq > ?)", (seq,)
        )
        raw.execute("DELETE FROM writes WHERE checkpoint_id = ? AND channel != '__interrupt__'", (asked,))
        raw.execute("DELETE FROM checkpoints WHERE seq > ?", (seq,))
        raw.execute("DELETE FROM step WHERE step LIKE '%act%' OR step LIKE 'conclude%' OR step LIKE 'submit%'")
    raw.close()
    lease = await service.store.take(run_id, "here.invalid:1", 60)
    await service.store.set_state(lease, "waiting")
    await service.store.release(lease)


class TestLease:
    async def test_a_stale_epoch_does_not_call(self, stage: MakeStage) -> None:
        """Somebody takes the run over while the intent is about to be written."""
        from leadline.nodes import act as acting

        at = stage()
        async with at.open() as service:
            waiting = await service.start(ACT)
            run = waiting.run.run_id
            original = acting.why_not

            def taken_over(leave: Any) -> str:
                import sqlite3

                raw = sqlite3.connect(service.settings.database)
                with raw:
                    raw.execute("UPDATE run SET epoch = epoch + 1, holder = 'there:9'")
                raw.close()
                return original(leave)

            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(acting, "why_not", taken_over)
                with pytest.raises(LeaseLost):
                    await answer_action(service, run, YES)
            assert await service.store.reader(run).all(ActionAttempt) == ()
        assert "execute" not in at.target.calls

    async def test_a_process_that_stood_still_after_its_intent_does_not_call(self, stage: MakeStage) -> None:
        clock = MovedClock()
        at = stage(clock=clock, uptime=MovedUptime(clock))

        async with at.open() as service:
            waiting = await service.start(ACT)

            def watch(event: Any) -> None:
                if event.kind == "action.attempted":
                    clock.ticks += 6  # stopped by a signal, say, between the commit and the call

            done = await answer_action(service, waiting.run.run_id, YES, watch)
        assert done.report.actions[0].state == "failed"
        assert "stood still" in done.report.actions[0].reason
        assert "execute" not in at.target.calls


class TestAfter:
    """The symptom is looked for again where a live source gives data."""

    @pytest.mark.parametrize(
        ("now", "verdict"),
        [
            (Answer(status="ok", rows_read=5), "helped"),
            (Answer(status="ok", facts=(shift("till"), shift("door", at=1, value=4.0)), rows_read=5), "unchanged"),
            (Answer(status="ok", facts=(shift("till"),), rows_read=5), "unchanged"),
            (Answer(status="failed"), "not_checked"),
            (Answer(status="ok", facts=(shift("till"), shift("door", at=1), shift("oven")), rows_read=5), "worse"),
        ],
        ids=["gone", "same", "one of two facts", "no answer", "new trouble"],
    )
    async def test_the_report_says_whether_it_helped(self, stage: MakeStage, now: Answer, verdict: str) -> None:
        fresh = Remedied(answers={"metric_shift": now, "change_diff": now})

        async def source(_since: Any) -> Any:
            return fresh

        at = stage(fresh=source)
        async with at.open() as service:
            waiting = await service.start(ACT)
            done = await answer_action(service, waiting.run.run_id, YES)
            asked = done.waiting
        if verdict == "worse":
            assert asked is not None
            assert asked.content["action"].startswith("roll-forward")
            assert asked.content["command"]["compensates"]
        else:
            assert done.report.actions[0].helped == verdict

    @pytest.mark.parametrize(("hours", "verdict"), [(1, "helped"), (-1, "not_checked"), (None, "not_checked")], ids=str)
    async def test_a_bundle_that_is_written_anew_is_such_a_source(
        self, stage: MakeStage, hours: int | None, verdict: str, tmp_path: Path
    ) -> None:
        """Only what reaches beyond the action counts; a folder that is no bundle gives nothing."""
        from datetime import UTC, datetime

        from leadline.contracts.errors import BundleError
        from leadline.contracts.evidence import SourceCoverage

        class Written(Remedied):
            def coverage(self) -> Any:
                return (
                    SourceCoverage(source="metrics", status="ok", end=datetime.now(UTC) + timedelta(hours=hours or 0)),
                )

        old = Remedied()

        def opened(path: Path) -> Any:
            if path != tmp_path / "fresh":
                return old
            if hours is None:
                raise BundleError("no bundle")
            return Written(answers={"metric_shift": Answer(status="ok", rows_read=5)})

        from dataclasses import replace

        at = stage()
        parts = replace(at.parts(), open_evidence=opened)
        from leadline.runtime.service import open_service

        async with open_service(at.settings(fresh=tmp_path / "fresh"), parts) as service:
            run = (await service.start(ACT)).run.run_id
            done = await answer_action(service, run, YES)
        assert done.report.actions[0].helped == verdict

    async def test_an_undo_of_what_made_it_worse_is_asked_done_and_linked(self, stage: MakeStage) -> None:
        worse = Answer(status="ok", facts=(shift("till"), shift("oven")), rows_read=5)

        async def source(_since: Any) -> Any:
            return Remedied(answers={"metric_shift": worse})

        at = stage(fresh=source)
        async with at.open() as service:
            run = (await service.start(ACT)).run.run_id
            asked = await answer_action(service, run, YES)
            assert asked.run.state == "waiting"
            done = await answer_action(service, run, YES)
        first, undo = done.report.actions
        assert (first.helped, first.undone_by, undo.undoes, undo.state) == (
            "worse",
            undo.command,
            first.command,
            "succeeded",
        )
        assert sorted(at.target.world.runs.values()) == [1, 1]


class TestUndo:
    async def test_a_succeeded_action_of_a_run_that_is_over(self, stage: MakeStage) -> None:
        at = stage()
        async with at.open() as service:
            run = (await service.start(ACT)).run.run_id
            done = await answer_action(service, run, YES)
            command = done.report.actions[0].command
            asked = await undo_action(service, run, command)
            assert at.target.calls.count("execute") == 1
            assert asked.content["command"]["arguments"] == {"change": "c1"}
            with pytest.raises(ActionRefused, match="has its undo already"):
                await undo_action(service, run, command)
            after = await answer_action(service, run, PersonAnswer(asked.approval_id, "approved"))
        assert [a.state for a in after.report.actions] == ["succeeded", "succeeded", "refused"]
        assert after.report.actions[0].undone_by == after.report.actions[1].command

    @pytest.mark.parametrize(("behaviour", "why"), [("loses_key", "has to be known"), ("refuses", "nothing to undo")])
    async def test_what_is_not_known_or_not_done_is_not_undone(
        self, stage: MakeStage, behaviour: str, why: str
    ) -> None:
        at = stage(behaviour)
        async with at.open() as service:
            run = (await service.start(ACT)).run.run_id
            done = await answer_action(service, run, YES)
            with pytest.raises(ActionRefused, match=why):
                await undo_action(service, run, done.report.actions[0].command)

    async def test_without_a_compensation_there_is_no_undo(self, stage: MakeStage) -> None:
        at = stage(
            catalog=CATALOG.replace('    compensation: {kind: roll-forward, arguments: {change: "{change}"}}\n', "")
        )
        async with at.open() as service:
            run = (await service.start(ACT)).run.run_id
            done = await answer_action(service, run, YES)
            with pytest.raises(ActionRefused, match="names nothing that undoes rollback"):
                await undo_action(service, run, done.report.actions[0].command)


class TestReconcile:
    async def test_what_the_target_says_later_settles_it(self, stage: MakeStage) -> None:
        at = stage("loses_key")
        async with at.open() as service:
            run = (await service.start(ACT)).run.run_id
            await answer_action(service, run, YES)
            (still,) = await reconcile_action(service, run)
            assert still.state == "manual_review"
            at.target.world.behaviour = "honest"  # its state can be read again
            (action,) = await reconcile_action(service, run)
            report = (await service.resume(run)).report
        assert (action.state, report.actions[0].state) == ("succeeded", "succeeded")
        assert at.target.calls.count("execute") == 1

    @pytest.mark.parametrize(("verdict", "state"), [("done", "succeeded"), ("not_done", "failed")])
    async def test_a_persons_word_settles_what_nobody_else_can(
        self, stage: MakeStage, verdict: Any, state: str
    ) -> None:
        at = stage("loses_key")
        async with at.open() as service:
            run = (await service.start(ACT)).run.run_id
            await answer_action(service, run, YES)
            (action,) = await actions(service, run)
            with pytest.raises(ActionRefused, match="with a reason"):
                await reconcile_action(service, run, action.key, verdict)
            (settled,) = await reconcile_action(service, run, action.key, verdict, "looked at the console")
            assert settled.state == state
            assert settled.reason.endswith("says ada: looked at the console")
            with pytest.raises(ActionRefused, match="nothing is open"):
                await reconcile_action(service, run, action.key, verdict, "once more")

    async def test_unknown_names_and_runs_that_only_advise_are_refused(self, stage: MakeStage) -> None:
        from leadline.runtime.outcome import StartRequest

        async with stage().open() as service:
            run = (await service.start(ACT)).run.run_id
            with pytest.raises(ActionRefused, match="has no action 'cmd-0'"):
                await reconcile_action(service, run, "cmd-0")
            advice = await service.start(StartRequest(bundle=Path("paper")))
            with pytest.raises(ActionRefused, match="does not act"):
                await reconcile_action(service, advice.run.run_id)


async def test_the_view_shows_all_that_is_known(stage: MakeStage) -> None:
    async with stage("works").open() as service:
        run = (await service.start(ACT)).run
        await answer_action(service, run.run_id, YES)
        seen = await view_actions(service.store.reader(run.run_id), run)
    (line,) = seen.lines
    assert line.proposal.origin == "rules"
    assert line.dry_run.precondition == "v1"
    assert (line.decision.by, len(line.attempts)) == ("ada", 1)
    assert [r.source for r in line.receipts] == ["response", "poll"]
    assert [r.outcome for r in line.receipts] == ["pending", "succeeded"]


async def test_the_first_answer_is_given_again_byte_for_byte_after_a_restart(stage: MakeStage) -> None:
    at = stage()
    async with at.open() as service:
        run = (await service.start(ACT)).run
        await answer_action(service, run.run_id, YES)
        first = (await view_actions(service.store.reader(run.run_id), run)).lines[0].answer
    async with at.open() as service:
        again = (await view_actions(service.store.reader(run.run_id), run)).lines[0].answer
    key = next(iter(at.target.world.known))
    assert first == again == json.dumps(at.target.world.known[key]).encode()


async def test_a_key_that_another_action_has_used_is_refused(stage: MakeStage) -> None:
    """Two commands with one key: whatever brought that about, the second is not sent."""
    at = stage()
    async with at.open() as service:
        waiting = await service.start(ACT)
        run = waiting.run.run_id
        await given(service, waiting.waiting, service.parts.clock)
        (action,) = await actions(service, run)
        elsewhere = action.command.target.model_copy(update={"name": "door"})
        other = action.command.model_copy(
            update={"command_id": "cmd-other", "intent_id": "int-other", "fingerprint": "0" * 64, "target": elsewhere}
        )
        await rewrite(
            service, run, action.model_copy(update={"command": other, "state": "succeeded", "approval_id": ""})
        )
        done = await service.resume(run)
    note = next(n for n in done.report.actions if n.command == action.key)
    assert note.state == "denied"
    assert "belongs to another action" in note.reason
    assert "execute" not in at.target.calls


class TestCallbacks:
    @pytest.fixture
    def server(self) -> Any:
        with LyingServer() as server:
            yield server

    def web(self, stage: MakeStage, server: LyingServer, behaviour: str, tmp_path: Path) -> Stage:
        secret = tmp_path / "secret"
        secret.write_text(f"whsec_{SECRET}")
        target = (
            f"  lying: {{type: http, url: '{server.url}/{behaviour}', networks: [127.0.0.0/8], secret_file: {secret}}}"
        )
        catalog = CATALOG.replace("  lying: {type: dry-run}", target).replace(
            "    target: lying\n", "    target: lying\n    via: {type: http}\n"
        )
        return stage(catalog=catalog)

    async def test_callbacks_move_what_is_pending_and_only_that(
        self, stage: MakeStage, server: LyingServer, tmp_path: Path
    ) -> None:
        at = Real(self.web(stage, server, "works", tmp_path))
        async with at.open() as service:
            run = (await service.start(ACT)).run.run_id
            await answer_action(service, run, YES)
            (action,) = await actions(service, run)
            assert action.state == "manual_review"  # 202, and nothing to poll
            command = action.command
            body = json.dumps({
                "idempotency_key": command.idempotency_key, "fingerprint": command.fingerprint, "outcome": "succeeded",
            }).encode()  # fmt: skip
            good = sign(base64.b64decode(SECRET), "cb-1", int(time.time()), body)
            with pytest.raises(ActionRefused, match="not signed"):
                await take_callback(service, run, body, {**good, "webhook-signature": "v1,AAAA"})
            with pytest.raises(ActionRefused, match="not signed"):
                await take_callback(service, run, body.replace(b"succeeded", b"failed"), good)
            old = sign(base64.b64decode(SECRET), "cb-1", int(time.time()) - 3600, body)
            with pytest.raises(ActionRefused, match="too old"):
                await take_callback(service, run, body, old)
            with pytest.raises(ActionRefused, match="no action of this run"):
                await take_callback(service, run, b'{"idempotency_key": "idk-0"}', good)
            receipt = await take_callback(service, run, body, good)
            assert (receipt.source, receipt.late) == ("callback", True)
            (action,) = await actions(service, run)
            assert action.state == "manual_review"
            await rewrite(service, run, action.model_copy(update={"state": "pending"}))
            receipt = await take_callback(service, run, body, good)
            (action,) = await actions(service, run)
            assert (receipt.late, action.state) == (False, "succeeded")


class Real(Stage):
    """With the catalog's own targets."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage.folder, stage.target, catalog=stage.catalog)

    def parts(self) -> Any:
        from dataclasses import replace

        return replace(super().parts(), targets={})
