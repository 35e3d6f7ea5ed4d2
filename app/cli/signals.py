"""Work that a signal ends in good order: what was done is kept, leases are let go, and the exit code says why."""

import asyncio
import os
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

from .exit_codes import SIGNAL_BASE
from .interrupted import Interrupted

T = TypeVar("T")
_HEEDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Run `work`; raise `Interrupted` where a signal cancelled it. A second signal ends the process at once."""
    return asyncio.run(_heeding(work))


async def _heeding(work: Coroutine[Any, Any, T]) -> T:
    loop, task, seen = asyncio.get_running_loop(), asyncio.ensure_future(work), list[int]()

    def stop(number: int) -> None:
        if seen:
            os._exit(SIGNAL_BASE + number)
        seen.append(number)
        task.cancel()

    for number in _HEEDED:
        loop.add_signal_handler(number, stop, number)
    try:
        return await task
    except asyncio.CancelledError:
        if seen:
            raise Interrupted(seen[0]) from None
        raise
    finally:
        for number in _HEEDED:
            loop.remove_signal_handler(number)
