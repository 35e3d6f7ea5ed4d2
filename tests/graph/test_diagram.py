"""The diagram is what the graph, the contracts and the team say; whoever changes one changes it."""

import re
from xml.etree import ElementTree as ET

import pytest

from leadline.contracts.errors import UsageError
from leadline.contracts.team import Fuse, HumanPoint, TeamSpec
from leadline.graph.diagram import drawn, html, mermaid, svg
from leadline.graph.drawing.layout import lay_out
from leadline.graph.drawing.picture import BUNDLE
from leadline.graph.interfaces import POINTS, passage
from leadline.graph.versions import VERSIONS, compile_version
from leadline.runtime.team import load_team

SVG = "{http://www.w3.org/2000/svg}"
versions = pytest.mark.parametrize("name", VERSIONS)


@pytest.fixture(scope="module")
def team() -> TeamSpec:
    return load_team()


@versions
def test_steps_and_arrows_are_those_of_the_compiled_graph(name: str, team: TeamSpec) -> None:
    shown, real = drawn(name, team), compile_version(name, None).get_graph(xray=True)
    assert {b.name for b in shown.boxes} - {BUNDLE} == {str(n) for n in real.nodes}
    arrows = {(a.source, a.target) for a in shown.arrows if a.source != BUNDLE}
    assert arrows == {(e.source, e.target) for e in real.edges}


@versions
def test_every_arrow_names_its_output_and_its_input_contract(name: str, team: TeamSpec) -> None:
    for arrow in drawn(name, team).arrows:
        assert re.fullmatch(r"\[output: \S.*\] → \[input: \S.*\]", arrow.label)
        if arrow.source != BUNDLE:
            assert arrow.output == " + ".join(t.__name__ for t in passage(arrow.source, arrow.target).output)


@versions
def test_human_points_are_diamonds_with_their_conditions(name: str, team: TeamSpec) -> None:
    points = (
        HumanPoint(name="plan", when="always", timeout_seconds=7200.0, on_timeout="escalate", escalate_to="erin"),
        HumanPoint(name="report", when="high_risk", timeout_seconds=3600.0, on_timeout="cancel"),
    )
    shown = drawn(name, team.model_copy(update={"human_points": points}))
    humans = {b.name.rpartition(":")[2]: b.lines for b in shown.boxes if b.shape == "human"}
    assert set(humans) == set(POINTS)
    assert humans["approve_plan"] == ("always", "2 h, then erin")
    assert humans["approve_report"] == ("if risk is high", "1 h, then cancelled")
    assert humans["approve_assignment"][0] == "if a task is sensitive"
    text = svg(name, team)
    assert text.count("<polygon") == len(POINTS)


def test_each_agent_carries_the_thresholds_of_its_fuse(team: TeamSpec) -> None:
    fuse = Fuse(slow_seconds=3.0, contract_failures=3, fallbacks_per_hour=5)
    agents = (team.agents[0].model_copy(update={"fuse": fuse}), *team.agents[1:])
    text = svg("star@1", team.model_copy(update={"agents": agents}))
    assert text.count("[W:3s|E:3\u00d7|C:5/h]") == 1
    assert text.count("[W:") == len(team.agents)


@versions
def test_trust_is_told_by_colour_and_dash(name: str, team: TeamSpec) -> None:
    shown = drawn(name, team)
    human = {(a.source, a.target) for a in shown.arrows if a.trust == "human"}
    assert all("approve_" in source or "approve_" in target for source, target in human)
    assert {a.source for a in shown.arrows if a.trust == "semi"} == {"__start__", BUNDLE}
    readers = {a.target.rpartition(":")[2] for a in shown.arrows if a.source == BUNDLE}
    assert readers == ({"work"} if name == "bus@1" else {"execute"}) | {"verify", "check_actions"}


@versions
def test_the_picture_is_well_formed_and_complete(name: str, team: TeamSpec) -> None:
    tree = ET.fromstring(svg(name, team))
    titles = [t.text or "" for t in tree.iter(f"{SVG}title")]
    shown = drawn(name, team)
    assert len(titles) == len(shown.arrows)
    assert all(any(a.label in t for t in titles) for a in shown.arrows)
    assert float(tree.attrib["width"]) < 2400


@versions
def test_nothing_stands_on_anything_else(name: str, team: TeamSpec) -> None:
    places = list(lay_out(drawn(name, team)).places.values())
    for number, one in enumerate(places):
        for other in places[number + 1 :]:
            apart = abs(one.x - other.x) > 120 or abs(one.y - other.y) > 60
            assert apart, (one.box.name, other.box.name)


@versions
def test_the_flow_runs_downwards(name: str, team: TeamSpec) -> None:
    layout = lay_out(drawn(name, team))
    order = ["intake", "decompose", "arbitrate", "merge", "conclude", "submit", "__end__"]
    heights = [layout.places[b].y for b in order]
    assert heights == sorted(heights)
    work = {"bus@1": "work", "hierarchy@1": "domain:execute"}.get(name, "execute")
    assert layout.places[work].y < layout.places["arbitrate"].y


@versions
def test_mermaid_says_the_same(name: str, team: TeamSpec) -> None:
    text, shown = mermaid(name, team), drawn(name, team)
    assert text.count("-->|") + text.count("-.->|") == len(shown.arrows)
    assert all(a.label in text for a in shown.arrows)
    assert '{"approve plan<br/>' in text
    assert ("subgraph domain" in text) == (name == "hierarchy@1")


def test_the_page_stands_alone_and_escapes_names(team: TeamSpec) -> None:
    bad = team.agents[0].model_copy(update={"capabilities": ("<script>alert(1)</script>",)})
    page = html("star@1", team.model_copy(update={"agents": (bad, *team.agents[1:])}))
    assert "<script>" not in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert page.count("<tr>") > 40


def test_an_unknown_version_says_which_there_are(team: TeamSpec) -> None:
    with pytest.raises(UsageError, match="unknown graph version"):
        svg("ring@9", team)
