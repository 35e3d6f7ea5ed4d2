"""A byte that changed on the disk is found, wherever it is: no wrong answer, no wrong continuation."""

import asyncio
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from leadline.adapters.clock import SystemClock
from leadline.adapters.store import open_store
from leadline.adapters.store.checkpoints import open_checkpointer
from leadline.contracts.base import Record, RunId
from leadline.contracts.errors import CorruptStore, LeadlineError
from leadline.contracts.event import Event
from leadline.contracts.ports import Writes
from leadline.contracts.run import Run

RUN = RunId("run-1")
FLIPS = 150


@pytest.fixture
def filled(path: Path, a_run: Callable[..., Run], an_event: Callable[[str], Event], note: Any) -> Path:
    async def fill() -> None:
        async with open_store(path, SystemClock()) as store:
            lease = await store.create(a_run(), "here.invalid:1", 60.0)
            ledger = store.ledger(lease)
            for n in range(12):
                notes = (note(id=f"n-{n}", text="x" * 40), note(id="latest", text=str(n)))
                await ledger.commit(Writes(notes, (an_event(f"e-{n}"),)), step=f"s-{n}", update={"n": n})
            await ledger.save_artifact(b"lines of a log" * 20, "text/plain")
            async with open_checkpointer(store.database, lease) as saver:
                config: Any = {"configurable": {"thread_id": RUN, "checkpoint_ns": ""}}
                for n in range(4):
                    checkpoint: Any = {"v": 4, "id": f"c-{n}", "ts": "", "channel_values": {"tasks": ["t"] * n}}
                    config = await saver.aput(config, checkpoint, {"step": n}, {})
                    await saver.aput_writes(config, [("tasks", f"t-{n}"), ("n", n)], "task", "path")
            await store.set_state(lease, "waiting", "an approval")
            await store.release(lease)

    asyncio.run(fill())
    return path


async def _read(path: Path, note: type[Record]) -> list[Any]:
    async with open_store(path, SystemClock(), busy_seconds=0.2) as store:
        found: list[Any] = [(await store.run(RUN)).model_copy(update={"epoch": 0})]
        found.append([run.run_id for run in await store.runs()])
        lease = await store.take(RUN, "there.invalid:2", 60.0)
        ledger = store.ledger(lease)
        found += [await ledger.all(note), await ledger.events(), await ledger.events(after=3, limit=4)]
        found += [await ledger.get(note, f"n-{n}") for n in range(12)]
        found += [await ledger.recall(f"s-{n}") for n in range(12)]
        async with open_checkpointer(store.database, lease) as saver:
            config: Any = {"configurable": {"thread_id": RUN, "checkpoint_ns": ""}}
            found.append(await saver.aget_tuple(config))
            found += [item async for item in saver.alist(config)]
        await ledger.commit(Writes(), step="next")
        return found


def test_one_flipped_byte_anywhere_gives_the_right_answer_or_a_refusal(filled: Path, note: Any, tmp_path: Path) -> None:
    whole = filled.read_bytes()
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(whole)
    right = asyncio.run(_read(damaged, note))
    assert len(right) == 34
    chosen = random.Random(2041)
    used = [at for at, byte in enumerate(whole) if byte]
    refused = 0
    for _ in range(FLIPS):
        at, bit = chosen.choice(used), 1 << chosen.randrange(8)
        damaged.write_bytes(whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1 :])
        for beside in ("-wal", "-shm"):
            damaged.with_name(f"damaged.db{beside}").unlink(missing_ok=True)
        try:
            found = asyncio.run(_read(damaged, note))
        except LeadlineError:
            refused += 1
        else:
            assert found == right, f"byte {at}, bit {bit}"
    assert refused > FLIPS // 2


@pytest.mark.parametrize(
    ("change", "says"),
    [
        pytest.param("UPDATE event SET body = replace(body, 'e-5', 'e-6') WHERE seq = 6", "digest", id="body"),
        pytest.param("UPDATE event SET digest = upper(digest) WHERE seq = 6", "digest", id="its digest"),
        pytest.param("DELETE FROM event WHERE seq = 6", "an event before it is missing", id="one of the middle"),
        pytest.param("DELETE FROM event WHERE seq = 12", "the last events are missing", id="the last"),
        pytest.param("DELETE FROM event", "the last events are missing", id="all"),
        pytest.param(
            "UPDATE event SET seq = -seq WHERE seq IN (6, 7); UPDATE event SET seq = 13 + seq WHERE seq < 0",
            "event",
            id="two that changed places",
        ),
    ],
)
def test_a_history_that_was_changed_is_refused(filled: Path, change: str, says: str) -> None:
    with closing(sqlite3.connect(filled)) as raw, raw:
        for trigger in ("event_UPDATE_refused", "event_DELETE_refused"):
            raw.execute(f"DROP TRIGGER {trigger}")
        raw.executescript(change)

    async def read() -> None:
        async with open_store(filled, SystemClock()) as store:
            await store.reader(RUN).events()

    with pytest.raises(CorruptStore, match=says) as refused:
        asyncio.run(read())
    assert "table 'event'" in refused.value.what
    assert RUN in refused.value.what


def test_an_event_that_is_missing_where_reading_begins_is_noticed(filled: Path) -> None:
    with closing(sqlite3.connect(filled)) as raw, raw:
        raw.execute("DROP TRIGGER event_DELETE_refused")
        raw.execute("DELETE FROM event WHERE seq = 6")

    async def read() -> None:
        async with open_store(filled, SystemClock()) as store:
            assert [event.seq for event in await store.reader(RUN).events(after=6)] == [7, 8, 9, 10, 11, 12]
            await store.reader(RUN).events(after=5)

    with pytest.raises(CorruptStore, match="an event before it is missing"):
        asyncio.run(read())


@pytest.mark.parametrize(
    "change", ["UPDATE event SET body = '{}'", "DELETE FROM event", "UPDATE artifact SET content = 'x'"]
)
def test_the_database_itself_keeps_what_is_append_only(filled: Path, change: str) -> None:
    with closing(sqlite3.connect(filled)) as raw, pytest.raises(sqlite3.IntegrityError, match="leadline: "):
        raw.execute(change)


@pytest.mark.parametrize(
    ("change", "table"),
    [
        pytest.param('UPDATE record SET body = \'{"id":"n-1","text":"y"}\' WHERE key = \'n-1\'', "record", id="body"),
        pytest.param("UPDATE record SET key = 'n-0x' WHERE key = 'n-1'", "record", id="key"),
        pytest.param("UPDATE run SET config = replace(config, 'rules', 'rulez')", "run", id="config"),
        pytest.param("UPDATE run SET state = 'concluded'", "run", id="state"),
    ],
)
def test_a_row_that_was_changed_is_refused_by_table_and_key(filled: Path, note: Any, change: str, table: str) -> None:
    with closing(sqlite3.connect(filled)) as raw, raw:
        raw.execute("DROP TRIGGER run_start_stays")
        raw.execute(change)
    with pytest.raises(CorruptStore, match=f"table '{table}'"):
        asyncio.run(_read(filled, note))


def test_a_record_of_another_version_is_refused_by_its_field(filled: Path, a_run: Callable[..., Run]) -> None:
    class Note(Record):
        record_kind = "note"
        id: str

        @property
        def key(self) -> str:
            return self.id

    async def read() -> None:
        async with open_store(filled, SystemClock()) as store:
            await store.reader(RUN).get(Note, "n-1")

    with pytest.raises(CorruptStore, match="text: Extra inputs are not permitted"):
        asyncio.run(read())
