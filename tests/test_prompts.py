"""Templates, their variables and their forms fit together."""

from dataclasses import fields

import pytest
from jinja2 import UndefinedError, meta
from pydantic import BaseModel

from leadline.contracts.team import ASKS
from leadline.prompts.catalog import COMMON, FORM_OF, prompt_hashes
from leadline.prompts.engine import environment, render, template_text
from leadline.prompts.questions import QUESTIONS, Question

BASE = {field.name for field in fields(Question)}


def variables(name: str) -> set[str]:
    env = environment()
    return meta.find_undeclared_variables(env.parse(template_text(name)))


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.template)
def test_a_template_uses_exactly_the_fields_of_its_dataclass(question: type[Question]) -> None:
    assert variables("shared") | variables(question.template) == {field.name for field in fields(question)}


def test_what_all_agents_share_is_rendered_from_the_common_fields_alone() -> None:
    assert variables("system") == set()
    assert variables("shared") == BASE


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.template)
def test_a_question_never_repeats_what_is_shared(question: type[Question]) -> None:
    assert variables(question.template).isdisjoint(BASE)


def names(form: type[BaseModel]) -> set[str]:
    found = set(form.model_fields)
    for field in form.model_fields.values():
        for inner in getattr(field.annotation, "__args__", ()):
            if isinstance(inner, type) and issubclass(inner, BaseModel):
                found |= names(inner)
    return found


@pytest.mark.parametrize("name", FORM_OF)
def test_a_template_names_every_field_of_its_form(name: str) -> None:
    text = template_text(name)
    assert [field for field in sorted(names(FORM_OF[name])) if f'"{field}"' not in text] == []


def test_every_question_that_a_team_file_can_name_has_a_template_and_a_form() -> None:
    assert set(FORM_OF) == set(ASKS) == {question.template for question in QUESTIONS}


def test_a_missing_variable_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        render("triage", {})


def test_hashes_cover_every_template() -> None:
    hashes = prompt_hashes()
    assert set(hashes) == {*COMMON, *FORM_OF}
    assert len(set(hashes.values())) == len(hashes)
    assert hashes == prompt_hashes()
