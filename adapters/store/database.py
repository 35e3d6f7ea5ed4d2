"""One SQLite file, reached through two threads: one that writes, one that reads.

A transaction is one function that runs in its thread from begin to commit: one hop from the event loop, however many
statements it holds.
"""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal, TypeVar

from .faults import translated
from .statements import Params, Statement

T = TypeVar("T")
Synchronous = Literal["NORMAL", "FULL"]
"""NORMAL survives a killed process and may lose the last commits with the power; FULL waits for the disk each time."""


class Transaction:
    """What a transaction's function works with; it lives in the thread of its connection."""

    def __init__(self, raw: sqlite3.Connection) -> None:
        self._raw = raw

    def one(self, statement: Statement, params: Params) -> Any:
        """The first row, as a tuple with the columns' names, or None."""
        row = self._raw.execute(statement.text, statement.bind(params)).fetchone()
        return None if row is None else statement.row._make(row)

    def all(self, statement: Statement, params: Params) -> list[Any]:
        rows = self._raw.execute(statement.text, statement.bind(params)).fetchall()
        return [statement.row._make(row) for row in rows]

    def run(self, statement: Statement, params: Params) -> int:
        """How many rows it changed."""
        return self._raw.execute(statement.text, statement.bind(params)).rowcount

    def run_all(self, statement: Statement, rows: Iterable[Params]) -> None:
        self._raw.executemany(statement.text, statement.bind_all(rows))

    def plain(self, text: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """For pragmas, and for the conditions that LangGraph words itself."""
        return self._raw.execute(text, values).fetchall()


class _Worker:
    """One thread that owns one connection."""

    def __init__(self, connect: Callable[[], sqlite3.Connection], begin: str, name: str) -> None:
        self._connect = connect
        self._begin = begin
        self._raw: sqlite3.Connection | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"leadline-{name}")

    def submit(self, work: Callable[[Transaction], T]) -> "asyncio.Future[T]":
        return asyncio.get_running_loop().run_in_executor(self._thread, self._transact, work)

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self._disconnect)
        self._thread.shutdown()

    def _transact(self, work: Callable[[Transaction], T]) -> T:
        if self._raw is None:
            self._raw = self._connect()
        raw = self._raw
        raw.execute(self._begin)
        try:
            result = work(Transaction(raw))
            raw.execute("COMMIT")
        except BaseException:
            if raw.in_transaction:  # a full disk has rolled it back already
                raw.execute("ROLLBACK")
            raise
        return result

    def _disconnect(self) -> None:
        if self._raw is not None:
            self._raw.close()


class Database:
    """A file that is there and up to date; `open_store` sees to that."""

    def __init__(self, path: Path, *, synchronous: Synchronous = "NORMAL", busy_seconds: float = 30.0) -> None:
        self.path = path
        self._synchronous = synchronous
        self._busy_seconds = busy_seconds
        self._writer = _Worker(self._connect, "BEGIN IMMEDIATE", "write")
        self._reader = _Worker(self._connect, "BEGIN DEFERRED", "read")
        self._closed = False

    async def read(self, query: Callable[[Transaction], T]) -> T:
        """Run it on one snapshot, beside any writer."""
        return await self._guarded(self._reader.submit(query))

    async def write(self, change: Callable[[Transaction], T], then: Callable[[T], None] | None = None) -> T:
        """Run it in one transaction, and `then` once it is committed. A caller that is cancelled stops neither."""
        future = self._writer.submit(change)
        if then is not None:
            notify = then
            future.add_done_callback(
                lambda done: None if done.cancelled() or done.exception() else notify(done.result())
            )
        return await self._guarded(asyncio.shield(future))

    async def close(self) -> None:
        """After what is under way has ended; a second time does nothing."""
        if not self._closed:
            self._closed = True
            await self._writer.close()
            await self._reader.close()

    async def _guarded(self, running: Awaitable[T]) -> T:
        with translated(self.path):
            return await running

    def _connect(self) -> sqlite3.Connection:
        raw = sqlite3.connect(self.path, timeout=self._busy_seconds, isolation_level=None)
        for pragma in (
            f"busy_timeout = {int(self._busy_seconds * 1000)}",
            "journal_mode = WAL",
            f"synchronous = {self._synchronous}",
            "foreign_keys = ON",
            "trusted_schema = OFF",
        ):
            raw.execute(f"PRAGMA {pragma}")
        return raw
