"""One tiny question to a model before it is relied on: does it keep to a form, and how many bytes make a token."""

import json
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from pydantic import JsonValue

from ...contracts.errors import ModelError
from ...contracts.ports import Clock
from .chat import KEEP_ALIVE, SEED, Profile
from .window import size_of
from .wire import Wire

PROBE_SECONDS = 180.0
"""The model may have to be loaded first."""
ANSWER_TOKENS = 64
THINKING_TOKENS = 1024
PLAUSIBLE = (1.5, 6.0)
"""Bytes per token of any tokenizer on such text; a count outside is not believed."""
PARTIAL = 0.7
LEAST_TEMPLATE = 8
"""Tokens of the smallest chat template: what a larger one adds makes the ratio smaller, which is the safe side."""
_SCHEMA: dict[str, JsonValue] = {
    "title": "Probe",
    "type": "object",
    "properties": {"colour": {"enum": ["red", "green"], "type": "string"}, "number": {"type": "integer"}},
    "required": ["colour", "number"],
    "additionalProperties": False,
}


@dataclass
class Prober:
    """Remembers what it found for as long as the process lives."""

    clock: Clock
    known: dict[tuple[str, str, str, int], Profile] = field(default_factory=dict)

    async def profile(self, model: str, url: str, digest: str = "", num_ctx: int = 8192) -> Profile:
        """Never raises: a server that cannot be asked gives the default profile, whose note says so."""
        key = (url, model, digest, num_ctx)
        if key not in self.known:
            try:
                self.known[key] = await _probe(Wire(url), model, num_ctx, self.clock.monotonic())
            except ModelError as fault:
                return Profile(note=f"not probed: {fault}")
        return self.known[key]


async def _probe(wire: Wire, model: str, num_ctx: int, nonce: float) -> Profile:
    """The first line differs each time, so that no prefix cache lowers the count that is calibrated on."""
    prompt = f"Probe {nonce:.6f}.\n{_sample()}"
    thinking: bool | None = False
    try:
        first = await _ask(wire, model, num_ctx, prompt, thinking)
    except ModelError as fault:
        if "think" not in fault.why:
            raise
        thinking = None
        first = await _ask(wire, model, num_ctx, prompt, thinking)
    if thinking is False and not _kept_to_form(first):
        other = await _ask(wire, model, num_ctx, f"Again. {prompt}", None)
        if _kept_to_form(other):
            first, thinking, prompt = other, None, f"Again. {prompt}"
    second = await _ask(wire, model, num_ctx, prompt, thinking)
    return _read(first, second, prompt, thinking)


async def _ask(wire: Wire, model: str, num_ctx: int, prompt: str, thinking: bool | None) -> dict[str, Any]:  # noqa: FBT001
    body: dict[str, JsonValue] = {
        "model": model,
        "messages": [{"role": "user", "content": prompt}],
        "format": _SCHEMA,
        "options": {
            "num_ctx": num_ctx,
            "num_predict": ANSWER_TOKENS if thinking is False else THINKING_TOKENS,
            "temperature": 0.0,
            "seed": SEED,
        },
        "keep_alive": KEEP_ALIVE,
    }
    if thinking is not None:
        body["think"] = thinking
    return await wire.chat(body, PROBE_SECONDS)


def _sample() -> str:
    """A request for prose, which only `format` turns into JSON, and some lines of telemetry to count tokens of."""
    return files(__package__).joinpath("probe.txt").read_text(encoding="utf-8")


def _message(answer: dict[str, Any], part: str) -> str:
    message = answer.get("message")
    text = message.get(part) if isinstance(message, dict) else None
    return text if isinstance(text, str) else ""


def _kept_to_form(answer: dict[str, Any]) -> bool:
    try:
        filled = json.loads(_message(answer, "content"))
    except (ValueError, RecursionError):
        return False
    return isinstance(filled, dict) and set(filled) == {"colour", "number"} and filled["colour"] in {"red", "green"}


def _count(answer: dict[str, Any]) -> int:
    value = answer.get("prompt_eval_count")
    return value if isinstance(value, int) else 0


def _read(first: dict[str, Any], second: dict[str, Any], prompt: str, thinking: bool | None) -> Profile:  # noqa: FBT001
    counted = _count(first)
    ratio = size_of(prompt) / max(1, counted - LEAST_TEMPLATE)
    calibrated = PLAUSIBLE[0] <= ratio <= PLAUSIBLE[1]
    honours = _kept_to_form(first)
    partial = bool(counted) and _count(second) < PARTIAL * counted
    thinks = bool(_message(first, "thinking"))
    notes = [
        "keeps to forms" if honours else "does not keep to forms: expect its answers to be refused",
        f"{ratio:.1f} bytes a token" if calibrated else "its token counts are not believable, 3 bytes a token assumed",
        "thoughts cannot be switched off" if thinks else "",
        "counts leave out what is cached" if partial else "",
    ]
    return Profile(
        honours_format=honours,
        reasoning=thinking,
        thinks=thinks,
        bytes_per_token=round(ratio, 3) if calibrated else 3.0,
        partial_counts=partial,
        note="; ".join(note for note in notes if note),
    )
