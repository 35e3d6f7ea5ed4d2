"""docs/probes.md describes the probes that there are."""

from pathlib import Path

from leadline.evidence.probes.registry import all_probes

DOCS = Path(__file__).parents[3] / "docs" / "probes.md"


def test_every_probe_is_documented_with_its_question_and_parameters() -> None:
    sections = dict(part.split("\n", 1) for part in DOCS.read_text(encoding="utf-8").split("\n### ")[1:])
    assert set(sections) == set(all_probes())
    for name, probe in all_probes().items():
        text = " ".join(sections[name].split())
        assert probe.question in text, name
        assert f"; {probe.cost}." in text, name
        for param in probe.spec.params.get("properties", {}):
            assert f"`{param}`" in text, (name, param)
