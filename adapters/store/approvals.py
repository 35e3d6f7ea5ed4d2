"""One answer to a question, however many give one."""

from typing import TypeVar

from sqlalchemy import Connection, bindparam, select
from sqlalchemy.dialects.sqlite import insert

from ...contracts.approval import ApprovalDecision, ApprovalRequest
from .database import database_now
from .refusals import check_answer
from .rows import body_of, check_seal, from_micros, read_body, seal
from .tables import record

C = TypeVar("C", ApprovalDecision, ApprovalRequest)

_STORED = select(record.c.body, record.c.digest).where(
    record.c.run_id == bindparam("run_id"), record.c.kind == bindparam("kind"), record.c.key == bindparam("key")
)
_DECIDE = insert(record)
_NOW = select(database_now())


def decide(connection: Connection, request: ApprovalRequest, decision: ApprovalDecision) -> None:
    """Compare and set: the transaction holds the database's write lock from its first statement."""
    now = from_micros(connection.execute(_NOW).scalar_one())
    stored = _find(connection, request, ApprovalRequest)
    check_answer(request, stored, _find(connection, request, ApprovalDecision), decision, now)
    kind, key, body = decision.record_kind, decision.key, body_of(decision)
    row = {"run_id": request.run_id, "kind": kind, "key": key, "body": body}
    connection.execute(_DECIDE, {**row, "digest": seal(request.run_id, kind, key, body)})


def _find(connection: Connection, request: ApprovalRequest, kind: type[C]) -> C | None:
    key = request.approval_id
    row = connection.execute(_STORED, {"run_id": request.run_id, "kind": kind.record_kind, "key": key}).one_or_none()
    if row is None:
        return None
    place = f"{request.run_id} {kind.record_kind} {key}"
    check_seal(row.digest, "record", place, request.run_id, kind.record_kind, key, row.body)
    return read_body(kind, row.body, "record", place)
