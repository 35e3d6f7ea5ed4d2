"""LangGraph's checkpoints of one run: fenced by its lease, ordered by its own sequence, sealed.

The stock saver takes the newest checkpoint by ids made from the wall clock, lets any process write, and waits for its
own lock beside every other writer of the file. This one keeps the same tables through the store's one writer.
"""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_checkpoint_metadata,
    writes_sort_key,
)
from langgraph.checkpoint.sqlite.utils import search_where
from sqlalchemy import Connection

from ...contracts.errors import LeaseLost
from ...contracts.run import RunLease
from .database import Database
from .fence import check_lease
from .rows import AnyRow, check_seal, corrupt, seal
from .serde import StrictSerializer

_NEXT_SEQ = "SELECT COALESCE(MAX(seq), 0) + 1 FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ?"
_PUT = """
INSERT OR REPLACE INTO checkpoints
    (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata, seq, seal)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_WRITE = """
INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value, seal)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_KEEP_WRITE = f"INSERT OR IGNORE {_INSERT_WRITE}"
_REPLACE_WRITE = f"INSERT OR REPLACE {_INSERT_WRITE}"
_COLUMNS = "SELECT thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata, seq, seal"
_LATEST = f"{_COLUMNS} FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ? ORDER BY seq DESC LIMIT 1"
_NAMED = f"{_COLUMNS} FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?"
_WRITES = """
SELECT task_id, task_path, idx, channel, type, value, seal FROM writes
WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?
"""


class FencedSaver(BaseCheckpointSaver[int]):
    """Writes the checkpoints of the run that `lease` names, and of no other."""

    def __init__(self, database: Database, lease: RunLease) -> None:
        super().__init__(serde=StrictSerializer())
        self._database = database
        self._lease = lease

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,  # noqa: ARG002  a checkpoint is kept whole
    ) -> RunnableConfig:
        kind, content = self.serde.dumps_typed(checkpoint)
        labels = json.dumps(get_checkpoint_metadata(config, metadata), ensure_ascii=False).encode("utf-8", "ignore")
        parent = config["configurable"].get("checkpoint_id")
        row = (*_place(config, checkpoint["id"]), parent, kind, content, labels)

        def change(connection: Connection) -> None:
            self._check(connection, row[0])
            placed = (*row, connection.exec_driver_sql(_NEXT_SEQ, row[:2]).scalar_one())
            connection.exec_driver_sql(_PUT, (*placed, seal(*placed)))

        await self._database.write(change)
        return _config(*row[:3])

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        place = _place(config, config["configurable"]["checkpoint_id"])
        rows = []
        for at, (channel, value) in enumerate(writes):
            idx = WRITES_IDX_MAP.get(channel, at)
            row = (*place, task_id, task_path, idx, channel, *self.serde.dumps_typed(value))
            rows.append((*row, seal(*row)))
        special = all(channel in WRITES_IDX_MAP for channel, _ in writes)

        def change(connection: Connection) -> None:
            self._check(connection, place[0])
            if rows:
                connection.exec_driver_sql(_REPLACE_WRITE if special else _KEEP_WRITE, rows)

        await self._database.write(change)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The latest is the one that was written last, whatever the clocks said."""
        wanted = get_checkpoint_id(config)
        place = _place(config, wanted or "")

        def query(connection: Connection) -> tuple[AnyRow, Sequence[AnyRow]] | None:
            found = connection.exec_driver_sql(_NAMED, place) if wanted else None
            row = (found or connection.exec_driver_sql(_LATEST, place[:2])).one_or_none()
            return None if row is None else (row, _writes_of(connection, row))

        found = await self._database.read(query)
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
        params = [*given]
        if before is not None:
            where += " AND " if where else "WHERE "
            where += "seq < (SELECT MAX(seq) FROM checkpoints WHERE checkpoint_id = ?)"
            params.append(get_checkpoint_id(before))
        statement = f"{_COLUMNS} FROM checkpoints {where} ORDER BY seq DESC LIMIT ?"
        params.append(-1 if limit is None else limit)

        def query(connection: Connection) -> list[tuple[AnyRow, Sequence[AnyRow]]]:
            rows = connection.exec_driver_sql(statement, tuple(params)).all()
            return [(row, _writes_of(connection, row)) for row in rows]

        for row, writes in await self._database.read(query):
            yield self._tuple(row, writes)

    def _check(self, connection: Connection, thread_id: str) -> None:
        if thread_id != self._lease.run_id:
            raise LeaseLost(f"run {thread_id!r} is not held by {self._lease.holder!r}", why="its lease is of another")
        check_lease(connection, self._lease)

    def _tuple(self, row: AnyRow, writes: Sequence[AnyRow]) -> CheckpointTuple:
        thread_id, namespace, checkpoint_id, parent, kind, content, labels, _, stored = row
        place = f"{thread_id} {checkpoint_id}"
        check_seal(stored, "checkpoints", place, *row[:-1])
        for write in writes:
            check_seal(write[-1], "writes", f"{place} {write[0]} {write[2]}", *row[:3], *write[:-1])
        return CheckpointTuple(
            config=_config(thread_id, namespace, checkpoint_id),
            checkpoint=self.serde.loads_typed((kind, content)),
            metadata=_metadata(labels, place),
            parent_config=_config(thread_id, namespace, parent) if parent else None,
            pending_writes=[self._pending(write) for write in sorted(writes, key=_write_order)],
        )

    def _pending(self, write: AnyRow) -> tuple[str, str, Any]:
        task_id, _, _, channel, kind, value, _ = write
        return task_id, channel, self.serde.loads_typed((kind, value))


@asynccontextmanager
async def open_checkpointer(database: Database, lease: RunLease) -> AsyncIterator[FencedSaver]:
    """Every write of it is refused, in the transaction that would make it, once the lease has moved on."""
    yield FencedSaver(database, lease)


def _writes_of(connection: Connection, row: AnyRow) -> Sequence[AnyRow]:
    return connection.exec_driver_sql(_WRITES, tuple(row[:3])).all()


def _place(config: RunnableConfig, checkpoint_id: str) -> tuple[str, str, str]:
    of = config["configurable"]
    return str(of["thread_id"]), str(of.get("checkpoint_ns", "")), checkpoint_id


def _config(thread_id: str, namespace: str, checkpoint_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": namespace, "checkpoint_id": checkpoint_id}}


def _metadata(raw: bytes | None, key: str) -> CheckpointMetadata:
    try:
        found: CheckpointMetadata = json.loads(raw or b"{}")
    except ValueError as error:
        raise corrupt("checkpoints", key, str(error)) from error
    return found


def _write_order(write: AnyRow) -> tuple[str, str, int]:
    task_id, task_path, idx = write[:3]
    return writes_sort_key(task_path, task_id, idx)
