"""Holding a run: the lease is renewed while work goes on, and given back at the end."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from ..contracts.errors import LeaseLost, StoreError
from ..contracts.ports import RunStore
from ..contracts.run import RunLease

SHARE = 3
"""Renewals within one lease's time."""


def holder_name() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


@asynccontextmanager
async def held(store: RunStore, lease: RunLease, ttl_seconds: float) -> AsyncIterator[None]:
    """Renew in the background. A lease that was lost is noticed by the next write, which the store refuses."""
    renewing = asyncio.create_task(_renew(store, lease, ttl_seconds))
    try:
        yield
    finally:
        renewing.cancel()
        with suppress(asyncio.CancelledError):
            await renewing
        with suppress(StoreError, LeaseLost):  # the work is done or its own error is on the way
            await store.release(lease)


async def _renew(store: RunStore, lease: RunLease, ttl_seconds: float) -> None:
    while True:
        await asyncio.sleep(ttl_seconds / SHARE)
        try:
            await store.renew(lease, ttl_seconds)
        except LeaseLost:
            return
        except StoreError:
            continue  # a busy database may answer next time; until then the lease still runs
