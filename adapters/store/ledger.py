"""One run's records, written under a lease."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from pydantic import JsonValue
from sqlalchemy import Connection, bindparam, select, update
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import IntegrityError

from ...contracts.approval import ApprovalDecision
from ...contracts.base import Digest, Record, digest_of
from ...contracts.event import Event
from ...contracts.evidence import ArtifactRef
from ...contracts.ports import Writes
from ...contracts.run import RunLease
from .database import Database
from .fence import Head, check_lease
from .reader import SqlReader
from .refusals import decided_already
from .rows import body_of, check_seal, dump_update, load_update, seal
from .tables import artifact, event, record, run, step

Watcher = Callable[[Event], None]

_new_record = insert(record)
_PUT_RECORD = _new_record.on_conflict_do_update(
    index_elements=[record.c.run_id, record.c.kind, record.c.key],
    set_={"body": _new_record.excluded.body, "digest": _new_record.excluded.digest},
    where=record.c.digest != _new_record.excluded.digest,
)
_new_step = insert(step)
_PUT_STEP = _new_step.on_conflict_do_update(
    index_elements=[step.c.run_id, step.c.step],
    set_={"body": _new_step.excluded.body, "digest": _new_step.excluded.digest},
)
_GET_STEP = select(step.c.body, step.c.digest).where(
    step.c.run_id == bindparam("run_id"), step.c.step == bindparam("step")
)
_KNOWN_EVENTS = select(event.c.event_id).where(
    event.c.run_id == bindparam("run_id"), event.c.event_id.in_(bindparam("ids", expanding=True))
)
_PUT_EVENT = insert(event)
_MOVE_HEAD = update(run).where(run.c.run_id == bindparam("held")).values(
    event_seq=bindparam("seq"), event_digest=bindparam("digest")
)  # fmt: skip
_PUT_ARTIFACT = insert(artifact).on_conflict_do_nothing()


class _Step(NamedTuple):
    name: str
    body: str


class SqlLedger(SqlReader):
    """Implements `Ledger`."""

    def __init__(self, database: Database, lease: RunLease) -> None:
        super().__init__(database, lease.run_id)
        self._lease = lease
        self._watchers: list[Watcher] = []

    @property
    def lease(self) -> RunLease:
        return self._lease

    def subscribe(self, watcher: Watcher) -> Callable[[], None]:
        """Call it with every event that is new, once it is committed, in order; returns how to stop that."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher)

    async def commit(self, writes: Writes, *, step: str = "", update: Mapping[str, JsonValue] | None = None) -> None:
        """A step that is committed again replaces what was remembered of it, as its records do."""
        rows = [self._record_row(item) for item in writes.records]
        remembered = _Step(step, dump_update(dict(update or {}))) if step else None

        def change(connection: Connection) -> tuple[Event, ...]:
            head = check_lease(connection, self._lease)
            if rows:
                self._put_records(connection, rows)
            if remembered is not None:
                self._put_step(connection, remembered)
            return self._append(connection, head, writes.events) if writes.events else ()

        await self._database.write(change, then=self._notify)

    async def recall(self, step: str) -> dict[str, JsonValue] | None:
        row = await self._query(
            lambda connection: connection.execute(_GET_STEP, {"run_id": self._run_id, "step": step}).one_or_none()
        )
        if row is None:
            return None
        check_seal(row.digest, "step", f"{self._run_id} {step}", self._run_id, step, row.body)
        return load_update(row.body, f"{self._run_id} {step}")

    async def save_artifact(self, content: bytes, media_type: str) -> ArtifactRef:
        ref = ArtifactRef(digest=digest_of(content), media_type=media_type, size=len(content))
        row = {"run_id": self._run_id, "digest": ref.digest, "media_type": media_type, "content": content}

        def change(connection: Connection) -> None:
            check_lease(connection, self._lease)
            connection.execute(_PUT_ARTIFACT, row)

        await self._database.write(change)
        return ref

    def _notify(self, events: Sequence[Event]) -> None:
        for stored in events:
            for watcher in tuple(self._watchers):
                watcher(stored)

    def _record_row(self, item: Record) -> dict[str, str]:
        kind, key, body = item.record_kind, item.key, body_of(item)
        digest = seal(self._run_id, kind, key, body)
        return {"run_id": self._run_id, "kind": kind, "key": key, "body": body, "digest": digest}

    def _put_records(self, connection: Connection, rows: list[dict[str, str]]) -> None:
        try:
            connection.execute(_PUT_RECORD, rows)
        except IntegrityError as error:
            decided = next((row["key"] for row in rows if row["kind"] == ApprovalDecision.record_kind), None)
            if decided is None:
                raise
            raise decided_already(decided) from error

    def _put_step(self, connection: Connection, remembered: _Step) -> None:
        digest = seal(self._run_id, remembered.name, remembered.body)
        connection.execute(
            _PUT_STEP, {"run_id": self._run_id, "step": remembered.name, "body": remembered.body, "digest": digest}
        )

    def _append(self, connection: Connection, head: Head, events: Sequence[Event]) -> tuple[Event, ...]:
        ids = [item.event_id for item in events]
        known = set(connection.scalars(_KNOWN_EVENTS, {"run_id": self._run_id, "ids": ids}))
        new: list[Event] = []
        rows: list[dict[str, str | int]] = []
        for item in events:
            if item.event_id in known:
                continue
            known.add(item.event_id)
            stored = item.model_copy(update={"seq": head.seq + 1})
            row = self._event_row(stored, head.digest)
            head = Head(stored.seq, str(row["digest"]))
            new.append(stored)
            rows.append(row)
        if rows:
            connection.execute(_PUT_EVENT, rows)
            connection.execute(_MOVE_HEAD, {"held": self._run_id, "seq": head.seq, "digest": Digest(head.digest)})
        return tuple(new)

    def _event_row(self, stored: Event, previous: str) -> dict[str, str | int]:
        body = body_of(stored)
        return {
            "run_id": self._run_id,
            "seq": stored.seq,
            "event_id": stored.event_id,
            "body": body,
            "prev_digest": previous,
            "digest": seal(previous, self._run_id, stored.seq, stored.event_id, body),
        }
