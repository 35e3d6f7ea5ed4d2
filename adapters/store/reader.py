"""One run's records, read back and checked against their digests."""

from typing import Any, TypeVar

from sqlalchemy import bindparam, select

from ...contracts.base import Digest, Record, RunId, digest_of
from ...contracts.event import Event
from .database import Database, Transaction
from .rows import check_seal, corrupt, read_body
from .statements import Statement
from .tables import artifact, event, record, run

R = TypeVar("R", bound=Record)

_OF_KIND = (record.c.run_id == bindparam("run_id"), record.c.kind == bindparam("kind"))
_RECORDS = select(record.c.key, record.c.body, record.c.digest)
_GET = Statement(_RECORDS.where(*_OF_KIND, record.c.key == bindparam("key")))
_ALL = Statement(_RECORDS.where(*_OF_KIND).order_by(record.c.seq))
_EVENTS = Statement(
    select(event)
    .where(event.c.run_id == bindparam("run_id"), event.c.seq > bindparam("after"))
    .order_by(event.c.seq)
    .limit(bindparam("most"))
)
_HEAD = Statement(select(run.c.event_seq, run.c.event_digest).where(run.c.run_id == bindparam("run_id")))
_ARTIFACT = Statement(
    select(artifact.c.content).where(artifact.c.run_id == bindparam("run_id"), artifact.c.digest == bindparam("digest"))
)
_WITHOUT_LIMIT = 2**62


class SqlReader:
    """Implements `LedgerReader`."""

    def __init__(self, database: Database, run_id: RunId) -> None:
        self._database = database
        self._run_id = run_id

    async def get(self, kind: type[R], key: str) -> R | None:
        return await self._database.read(lambda transaction: find_record(transaction, self._run_id, kind, key))

    async def all(self, kind: type[R]) -> tuple[R, ...]:
        params = {"run_id": self._run_id, "kind": kind.record_kind}
        rows = await self._database.read(lambda transaction: transaction.all(_ALL, params))
        return tuple(_record(self._run_id, kind, row) for row in rows)

    async def events(self, after: int = 0, limit: int | None = None) -> tuple[Event, ...]:
        """The chain of digests is followed; to the run's last event where no limit is given."""
        params = {"run_id": self._run_id, "after": after, "most": _WITHOUT_LIMIT if limit is None else limit}
        rows, head = await self._database.read(
            lambda transaction: (transaction.all(_EVENTS, params), transaction.one(_HEAD, {"run_id": self._run_id}))
        )
        events = self._follow(rows, after)
        if limit is None and head is not None and after < head.event_seq:
            last = (rows[-1].seq, rows[-1].digest) if rows else (after, "")
            if last != tuple(head):
                raise corrupt("event", f"{self._run_id} {head.event_seq}", "the last events are missing")
        return events

    async def artifact(self, ref: Digest) -> bytes | None:
        params = {"run_id": self._run_id, "digest": ref}
        row = await self._database.read(lambda transaction: transaction.one(_ARTIFACT, params))
        if row is None:
            return None
        if not isinstance(row.content, bytes) or digest_of(row.content) != ref:
            raise corrupt("artifact", ref, "its digest does not fit its content")
        return row.content

    def _follow(self, rows: list[Any], after: int) -> tuple[Event, ...]:
        events = []
        previous = "" if after == 0 else None
        for seq, row in enumerate(rows, start=after + 1):
            place = f"{self._run_id} {row.seq}"
            if row.seq != seq or previous not in (None, row.prev_digest):
                raise corrupt("event", place, "an event before it is missing or was changed")
            check_seal(row.digest, "event", place, row.prev_digest, row.run_id, row.seq, row.event_id, row.body)
            events.append(read_body(Event, row.body, "event", place))
            previous = row.digest
        return tuple(events)


def find_record(transaction: Transaction, run_id: RunId, kind: type[R], key: str) -> R | None:
    row = transaction.one(_GET, {"run_id": run_id, "kind": kind.record_kind, "key": key})
    return None if row is None else _record(run_id, kind, row)


def _record(run_id: RunId, kind: type[R], row: Any) -> R:
    place = f"{run_id} {kind.record_kind} {row.key}"
    check_seal(row.digest, "record", place, run_id, kind.record_kind, row.key, row.body)
    found = read_body(kind, row.body, "record", place)
    if found.key != row.key:
        raise corrupt("record", place, f"its body is that of {found.key!r}")
    return found
