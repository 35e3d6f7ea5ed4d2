"""What a database error means to the person who meets it."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sqlalchemy.exc import DBAPIError

from ...contracts.errors import CorruptStore, StoreError


class _Meaning(NamedTuple):
    why: str
    hint: str
    kind: type[StoreError] = StoreError


_RESTORE = "move the file away, or name another with --database"
_PERMISSIONS = "check the permissions of the file and of its folder, or name another with --database"
_MEANINGS = {
    "SQLITE_BUSY": _Meaning("another process keeps it locked", "wait for that process to end, then try again"),
    "SQLITE_LOCKED": _Meaning("another process keeps it locked", "wait for that process to end, then try again"),
    "SQLITE_FULL": _Meaning("the disk is full", "free some space, then `leadline resume` the run"),
    "SQLITE_READONLY": _Meaning("it is read-only", _PERMISSIONS),
    "SQLITE_CANTOPEN": _Meaning("it cannot be opened", _PERMISSIONS),
    "SQLITE_PERM": _Meaning("access to it is denied", _PERMISSIONS),
    "SQLITE_NOTADB": _Meaning("it is not a database", _RESTORE, CorruptStore),
    "SQLITE_CORRUPT": _Meaning("it is damaged", _RESTORE, CorruptStore),
    "SQLITE_IOERR": _Meaning("the disk reports an error", "check the disk and its free space"),
    "SQLITE_TOOBIG": _Meaning("a record is too large for it", "ask for less at once"),
}


def store_error(path: Path, fault: sqlite3.Error) -> StoreError:
    """The error of our own tree, with the file's path, the reason and the next step."""
    name = getattr(fault, "sqlite_errorname", "") or ""
    primary = "_".join(name.split("_")[:2])
    meaning = _MEANINGS.get(primary)
    if meaning is None and not name and isinstance(fault, sqlite3.OperationalError):
        meaning = _Meaning(str(fault), _RESTORE, CorruptStore)  # the driver's own: a text that is no UTF-8
    if meaning is None:
        return StoreError(f"the database {str(path)!r} cannot be used", why=str(fault), hint="see `leadline doctor`")
    return meaning.kind(f"the database {str(path)!r} cannot be used", why=meaning.why, hint=meaning.hint)


def damaged(path: Path, why: str) -> CorruptStore:
    return CorruptStore(f"the database {str(path)!r} is damaged", why=why, hint=_RESTORE)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn the errors of the driver, wrapped by SQLAlchemy or bare, and of the file system into `StoreError`s."""
    try:
        yield
    except DBAPIError as error:
        fault = error.orig if isinstance(error.orig, sqlite3.Error) else sqlite3.DatabaseError(str(error.orig))
        raise store_error(path, fault) from error
    except sqlite3.Error as error:
        raise store_error(path, error) from error
    except UnicodeDecodeError as error:  # SQLite quotes the damaged text in its own message
        raise damaged(path, str(error)) from error
    except OSError as error:
        why = error.strerror or str(error)
        raise StoreError(f"the database {str(path)!r} cannot be opened", why=why, hint=_PERMISSIONS) from error
