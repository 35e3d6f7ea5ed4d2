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
)
from langgraph.checkpoint.sqlite.utils import search_where

from ...contracts.errors import LeaseLost
from ...contracts.run import RunLease
from .checkpoint_rows import LATEST, NAMED, check_checkpoint, listed, metadata_of, put_checkpoint, put_writes, writes_of
from .database import Database, Transaction
from .fence import check_lease
from .serde import StrictSerializer

_Found = tuple[Any, list[Any]]
"""A checkpoint's row and its pending writes'."""


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
        place = _place(config, checkpoint["id"])
        parent = config["configurable"].get("checkpoint_id")
        row = {**place, "parent_checkpoint_id": parent, "type": kind, "checkpoint": content, "metadata": labels}

        def change(transaction: Transaction) -> None:
            self._check(transaction, place["thread_id"])
            put_checkpoint(transaction, row)

        await self._database.write(change)
        return _config(place)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        place = _place(config, config["configurable"]["checkpoint_id"])
        task = {**place, "task_id": task_id, "task_path": task_path}
        rows = []
        for at, (channel, value) in enumerate(writes):
            kind, content = self.serde.dumps_typed(value)
            idx = WRITES_IDX_MAP.get(channel, at)
            rows.append({**task, "idx": idx, "channel": channel, "type": kind, "value": content})
        special = all(channel in WRITES_IDX_MAP for channel, _ in writes)

        def change(transaction: Transaction) -> None:
            self._check(transaction, place["thread_id"])
            put_writes(transaction, rows, replace=special)

        await self._database.write(change)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The latest is the one that was written last, whatever the clocks said."""
        wanted = get_checkpoint_id(config)
        place = _place(config, wanted or "")

        def query(transaction: Transaction) -> _Found | None:
            row = transaction.one(NAMED if wanted else LATEST, place)
            return None if row is None else (row, writes_of(transaction, row))

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
        values = list(given)
        if before is not None:
            where += " AND " if where else "WHERE "
            where += "seq < (SELECT MAX(seq) FROM checkpoints WHERE checkpoint_id = ?)"
            values.append(get_checkpoint_id(before))

        def query(transaction: Transaction) -> list[_Found]:
            return [(row, writes_of(transaction, row)) for row in listed(transaction, where, values, limit)]

        for row, writes in await self._database.read(query):
            yield self._tuple(row, writes)

    def _check(self, transaction: Transaction, thread_id: str) -> None:
        if thread_id != self._lease.run_id:
            raise LeaseLost(f"run {thread_id!r} is not held by {self._lease.holder!r}", why="its lease is of another")
        check_lease(transaction, self._lease)

    def _tuple(self, row: Any, writes: list[Any]) -> CheckpointTuple:
        check_checkpoint(row)
        place = row._asdict()
        parent = row.parent_checkpoint_id
        return CheckpointTuple(
            config=_config(place),
            checkpoint=self.serde.loads_typed((row.type, row.checkpoint)),
            metadata=metadata_of(row),
            parent_config=_config(place | {"checkpoint_id": parent}) if parent else None,
            pending_writes=[
                (write.task_id, write.channel, self.serde.loads_typed((write.type, write.value))) for write in writes
            ],
        )


@asynccontextmanager
async def open_checkpointer(database: Database, lease: RunLease) -> AsyncIterator[FencedSaver]:
    """Every write of it is refused, in the transaction that would make it, once the lease has moved on."""
    yield FencedSaver(database, lease)


def _place(config: RunnableConfig, checkpoint_id: str) -> dict[str, str]:
    of = config["configurable"]
    namespace = str(of.get("checkpoint_ns", ""))
    return {"thread_id": str(of["thread_id"]), "checkpoint_ns": namespace, "checkpoint_id": checkpoint_id}


def _config(place: Mapping[str, Any]) -> RunnableConfig:
    names = ("thread_id", "checkpoint_ns", "checkpoint_id")
    return {"configurable": {name: place[name] for name in names}}
