"""One run's records, written under a lease."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence

from pydantic import JsonValue
from sqlalchemy import bindparam, select, update
from sqlalchemy.dialects.sqlite import insert

from ...contracts.approval import ApprovalDecision
from ...contracts.base import RunId, digest_of
from ...contracts.event import Event
from ...contracts.evidence import ArtifactRef
from ...contracts.ports import Writes
from ...contracts.run import RunLease
from .database import Database, Transaction
from .fence import Head, check_lease
from .reader import SqlReader
from .refusals import decided_already
from .rows import body_of, check_seal, dump_update, load_update, record_row, seal
from .statements import Statement
from .tables import artifact, event, record, run, step
from .watching import Watcher, Watchers

_new_record = insert(record)
_PUT_RECORD = Statement(
    _new_record.on_conflict_do_update(
        index_elements=[record.c.run_id, record.c.kind, record.c.key],
        set_={"body": _new_record.excluded.body, "digest": _new_record.excluded.digest},
        where=record.c.digest != _new_record.excluded.digest,
    ),
    *("run_id", "kind", "key", "body", "digest"),
)
_new_step = insert(step)
_PUT_STEP = Statement(
    _new_step.on_conflict_do_update(
        index_elements=[step.c.run_id, step.c.step],
        set_={"body": _new_step.excluded.body, "digest": _new_step.excluded.digest},
    ),
    *("run_id", "step", "body", "digest"),
)
_OF_RUN_STEP = (step.c.run_id == bindparam("run_id"), step.c.step == bindparam("step"))
_GET_STEP = Statement(select(step.c.body, step.c.digest).where(*_OF_RUN_STEP))
_KNOWN_EVENT = Statement(
    select(event.c.seq).where(event.c.run_id == bindparam("run_id"), event.c.event_id == bindparam("event_id"))
)
_PUT_EVENT = Statement(insert(event), "run_id", "seq", "event_id", "body", "prev_digest", "digest")
_MOVE_HEAD = Statement(
    update(run)
    .where(run.c.run_id == bindparam("of"))
    .values(event_seq=bindparam("seq"), event_digest=bindparam("digest"))
)
_PUT_ARTIFACT = Statement(insert(artifact).on_conflict_do_nothing(), *("run_id", "digest", "media_type", "content"))


class SqlLedger(SqlReader):
    """Implements `Ledger`."""

    def __init__(self, database: Database, lease: RunLease) -> None:
        super().__init__(database, lease.run_id)
        self._lease = lease
        self._watchers = Watchers()

    @property
    def lease(self) -> RunLease:
        return self._lease

    def subscribe(self, watcher: Watcher) -> Callable[[], None]:
        """Call it with every event that is new, once it is committed, in order; returns how to stop that."""
        return self._watchers.add(watcher)

    async def commit(self, writes: Writes, *, step: str = "", update: Mapping[str, JsonValue] | None = None) -> None:
        """A step that is committed again replaces what was remembered of it, as its records do."""
        records = [record_row(self._run_id, item) for item in writes.records]
        remembered = self._step_row(step, update or {}) if step else None

        def change(transaction: Transaction) -> Sequence[Event]:
            head = check_lease(transaction, self._lease)
            _put_records(transaction, records)
            if remembered is not None:
                transaction.run(_PUT_STEP, remembered)
            return _append(transaction, self._run_id, head, writes.events)

        await self._database.write(change, then=self._watchers.tell)

    async def recall(self, step: str) -> dict[str, JsonValue] | None:
        params = {"run_id": self._run_id, "step": step}
        row = await self._database.read(lambda transaction: transaction.one(_GET_STEP, params))
        if row is None:
            return None
        check_seal(row.digest, "step", f"{self._run_id} {step}", self._run_id, step, row.body)
        return load_update(row.body, f"{self._run_id} {step}")

    async def save_artifact(self, content: bytes, media_type: str) -> ArtifactRef:
        ref = ArtifactRef(digest=digest_of(content), media_type=media_type, size=len(content))
        row = {"run_id": self._run_id, "digest": ref.digest, "media_type": media_type, "content": content}

        def change(transaction: Transaction) -> None:
            check_lease(transaction, self._lease)
            transaction.run(_PUT_ARTIFACT, row)

        await self._database.write(change)
        return ref

    def _step_row(self, name: str, update: Mapping[str, JsonValue]) -> dict[str, str]:
        body = dump_update(update)
        return {"run_id": self._run_id, "step": name, "body": body, "digest": seal(self._run_id, name, body)}


def _put_records(transaction: Transaction, rows: list[dict[str, str]]) -> None:
    try:
        transaction.run_all(_PUT_RECORD, rows)
    except sqlite3.IntegrityError as error:
        decided = next((row["key"] for row in rows if row["kind"] == ApprovalDecision.record_kind), None)
        if decided is None:
            raise
        raise decided_already(decided) from error


def _append(transaction: Transaction, run_id: RunId, head: Head, events: Sequence[Event]) -> list[Event]:
    """Those that are new."""
    new: list[Event] = []
    for item in events:
        if transaction.one(_KNOWN_EVENT, {"run_id": run_id, "event_id": item.event_id}) is None:
            stored = item.model_copy(update={"seq": head.seq + 1})
            row = _event_row(run_id, stored, head.digest)
            transaction.run(_PUT_EVENT, row)
            head = Head(stored.seq, str(row["digest"]))
            new.append(stored)
    if new:
        transaction.run(_MOVE_HEAD, {"of": run_id, "seq": head.seq, "digest": head.digest})
    return new


def _event_row(run_id: RunId, stored: Event, previous: str) -> dict[str, str | int]:
    body = body_of(stored)
    return {
        "run_id": run_id,
        "seq": stored.seq,
        "event_id": stored.event_id,
        "body": body,
        "prev_digest": previous,
        "digest": seal(previous, run_id, stored.seq, stored.event_id, body),
    }
