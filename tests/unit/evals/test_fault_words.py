"""Collections' words for faults lead to terms that a report can use."""

import pytest
from ruamel.yaml import YAML

from leadline import evidence
from leadline.evals.expected import Expected, ExpectedCause
from leadline.evals.formats.fault_words import FILE, in_our_terms
from leadline.evals.scorers import score


def test_every_word_leads_to_terms_of_the_taxonomy():
    from importlib.resources import files

    taxonomy = YAML(typ="safe").load((files(evidence) / "ranking" / "taxonomy.yaml").read_text("utf-8"))
    known = {reason["name"] for reason in taxonomy["reasons"]}
    words = {name: terms for name, terms in YAML(typ="safe").load(FILE.read_text("utf-8")).items() if name != "schema"}

    used = {term for labels in words.values() for terms in labels.values() for term in terms}
    assert used - known == set()
    assert len(used) > 5


def test_a_word_that_is_not_known_leads_nowhere():
    assert in_our_terms("rcaeval", "cpu") == ("cpu_saturation",)
    assert in_our_terms("rcaeval", "f3") == ()
    assert in_our_terms("nowhere", "cpu") == ()


@pytest.mark.parametrize(("said", "right"), [("cpu", 1.0), ("cpu_saturation", 1.0), ("disk_full", 0.0), ("", 0.0)])
def test_either_word_counts(said, right):
    truth = ExpectedCause(kind="service", ref="till", reason="cpu", reason_aliases=("cpu_saturation",))
    report = {"outcome": "cause_found", "causes": [{"kind": "service", "ref": "till", "reason": said}]}

    assert score(report, Expected(outcome="cause_found", causes=(truth,)))["reason@1"] == right
