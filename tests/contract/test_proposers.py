"""What every proposer guarantees to the nodes, whoever fills the forms."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from leadline.adapters.clock import SystemClock
from leadline.adapters.models.ollama import OllamaProposer
from leadline.adapters.models.proposer import ModelProposer
from leadline.adapters.models.rules import RulesProposer
from leadline.adapters.models.scripted import ScriptedProposer
from leadline.contracts.ports import Proposed, Proposer
from leadline.contracts.proposal import Proposal
from leadline.contracts.proposal_record import ProposalRecord
from leadline.contracts.task import Budget
from tests.doubles.models import GARBAGE, memory_ledger
from tests.doubles.ollama import OllamaDouble
from tests.doubles.questions import BASELINES, FORMS, USEFUL, ask

REFUSED = {"not_json", "wrong_shape", "format_ignored", "incomplete"}
BUDGET = Budget(tokens=10_000_000, seconds=600)
Says = Callable[[type[Proposal]], str]
Make = Callable[[Says], Any]


def useful(form: type[Proposal]) -> str:
    return json.dumps(USEFUL[form])


@pytest.fixture(params=["rules", "scripted", "ollama"])
async def make(request: pytest.FixtureRequest) -> AsyncIterator[Make]:
    """Builds the proposer whose model says what it is told to say to each form."""
    async with AsyncExitStack() as stack:

        async def build(says: Says) -> Proposer:
            if request.param == "rules":
                return RulesProposer()
            ledger = await memory_ledger()
            if request.param == "scripted":
                return ScriptedProposer(lambda question: says(question.form), ledger=ledger, clock=SystemClock())
            by_name = {form.__name__: form for form in FORMS}
            double = stack.enter_context(
                OllamaDouble({"answer": lambda body: {"text": says(by_name[body["format"]["title"]])}})
            )
            proposer = OllamaProposer("fake:1b", double.url, ledger=ledger, clock=SystemClock(), budget=BUDGET)
            stack.push_async_callback(proposer.close)
            return proposer

        yield build


def calls(proposer: Proposer) -> int:
    return proposer.usage().model_calls


@pytest.mark.parametrize("form", FORMS, ids=lambda f: f.__name__)
async def test_a_form_comes_back_filled_and_says_by_whom(make: Make, form: type[Proposal]) -> None:
    proposer = await make(useful)
    proposed: Proposed[Any] = await proposer.propose(ask(form))
    by_model = not isinstance(proposer, RulesProposer)
    assert proposed == Proposed(
        value=form(**USEFUL[form]) if by_model else BASELINES[form], origin="model" if by_model else "rules"
    )
    assert calls(proposer) == int(by_model)


async def test_the_rules_answer_where_no_model_is_wanted(make: Make) -> None:
    proposer = await make(useful)
    question = ask(FORMS[0])
    unasked = type(question)(**{**question.__dict__, "uses_model": False})
    assert await proposer.propose(unasked) == Proposed(value=BASELINES[FORMS[0]], origin="rules")
    assert calls(proposer) == 0


async def test_the_same_question_is_answered_once(make: Make) -> None:
    proposer = await make(useful)
    first = await proposer.propose(ask(FORMS[1]))
    spent = proposer.usage()
    assert await proposer.propose(ask(FORMS[1])) == first
    assert proposer.usage() == spent


async def test_questions_at_once_do_not_mix(make: Make) -> None:
    proposer = await make(useful)
    answers = await asyncio.gather(
        *(proposer.propose(ask(form, f"{form.__name__}-{i}")) for i in range(3) for form in FORMS)
    )
    assert [type(answer.value) for answer in answers] == [form for _ in range(3) for form in FORMS]
    assert all(not answer.degraded for answer in answers)


async def fall_back(make: Make, texts: list[str]) -> None:
    """Every text to every form: the rules' answer, marked, and at most two calls each."""
    for number, text in enumerate(texts):
        proposer = await make(lambda _, text=text: text)
        answers = await asyncio.gather(*(proposer.propose(ask(form, f"{form.__name__}-{number}")) for form in FORMS))
        assert [answer.value for answer in answers] == [BASELINES[form] for form in FORMS]
        assert {answer.origin for answer in answers} == {"rules"}
        if isinstance(proposer, ModelProposer):
            assert {answer.degraded.split(":")[0] for answer in answers} <= REFUSED, text[:80]
            assert 1 <= calls(proposer) <= 2 * len(FORMS)


async def test_garbage_leaves_the_rules_answer(make: Make) -> None:
    await fall_back(make, [text for _, text, _ in GARBAGE if len(text) < 100_000])


async def test_published_garbage_leaves_the_rules_answer(make: Make, shared: Path) -> None:
    found = shared / "data" / "hostile" / "12_model_outputs_garbage.jsonl"
    if not found.exists():
        pytest.skip("no hostile answers here")
    texts = [json.loads(line) for line in found.read_text(encoding="utf-8").splitlines()]
    assert len(texts) == 28
    await fall_back(make, texts)


async def test_a_later_process_answers_from_the_record() -> None:
    ledger = await memory_ledger()
    question = ask(FORMS[3])
    first = ScriptedProposer({}, ledger=ledger, clock=SystemClock())
    answered = await first.propose(question)

    def refuse(_: Any) -> str:
        pytest.fail("asked again")

    later = ScriptedProposer(refuse, ledger=ledger, clock=SystemClock())
    assert await later.propose(question) == answered
    assert later.usage() == first.usage()
    assert len(await ledger.all(ProposalRecord)) == 1
