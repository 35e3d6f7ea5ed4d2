"""A question that nobody answers goes to the next person, as the team file says."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from leadline.contracts.approval import ApprovalRequest
from leadline.contracts.team import HumanPoint
from leadline.runtime.outcome import PersonAnswer, StartRequest
from leadline.runtime.service import open_service
from leadline.runtime.team import load_team
from leadline.runtime.wiring import Parts
from tests.doubles.paper import PaperEvidence
from tests.graph.conftest import parts_of


class Late:
    """The clock of everybody, an hour later when told."""

    def __init__(self) -> None:
        from leadline.adapters.clock import SystemClock

        self._clock, self._ahead = SystemClock(), timedelta()

    def now(self) -> Any:
        return self._clock.now() + self._ahead

    def monotonic(self) -> float:
        return self._clock.monotonic() + self._ahead.total_seconds()

    def shift(self, by: timedelta) -> None:
        self._ahead += by


@pytest.mark.parametrize(("to", "decision"), [("erin", "waits"), ("", "waits"), (None, "cancelled")])
async def test_what_follows_when_nobody_answers(settings: Any, to: str | None, decision: str) -> None:
    point = HumanPoint(name="plan", when="always", timeout_seconds=60.0, on_timeout="cancel")
    if to is not None:
        point = point.model_copy(update={"on_timeout": "escalate", "escalate_to": to})
    team = load_team().model_copy(update={"human_points": (point,)})
    clock, parts = Late(), parts_of(PaperEvidence(), team=team)
    with_clock = Parts(
        open_evidence=parts.open_evidence, make_proposer=parts.make_proposer, load_team=parts.load_team, clock=clock
    )
    async with open_service(settings, with_clock) as service:
        first = await service.start(StartRequest(bundle=Path("paper")))
        clock.shift(timedelta(hours=1))
        again = await service.resume(first.run.run_id)
        reader = service.store.reader(first.run.run_id)
        request = (await reader.all(ApprovalRequest))[0]
        asked = [e for e in await reader.events() if e.kind == "approval.asked"]
        if decision == "cancelled":
            assert again.run.state == "cancelled"
            return
        assert again.exit_code == 5
        done = await service.resume(first.run.run_id, PersonAnswer(None, "approved"))
    assert done.exit_code == 0
    if to:
        assert [e.by for e in asked] == ["present_plan", "policy:timeout"]
        assert "erin is asked" in asked[1].reason
        assert request.on_ignore == "the run keeps waiting for erin"
    else:
        assert len(asked) == 1
