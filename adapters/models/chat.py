"""How the path of a question reaches a model, whichever it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from ...contracts.ports import Ask

SEED = 7
KEEP_ALIVE = "10m"


class Message(NamedTuple):
    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, kw_only=True)
class Call:
    """One request."""

    ask: Ask[Any]
    messages: Sequence[Message]
    answer_tokens: int
    """At most so many; a server that writes on is cut off."""
    seconds: float
    """In total, waiting in the server's queue included."""


class Reply(NamedTuple):
    text: str
    done_reason: str | None
    """`stop` is the only good one; None where the answer broke off."""
    prompt_tokens: int | None
    """As the server counted, None where it did not say."""
    answer_tokens: int | None


@dataclass(frozen=True, kw_only=True)
class Profile:
    """What the probe found out about a model; the defaults stand where it could not be asked."""

    honours_format: bool = True
    reasoning: bool | None = False
    """What to send as `think`: False switches it off, None sends nothing."""
    thinks: bool = False
    """It writes down thoughts that cost answer tokens, and that cannot be switched off."""
    bytes_per_token: float = 3.0
    partial_counts: bool = False
    """It leaves what the prefix cache served out of `prompt_eval_count`."""
    note: str = "not probed"


class Chat(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def num_ctx(self) -> int: ...

    async def prepare(self) -> Profile:
        """What is known of the model; finds it out where that was not done yet. Never raises for a model's fault."""
        ...

    async def complete(self, call: Call) -> Reply:
        """Raise ModelError, and nothing else, for all that a model or its server does."""
        ...

    async def close(self) -> None: ...
