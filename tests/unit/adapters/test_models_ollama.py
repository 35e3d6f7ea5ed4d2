"""The wire to Ollama: what is sent, and every way in which an answer can fail to come."""

import asyncio
import subprocess
import sys
import time
from typing import Any

import pytest

from leadline.adapters.clock import SystemClock
from leadline.adapters.models.chat import Profile
from leadline.adapters.models.ollama import OllamaProposer
from leadline.adapters.models.probe import Prober
from leadline.contracts.ports import Proposed
from leadline.contracts.proposal import FindingsProposal, TriageProposal
from leadline.contracts.proposal_record import ProposalRecord
from leadline.contracts.task import Budget
from tests.doubles.models import memory_ledger
from tests.doubles.ollama import OllamaDouble
from tests.doubles.questions import BASELINES, USEFUL, ask

RULES = BASELINES[TriageProposal]
HIGH = TriageProposal(**USEFUL[TriageProposal])


async def proposer_at(url: str, model: str = "fake:1b", **changes: Any) -> OllamaProposer:
    budget = Budget(tokens=10**7, seconds=600)
    return OllamaProposer(model, url, ledger=await memory_ledger(), clock=SystemClock(), budget=budget, **changes)


async def once(turn: dict[str, Any], **changes: Any) -> Proposed[Any]:
    with OllamaDouble({"turns": [turn]}) as double:
        proposer = await proposer_at(double.url, **changes)
        try:
            return await proposer.propose(ask(TriageProposal))
        finally:
            await proposer.close()


async def test_what_is_sent() -> None:
    with OllamaDouble() as double:
        proposer = await proposer_at(double.url, num_ctx=4096)
        question = ask(FindingsProposal)
        await proposer.propose(question)
        await proposer.close()
    (request,) = double.script.requests
    body = request["body"]
    prompt = question.prompt.render()
    assert body["messages"] == [
        {"role": "system", "content": prompt.system},
        {"role": "user", "content": prompt.shared + prompt.task},
    ]
    assert body["format"] == FindingsProposal.model_json_schema()
    assert body["options"] == {"num_ctx": 4096, "num_predict": 1200, "temperature": 0.0, "seed": 7}
    assert (body["model"], body["keep_alive"], body["think"], body["stream"]) == ("fake:1b", "10m", False, True)


async def test_thinking_is_not_mentioned_to_a_model_that_takes_it_badly() -> None:
    with OllamaDouble() as double:
        proposer = await proposer_at(double.url, profile=Profile(reasoning=None))
        await proposer.propose(ask(TriageProposal))
        await proposer.close()
    assert "think" not in double.chats[0]


async def test_the_probe_comes_with_the_first_question_and_only_once() -> None:
    with OllamaDouble() as double:
        ledger = await memory_ledger()
        for _ in range(2):
            proposer = OllamaProposer(
                "fake:1b", double.url, ledger=ledger, clock=SystemClock(), budget=Budget(), prober=Prober(SystemClock())
            )
            await asyncio.gather(proposer.propose(ask(TriageProposal)), proposer.propose(ask(FindingsProposal)))
            await proposer.close()
    titles = [body["format"]["title"] for body in double.chats]
    assert titles[:2] == ["Probe", "Probe"]
    assert sorted(titles[2:]) == ["FindingsProposal", "TriageProposal"]


async def test_one_num_ctx_and_one_client_serve_all_questions() -> None:
    with OllamaDouble() as double:
        proposer = await proposer_at(double.url)
        for i in range(3):
            await proposer.propose(ask(TriageProposal, f"t{i}"))
            await proposer.propose(ask(FindingsProposal, f"f{i}"))
        await proposer.close()
    assert {body["options"]["num_ctx"] for body in double.chats} == {8192}
    assert {body["options"]["num_predict"] for body in double.chats} == {200, 1200}


async def test_a_good_answer_brings_its_counts() -> None:
    with OllamaDouble({"turns": [{"json": USEFUL[TriageProposal]}]}) as double:
        proposer = await proposer_at(double.url)
        assert (await proposer.propose(ask(TriageProposal))).value == HIGH
        await proposer.close()
    prompt = "\n".join(message["content"] for message in double.chats[0]["messages"])
    assert proposer.usage().tokens_in == int(len(prompt.encode()) / 3.6)
    assert proposer.usage().tokens_out == len('{"risk": "high", "why": "users see errors"}') // 4


FAULTS: list[tuple[str, dict[str, Any], str]] = [
    ("status_404", {"fault": 404}, "model_missing: the model is not there: model 'fake:1b' not found"),
    ("status_400", {"fault": 400}, "server_error: the server failed with status 400: invalid JSON schema in format"),
    ("status_500", {"fault": 500}, "server_error: the server failed with status 500: llama runner process"),
    ("status_503", {"fault": 503}, "server_error: the server failed with status 503: server busy"),
    ("redirect", {"fault": 302}, "server_error: the server failed with status 302"),
    (
        "context",
        {"fault": 400, "error": "the prompt is longer than the context length currently available to the model"},
        "too_long: the prompt is too long for the model",
    ),
    ("drop_before", {"fault": "drop"}, "down: the connection broke"),
    ("drop_in_between", {"fault": "drop", "text": '{"risk": "low"'}, "down: the connection broke"),
    ("error_in_between", {"fault": "mid_error"}, "server_error: the server failed in the middle of its answer"),
    ("broken_line", {"fault": "broken_line"}, "server_error: http://"),
    ("no_last_line", {"fault": "no_final"}, "incomplete: the answer is incomplete: it broke off"),
    ("only_loaded", {"fault": "load"}, "server_error: http://"),
    ("web_page", {"fault": "html"}, "server_error: http://"),
    ("other_json", {"fault": "list"}, "server_error: http://"),
    ("endless", {"fault": "endless"}, "incomplete: the answer is incomplete"),
    ("length", {"done_reason": "length"}, "incomplete: the answer is incomplete: it ended with 'length'"),
    ("half_context", {"prompt_eval_count": "half_context"}, "cut_prompt: the prompt was cut: the server read 4098"),
    ("full_context", {"prompt_eval_count": "context"}, "cut_prompt: the prompt was cut: the server read 8191"),
    ("ignores_format", {"prose": True}, "format_ignored: the answer is not one JSON object"),
    ("empty", {"text": ""}, "not_json: the answer is empty"),
    (
        "hostile_reason",
        {"done_reason": "x\x1b[2J" * 500},
        "incomplete: the answer is incomplete: it ended with 'x\\x1b[2J",
    ),
    (
        "hostile_error",
        {"fault": 500, "error": "a\x1b[2J\ud800\u202eb" + "c" * 900},
        "server_error: the server failed with status 500: a [2J  b",
    ),
    ("hang", {"fault": "hang"}, "timeout: the model did not answer in time: not within 1 s"),
    ("dribble", {"dribble": 0.3, "text": "x" * 3000}, "timeout: the model did not answer in time: not within 1 s"),
]


@pytest.mark.parametrize(("turn", "degraded"), [case[1:] for case in FAULTS], ids=[case[0] for case in FAULTS])
async def test_a_fault_degrades_the_question(turn: dict[str, Any], degraded: str) -> None:
    started = time.monotonic()
    proposed = await once(turn, call_seconds=0.8)
    assert (proposed.value, proposed.origin) == (RULES, "rules")
    assert proposed.degraded.startswith(degraded)
    assert len(proposed.degraded) < 400
    assert proposed.degraded.isprintable()
    assert time.monotonic() - started < 4


@pytest.mark.parametrize("count", [-5, 10**30])
async def test_a_count_that_cannot_be_is_none(count: int) -> None:
    assert (await once({"prompt_eval_count": count})).origin == "model"


async def test_nobody_listens() -> None:
    with OllamaDouble() as double:
        pass
    proposer = await proposer_at(double.url)
    proposed = await proposer.propose(ask(TriageProposal))
    await proposer.close()
    assert proposed.degraded.startswith(f"down: no connection to {double.url}: ")


async def test_a_server_that_stops_and_comes_back() -> None:
    with OllamaDouble({"turns": [{"json": USEFUL[TriageProposal]}]}) as double:
        proposer = await proposer_at(double.url)
        origins = [(await proposer.propose(ask(TriageProposal, "a"))).origin]
        double.stop()
        origins.append((await proposer.propose(ask(TriageProposal, "b"))).origin)
        double.start()
        origins.append((await proposer.propose(ask(TriageProposal, "c"))).origin)
        await proposer.close()
    assert origins == ["model", "rules", "model"]


async def test_a_server_that_goes_down_by_itself_after_some_calls() -> None:
    with OllamaDouble({"down_after": 2}) as double:
        proposer = await proposer_at(double.url)
        kinds = []
        for i in range(4):
            kinds.append((await proposer.propose(ask(TriageProposal, f"a{i}"))).degraded.split(":")[0])
            await asyncio.sleep(0.1)
        await proposer.close()
    assert kinds == ["", "", "down", "down"]


async def test_one_repair_over_the_wire() -> None:
    with OllamaDouble({"turns": [{"texts": ["Here you are:", '{"risk": "high", "why": "x"}']}]}) as double:
        proposer = await proposer_at(double.url)
        proposed = await proposer.propose(ask(TriageProposal))
        await proposer.close()
    assert proposed.value == TriageProposal(risk="high", why="x")
    assert [len(body["messages"]) for body in double.chats] == [2, 4]


async def test_counts_without_what_was_cached_are_no_cut() -> None:
    with OllamaDouble({"turns": [{"prompt_eval_count": "uncached"}]}) as double:
        proposer = await proposer_at(double.url)
        answers = [await proposer.propose(ask(form, f"{form.__name__}{i}")) for i in range(3) for form in BASELINES]
        await proposer.close()
    assert {answer.degraded for answer in answers} == {""}


async def test_the_same_question_again_costs_no_call() -> None:
    with OllamaDouble() as double:
        ledger = await memory_ledger()
        for _ in range(3):
            budget = Budget(tokens=10**7)
            proposer = OllamaProposer("fake:1b", double.url, ledger=ledger, clock=SystemClock(), budget=budget)
            await proposer.propose(ask(TriageProposal))
            await proposer.close()
    assert len(double.chats) == 1
    assert len(await ledger.all(ProposalRecord)) == 1


def test_langchain_is_loaded_only_when_a_model_is_asked() -> None:
    code = (
        "import sys, leadline.adapters.models.ollama, leadline.adapters.models.discover, leadline.adapters.models.probe,"
        " leadline.adapters.models.scripted, leadline.adapters.models.rules, leadline.prompts.questions,"
        " leadline.prompts.catalog;"
        "print([m for m in ('langchain_ollama', 'langchain_core', 'ollama', 'httpx', 'jinja2') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
