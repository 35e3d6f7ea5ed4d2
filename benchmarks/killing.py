"""A process that dies at a chosen write: every commit to SQLite, whoever makes it, is counted and may be the last.

Checkpoints, ledger and leases all go through `sqlite3.connect`. It is replaced here, in a process made to be killed,
and nowhere else.
"""

import os
import signal
import sqlite3
import sqlite3.dbapi2
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

Moment = Literal["before", "after"]


class Fatal:
    """Counts commits over all connections of this process; kills it at the given one."""

    def __init__(self, at: int, moment: Moment) -> None:
        self.at, self.moment, self.count = at, moment, 0

    def around(self, commit: Callable[[], None]) -> None:
        self.count += 1
        if self.count == self.at and self.moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        commit()
        if self.count == self.at and self.moment == "after":
            os.kill(os.getpid(), signal.SIGKILL)


class Watched(sqlite3.Connection):
    """Counts the end of transactions that write, whether the driver or a statement ends them."""

    fatal: Fatal
    _writes = False

    def execute(self, sql: str, parameters: Any = ()) -> sqlite3.Cursor:
        if sql.startswith("BEGIN"):
            self._writes = "IMMEDIATE" in sql
        if sql == "COMMIT" and self._writes:
            done: list[sqlite3.Cursor] = []
            self.fatal.around(lambda: done.append(super(Watched, self).execute(sql)))
            return done[0]
        return super().execute(sql, parameters)

    def commit(self) -> None:
        if self.in_transaction:
            self.fatal.around(super().commit)
        else:
            super().commit()


def watch(fatal: Fatal) -> None:
    """From now on, each connection that this process opens counts its commits."""
    Watched.fatal = fatal
    watched = partial(sqlite3.dbapi2.connect, factory=Watched)
    sqlite3.connect = sqlite3.dbapi2.connect = watched  # type: ignore[assignment]
