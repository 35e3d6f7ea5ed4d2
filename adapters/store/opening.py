"""From a path to a store."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from ...contracts.ports import Clock
from .database import Database, Synchronous
from .runs import SqlRunStore
from .schema import ensure_schema


@asynccontextmanager
async def open_store(
    path: Path, clock: Clock, *, synchronous: Synchronous = "NORMAL", busy_seconds: float = 30.0
) -> AsyncIterator[SqlRunStore]:
    """Create or upgrade the file where that is due; raise `StoreError` where it is not ours or cannot be used."""
    await asyncio.to_thread(ensure_schema, path, busy_seconds)
    store = SqlRunStore(Database(path, synchronous=synchronous, busy_seconds=busy_seconds), clock)
    try:
        yield store
    finally:
        await store.close()
