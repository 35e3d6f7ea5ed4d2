"""One SQLite file, reached through two threads: one that writes, one that reads.

A transaction is one function that runs in its thread from begin to commit: one hop from the event loop, however many
statements it holds. (SQLAlchemy's asyncio layer hops once for every statement.)
"""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal, TypeVar

from sqlalchemy import BigInteger, Connection, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.pool import NullPool
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from .faults import translated

T = TypeVar("T")
Synchronous = Literal["NORMAL", "FULL"]
"""NORMAL survives a killed process and may lose the last commits with the power; FULL waits for the disk each time."""


class database_now(FunctionElement[int]):  # noqa: N801  named as an SQL function
    """The database's own clock in microseconds: the one clock that all holders of a lease share."""

    type = BigInteger()
    inherit_cache = True


@compiles(database_now, "sqlite")
def _sqlite_now(_element: database_now, _compiler: SQLCompiler, **_: object) -> str:
    return "CAST(ROUND((julianday('now') - 2440587.5) * 86400000000.0) AS INTEGER)"


@compiles(database_now, "postgresql")
def _postgres_now(_element: database_now, _compiler: SQLCompiler, **_: object) -> str:
    return "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)"


def prepare(raw: sqlite3.Connection, synchronous: Synchronous, busy_seconds: float) -> None:
    """What every connection to the file is set to, the checkpointer's too."""
    for pragma in (
        f"busy_timeout = {int(busy_seconds * 1000)}",
        "journal_mode = WAL",
        f"synchronous = {synchronous}",
        "foreign_keys = ON",
        "trusted_schema = OFF",
    ):
        raw.execute(f"PRAGMA {pragma}")


class _Worker:
    """One thread that owns one connection."""

    def __init__(self, connect: Callable[[], Connection], name: str) -> None:
        self._connect = connect
        self._connection: Connection | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"leadline-{name}")

    def submit(self, work: Callable[[Connection], T]) -> "asyncio.Future[T]":
        def transaction() -> T:
            if self._connection is None:
                self._connection = self._connect()
            with self._connection.begin():
                return work(self._connection)

        return asyncio.get_running_loop().run_in_executor(self._thread, transaction)

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self._disconnect)
        self._thread.shutdown()

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()


class Database:
    """A file that is there and up to date; `open_store` sees to that."""

    def __init__(self, path: Path, *, synchronous: Synchronous = "NORMAL", busy_seconds: float = 30.0) -> None:
        self.path = path
        self.synchronous = synchronous
        self.busy_seconds = busy_seconds
        self._writer = _Worker(lambda: self._connect("IMMEDIATE"), "write")
        self._reader = _Worker(lambda: self._connect("DEFERRED"), "read")

    async def read(self, query: Callable[[Connection], T]) -> T:
        """Run it on one snapshot, beside any writer."""
        return await self._guarded(self._reader.submit(query))

    async def write(self, change: Callable[[Connection], T], then: Callable[[T], None] | None = None) -> T:
        """Run it in one transaction, and `then` once it is committed. A caller that is cancelled stops neither."""
        future = self._writer.submit(change)
        if then is not None:
            notify = then
            future.add_done_callback(
                lambda done: None if done.cancelled() or done.exception() else notify(done.result())
            )
        return await self._guarded(asyncio.shield(future))

    async def close(self) -> None:
        await self._writer.close()
        await self._reader.close()

    async def _guarded(self, running: Awaitable[T]) -> T:
        with translated(self.path):
            return await running

    def _connect(self, begin: str) -> Connection:
        engine = create_engine("sqlite://", creator=self._raw, poolclass=NullPool)

        @event.listens_for(engine, "begin")
        def _begin(connection: Connection) -> None:
            connection.exec_driver_sql(f"BEGIN {begin}")

        return engine.connect()

    def _raw(self) -> DBAPIConnection:
        raw = sqlite3.connect(self.path, timeout=self.busy_seconds, isolation_level=None)
        prepare(raw, self.synchronous, self.busy_seconds)
        return raw  # type: ignore[return-value]  # sqlite3's own class fits the protocol but for its stubs
