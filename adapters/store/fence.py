"""What stands before every write to a run: it is refused once the lease has moved on."""

from typing import NamedTuple

from sqlalchemy import Connection, bindparam, select

from ...contracts.run import RunLease
from .refusals import lease_lost
from .tables import run


class Head(NamedTuple):
    """The last event of a run."""

    seq: int
    digest: str


_HELD = select(run.c.epoch, run.c.holder, run.c.event_seq, run.c.event_digest).where(
    run.c.run_id == bindparam("run_id")
).with_for_update()  # fmt: skip


def check_lease(connection: Connection, lease: RunLease) -> Head:
    """Inside the transaction that writes, so that nobody can take the run in between."""
    held = connection.execute(_HELD, {"run_id": lease.run_id}).one_or_none()
    if held is None or held.epoch != lease.epoch or held.holder != lease.holder:
        raise lease_lost(lease, "" if held is None else held.holder)
    return Head(held.event_seq, held.event_digest)
