"""LangGraph's checkpoints of one run: fenced by its lease, ordered by its own sequence, sealed.

The stock saver picks the newest checkpoint by ids made from the wall clock, lets any process write, and makes a hop to
its thread for every statement. This one writes the same tables in one hop a call.
"""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_checkpoint_metadata,
    writes_sort_key,
)
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.checkpoint.sqlite.utils import search_where

from ...contracts.run import RunLease
from .database import Database, prepare
from .faults import translated
from .refusals import lease_lost
from .rows import check_seal, corrupt, seal
from .serde import StrictSerializer

T = TypeVar("T")

_LOST = "leadline: lease lost"
_FENCE = """
CREATE TEMP TABLE fence (run_id TEXT, epoch INTEGER, holder TEXT);
CREATE TEMP TRIGGER fence_checkpoints BEFORE INSERT ON main.checkpoints WHEN NOT EXISTS (
    SELECT 1 FROM fence JOIN main.run USING (run_id, epoch, holder) WHERE run_id = NEW.thread_id
) BEGIN SELECT RAISE(ABORT, 'leadline: lease lost'); END;
CREATE TEMP TRIGGER fence_writes BEFORE INSERT ON main.writes WHEN NOT EXISTS (
    SELECT 1 FROM fence JOIN main.run USING (run_id, epoch, holder) WHERE run_id = NEW.thread_id
) BEGIN SELECT RAISE(ABORT, 'leadline: lease lost'); END;
CREATE TEMP TRIGGER fence_deletes BEFORE DELETE ON main.checkpoints WHEN NOT EXISTS (
    SELECT 1 FROM fence JOIN main.run USING (run_id, epoch, holder) WHERE run_id = OLD.thread_id
) BEGIN SELECT RAISE(ABORT, 'leadline: lease lost'); END;
"""
_PUT = """
INSERT OR REPLACE INTO checkpoints
    (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata, seal, seq)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8,
    (SELECT COALESCE(MAX(seq), 0) + 1 FROM checkpoints WHERE thread_id = ?1 AND checkpoint_ns = ?2))
"""
_PUT_WRITE = """
INSERT OR {conflict} INTO writes
    (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value, seal)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_COLUMNS = "SELECT thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata, seal"
_LATEST = f"{_COLUMNS} FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ? ORDER BY seq DESC LIMIT 1"
_NAMED = f"{_COLUMNS} FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?"
_WRITES = """
SELECT task_id, task_path, idx, channel, type, value, seal FROM writes
WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?
"""
_Row = tuple[Any, ...]


class FencedSaver(AsyncSqliteSaver):
    """The checkpoints of the run that `lease` names, and of no other."""

    def __init__(self, connection: aiosqlite.Connection, database: Database, lease: RunLease) -> None:
        super().__init__(connection, serde=StrictSerializer())
        self.is_setup = True  # the tables are made by our migrations
        self._database = database
        self._lease = lease

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,  # noqa: ARG002  SQLite keeps a checkpoint whole
    ) -> RunnableConfig:
        kind, content = self.serde.dumps_typed(checkpoint)
        labels = json.dumps(get_checkpoint_metadata(config, metadata), ensure_ascii=False).encode("utf-8", "ignore")
        parent = config["configurable"].get("checkpoint_id")
        row = (*_place(config, checkpoint["id"]), parent, kind, content, labels)
        await self._hop(lambda raw: _in_transaction(raw, _PUT, [(*row, seal(*row))]))
        return _config(*row[:3])

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        special = all(channel in WRITES_IDX_MAP for channel, _ in writes)
        place = _place(config, config["configurable"]["checkpoint_id"])
        rows = []
        for idx, (channel, value) in enumerate(writes):
            row = (
                *place,
                task_id,
                task_path,
                WRITES_IDX_MAP.get(channel, idx),
                channel,
                *self.serde.dumps_typed(value),
            )
            rows.append((*row, seal(*row)))
        statement = _PUT_WRITE.format(conflict="REPLACE" if special else "IGNORE")
        await self._hop(lambda raw: _in_transaction(raw, statement, rows))

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The latest is the one that was written last, whatever the clocks said."""
        wanted = get_checkpoint_id(config)
        place = _place(config, wanted or "")

        def query(raw: sqlite3.Connection) -> tuple[_Row, list[_Row]] | None:
            found = raw.execute(_NAMED, place) if wanted else raw.execute(_LATEST, place[:2])
            row = found.fetchone()
            return None if row is None else (row, raw.execute(_WRITES, row[:3]).fetchall())

        found = await self._hop(query)
        return None if found is None else self._tuple(*found)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: Mapping[str, Any] | None = None,  # noqa: A002  LangGraph's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Newest first, by sequence. Nothing is locked while the caller goes through them."""
        where, given = search_where(config, dict(filter or {}))
        params = list(given)
        if before is not None:
            where += " AND " if where else "WHERE "
            where += "seq < (SELECT MAX(seq) FROM checkpoints WHERE checkpoint_id = ?)"
            params.append(get_checkpoint_id(before))
        statement = f"{_COLUMNS} FROM checkpoints {where} ORDER BY seq DESC LIMIT ?"
        params.append(-1 if limit is None else limit)

        def query(raw: sqlite3.Connection) -> list[tuple[_Row, list[_Row]]]:
            rows = raw.execute(statement, params).fetchall()
            return [(row, raw.execute(_WRITES, row[:3]).fetchall()) for row in rows]

        for row, writes in await self._hop(query):
            yield self._tuple(row, writes)

    async def _hop(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """One trip to the connection's thread; a caller that is cancelled does not undo it."""
        raw = self.conn._conn  # noqa: SLF001  aiosqlite has no public way to run several statements in one hop
        running: Awaitable[T] = self.conn._execute(work, raw)  # type: ignore[no-untyped-call]  # noqa: SLF001
        with translated(self._database.path):
            try:
                return await asyncio.shield(running)
            except sqlite3.IntegrityError as error:
                if _LOST in str(error):
                    raise lease_lost(self._lease) from error
                raise

    def _tuple(self, row: _Row, writes: list[_Row]) -> CheckpointTuple:
        thread_id, namespace, checkpoint_id, parent, kind, content, labels, stored = row
        check_seal(stored, "checkpoints", f"{thread_id} {checkpoint_id}", *row[:-1])
        return CheckpointTuple(
            config=_config(thread_id, namespace, checkpoint_id),
            checkpoint=self.serde.loads_typed((kind, content)),
            metadata=_labels(labels, f"{thread_id} {checkpoint_id}"),
            parent_config=_config(thread_id, namespace, parent) if parent else None,
            pending_writes=[self._write(row[:3], write) for write in sorted(writes, key=_write_order)],
        )

    def _write(self, place: _Row, write: _Row) -> tuple[str, str, Any]:
        task_id, _, idx, channel, kind, value, stored = write
        check_seal(stored, "writes", f"{place[0]} {place[2]} {task_id} {idx}", *place, *write[:-1])
        return task_id, channel, self.serde.loads_typed((kind, value))


@asynccontextmanager
async def open_checkpointer(database: Database, lease: RunLease) -> AsyncIterator[FencedSaver]:
    """A saver on a connection of its own; every write of it is refused once the lease has moved on."""
    with translated(database.path):
        connection = await aiosqlite.connect(database.path, timeout=database.busy_seconds, isolation_level=None)
    try:
        saver = FencedSaver(connection, database, lease)
        await saver._hop(lambda raw: _arm(raw, database, lease))  # noqa: SLF001  of this file
        yield saver
    finally:
        await connection.close()


def _arm(raw: sqlite3.Connection, database: Database, lease: RunLease) -> None:
    prepare(raw, database.synchronous, database.busy_seconds)
    raw.executescript(_FENCE)
    raw.execute("INSERT INTO fence VALUES (?, ?, ?)", (lease.run_id, lease.epoch, lease.holder))


def _in_transaction(raw: sqlite3.Connection, statement: str, rows: list[_Row]) -> None:
    raw.execute("BEGIN IMMEDIATE")
    try:
        raw.executemany(statement, rows)
        raw.execute("COMMIT")
    except sqlite3.Error:
        if raw.in_transaction:
            raw.execute("ROLLBACK")
        raise


def _place(config: RunnableConfig, checkpoint_id: str) -> tuple[str, str, str]:
    of = config["configurable"]
    return str(of["thread_id"]), str(of.get("checkpoint_ns", "")), checkpoint_id


def _config(thread_id: str, namespace: str, checkpoint_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": namespace, "checkpoint_id": checkpoint_id}}


def _labels(raw: bytes | None, key: str) -> CheckpointMetadata:
    try:
        found: CheckpointMetadata = json.loads(raw or b"{}")
    except ValueError as error:
        raise corrupt("checkpoints", key, str(error)) from error
    return found


def _write_order(write: _Row) -> Any:
    task_id, task_path, idx, *_ = write
    return writes_sort_key(task_path, task_id, idx)
