"""Only one whole JSON object of the asked form is an answer."""

import pytest

from leadline.adapters.models.strict import ANSWER_CHARS, read_form
from leadline.contracts.errors import ModelError
from leadline.contracts.proposal import FindingsProposal, PlanProposal, TriageProposal
from tests.doubles.models import GARBAGE
from tests.doubles.questions import FORMS, USEFUL


@pytest.mark.parametrize("form", FORMS, ids=lambda f: f.__name__)
def test_a_whole_answer_is_read(form: type) -> None:
    filled = form(**USEFUL[form])
    assert read_form(filled.model_dump_json(), form) == filled


def test_layout_does_not_matter() -> None:
    assert read_form(' {\n "why": "größe",\n\t"risk" : "low" }\n', TriageProposal) == TriageProposal(
        risk="low", why="größe"
    )


@pytest.mark.parametrize(("text", "kind"), [case[1:] for case in GARBAGE], ids=[case[0] for case in GARBAGE])
def test_garbage_is_refused_by_kind(text: str, kind: str) -> None:
    with pytest.raises(ModelError) as refused:
        read_form(text, TriageProposal)
    assert refused.value.kind == kind
    assert len(str(refused.value)) < 2000


def test_every_wrong_field_is_named_but_never_its_value() -> None:
    with pytest.raises(ModelError) as refused:
        read_form('{"why": 3, "tasks": [{"title": "secret-value", "goal": null}]}', PlanProposal)
    assert "why: Input should be a valid string" in refused.value.why
    assert "tasks.0.goal: Input should be a valid string" in refused.value.why
    assert "tasks.0.capability: Field required" in refused.value.why
    assert "secret-value" not in str(refused.value)


def test_numbers_in_strings_are_not_numbers() -> None:
    text = FindingsProposal(**USEFUL[FindingsProposal]).model_dump_json().replace('"fact":1', '"fact":"1"')
    with pytest.raises(ModelError, match="fact"):
        read_form(text, FindingsProposal)


def test_brackets_in_texts_are_not_depth() -> None:
    why = "[" * 50 + '"' + "{" * 50
    assert read_form(TriageProposal(risk="low", why=why).model_dump_json(), TriageProposal).why == why


def test_a_long_answer_is_refused_before_it_is_read() -> None:
    with pytest.raises(ModelError, match="more than 32000"):
        read_form('"' + "\\" * ANSWER_CHARS, TriageProposal)
