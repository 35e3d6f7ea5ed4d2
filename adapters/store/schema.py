"""A file is there, is ours and has today's schema; otherwise it is made so, or refused."""

import fcntl
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from ...contracts.errors import StoreError
from .faults import translated
from .tables import HEAD, REVISIONS

_ONE_UPGRADE = threading.Lock()
"""Alembic keeps its context in globals of the process."""


def ensure_schema(path: Path, busy_seconds: float) -> None:
    """An up-to-date file costs one query; any other is brought up to date under a lock on its folder."""
    with translated(path):
        if path.is_file() and _revision(path, busy_seconds) == HEAD:
            return
        with _ONE_UPGRADE, _folder_lock(path):
            if _revision(path, busy_seconds) != HEAD:
                _upgrade(path, busy_seconds)


def _revision(path: Path, busy_seconds: float) -> str | None:
    """None for an empty file; refuse a newer schema and a database of another program."""
    with closing(sqlite3.connect(path, timeout=busy_seconds)) as raw:
        tables = {name for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not tables:
            return None
        if "alembic_version" not in tables:
            raise StoreError(
                f"the database {str(path)!r} was not made by leadline",
                why=f"it holds {', '.join(sorted(tables)[:3])}",
                hint="name another file with --database",
            )
        found = [str(revision) for (revision,) in raw.execute("SELECT version_num FROM alembic_version")]
    if found and found[-1] not in REVISIONS:
        raise StoreError(
            f"the database {str(path)!r} was written by a newer leadline",
            why=f"its schema is {found[-1]!r}, this version knows {HEAD!r} at most",
            hint="upgrade leadline, or name another file with --database",
        )
    return found[-1] if found else None


@contextmanager
def _folder_lock(path: Path) -> Iterator[None]:
    """One process at a time creates or upgrades; the kernel frees the lock of a killed one."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        yield
    finally:
        os.close(folder)


def _upgrade(path: Path, busy_seconds: float) -> None:
    from alembic import command  # noqa: PLC0415  0.4 s to import, needed once in the life of a file
    from alembic.config import Config  # noqa: PLC0415
    from sqlalchemy import create_engine  # noqa: PLC0415
    from sqlalchemy.pool import NullPool  # noqa: PLC0415

    with closing(sqlite3.connect(path, timeout=busy_seconds)) as raw:
        raw.execute("PRAGMA journal_mode = WAL")
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    engine = create_engine("sqlite://", creator=lambda: sqlite3.connect(path, timeout=busy_seconds), poolclass=NullPool)
    with engine.connect() as connection, connection.begin():
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
