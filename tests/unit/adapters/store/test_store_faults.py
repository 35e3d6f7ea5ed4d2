"""What goes wrong with a file, and what the person is told."""

import asyncio
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from leadline.adapters.clock import SystemClock
from leadline.adapters.store import SqlRunStore, open_store
from leadline.contracts.errors import CorruptStore, StoreError
from leadline.contracts.event import Event
from leadline.contracts.ports import Writes
from leadline.contracts.run import Run

HERE = "here.invalid:1"


async def _use(path: Path, run: Run) -> None:
    async with open_store(path, SystemClock(), busy_seconds=0.2) as store:
        await store.runs()
        await store.create(run, HERE, 60.0)


def _as_nobody(work: Callable[[], None]) -> int:
    """In a child without root's rights, to which a file's mode matters; 0 when it passed."""
    child = os.fork()
    if child == 0:
        try:
            if os.getuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            work()
        except BaseException as error:  # noqa: BLE001  the child must end here, whatever happened
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize(
    ("make", "kind", "why"),
    [
        pytest.param(lambda path: path.mkdir(), StoreError, "directory", id="folder"),
        pytest.param(lambda path: path.write_bytes(b"not a database, " * 100), CorruptStore, "not a database", id="text"),
        pytest.param(lambda path: path.write_bytes(b"SQLite format 3\0" + b"\xff" * 84), CorruptStore, "", id="header"),
        pytest.param(lambda path: path.symlink_to(path.parent / "no" / "where"), StoreError, "No such file", id="link"),
    ],
)  # fmt: skip
async def test_what_is_no_database_is_refused_with_its_path(
    path: Path, a_run: Callable[..., Run], make: Callable[[Path], object], kind: type[StoreError], why: str
) -> None:
    make(path)
    with pytest.raises(kind) as refused:
        await _use(path, a_run())
    assert repr(str(path)) in refused.value.what
    assert why in refused.value.why
    assert refused.value.hint
    assert refused.value.exit_code == 74


async def _take(path: Path, run: Run) -> None:
    async with open_store(path, SystemClock(), busy_seconds=0.2) as store:
        await store.take(run.run_id, HERE, 60.0)


def test_a_file_cut_short_is_refused(path: Path, a_run: Callable[..., Run]) -> None:
    asyncio.run(_use(path, a_run()))
    whole = path.read_bytes()
    for kept in (len(whole) // 2, len(whole) - 5000, 100):
        path.write_bytes(whole[:kept])
        with pytest.raises(CorruptStore):
            asyncio.run(_take(path, a_run()))


@pytest.mark.parametrize(
    ("file_mode", "folder_mode", "why"),
    [
        pytest.param(0o444, 0o555, "", id="read-only file in a read-only folder"),
        pytest.param(0o444, 0o777, "read-only", id="read-only file"),
        pytest.param(0o000, 0o777, "", id="unreadable file"),
        pytest.param(0o666, 0o000, "Permission denied", id="unreachable folder"),
    ],
)
def test_a_file_that_may_not_be_written_is_refused(
    tmp_path: Path, a_run: Callable[..., Run], file_mode: int, folder_mode: int, why: str
) -> None:
    folder = tmp_path / "store"
    path = folder / "leadline.db"
    asyncio.run(_use(path, a_run()))
    for above in (*tmp_path.parents, tmp_path):
        if above.owner() == path.owner() and above.is_relative_to("/tmp/"):
            above.chmod(0o755)
    path.chmod(file_mode)
    folder.chmod(folder_mode)

    def refused() -> None:
        with pytest.raises(StoreError) as error:
            asyncio.run(_use(path, a_run("run-2")))
        assert repr(str(path)) in error.value.what
        assert why in error.value.why, error.value
        assert "permissions" in error.value.hint, error.value

    try:
        assert _as_nobody(refused) == 0
    finally:
        folder.chmod(0o755)


def test_a_folder_that_may_not_be_written_is_refused(tmp_path: Path, a_run: Callable[..., Run]) -> None:
    tmp_path.chmod(0o555)

    def refused() -> None:
        with pytest.raises(StoreError, match="Permission denied") as error:
            asyncio.run(_use(tmp_path / "new" / "leadline.db", a_run()))
        assert "permissions" in error.value.hint

    assert _as_nobody(refused) == 0
    assert list(tmp_path.iterdir()) == []


async def test_a_file_locked_by_another_process_is_waited_for_then_named(
    store: SqlRunStore, path: Path, a_run: Callable[..., Run]
) -> None:
    lease = await store.create(a_run(), HERE, 60.0)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="another process keeps it locked") as refused:
            await store.ledger(lease).commit(Writes())
        assert repr(str(path)) in refused.value.what
        assert [run.run_id for run in await store.runs()] == ["run-1"]
        other.execute("ROLLBACK")
    await store.ledger(lease).commit(Writes(), step="s")
    assert await store.ledger(lease).recall("s") == {}


async def test_a_full_disk_loses_the_commit_and_nothing_else(
    store: SqlRunStore, a_run: Callable[..., Run], an_event: Callable[[str], Event]
) -> None:
    lease = await store.create(a_run(), HERE, 60.0)
    ledger = store.ledger(lease)

    async def allow(pages: int) -> None:
        await store.database.write(lambda t: t.plain(f"PRAGMA max_page_count = {pages}"))

    await allow(40)

    async def fill() -> None:
        for n in range(1000):
            await ledger.commit(Writes(events=(an_event(f"e-{n}"),)), step=f"s-{n}", update={"text": "x" * 2000})

    with pytest.raises(StoreError, match="the disk is full") as refused:
        await fill()
    assert "leadline resume" in refused.value.hint
    stored = len(await ledger.events())
    assert stored > 5
    assert [n for n in range(stored + 2) if await ledger.recall(f"s-{n}") is not None] == list(range(stored))
    await store.check()
    await allow(10_000)
    await ledger.commit(Writes(events=(an_event(f"e-{stored}"),)))
    assert len(await ledger.events()) == stored + 1


async def test_a_caller_that_is_cancelled_stops_no_commit_half_way(
    store: SqlRunStore, a_run: Callable[..., Run], an_event: Callable[[str], Event]
) -> None:
    ledger = store.ledger(await store.create(a_run(), HERE, 60.0))
    seen: list[str] = []
    ledger.subscribe(lambda event: seen.append(event.event_id))
    for n in range(20):
        task = asyncio.create_task(ledger.commit(Writes(events=(an_event(f"e-{n}"),)), step=f"s-{n}"))
        await asyncio.sleep(0 if n % 2 else 0.001)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await ledger.commit(Writes(events=(an_event("last"),)))
    stored = [event.event_id for event in await ledger.events()]
    assert seen == stored
    assert [n for n in range(20) if await ledger.recall(f"s-{n}") is not None] == [
        int(event_id[2:]) for event_id in stored[:-1]
    ]
