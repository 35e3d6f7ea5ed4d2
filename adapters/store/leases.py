"""Taking, keeping and giving back a run; all by the database's clock."""

from sqlalchemy import bindparam, select, update

from ...contracts.base import RunId
from ...contracts.run import RunLease
from .database import Transaction
from .processes import is_dead, process_token
from .refusals import lease_lost, run_held, unknown_run
from .rows import from_micros
from .statements import Statement, database_now
from .tables import run

MICROS = 1_000_000

_STATE = Statement(
    select(run.c.epoch, run.c.holder, run.c.holder_process, run.c.lease_until, database_now().label("now"))
    .where(run.c.run_id == bindparam("run_id"))
    .with_for_update()
)
_UNTIL = database_now() + bindparam("ttl")
_GRANT = Statement(
    update(run)
    .where(run.c.run_id == bindparam("of"))
    .values(epoch=bindparam("new"), holder=bindparam("by"), holder_process=bindparam("process"), lease_until=_UNTIL)
)
_MINE = (run.c.run_id == bindparam("of"), run.c.epoch == bindparam("held"), run.c.holder == bindparam("by"))
_RENEW = Statement(update(run).where(*_MINE).values(lease_until=_UNTIL))
_RELEASE = Statement(update(run).where(*_MINE).values(holder="", holder_process="", lease_until=None))


def take(transaction: Transaction, run_id: RunId, holder: str, ttl_seconds: float) -> RunLease:
    """At once from a holder that let go, expired or is certainly dead; otherwise raise `RunHeld`."""
    found = transaction.one(_STATE, {"run_id": run_id})
    if found is None:
        raise unknown_run(run_id)
    if found.holder and found.lease_until > found.now and not is_dead(found.holder, found.holder_process):
        raise run_held(run_id, found.holder, from_micros(found.lease_until))
    lease = RunLease(run_id=run_id, epoch=found.epoch + 1, holder=holder)
    ttl = int(ttl_seconds * MICROS)
    granted = {"of": run_id, "new": lease.epoch, "by": holder, "process": process_token(holder), "ttl": ttl}
    transaction.run(_GRANT, granted)
    return lease


def renew(transaction: Transaction, lease: RunLease, ttl_seconds: float) -> None:
    if transaction.run(_RENEW, {**_mine(lease), "ttl": int(ttl_seconds * MICROS)}) != 1:
        raise lease_lost(lease)


def release(transaction: Transaction, lease: RunLease) -> None:
    """A lease that was lost already has nothing to give back."""
    transaction.run(_RELEASE, _mine(lease))


def _mine(lease: RunLease) -> dict[str, str | int]:
    return {"of": lease.run_id, "held": lease.epoch, "by": lease.holder}
