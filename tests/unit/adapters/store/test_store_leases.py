"""Who may hold a run, and when another may take it."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sqlalchemy import update

from leadline.adapters.clock import SystemClock
from leadline.adapters.store import SqlRunStore, open_store, processes
from leadline.adapters.store.statements import Statement
from leadline.adapters.store.tables import run
from leadline.contracts.base import AgentId, Digest, RunId
from leadline.contracts.errors import LeaseLost, RunHeld, StoreError
from leadline.contracts.ports import Writes
from leadline.contracts.run import Run, RunConfig, RunLease
from leadline.contracts.team import AgentSpec, TeamSpec


def _holder(pid: int) -> str:
    return f"{socket.gethostname()}:{pid}"


@contextmanager
def _child() -> Iterator[str]:
    """A process that lives for as long as the block does, by its holder's name."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield _holder(process.pid)


def test_a_process_that_lives_is_not_dead() -> None:
    token = processes.process_token(_holder(os.getpid()))
    assert token
    assert not processes.is_dead(_holder(os.getpid()), token)


def test_a_process_that_ended_is_dead() -> None:
    with _child() as holder:
        token = processes.process_token(holder)
        assert not processes.is_dead(holder, token)
    assert processes.is_dead(holder, token)


def test_a_killed_process_is_dead_before_its_parent_asks_for_it() -> None:
    child = os.fork()
    if child == 0:
        signal.pause()
    token = processes.process_token(_holder(child))
    os.kill(child, signal.SIGKILL)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    assert processes.is_dead(_holder(child), token)
    os.waitpid(child, 0)


def test_a_later_process_with_the_same_number_is_another() -> None:
    here, _, started = processes.process_token(_holder(os.getpid())).rpartition(" ")
    assert processes.is_dead(_holder(os.getpid()), f"{here} {int(started) - 1}")


@pytest.mark.parametrize(
    ("holder", "token"),
    [
        pytest.param("elsewhere.invalid:1", "boot pid:[1] 5", id="another host"),
        pytest.param(_holder(2**30), "", id="no token"),
        pytest.param(_holder(2**30), "another-boot pid:[1] 5", id="another boot or namespace"),
        pytest.param("nonsense", "a b c", id="no holder's name"),
    ],
)
def test_what_cannot_be_known_is_not_called_dead(holder: str, token: str) -> None:
    assert not processes.is_dead(holder, token)


async def test_the_run_of_a_dead_process_is_taken_at_once(store: SqlRunStore, a_run: Callable[..., Run]) -> None:
    with _child() as holder:
        old = await store.create(a_run(), holder, 3600.0)
        with pytest.raises(RunHeld, match=holder):
            await store.take(old.run_id, _holder(os.getpid()), 60.0)
    new = await store.take(old.run_id, _holder(os.getpid()), 60.0)
    assert new.epoch == 2
    with pytest.raises(LeaseLost, match="taken by"):
        await store.ledger(old).commit(Writes())


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"epoch": 0}, id="a lower epoch"),
        pytest.param({"config": "{}"}, id="another config"),
        pytest.param({"run_id": "run-2"}, id="another id"),
        pytest.param({"created_at": 0}, id="another age"),
    ],
)
async def test_the_database_itself_refuses(
    store: SqlRunStore, a_run: Callable[..., Run], change: dict[str, object]
) -> None:
    await store.create(a_run(), "here.invalid:1", 60.0)
    with pytest.raises(StoreError, match="leadline:"):
        await store.database.write(lambda transaction: transaction.run(Statement(update(run).values(**change)), {}))


LEAD = AgentSpec(id=AgentId("lead"), description="answers for it", capabilities=("lead",))
LEASED = Run(
    run_id=RunId("run-1"),
    config=RunConfig(
        bundle_path="/b", bundle_digest=Digest("0" * 64), incident_id="inc-1", title="errors", graph_version="star@1",
        structure_hash=Digest("1" * 64), prompt_hashes={}, model="rules", model_reason="asked for", user="ada",
        team=TeamSpec(name="t", version="1", root_owner=LEAD.id, agents=(LEAD,)),
    ),
    created_at=datetime(2026, 11, 30, tzinfo=UTC),
    updated_at=datetime(2026, 11, 30, tzinfo=UTC),
)  # fmt: skip


class LeaseMachine(RuleBasedStateMachine):
    """Three holders, one run, a clock that moves both ways; the model knows who may write.

    The clock is the database's: it is moved by moving the end of the lease the other way.
    """

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        self.opening = open_store(Path(self.folder.name) / "leadline.db", SystemClock())
        self.store = self.loop.run_until_complete(self.opening.__aenter__())
        self.leases: list[RunLease] = []
        self.current: RunLease | None = None
        self.left = 0.0
        """Seconds until the current lease ends."""
        self.written: list[str] = []

    def do(self, awaitable):
        return self.loop.run_until_complete(awaitable)

    @initialize()
    def create(self) -> None:
        self.current = self.do(self.store.create(LEASED, "h0.invalid:0", 1000.0))
        self.leases.append(self.current)
        self.left = 1000.0

    @rule(holder=st.integers(0, 2), ttl=st.sampled_from([100.0, 1000.0]))
    def take(self, holder: int, ttl: float) -> None:
        name = f"h{holder}.invalid:{holder}"
        if self.current is not None and self.left > 0:
            with pytest.raises(RunHeld, match=self.current.holder):
                self.do(self.store.take(LEASED.run_id, name, ttl))
            return
        lease = self.do(self.store.take(LEASED.run_id, name, ttl))
        assert lease.epoch == self.leases[-1].epoch + 1
        self.leases.append(lease)
        self.current, self.left = lease, ttl

    @precondition(lambda self: self.leases)
    @rule(data=st.data(), ttl=st.sampled_from([100.0, 1000.0]))
    def renew(self, data: st.DataObject, ttl: float) -> None:
        lease = data.draw(st.sampled_from(self.leases))
        if lease == self.current:
            self.do(self.store.renew(lease, ttl))
            self.left = ttl
        else:
            with pytest.raises(LeaseLost):
                self.do(self.store.renew(lease, ttl))

    @precondition(lambda self: self.leases)
    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        lease = data.draw(st.sampled_from(self.leases))
        self.do(self.store.release(lease))
        if lease == self.current:
            self.current = None

    @precondition(lambda self: self.leases)
    @rule(data=st.data())
    def write(self, data: st.DataObject) -> None:
        lease = data.draw(st.sampled_from(self.leases))
        step = f"{lease.epoch}-{len(self.written)}"
        if lease == self.current:
            self.do(self.store.ledger(lease).commit(Writes(), step=step))
            self.written.append(step)
        else:
            with pytest.raises(LeaseLost):
                self.do(self.store.ledger(lease).commit(Writes(), step=step))
            assert self.do(self.store.ledger(lease).recall(step)) is None

    @rule(seconds=st.sampled_from([-3600.0, -50.0, 50.0, 150.0, 3600.0]))
    def move_clock(self, seconds: float) -> None:
        moved = update(run).values(lease_until=run.c.lease_until - int(seconds * 1_000_000))
        self.do(self.store.database.write(lambda transaction: transaction.run(Statement(moved), {})))
        self.left -= seconds

    @invariant()
    def the_run_row_says_who_holds_it(self) -> None:
        if self.leases:
            found = self.do(self.store.run(LEASED.run_id))
            assert found.epoch == self.leases[-1].epoch
            assert found.holder == ("" if self.current is None else self.current.holder)

    def teardown(self) -> None:
        self.do(self.opening.__aexit__(None, None, None))
        self.loop.close()
        self.folder.cleanup()


TestLeaseMachine = LeaseMachine.TestCase
TestLeaseMachine.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
