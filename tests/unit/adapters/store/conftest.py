"""A store in a folder of its own, and what its tests fill it with."""

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar

import pytest

from leadline.adapters.clock import SystemClock
from leadline.adapters.store import SqlRunStore, open_store
from leadline.contracts.base import Digest, Record, RunId
from leadline.contracts.event import Event
from leadline.contracts.run import Run, RunConfig
from leadline.contracts.team import AgentSpec, TeamSpec

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


class Note(Record):
    record_kind: ClassVar[str] = "note"

    id: str
    text: str = ""

    @property
    def key(self) -> str:
        return self.id


def _run(run_id: str = "run-1") -> Run:
    lead = AgentSpec(id="lead", description="answers for it", capabilities=("lead",))
    config = RunConfig(
        bundle_path="/b", bundle_digest=Digest("0" * 64), incident_id="inc-1", title="errors", graph_version="star@1",
        structure_hash=Digest("1" * 64), prompt_hashes={}, model="rules", model_reason="asked for", user="ada",
        team=TeamSpec(name="t", version="1", root_owner=lead.id, agents=(lead,)),
    )  # fmt: skip
    return Run(run_id=RunId(run_id), config=config, created_at=NOW, updated_at=NOW)


def _event(event_id: str) -> Event:
    return Event(event_id=event_id, kind="transition", subject=f"of {event_id}", at=NOW)


@pytest.fixture
def note() -> type[Note]:
    return Note


@pytest.fixture
def an_event() -> Callable[[str], Event]:
    return _event


@pytest.fixture
def a_run() -> Callable[..., Run]:
    return _run


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "leadline.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqlRunStore]:
    async with open_store(path, SystemClock(), busy_seconds=0.3) as opened:
        yield opened
