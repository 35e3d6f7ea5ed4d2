"""Hooks on changes of state: told after the commit, harmless when they fail."""

import logging
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from leadline.contracts.event import Event
from leadline.runtime.hooks import GROUP, NamedHook, loaded
from leadline.runtime.outcome import StartRequest
from leadline.runtime.service import open_service
from leadline.runtime.settings import load_settings
from leadline.runtime.wiring import Parts
from tests.doubles.paper import PaperEvidence
from tests.graph.conftest import parts_of


def fail(_event: Event) -> None:
    raise RuntimeError("the pager is down")


def point(name: str, value: str) -> EntryPoint:
    return EntryPoint(name=name, value=value, group=GROUP)


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    return load_settings(database=tmp_path / "runs.db", model="rules", user="ada")


def with_hooks(*hooks: Any) -> Parts:
    parts = parts_of(PaperEvidence())
    return Parts(open_evidence=parts.open_evidence, make_proposer=parts.make_proposer, hooks=lambda: hooks)


async def test_a_hook_hears_every_change_of_state_in_order(settings: Any) -> None:
    told: list[Event] = []
    async with open_service(settings, with_hooks(NamedHook("ear", told.append))) as service:
        outcome = await service.start(StartRequest(bundle=Path("paper")))
        events = await service.store.reader(outcome.run.run_id).events()
    assert [e.seq for e in told] == [e.seq for e in events if e.kind == "transition"]
    assert {"accepted", "merged", "resolved"} <= {e.to_state for e in told}


async def test_a_hook_that_fails_is_logged_and_stops_nothing(settings: Any, caplog: pytest.LogCaptureFixture) -> None:
    told: list[Event] = []
    hooks = (NamedHook("pager", fail), NamedHook("ear", told.append))
    with caplog.at_level(logging.ERROR, logger="leadline.hooks"):
        async with open_service(settings, with_hooks(*hooks)) as service:
            outcome = await service.start(StartRequest(bundle=Path("paper")))
    assert outcome.exit_code == 0
    assert told
    assert any("'pager' failed" in r.getMessage() for r in caplog.records)


def test_hooks_are_found_by_their_entry_points(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, logger="leadline.hooks"):
        hooks = loaded(
            [
                point("b", "os:path"),
                point("a", "json:dumps"),
                point("c", "no_such_package:x"),
                point("d", "json:nothing"),
            ]
        )
    assert [hook.name for hook in hooks if isinstance(hook, NamedHook)] == ["a"]
    told = " ".join(r.getMessage() for r in caplog.records)
    assert "'b' of os:path is no function" in told
    assert "'c' of no_such_package:x cannot be loaded" in told
