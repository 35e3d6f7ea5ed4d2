"""What stands before every write to a run: it is refused once the lease has moved on."""

from typing import NamedTuple

from sqlalchemy import bindparam, select

from ...contracts.run import RunLease
from .database import Transaction
from .refusals import lease_lost
from .statements import Statement
from .tables import run

_HELD = Statement(
    select(run.c.epoch, run.c.holder, run.c.event_seq, run.c.event_digest)
    .where(run.c.run_id == bindparam("run_id"))
    .with_for_update()
)


class Head(NamedTuple):
    """The last event of a run."""

    seq: int
    digest: str


def check_lease(transaction: Transaction, lease: RunLease) -> Head:
    """Inside the transaction that writes, so that nobody can take the run in between."""
    held = transaction.one(_HELD, {"run_id": lease.run_id})
    if held is None or held.epoch != lease.epoch or held.holder != lease.holder:
        raise lease_lost(lease, "" if held is None else held.holder)
    return Head(held.event_seq, held.event_digest)
