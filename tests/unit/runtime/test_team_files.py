"""The shipped team and the examples load and work; a fault in a team file is told with its line."""

from pathlib import Path
from typing import Any

import pytest

from leadline.contracts.errors import TeamError
from leadline.contracts.team import ASKS
from leadline.graph.versions import VERSIONS
from leadline.runtime.outcome import PersonAnswer, StartRequest
from leadline.runtime.service import open_service
from leadline.runtime.settings import load_settings
from leadline.runtime.team import load_team
from leadline.runtime.wiring import Parts
from tests.doubles.paper import PaperEvidence
from tests.graph.conftest import parts_of

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "examples" / "teams").glob("*.yaml"))


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    return load_settings(database=tmp_path / "runs.db", model="rules", user="ada")


def test_there_are_two_examples() -> None:
    assert [path.stem for path in EXAMPLES] == ["careful", "small"]


@pytest.mark.parametrize("graph", VERSIONS)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
async def test_an_example_investigates_on_every_version(settings: Any, path: Path, graph: str) -> None:
    team = load_team(path)
    parts = parts_of(PaperEvidence())
    with_team = Parts(
        open_evidence=parts.open_evidence, make_proposer=parts.make_proposer, load_team=lambda _path: team
    )
    async with open_service(settings, with_team) as service:
        outcome = await service.start(StartRequest(bundle=Path("paper"), graph=graph))
        asked = []
        while outcome.waiting is not None:
            asked.append(outcome.waiting.point)
            outcome = await service.resume(outcome.run.run_id, PersonAnswer(None, "approved"))
    expected = {"small": [], "careful": ["assignment", "report"]}[path.stem]
    assert asked == expected
    if graph == "single@1":
        return  # one agent alone can do all of it in neither
    assert outcome.exit_code == 0
    assert [c.ref for c in outcome.report.causes] == ["c1", "c2"]


def test_the_careful_one_uses_what_it_is_there_to_show() -> None:
    team = load_team(EXAMPLES[0])
    assert "messages" in team.asks
    assert set(team.asks) <= set(ASKS)
    assert len(team.redundant_when) == 4
    assert team.point("report").escalate_to == "incident-commander"
    assert {a.fuse.contract_failures for a in team.agents if a.accepts_delegation} == {2}


def broken(tmp_path: Path, old: str, new: str) -> Path:
    text = EXAMPLES[0].read_text("utf-8")
    assert old in text
    path = tmp_path / "team.yaml"
    path.write_text(text.replace(old, new, 1), "utf-8")
    return path


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("most_expiries: 2", "most_expiries: none", "most_expiries"),
        ("timeout_seconds: 900", "timeout_seconds: -1", "human_points.1.timeout_seconds"),
        ("on_timeout: cancel", "on_timeout: shrug", "human_points.1.on_timeout"),
        ("id: metrics_b", "id: metrics_a", "two agents are called 'metrics_a'"),
        ("root_owner: lead", "root_owner: boss", "root_owner 'boss' is no agent"),
        ("person_assigns: [analyze_changes]", "person_assign: [analyze_changes]", "person_assign"),
        ("confidence_threshold: 0.5", "confidence_threshold: 5", "confidence_threshold"),
        ("slow_seconds: 20", "slow_seconds: 0", "agents.2.fuse.slow_seconds"),
        ("redundant_when: [risk_high", "redundant_when: [risky", "redundant_when.0"),
        ("person_assigns: [analyze_changes]", "person_assigns: [analyze_tea]", "nobody has capability 'analyze_tea'"),
        (
            "600, on_timeout: escalate, escalate_to: incident-commander}\n  - {name: assignment",
            "600, on_timeout: escalate}\n  - {name: assignment",
            "escalates to nobody",
        ),
    ],
)
def test_a_fault_is_told_with_its_line(tmp_path: Path, old: str, new: str, says: str) -> None:
    path = broken(tmp_path, old, new)
    line = path.read_text("utf-8").rpartition(new)[0].count("\n") + 1
    with pytest.raises(TeamError) as told:
        load_team(path)
    assert says in str(told.value)
    assert f"line {line}" in str(told.value)
