"""Four levels of return: raw stays in the bundle, slices are observations, the lead sees findings and decisions."""

from pathlib import Path
from typing import Any

import pytest

from leadline.contracts.message import AgentMessage
from leadline.contracts.ports import Ask
from leadline.contracts.team import ASKS
from leadline.runtime.outcome import StartRequest
from leadline.runtime.service import open_service
from leadline.runtime.team import load_team
from tests.doubles.paper import PaperEvidence
from tests.graph.conftest import parts_of

RAW = "2026-07-01T12:00:00Z till ERROR timeout after 50ms order=8841 stack=at Pool.take(Pool.java:91)"
LEADS = {"decompose", "classify", "arbitrate", "conclude"}
"""Steps that the lead asks a model in; `arbitrate` shows the source of a cause, which must be quoted."""


async def prompts_of(settings: Any, lines: int, graph: str) -> tuple[dict[str, list[str]], tuple[AgentMessage, ...]]:
    """What every step's model was shown, with that many raw lines behind every answer."""
    shown: dict[str, list[str]] = {}

    def script(ask: Ask[Any]) -> Any:
        shown.setdefault(ask.node, []).append("\n".join(ask.prompt.render()))
        return ask.baseline

    paper = PaperEvidence()
    paper.answers = {
        name: answer.model_copy(update={"excerpt": (RAW,) * lines, "rows_read": lines})
        for name, answer in paper.answers.items()
    }
    team = load_team().model_copy(update={"asks": ASKS})
    async with open_service(settings, parts_of(paper, script, team)) as service:
        outcome = await service.start(StartRequest(bundle=Path("paper"), graph=graph))
        return shown, await service.store.reader(outcome.run.run_id).all(AgentMessage)


@pytest.mark.parametrize("graph", ["star@1", "bus@1", "hierarchy@1"])
async def test_no_raw_line_reaches_the_lead_or_a_message(settings: Any, graph: str) -> None:
    shown, messages = await prompts_of(settings, 40, graph)
    assert set(shown) >= LEADS
    for node in LEADS:
        assert all("Pool.java" not in text and "order=8841" not in text for text in shown[node]), node
    assert messages
    assert all("Pool.java" not in m.model_dump_json() for m in messages)


async def test_what_is_shown_and_written_does_not_grow_with_the_bundle(settings: Any) -> None:
    small, few = await prompts_of(settings, 1, "bus@1")
    large, many = await prompts_of(settings, 5000, "bus@1")
    size = {node: sum(map(len, texts)) for node, texts in small.items()}
    assert {node: sum(map(len, texts)) for node, texts in large.items()} == size
    said = [sorted((m.kind, m.content_summary, m.refs) for m in messages) for messages in (few, many)]
    assert len({len(repr(each)) for each in said}) == 1
