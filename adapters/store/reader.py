"""One run's records, read back and checked against their digests."""

from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection, bindparam, select

from ...contracts.base import Digest, Record, RunId, digest_of
from ...contracts.event import Event
from .database import Database
from .rows import AnyRow, check_seal, corrupt, read_body
from .tables import artifact, event, record, run

R = TypeVar("R", bound=Record)
T = TypeVar("T")

_GET = select(record.c.key, record.c.body, record.c.digest).where(
    record.c.run_id == bindparam("run_id"), record.c.kind == bindparam("kind"), record.c.key == bindparam("key")
)
_ALL = select(record.c.key, record.c.body, record.c.digest).where(
    record.c.run_id == bindparam("run_id"), record.c.kind == bindparam("kind")
).order_by(record.c.seq)  # fmt: skip
_EVENTS = select(event).where(
    event.c.run_id == bindparam("run_id"), event.c.seq > bindparam("after")
).order_by(event.c.seq)  # fmt: skip
_HEAD = select(run.c.event_seq, run.c.event_digest).where(run.c.run_id == bindparam("run_id"))
_ARTIFACT = select(artifact.c.content).where(
    artifact.c.run_id == bindparam("run_id"), artifact.c.digest == bindparam("digest")
)


class SqlReader:
    """Implements `LedgerReader`."""

    def __init__(self, database: Database, run_id: RunId) -> None:
        self._database = database
        self._run_id = run_id

    async def get(self, kind: type[R], key: str) -> R | None:
        row = await self._query(
            lambda connection: connection.execute(
                _GET, {"run_id": self._run_id, "kind": kind.record_kind, "key": key}
            ).one_or_none()
        )
        return None if row is None else self._record(kind, row)

    async def all(self, kind: type[R]) -> tuple[R, ...]:
        rows = await self._query(
            lambda connection: connection.execute(_ALL, {"run_id": self._run_id, "kind": kind.record_kind}).all()
        )
        return tuple(self._record(kind, row) for row in rows)

    async def events(self, after: int = 0, limit: int | None = None) -> tuple[Event, ...]:
        """The chain of digests is followed; to the run's last event where no limit is given."""

        def query(connection: Connection) -> tuple[list[AnyRow], AnyRow | None]:
            head = connection.execute(_HEAD, {"run_id": self._run_id}).one_or_none()
            wanted = _EVENTS if limit is None else _EVENTS.limit(limit)
            return list(connection.execute(wanted, {"run_id": self._run_id, "after": after})), head

        rows, head = await self._query(query)
        events = self._follow(rows, after)
        if limit is None and head is not None and after < head.event_seq:
            last = (rows[-1].seq, rows[-1].digest) if rows else (after, "")
            if last != (head.event_seq, head.event_digest):
                raise corrupt("event", f"{self._run_id} {head.event_seq}", "the last events are missing")
        return events

    async def artifact(self, ref: Digest) -> bytes | None:
        content = await self._query(
            lambda connection: connection.scalar(_ARTIFACT, {"run_id": self._run_id, "digest": ref})
        )
        if content is not None and digest_of(bytes(content)) != ref:
            raise corrupt("artifact", ref, "its digest does not fit its content")
        return content

    async def _query(self, query: Callable[[Connection], T]) -> T:
        return await self._database.read(query)

    def _record(self, kind: type[R], row: AnyRow) -> R:
        place = f"{self._run_id} {kind.record_kind} {row.key}"
        check_seal(row.digest, "record", place, self._run_id, kind.record_kind, row.key, row.body)
        found = read_body(kind, row.body, "record", place)
        if found.key != row.key:
            raise corrupt("record", place, f"its body is that of {found.key!r}")
        return found

    def _follow(self, rows: list[AnyRow], after: int) -> tuple[Event, ...]:
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
