"""Taking, keeping and giving back a run; all by the database's clock."""

from sqlalchemy import Connection, bindparam, select, update

from ...contracts.base import RunId
from ...contracts.run import RunLease
from .database import database_now
from .processes import is_dead, process_token
from .refusals import lease_lost, run_held, unknown_run
from .rows import from_micros
from .tables import run

MICROS = 1_000_000

_STATE = select(
    run.c.epoch, run.c.holder, run.c.holder_process, run.c.lease_until, database_now().label("now")
).where(run.c.run_id == bindparam("run_id")).with_for_update()  # fmt: skip
_GRANT = update(run).where(run.c.run_id == bindparam("of"), run.c.epoch == bindparam("old")).values(
    epoch=bindparam("new"),
    holder=bindparam("by"),
    holder_process=bindparam("process"),
    lease_until=database_now() + bindparam("ttl"),
)  # fmt: skip
_MINE = (
    run.c.run_id == bindparam("of"),
    run.c.epoch == bindparam("held_epoch"),
    run.c.holder == bindparam("by"),
)
_RENEW = update(run).where(*_MINE).values(lease_until=database_now() + bindparam("ttl"))
_RELEASE = update(run).where(*_MINE).values(holder="", holder_process="", lease_until=None)


def take(connection: Connection, run_id: RunId, holder: str, ttl_seconds: float) -> RunLease:
    """At once from a holder that let go, expired or is certainly dead; otherwise raise `RunHeld`."""
    found = connection.execute(_STATE, {"run_id": run_id}).one_or_none()
    if found is None:
        raise unknown_run(run_id)
    if found.holder and found.lease_until > found.now and not is_dead(found.holder, found.holder_process):
        raise run_held(run_id, found.holder, from_micros(found.lease_until))
    lease = RunLease(run_id=run_id, epoch=found.epoch + 1, holder=holder)
    connection.execute(
        _GRANT,
        {
            "of": run_id,
            "old": found.epoch,
            "new": lease.epoch,
            "by": holder,
            "process": process_token(holder),
            "ttl": int(ttl_seconds * MICROS),
        },
    )
    return lease


def renew(connection: Connection, lease: RunLease, ttl_seconds: float) -> None:
    kept = connection.execute(_RENEW, {**_mine(lease), "ttl": int(ttl_seconds * MICROS)})
    if kept.rowcount != 1:
        raise lease_lost(lease)


def release(connection: Connection, lease: RunLease) -> None:
    """A lease that was lost already has nothing to give back."""
    connection.execute(_RELEASE, _mine(lease))


def _mine(lease: RunLease) -> dict[str, str | int]:
    return {"of": lease.run_id, "held_epoch": lease.epoch, "by": lease.holder}
