"""What every run store and every ledger must do: the one in SQL and the one in memory pass the same tests."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

import pytest

from leadline.adapters.clock import SystemClock
from leadline.adapters.store import open_store
from leadline.adapters.store.memory import MemoryRunStore
from leadline.contracts.approval import ApprovalDecision, ApprovalRequest, UptimeMark
from leadline.contracts.base import Digest, Record, RunId, digest_of
from leadline.contracts.errors import ApprovalRefused, LeaseLost, RunHeld, StoreError, UnknownRun
from leadline.contracts.event import Event
from leadline.contracts.ports import RunStore, Writes
from leadline.contracts.run import Run, RunConfig, RunLease
from leadline.contracts.team import AgentSpec, TeamSpec

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
HERE, THERE = "here.invalid:1", "there.invalid:2"


class Note(Record):
    record_kind: ClassVar[str] = "note"

    id: str
    text: str = ""
    at: datetime = NOW

    @property
    def key(self) -> str:
        return self.id


class Mark(Note):
    record_kind: ClassVar[str] = "mark"


@pytest.fixture(params=["sql", "memory"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[RunStore]:
    if request.param == "memory":
        yield MemoryRunStore(SystemClock())
        return
    async with open_store(tmp_path / "leadline.db", SystemClock()) as opened:
        yield opened


def a_run(run_id: str = "run-1", *, evaluation: bool = False, created_at: datetime = NOW) -> Run:
    lead = AgentSpec(id="lead", description="answers for it", capabilities=("lead",))
    config = RunConfig(
        bundle_path="/b", bundle_digest=Digest("0" * 64), incident_id="inc-1", title="ошибки растут",
        graph_version="star@1", structure_hash=Digest("1" * 64), prompt_hashes={}, model="rules", model_reason="asked for",
        team=TeamSpec(name="t", version="1", root_owner=lead.id, agents=(lead,)), user="ada", evaluation=evaluation,
    )  # fmt: skip
    return Run(run_id=RunId(run_id), config=config, created_at=created_at, updated_at=created_at)


def an_event(event_id: str, **more: Any) -> Event:
    return Event(event_id=event_id, kind="transition", at=NOW, **more)


def a_request(**changes: Any) -> ApprovalRequest:
    given: dict[str, Any] = {
        "approval_id": "apr-1", "run_id": "run-1", "point": "plan", "question": "go?", "subject_digest": "2" * 64,
        "content": {}, "risk": "high", "asked_at": NOW, "expires_at": None, "on_ignore": "it waits",
    }  # fmt: skip
    return ApprovalRequest(**(given | changes))


def an_answer(**changes: Any) -> ApprovalDecision:
    given: dict[str, Any] = {
        "approval_id": "apr-1", "decision": "approved", "by": "ada", "subject_digest": "2" * 64, "decided_at": NOW,
    }  # fmt: skip
    return ApprovalDecision(**(given | changes))


async def begin(store: RunStore, run_id: str = "run-1") -> RunLease:
    return await store.create(a_run(run_id), HERE, 60.0)


# --- runs -------------------------------------------------------------------------------------------------------------
async def test_a_run_reads_back_as_it_was_created(store: RunStore) -> None:
    lease = await begin(store)
    assert lease == RunLease(run_id=RunId("run-1"), epoch=1, holder=HERE)
    found = await store.run(RunId("run-1"))
    assert found.config == a_run().config
    assert (found.state, found.created_at, found.epoch, found.holder) == ("running", NOW, 1, HERE)


async def test_a_run_is_created_once(store: RunStore) -> None:
    await begin(store)
    with pytest.raises(StoreError, match="exists already"):
        await begin(store)


async def test_an_unambiguous_beginning_of_an_id_is_enough(store: RunStore) -> None:
    for run_id in ("run-10", "run-11", "sun-1", "run-1"):
        await begin(store, run_id)
    assert (await store.run(RunId("su"))).run_id == "sun-1"
    assert (await store.run(RunId("run-1"))).run_id == "run-1"
    with pytest.raises(UnknownRun, match=r"run-1, run-10, run-11"):
        await store.run(RunId("run"))


@pytest.mark.parametrize("run_id", ["", "nope", "RUN-1", "run_1", "%", "run-1x", "' OR 1=1 --"])
async def test_an_unknown_id_is_refused(store: RunStore, run_id: str) -> None:
    await begin(store)
    with pytest.raises(UnknownRun) as refused:
        await store.run(RunId(run_id))
    assert refused.value.exit_code == 2
    assert "leadline runs" in refused.value.hint


async def test_runs_are_listed_newest_first_and_evaluations_apart(store: RunStore) -> None:
    for n in range(4):
        await store.create(a_run(f"run-{n}", evaluation=n == 3, created_at=NOW + timedelta(minutes=n % 3)), HERE, 60.0)
    assert [run.run_id for run in await store.runs()] == ["run-2", "run-1", "run-0"]
    assert [run.run_id for run in await store.runs(limit=1)] == ["run-2"]
    assert [run.run_id for run in await store.runs(evaluation=True)] == ["run-3"]


async def test_a_state_is_set_under_the_lease_only(store: RunStore) -> None:
    lease = await begin(store)
    await store.set_state(lease, "waiting", "approval apr-1")
    found = await store.run(lease.run_id)
    assert (found.state, found.reason) == ("waiting", "approval apr-1")
    assert found.updated_at > NOW
    await store.release(lease)
    with pytest.raises(LeaseLost):
        await store.set_state(lease, "concluded")


# --- leases -----------------------------------------------------------------------------------------------------------
async def test_a_held_run_says_by_whom_and_until_when(store: RunStore) -> None:
    await begin(store)
    with pytest.raises(RunHeld, match=r"'here\.invalid:1' until 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ") as refused:
        await store.take(RunId("run-1"), THERE, 60.0)
    assert refused.value.exit_code == 75


async def test_its_own_holder_cannot_take_it_twice(store: RunStore) -> None:
    await begin(store)
    with pytest.raises(RunHeld):
        await store.take(RunId("run-1"), HERE, 60.0)


async def test_each_grant_has_a_higher_epoch(store: RunStore) -> None:
    lease = await begin(store)
    for epoch in (2, 3, 4):
        await store.release(lease)
        lease = await store.take(lease.run_id, THERE, 60.0)
        assert (lease.epoch, lease.holder) == (epoch, THERE)


async def test_an_expired_lease_can_be_taken_and_its_holder_writes_no_more(store: RunStore) -> None:
    old = await store.create(a_run(), HERE, 0.0)
    new = await store.take(old.run_id, THERE, 60.0)
    assert new.epoch == 2
    for write in (
        store.ledger(old).commit(Writes((Note(id="n"),), (an_event("e"),))),
        store.ledger(old).commit(Writes()),
        store.ledger(old).save_artifact(b"x", "text/plain"),
        store.set_state(old, "failed"),
        store.renew(old, 60.0),
    ):
        with pytest.raises(LeaseLost) as lost:
            await write
        assert lost.value.exit_code == 75
    await store.release(old)
    assert (await store.run(old.run_id)).holder == THERE
    assert await store.reader(old.run_id).all(Note) == ()
    assert await store.reader(old.run_id).events() == ()


async def test_an_old_lease_of_the_same_holder_is_lost_too(store: RunStore) -> None:
    old = await store.create(a_run(), HERE, 0.0)
    new = await store.take(old.run_id, HERE, 60.0)
    for write in (store.ledger(old).commit(Writes()), store.renew(old, 60.0), store.set_state(old, "failed")):
        with pytest.raises(LeaseLost):
            await write
    await store.release(old)
    await store.ledger(new).commit(Writes((Note(id="n"),)))
    assert (await store.run(old.run_id)).holder == HERE


async def test_a_renewed_lease_lasts(store: RunStore) -> None:
    lease = await store.create(a_run(), HERE, 0.0)
    await store.renew(lease, 60.0)
    with pytest.raises(RunHeld):
        await store.take(lease.run_id, THERE, 60.0)


async def test_nothing_is_written_after_release(store: RunStore) -> None:
    lease = await begin(store)
    await store.release(lease)
    await store.release(lease)
    with pytest.raises(LeaseLost):
        await store.ledger(lease).commit(Writes((Note(id="n"),)))
    with pytest.raises(LeaseLost):
        await store.renew(lease, 60.0)
    found = await store.run(lease.run_id)
    assert (found.holder, found.lease_until) == ("", None)


async def test_an_unknown_run_cannot_be_taken(store: RunStore) -> None:
    with pytest.raises(UnknownRun):
        await store.take(RunId("nope"), HERE, 60.0)


async def test_of_eight_who_take_at_once_one_wins(store: RunStore) -> None:
    lease = await begin(store)
    await store.release(lease)
    results = await asyncio.gather(
        *(store.take(lease.run_id, f"h{n}.invalid:{n}", 60.0) for n in range(8)), return_exceptions=True
    )
    assert [type(result) for result in results].count(RunHeld) == 7


# --- records ----------------------------------------------------------------------------------------------------------
async def test_a_record_reads_back(store: RunStore) -> None:
    ledger = store.ledger(await begin(store))
    note = Note(id="n-1", text='"\\\x00\x1b\u2028 ünïcode \U0001f9ed')
    await ledger.commit(Writes((note,)))
    assert await ledger.get(Note, "n-1") == note
    assert await ledger.get(Note, "n-2") is None
    assert await ledger.get(Mark, "n-1") is None


async def test_a_newer_version_replaces_and_keeps_the_place(store: RunStore) -> None:
    ledger = store.ledger(await begin(store))
    await ledger.commit(Writes((Note(id="b"), Note(id="a"), Mark(id="m"))))
    await ledger.commit(Writes((Note(id="c"), Note(id="b", text="new"))))
    await ledger.commit(Writes((Note(id="a", text="1"), Note(id="a", text="2"))))
    assert await ledger.all(Note) == (Note(id="b", text="new"), Note(id="a", text="2"), Note(id="c"))


async def test_runs_do_not_see_each_other(store: RunStore) -> None:
    one, two = await begin(store), await begin(store, "run-2")
    await store.ledger(one).commit(Writes((Note(id="n"),), (an_event("e"),)), step="s", update={"x": 1})
    other = store.ledger(two)
    assert await other.get(Note, "n") is None
    assert await other.all(Note) == await other.events() == ()
    assert await other.recall("s") is None
    await other.commit(Writes((Note(id="n", text="mine"),), (an_event("e"),)))
    assert await store.reader(one.run_id).all(Note) == (Note(id="n"),)


# --- steps ------------------------------------------------------------------------------------------------------------
async def test_a_step_is_recalled(store: RunStore) -> None:
    ledger = store.ledger(await begin(store))
    assert await ledger.recall("decompose") is None
    update: dict[str, Any] = {"tasks": ["tsk-1"], "phase": "é", "n": 1, "deep": {"a": [None, True, 0.25]}}
    await ledger.commit(Writes(), step="decompose", update=update)
    await ledger.commit(Writes(), step="empty")
    await ledger.commit(Writes((Note(id="n"),)))
    assert await ledger.recall("decompose") == update
    assert await ledger.recall("empty") == {}


async def test_a_step_that_is_done_again_is_remembered_as_it_was_last(store: RunStore) -> None:
    ledger = store.ledger(await begin(store))
    for n in (1, 2):
        await ledger.commit(Writes(), step="s", update={"n": n})
    assert await ledger.recall("s") == {"n": 2}


# --- events -----------------------------------------------------------------------------------------------------------
async def test_events_are_numbered_from_one_in_order(store: RunStore) -> None:
    ledger = store.ledger(await begin(store))
    await ledger.commit(Writes(events=(an_event("e-1", subject="a"), an_event("e-2"))))
    await ledger.commit(Writes(events=(an_event("e-3", data={"n": 1}),)))
    events = await ledger.events()
    assert [(event.seq, event.event_id) for event in events] == [(1, "e-1"), (2, "e-2"), (3, "e-3")]
    assert events[0] == an_event("e-1", subject="a", seq=1)
    assert [event.seq for event in await ledger.events(after=1)] == [2, 3]
    assert [event.seq for event in await ledger.events(after=1, limit=1)] == [2]
    assert await ledger.events(after=3) == await ledger.events(limit=0) == ()


async def test_an_event_that_is_there_already_is_left_alone(store: RunStore) -> None:
    ledger = store.ledger(await begin(store))
    await ledger.commit(Writes(events=(an_event("e-1", reason="first"), an_event("e-1", reason="twice"))))
    await ledger.commit(Writes(events=(an_event("e-2"), an_event("e-1", reason="again"), an_event("e-3"))))
    found = [(event.seq, event.event_id, event.reason) for event in await ledger.events()]
    assert found == [(1, "e-1", "first"), (2, "e-2", ""), (3, "e-3", "")]


async def test_a_watcher_sees_each_new_event_once_it_is_stored(store: RunStore) -> None:
    ledger: Any = store.ledger(await begin(store))
    seen: list[tuple[int, str]] = []
    stop = ledger.subscribe(lambda event: seen.append((event.seq, event.event_id)))
    await ledger.commit(Writes(events=(an_event("e-1"), an_event("e-2"))))
    await ledger.commit(Writes(events=(an_event("e-2"), an_event("e-3"))))
    assert seen == [(1, "e-1"), (2, "e-2"), (3, "e-3")]
    stop()
    await ledger.commit(Writes(events=(an_event("e-4"),)))
    assert len(seen) == 3


async def test_a_watcher_that_fails_harms_neither_the_commit_nor_the_others(store: RunStore) -> None:
    ledger: Any = store.ledger(await begin(store))
    seen: list[str] = []
    failed: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: failed.append(repr(context["exception"])))

    def fail(_: Event) -> None:
        raise BrokenPipeError("the terminal is gone")

    ledger.subscribe(fail)
    ledger.subscribe(lambda event: seen.append(event.event_id))
    await ledger.commit(Writes(events=(an_event("e-1"), an_event("e-2"))))
    assert seen == ["e-1", "e-2"]
    assert failed == ["BrokenPipeError('the terminal is gone')"] * 2
    assert len(await ledger.events()) == 2


async def test_commits_at_once_lose_nothing(store: RunStore) -> None:
    ledger = store.ledger(await begin(store))
    await asyncio.gather(
        *(ledger.commit(Writes((Note(id=f"n-{n}"),), (an_event(f"e-{n}"),)), step=f"s-{n}") for n in range(40))
    )
    assert [event.seq for event in await ledger.events()] == list(range(1, 41))
    assert len(await ledger.all(Note)) == 40


# --- artifacts --------------------------------------------------------------------------------------------------------
async def test_an_artifact_goes_by_its_content(store: RunStore) -> None:
    ledger = store.ledger(await begin(store))
    content = bytes(itertools.chain(range(256), b"\xff\x00"))
    ref = await ledger.save_artifact(content, "application/octet-stream")
    assert (ref.digest, ref.size, ref.media_type) == (digest_of(content), 258, "application/octet-stream")
    assert await ledger.save_artifact(content, "application/octet-stream") == ref
    assert await store.reader(ledger.lease.run_id).artifact(ref.digest) == content
    assert await ledger.artifact(Digest("0" * 64)) is None


# --- approvals --------------------------------------------------------------------------------------------------------
async def test_the_first_answer_counts_and_names_itself_to_the_next(store: RunStore) -> None:
    ledger = store.ledger(await begin(store))
    await ledger.commit(Writes((a_request(),)))
    await store.decide(a_request(), an_answer())
    assert await ledger.get(ApprovalDecision, "apr-1") == an_answer()
    for second in (an_answer(decision="rejected", by="bob"), an_answer()):
        with pytest.raises(ApprovalRefused, match="'ada' answered 'approved' at 2026-11-30T12:00:00Z"):
            await store.decide(a_request(), second)
    assert await ledger.all(ApprovalDecision) == (an_answer(),)


async def test_of_eight_answers_at_once_one_counts(store: RunStore) -> None:
    ledger = store.ledger(await begin(store))
    await ledger.commit(Writes((a_request(),)))
    answers = [an_answer(by=f"p{n}", decision=("approved", "rejected")[n % 2]) for n in range(8)]
    results = await asyncio.gather(*(store.decide(a_request(), a) for a in answers), return_exceptions=True)
    assert [type(result) for result in results].count(ApprovalRefused) == 7
    (winner,) = (answer for answer, result in zip(answers, results, strict=True) if result is None)
    assert await ledger.all(ApprovalDecision) == (winner,)


@pytest.mark.parametrize(
    ("stored", "answer", "why"),
    [
        pytest.param(None, an_answer(), "no such question", id="unknown"),
        pytest.param(a_request(state="approved"), an_answer(), "approved already", id="closed"),
        pytest.param(a_request(subject_digest="3" * 64), an_answer(), "something else", id="stale"),
        pytest.param(a_request(), an_answer(approval_id="apr-2"), "something else", id="another"),
        pytest.param(a_request(expires_at=NOW - timedelta(days=3650)), an_answer(), "it expired at 2016", id="expired"),
    ],
)
async def test_an_answer_must_fit_what_is_stored(
    store: RunStore, stored: ApprovalRequest | None, answer: ApprovalDecision, why: str
) -> None:
    ledger = store.ledger(await begin(store))
    await ledger.commit(Writes((stored,) if stored else ()))
    with pytest.raises(ApprovalRefused, match=why) as refused:
        await store.decide(a_request(), answer)
    assert refused.value.exit_code == 2
    assert await ledger.all(ApprovalDecision) == ()


async def test_a_question_marked_by_uptime_is_not_expired_by_a_wall_clock_that_was_set(store: RunStore) -> None:
    ledger = store.ledger(await begin(store))
    mark = UptimeMark(boot="boot-1", seconds=100.0)
    await ledger.commit(Writes((a_request(expires_at=NOW - timedelta(days=3650), asked_uptime=mark),)))
    await store.decide(a_request(), an_answer())
    assert await ledger.get(ApprovalDecision, "apr-1") == an_answer()


async def test_an_expired_question_can_be_closed(store: RunStore) -> None:
    ledger = store.ledger(await begin(store))
    await ledger.commit(Writes((a_request(expires_at=NOW - timedelta(days=3650)),)))
    await store.decide(a_request(), an_answer(decision="expired"))
    assert await ledger.get(ApprovalDecision, "apr-1") == an_answer(decision="expired")


async def test_a_commit_cannot_change_a_decision(store: RunStore) -> None:
    ledger = store.ledger(await begin(store))
    await ledger.commit(Writes((a_request(),)))
    await store.decide(a_request(), an_answer())
    await ledger.commit(Writes((an_answer(), Note(id="with it"))))
    with pytest.raises(ApprovalRefused, match="another answer is stored"):
        await ledger.commit(Writes((Note(id="lost"), an_answer(by="eve")), (an_event("e"),)), step="s")
    assert await ledger.all(ApprovalDecision) == (an_answer(),)
    assert await ledger.all(Note) == (Note(id="with it"),)
    assert await ledger.events() == ()
    assert await ledger.recall("s") is None
