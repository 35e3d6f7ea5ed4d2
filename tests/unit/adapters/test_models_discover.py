"""Which model is chosen, why, and what the probe finds out about it."""

import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import httpx
import pytest

from leadline.adapters.clock import SystemClock
from leadline.adapters.models.discover import choose
from leadline.adapters.models.probe import Prober
from leadline.adapters.models.wire import Wire
from leadline.contracts.errors import ModelError, UsageError
from tests.doubles import ollama
from tests.doubles.ollama import OllamaDouble

MODELS = [
    "nomic-embed-text:latest",
    {"name": "big:cloud", "remote_host": "https://elsewhere"},
    "qwen3:8b",
    "llama3.1:8b",
]


@pytest.fixture
def nobody() -> str:
    with OllamaDouble() as double:
        return double.url


async def test_without_a_wish_the_newest_local_chat_model_is_taken() -> None:
    with OllamaDouble({"models": MODELS}) as double:
        choice = await choose(None, double.url)
    assert choice.model == "ollama:qwen3:8b"
    assert choice.reason == f"the newest local chat model at {double.url}"
    assert choice.digest == f"{2:064x}"


async def test_a_model_that_cannot_chat_by_its_own_word_is_passed_over() -> None:
    models = [{"name": "quiet:1b", "capabilities": ["embedding"]}, "loud:1b"]
    with OllamaDouble({"models": models}) as double:
        assert (await choose(None, double.url)).model == "ollama:loud:1b"


async def test_without_a_server_the_rules_answer(nobody: str) -> None:
    choice = await choose(None, nobody)
    assert choice.model == "rules"
    assert choice.reason.startswith(f"no Ollama answers: no connection to {nobody}")


@pytest.mark.parametrize(
    ("models", "says"), [([], "has no model"), (MODELS[:2], "holds no local chat model")], ids=["none", "unfit"]
)
async def test_without_a_model_the_rules_answer(models: list[Any], says: str) -> None:
    with OllamaDouble({"models": models}) as double:
        choice = await choose(None, double.url)
    assert choice.model == "rules"
    assert says in choice.reason
    assert "ollama pull" in choice.reason


@pytest.mark.parametrize(
    ("wish", "model"), [("ollama:llama3.1:8b", "ollama:llama3.1:8b"), ("ollama:tiny", "ollama:tiny:latest")]
)
async def test_a_named_model_is_taken(wish: str, model: str) -> None:
    with OllamaDouble({"models": [*MODELS, "tiny:latest"]}) as double:
        choice = await choose(wish, double.url)
    assert choice.model == model
    assert choice.reason == f"asked for, at {double.url}"


async def test_a_named_model_that_is_missing_is_refused_with_what_is_there() -> None:
    with OllamaDouble({"models": MODELS}) as double, pytest.raises(UsageError, match="is not at") as refused:
        await choose("ollama:qwen9:1b", double.url)
    assert "llama3.1:8b" in refused.value.why
    assert "ollama pull qwen9:1b" in refused.value.hint


async def test_a_named_model_of_a_server_that_is_down_falls_back_later(nobody: str) -> None:
    choice = await choose("ollama:qwen3:8b", nobody)
    assert choice.model == "ollama:qwen3:8b"
    assert "the rules answer until it does" in choice.reason


@pytest.mark.parametrize("wish", ["qwen3:8b", "ollama:", "gpt", ""])
async def test_other_names_are_refused_with_how_to_write_them(wish: str, nobody: str) -> None:
    with pytest.raises(UsageError, match="unknown model") as refused:
        await choose(wish, nobody)
    assert "--model ollama:" in refused.value.hint


async def test_the_rules_need_no_server() -> None:
    assert (await choose("rules", "not an address at all")).model == "rules"


async def test_an_address_to_listen_on_is_mentioned() -> None:
    with OllamaDouble({"models": ["a:1b"]}) as double:
        choice = await choose(None, double.url.replace("127.0.0.1", "0.0.0.0"))
    assert choice.url == double.url
    assert "0.0.0.0 is an address to listen on" in choice.reason


async def test_a_server_that_is_no_ollama_is_said_to_be_none(nobody: str) -> None:
    with OllamaDouble() as double, pytest.raises(ModelError, match="does not answer like Ollama"):
        await Wire(f"{double.url}/elsewhere").models()
    with pytest.raises(ModelError) as fault:
        await Wire(nobody).version()
    assert fault.value.kind == "down"


# --- the probe --------------------------------------------------------------------------------------------------------
def kept(body: dict[str, Any]) -> dict[str, Any]:
    return {"json": {"colour": "red", "number": 1}}


async def probed(script: dict[str, Any]) -> tuple[Any, OllamaDouble]:
    with OllamaDouble(script) as double:
        return await Prober(SystemClock()).profile("fake:1b", double.url), double


async def test_a_good_model() -> None:
    profile, double = await probed({"answer": kept, "bytes_per_token": 2.7})
    assert (profile.honours_format, profile.reasoning, profile.partial_counts, profile.thinks) == (
        True,
        False,
        False,
        False,
    )
    assert profile.bytes_per_token == pytest.approx(2.7, rel=0.03)
    assert profile.note.startswith("keeps to forms; ")
    assert {body["options"]["num_ctx"] for body in double.chats} == {8192}


async def test_a_model_that_ignores_format() -> None:
    profile, double = await probed({"turns": [{"prose": True}]})
    assert not profile.honours_format
    assert "does not keep to forms" in profile.note
    assert ["think" in body for body in double.chats] == [True, False, True]


async def test_a_model_that_ignores_format_only_without_thinking() -> None:
    def answer(body: dict[str, Any]) -> dict[str, Any]:
        return {"prose": True} if body.get("think") is False else {**kept(body), "thinking": "hmm"}

    profile, _ = await probed({"answer": answer})
    assert (profile.honours_format, profile.reasoning, profile.thinks) == (True, None, True)


async def test_a_model_that_refuses_the_word_think() -> None:
    profile, _ = await probed({"answer": lambda body: {**kept(body), "fault": "refuse_think"}})
    assert (profile.honours_format, profile.reasoning) == (True, None)


async def test_counts_without_what_was_cached_are_noticed() -> None:
    profile, _ = await probed({"answer": lambda body: {**kept(body), "prompt_eval_count": "uncached"}})
    assert profile.partial_counts
    assert profile.bytes_per_token == pytest.approx(3.6, rel=0.03)


@pytest.mark.parametrize("count", [None, 3, 90_000], ids=["none", "tiny", "huge"])
async def test_a_count_that_cannot_be_is_not_calibrated_on(count: int | None) -> None:
    profile, _ = await probed({"answer": lambda body: {**kept(body), "prompt_eval_count": count}})
    assert profile.bytes_per_token == 3.0
    assert "not believable" in profile.note


async def test_a_model_is_probed_once_per_process_but_asked_again_after_a_fault(nobody: str) -> None:
    prober = Prober(SystemClock())
    assert (await prober.profile("fake:1b", nobody)).note.startswith("not probed: no connection")
    with OllamaDouble({"answer": kept}) as double:
        first = await prober.profile("fake:1b", double.url, "d1")
        assert await prober.profile("fake:1b", double.url, "d1") is first
        calls = len(double.chats)
        await prober.profile("fake:1b", double.url, "d2")
    assert len(double.chats) == 2 * calls


# --- the double in its own process ------------------------------------------------------------------------------------
@pytest.fixture
def process(tmp_path: Path) -> Iterator[str]:
    script = tmp_path / "script.json"
    script.write_text('{"models": ["own:1b"], "turns": [{"form": "Probe", "fault": 503}]}', encoding="utf-8")
    with Popen([sys.executable, ollama.__file__, str(script)], stdout=PIPE, text=True) as running:
        assert running.stdout is not None
        yield running.stdout.readline().strip()
        running.kill()


async def test_the_double_serves_a_script_file_from_its_own_process(process: str) -> None:
    assert (await choose(None, process)).model == "ollama:own:1b"
    profile = await Prober(SystemClock()).profile("own:1b", process)
    assert "status 503" in profile.note
    async with httpx.AsyncClient() as client:
        asked = (await client.get(f"{process}/double/requests")).json()
    assert [request["body"]["format"]["title"] for request in asked] == ["Probe"]
