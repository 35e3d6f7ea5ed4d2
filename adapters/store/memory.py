"""The store without a file: for the tests of nodes and for evaluations that keep nothing.

It passes the same contract suite as the SQL one, copies through JSON as that does, and lives in one process.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TypeVar

from pydantic import JsonValue

from ...contracts.approval import ApprovalDecision, ApprovalRequest
from ...contracts.base import Digest, Record, RunId, digest_of
from ...contracts.event import Event
from ...contracts.evidence import ArtifactRef
from ...contracts.lifecycle import RunState
from ...contracts.ports import Clock, Writes
from ...contracts.run import Run, RunLease
from .refusals import check_answer, decided_already, lease_lost, run_exists, run_held, unknown_run
from .rows import body_of, dump_update, load_update, read_body
from .watching import Watcher, Watchers

R = TypeVar("R", bound=Record)


@dataclass
class _Kept:
    """All that is kept of one run."""

    run: Run
    records: dict[tuple[str, str], str] = field(default_factory=dict)
    events: list[str] = field(default_factory=list)
    event_ids: set[str] = field(default_factory=set)
    steps: dict[str, str] = field(default_factory=dict)
    artifacts: dict[Digest, bytes] = field(default_factory=dict)

    def find(self, kind: type[R], key: str) -> R | None:
        body = self.records.get((kind.record_kind, key))
        return None if body is None else read_body(kind, body, "record", key)

    def check(self, lease: RunLease) -> None:
        if (self.run.epoch, self.run.holder) != (lease.epoch, lease.holder):
            raise lease_lost(lease, self.run.holder)


class MemoryReader:
    """Implements `LedgerReader`."""

    def __init__(self, kept: _Kept) -> None:
        self._kept = kept

    async def get(self, kind: type[R], key: str) -> R | None:
        return self._kept.find(kind, key)

    async def all(self, kind: type[R]) -> tuple[R, ...]:
        rows = [(key, body) for (of, key), body in self._kept.records.items() if of == kind.record_kind]
        return tuple(read_body(kind, body, "record", key) for key, body in rows)

    async def events(self, after: int = 0, limit: int | None = None) -> tuple[Event, ...]:
        bodies = self._kept.events[after:] if limit is None else self._kept.events[after : after + limit]
        return tuple(read_body(Event, body, "event", str(after)) for body in bodies)

    async def artifact(self, ref: Digest) -> bytes | None:
        return self._kept.artifacts.get(ref)


class MemoryLedger(MemoryReader):
    """Implements `Ledger`."""

    def __init__(self, kept: _Kept, lease: RunLease) -> None:
        super().__init__(kept)
        self._lease = lease
        self._watchers = Watchers()

    @property
    def lease(self) -> RunLease:
        return self._lease

    def subscribe(self, watcher: Watcher) -> Callable[[], None]:
        return self._watchers.add(watcher)

    async def commit(self, writes: Writes, *, step: str = "", update: Mapping[str, JsonValue] | None = None) -> None:
        bodies = {(item.record_kind, item.key): body_of(item) for item in writes.records}
        remembered = dump_update(dict(update or {}))
        self._kept.check(self._lease)
        for (kind, key), body in bodies.items():
            if kind == ApprovalDecision.record_kind and self._kept.records.get((kind, key), body) != body:
                raise decided_already(key)
        self._kept.records.update(bodies)
        if step:
            self._kept.steps[step] = remembered
        self._watchers.tell(self._append(writes.events))
        await asyncio.sleep(0)

    async def recall(self, step: str) -> dict[str, JsonValue] | None:
        body = self._kept.steps.get(step)
        return None if body is None else load_update(body, step)

    async def save_artifact(self, content: bytes, media_type: str) -> ArtifactRef:
        self._kept.check(self._lease)
        ref = ArtifactRef(digest=digest_of(content), media_type=media_type, size=len(content))
        self._kept.artifacts[ref.digest] = content
        return ref

    def _append(self, events: tuple[Event, ...]) -> list[Event]:
        new = []
        for item in events:
            if item.event_id not in self._kept.event_ids:
                stored = item.model_copy(update={"seq": len(self._kept.events) + 1})
                self._kept.event_ids.add(item.event_id)
                self._kept.events.append(body_of(stored))
                new.append(stored)
        return new


class MemoryRunStore:
    """Implements `RunStore`; its clock is the given one, as nobody else shares it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._runs: dict[RunId, _Kept] = {}

    async def create(self, run: Run, holder: str, ttl_seconds: float) -> RunLease:
        if run.run_id in self._runs:
            raise run_exists(run)
        self._runs[run.run_id] = _Kept(run)
        return self._grant(self._runs[run.run_id], 1, holder, ttl_seconds)

    async def run(self, run_id: RunId) -> Run:
        exact = self._runs.get(run_id)
        if exact is not None:
            return exact.run
        found = [kept.run for known, kept in sorted(self._runs.items()) if run_id and known.startswith(run_id)]
        if len(found) != 1:
            raise unknown_run(run_id, tuple(run.run_id for run in found[:5]))
        return found[0]

    async def runs(self, *, limit: int = 50, evaluation: bool = False) -> tuple[Run, ...]:
        found = [kept.run for kept in self._runs.values() if kept.run.config.evaluation == evaluation]
        return tuple(sorted(found, key=lambda run: (run.created_at, run.run_id), reverse=True)[:limit])

    async def take(self, run_id: RunId, holder: str, ttl_seconds: float) -> RunLease:
        kept = self._kept(run_id)
        held = kept.run
        if held.holder and held.lease_until is not None and held.lease_until > self._clock.now():
            raise run_held(run_id, held.holder, held.lease_until)
        return self._grant(kept, held.epoch + 1, holder, ttl_seconds)

    async def renew(self, lease: RunLease, ttl_seconds: float) -> None:
        kept = self._kept(lease.run_id)
        kept.check(lease)
        self._grant(kept, lease.epoch, lease.holder, ttl_seconds)

    async def release(self, lease: RunLease) -> None:
        kept = self._kept(lease.run_id)
        if (kept.run.epoch, kept.run.holder) == (lease.epoch, lease.holder):
            kept.run = kept.run.model_copy(update={"holder": "", "lease_until": None})

    async def set_state(self, lease: RunLease, state: RunState, reason: str = "") -> None:
        kept = self._kept(lease.run_id)
        kept.check(lease)
        kept.run = kept.run.model_copy(update={"state": state, "reason": reason, "updated_at": self._clock.now()})

    def ledger(self, lease: RunLease) -> MemoryLedger:
        return MemoryLedger(self._kept(lease.run_id), lease)

    def reader(self, run_id: RunId) -> MemoryReader:
        return MemoryReader(self._kept(run_id))

    async def decide(self, request: ApprovalRequest, decision: ApprovalDecision) -> None:
        kept = self._kept(request.run_id)
        stored = kept.find(ApprovalRequest, request.approval_id)
        earlier = kept.find(ApprovalDecision, request.approval_id)
        check_answer(request, stored, earlier, decision, self._clock.now())
        kept.records[decision.record_kind, decision.key] = body_of(decision)

    async def close(self) -> None:
        """Nothing is held open."""

    def _kept(self, run_id: RunId) -> _Kept:
        if run_id not in self._runs:
            raise unknown_run(run_id)
        return self._runs[run_id]

    def _grant(self, kept: _Kept, epoch: int, holder: str, ttl_seconds: float) -> RunLease:
        until = self._clock.now() + timedelta(seconds=ttl_seconds)
        kept.run = kept.run.model_copy(update={"epoch": epoch, "holder": holder, "lease_until": until})
        return RunLease(run_id=kept.run.run_id, epoch=epoch, holder=holder)
