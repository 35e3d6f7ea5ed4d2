"""One answer to a question, however many give one."""

from sqlalchemy import select
from sqlalchemy.dialects.sqlite import insert

from ...contracts.approval import ApprovalDecision, ApprovalRequest
from .database import Transaction
from .reader import find_record
from .refusals import check_answer
from .rows import from_micros, record_row
from .statements import Statement, database_now
from .tables import record

_DECIDE = Statement(insert(record), "run_id", "kind", "key", "body", "digest")
_NOW = Statement(select(database_now().label("now")))


def decide(transaction: Transaction, request: ApprovalRequest, decision: ApprovalDecision) -> None:
    """Compare and set: the transaction holds the database's write lock from its first statement."""
    now = from_micros(transaction.one(_NOW, {}).now)
    stored = find_record(transaction, request.run_id, ApprovalRequest, request.approval_id)
    earlier = find_record(transaction, request.run_id, ApprovalDecision, request.approval_id)
    check_answer(request, stored, earlier, decision, now)
    transaction.run(_DECIDE, record_row(request.run_id, decision))
