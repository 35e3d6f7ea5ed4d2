"""Which proposer a run gets, and why: said in one line."""

from typing import NamedTuple

from ...contracts.errors import ModelError, UsageError
from .address import Address, address_of
from .wire import InstalledModel, Wire

RULES = "rules"
_NO_CHAT = ("embed", "bert", "minilm", "bge-", "rerank", "clip", "whisper")


class ModelChoice(NamedTuple):
    model: str
    """`rules` or `ollama:NAME`, the name as the server spells it."""
    reason: str
    url: str = ""
    digest: str = ""
    """Of the model's weights, where it is there."""


async def choose(model: str | None, url: str) -> ModelChoice:
    """Raise UsageError for a model that is not there; a server that is down is none: its questions fall back."""
    if model == RULES:
        return ModelChoice(RULES, "asked for")
    address = address_of(url)
    if model is None:
        return await _best(address)
    kind, _, name = model.partition(":")
    if kind != "ollama" or not name:
        hint = f"write --model ollama:{model} or --model rules"
        raise UsageError(f"unknown model {model!r}", why="it must begin with 'ollama:' or be 'rules'", hint=hint)
    return await _named(name, address)


async def _named(name: str, address: Address) -> ModelChoice:
    try:
        installed = await Wire(address.url).models()
    except ModelError as fault:
        reason = _noted(f"asked for, but {fault}: the rules answer until it does", address)
        return ModelChoice(f"ollama:{name}", reason, address.url)
    found = next((m for m in installed if m.name in {name, f"{name}:latest"}), None)
    if found is None:
        there = ", ".join(m.name for m in installed[:20]) or "none"
        hint = (
            f"run 'ollama pull {name}', or choose one of these: {there}" if installed else f"run 'ollama pull {name}'"
        )
        raise UsageError(f"model {name!r} is not at {address.url}", why=f"models there: {there}", hint=hint)
    return ModelChoice(
        f"ollama:{found.name}", _noted(f"asked for, at {address.url}", address), address.url, found.digest
    )


async def _best(address: Address) -> ModelChoice:
    wire = Wire(address.url)
    try:
        installed = await wire.models()
        for model in installed:
            if await _chats(wire, model):
                reason = _noted(f"the newest local chat model at {address.url}", address)
                return ModelChoice(f"ollama:{model.name}", reason, address.url, model.digest)
    except ModelError as fault:
        return ModelChoice(RULES, _noted(f"no Ollama answers: {fault}", address))
    why = "holds no local chat model" if installed else "has no model"
    return ModelChoice(RULES, _noted(f"the Ollama at {address.url} {why}; 'ollama pull qwen3:8b' gets one", address))


async def _chats(wire: Wire, model: InstalledModel) -> bool:
    """Models that run elsewhere are only used when they are named: the telemetry would leave the machine."""
    if model.remote or any(part in f"{model.name} {model.family}".lower() for part in _NO_CHAT):
        return False
    capabilities = await wire.capabilities(model.name)
    return capabilities is None or "completion" in capabilities


def _noted(reason: str, address: Address) -> str:
    return f"{reason} ({address.note})" if address.note else reason
