"""LangGraph's two tables: their queries, and the seal that binds each row to its place."""

import json
from typing import Any

from langgraph.checkpoint.base import CheckpointMetadata, writes_sort_key
from sqlalchemy import Insert, Table, bindparam, func, select
from sqlalchemy.dialects.sqlite import insert

from .database import Transaction
from .rows import check_seal, corrupt, seal
from .statements import Statement
from .tables import checkpoints, writes

_PLACE = (checkpoints.c.thread_id == bindparam("thread_id"), checkpoints.c.checkpoint_ns == bindparam("checkpoint_ns"))
_ANY = Statement(select(checkpoints))
LATEST = Statement(select(checkpoints).where(*_PLACE).order_by(checkpoints.c.seq.desc()).limit(1))
NAMED = Statement(select(checkpoints).where(*_PLACE, checkpoints.c.checkpoint_id == bindparam("checkpoint_id")))
_LAST_SEQ = Statement(select(func.max(checkpoints.c.seq).label("seq")).where(*_PLACE))
_WRITES = Statement(
    select(writes).where(
        writes.c.thread_id == bindparam("thread_id"),
        writes.c.checkpoint_ns == bindparam("checkpoint_ns"),
        writes.c.checkpoint_id == bindparam("checkpoint_id"),
    )
)


def _replacing(table: Table) -> Insert:
    new = insert(table)
    rest = {column.name: new.excluded[column.name] for column in table.columns if not column.primary_key}
    return new.on_conflict_do_update(index_elements=list(table.primary_key.columns), set_=rest)


_PUT = Statement(_replacing(checkpoints), *checkpoints.columns.keys())
_KEEP_WRITE = Statement(insert(writes).on_conflict_do_nothing(), *writes.columns.keys())
_REPLACE_WRITE = Statement(_replacing(writes), *writes.columns.keys())


def put_checkpoint(transaction: Transaction, row: dict[str, Any]) -> None:
    """As the latest of its namespace."""
    last = transaction.one(_LAST_SEQ, row).seq
    transaction.run(_PUT, _sealed(checkpoints, row | {"seq": (last or 0) + 1}))


def put_writes(transaction: Transaction, rows: list[dict[str, Any]], *, replace: bool) -> None:
    transaction.run_all(_REPLACE_WRITE if replace else _KEEP_WRITE, [_sealed(writes, row) for row in rows])


def writes_of(transaction: Transaction, checkpoint: Any) -> list[Any]:
    """In the order in which a run applies them."""
    found = transaction.all(_WRITES, checkpoint._asdict())
    for row in found:
        check_seal(row.seal, "writes", f"{row.thread_id} {row.checkpoint_id} {row.task_id} {row.idx}", *row[:-1])
    return sorted(found, key=lambda row: writes_sort_key(row.task_path, row.task_id, row.idx))


def check_checkpoint(row: Any) -> None:
    check_seal(row.seal, "checkpoints", f"{row.thread_id} {row.checkpoint_id}", *row[:-1])


def metadata_of(row: Any) -> CheckpointMetadata:
    try:
        found: CheckpointMetadata = json.loads(row.metadata or b"{}")
    except ValueError as error:
        raise corrupt("checkpoints", f"{row.thread_id} {row.checkpoint_id}", str(error)) from error
    return found


def listed(transaction: Transaction, where: str, values: list[Any], limit: int | None) -> list[Any]:
    """Newest first by sequence; `where` is worded by LangGraph, its values are bound."""
    found = transaction.plain(
        f"{_ANY.text} {where} ORDER BY seq DESC LIMIT ?", (*values, -1 if limit is None else limit)
    )
    return [_ANY.row._make(row) for row in found]


def _sealed(table: Table, row: dict[str, Any]) -> dict[str, Any]:
    content = [row[name] for name in table.columns.keys() if name != "seal"]  # noqa: SIM118  these are no dict's keys
    return row | {"seal": seal(*content)}
