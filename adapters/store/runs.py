"""All runs of one database."""

import sqlite3
from typing import Any

from sqlalchemy import bindparam, func, insert, select, update

from ...contracts.approval import ApprovalDecision, ApprovalRequest
from ...contracts.base import RunId
from ...contracts.lifecycle import RunState
from ...contracts.ports import Clock
from ...contracts.run import Run, RunConfig, RunLease
from . import leases
from .approvals import decide
from .database import Database, Transaction
from .faults import damaged
from .fence import check_lease
from .ledger import SqlLedger
from .processes import process_token
from .reader import SqlReader
from .refusals import run_exists, unknown_run
from .rows import body_of, check_seal, corrupt, from_micros, read_body, seal, to_micros
from .statements import Statement, database_now
from .tables import run

_AMBIGUOUS = 5
"""So many ids are named where a beginning fits several."""

_COLUMNS = [column.key for column in run.columns if column.key != "lease_until"]
_CREATE = Statement(insert(run).values(lease_until=database_now() + bindparam("ttl")), *_COLUMNS)
_EXACT = Statement(select(run).where(run.c.run_id == bindparam("wanted")))
_PREFIXED = Statement(
    select(run)
    .where(func.substr(run.c.run_id, 1, func.length(bindparam("wanted"))) == bindparam("wanted"))
    .order_by(run.c.run_id)
    .limit(_AMBIGUOUS)
)
_NEWEST = Statement(
    select(run)
    .where(run.c.evaluation == bindparam("evaluation"))
    .order_by(run.c.created_at.desc(), run.c.run_id.desc())
    .limit(bindparam("most"))
)
_SET_STATE = Statement(
    update(run)
    .where(run.c.run_id == bindparam("of"))
    .values(
        state=bindparam("to"), reason=bindparam("because"), updated_at=bindparam("at"), state_digest=bindparam("seal")
    )
)
_INTEGRITY = "PRAGMA integrity_check(1)"


class SqlRunStore:
    """Implements `RunStore`; `open_store` makes one."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self.database = database
        self._clock = clock
        self._checked = False

    async def create(self, run: Run, holder: str, ttl_seconds: float) -> RunLease:
        lease = RunLease(run_id=run.run_id, epoch=1, holder=holder)
        row = _row_of(run) | {
            "epoch": lease.epoch,
            "holder": holder,
            "holder_process": process_token(holder),
            "ttl": int(ttl_seconds * leases.MICROS),
        }

        def change(transaction: Transaction) -> None:
            try:
                transaction.run(_CREATE, row)
            except sqlite3.IntegrityError as error:
                raise run_exists(run) from error

        await self.database.write(change)
        return lease

    async def run(self, run_id: RunId) -> Run:
        def query(transaction: Transaction) -> list[Any]:
            wanted = {"wanted": run_id}
            return transaction.all(_EXACT, wanted) or transaction.all(_PREFIXED, wanted)

        found = await self.database.read(query) if run_id else []
        if len(found) != 1:
            raise unknown_run(run_id, tuple(row.run_id for row in found))
        return _run_of(found[0])

    async def runs(self, *, limit: int = 50, evaluation: bool = False) -> tuple[Run, ...]:
        """The newest first; those of evaluations, or those of people."""
        rows = await self.database.read(
            lambda transaction: transaction.all(_NEWEST, {"evaluation": evaluation, "most": limit})
        )
        return tuple(_run_of(row) for row in rows)

    async def take(self, run_id: RunId, holder: str, ttl_seconds: float) -> RunLease:
        if not self._checked:
            await self.check()
            self._checked = True
        return await self.database.write(lambda transaction: leases.take(transaction, run_id, holder, ttl_seconds))

    async def check(self) -> None:
        """Raise `CorruptStore` where an index and its table disagree: a lookup would then miss what is there.

        Done before the first run is taken; about a second for each gigabyte.
        """
        found = await self.database.read(lambda transaction: transaction.plain(_INTEGRITY))
        if found != [("ok",)]:
            raise damaged(self.database.path, str(found[0][0]))

    async def renew(self, lease: RunLease, ttl_seconds: float) -> None:
        await self.database.write(lambda transaction: leases.renew(transaction, lease, ttl_seconds))

    async def release(self, lease: RunLease) -> None:
        await self.database.write(lambda transaction: leases.release(transaction, lease))

    async def set_state(self, lease: RunLease, state: RunState, reason: str = "") -> None:
        at = to_micros(self._clock.now())
        row = {"of": lease.run_id, "to": state, "because": reason, "at": at}
        row["seal"] = seal(lease.run_id, state, reason, at)

        def change(transaction: Transaction) -> None:
            check_lease(transaction, lease)
            transaction.run(_SET_STATE, row)

        await self.database.write(change)

    def ledger(self, lease: RunLease) -> SqlLedger:
        return SqlLedger(self.database, lease)

    def reader(self, run_id: RunId) -> SqlReader:
        return SqlReader(self.database, run_id)

    async def decide(self, request: ApprovalRequest, decision: ApprovalDecision) -> None:
        await self.database.write(lambda transaction: decide(transaction, request, decision))

    async def close(self) -> None:
        await self.database.close()


def _row_of(run: Run) -> dict[str, object]:
    config, created_at, updated_at = body_of(run.config), to_micros(run.created_at), to_micros(run.updated_at)
    evaluation = run.config.evaluation
    return {
        "run_id": run.run_id,
        "config": config,
        "parent": run.parent,
        "evaluation": evaluation,
        "created_at": created_at,
        "start_digest": seal(run.run_id, config, run.parent, evaluation, created_at),
        "state": run.state,
        "reason": run.reason,
        "updated_at": updated_at,
        "state_digest": seal(run.run_id, run.state, run.reason, updated_at),
        "event_seq": 0,
        "event_digest": "",
    }


def _run_of(row: Any) -> Run:
    run_id = str(row.run_id)
    check_seal(row.start_digest, "run", run_id, run_id, row.config, row.parent, bool(row.evaluation), row.created_at)
    check_seal(row.state_digest, "run", run_id, run_id, row.state, row.reason, row.updated_at)
    try:
        return Run(
            run_id=RunId(run_id),
            config=read_body(RunConfig, row.config, "run", run_id),
            state=row.state,
            reason=row.reason,
            parent=row.parent,
            created_at=from_micros(row.created_at),
            updated_at=from_micros(row.updated_at),
            epoch=row.epoch,
            holder=row.holder,
            lease_until=None if row.lease_until is None else from_micros(row.lease_until),
        )
    except (ValueError, TypeError, OverflowError) as error:
        raise corrupt("run", run_id, str(error).splitlines()[0]) from error
