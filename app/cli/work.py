"""How commands reach the store and the run service."""

import warnings
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from ...adapters.clock import SystemClock
from ...adapters.store import SqlRunStore, open_store
from ...runtime.settings import Settings, seal_process
from .session import Session
from .signals import run_async

if TYPE_CHECKING:
    from ...runtime.service import RunService

T = TypeVar("T")


def read(session: Session, work: Callable[[SqlRunStore], Awaitable[T]]) -> T:
    """For commands that only look: the store without the graph library."""
    settings = session.settings()

    async def reading() -> T:
        async with open_store(settings.database, SystemClock(), synchronous=settings.synchronous) as store:
            return await work(store)

    return run_async(reading())


def serve(settings: Settings, work: Callable[["RunService"], Awaitable[T]]) -> T:
    seal_process()
    from ...runtime.service import open_service  # noqa: PLC0415 it loads LangGraph, which the seal must precede

    async def serving() -> T:
        async with open_service(settings) as service:
            return await work(service)

    with warnings.catch_warnings():
        # a cancelled graph drops the tasks that it had not begun, which Python warns of
        warnings.filterwarnings("ignore", "coroutine '.*' was never awaited", RuntimeWarning)
        return run_async(serving())
