"""Who wants to hear of events as they are stored."""

import asyncio
from collections.abc import Callable, Sequence

from ...contracts.event import Event

Watcher = Callable[[Event], None]


class Watchers:
    """Each is called from the event loop, in order; what one raises goes to the loop's handler and harms nobody."""

    def __init__(self) -> None:
        self._watchers: list[Watcher] = []

    def add(self, watcher: Watcher) -> Callable[[], None]:
        """Returns how to stop it."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher)

    def tell(self, events: Sequence[Event]) -> None:
        loop = asyncio.get_running_loop()
        for event in events:
            for watcher in self._watchers:
                loop.call_soon(watcher, event)
