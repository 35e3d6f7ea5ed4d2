"""A model by script, for tests and demos: its answers go through all that a real model's go through."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...contracts.errors import ModelError
from ...contracts.ports import Ask, Clock, Ledger
from ...contracts.proposal import Proposal
from ...contracts.task import Budget
from .chat import Call, Profile, Reply
from .proposer import ModelProposer

Turn = Proposal | str | ModelError
"""A filled form, a raw text as a model may write it, or a fault of a kind."""
Script = Callable[[Ask[Any]], Turn] | Mapping[type[Proposal], Turn | Sequence[Turn]]
"""What to answer to a question, or per form what to answer first, second, …; the last one stays. A form that is not
named gets the rules' own answer. A repair is one more question."""


class ScriptedChat:
    name = "scripted"

    def __init__(self, script: Script, num_ctx: int = 8192) -> None:
        self.num_ctx = num_ctx
        self._script = script
        self._turns: dict[type[Proposal], Iterator[Turn]] = {}
        self._last: dict[type[Proposal], Turn] = {}

    async def prepare(self) -> Profile:
        return Profile(note="scripted")

    async def complete(self, call: Call) -> Reply:
        turn = self._script(call.ask) if callable(self._script) else self._next(self._script, call.ask)
        if isinstance(turn, ModelError):
            raise turn
        text = turn if isinstance(turn, str) else turn.model_dump_json()
        return Reply(text=text, done_reason="stop", prompt_tokens=None, answer_tokens=None)

    async def close(self) -> None:
        """Nothing is held open."""

    def _next(self, script: Mapping[type[Proposal], Turn | Sequence[Turn]], ask: Ask[Any]) -> Turn:
        planned = script.get(ask.form, ask.baseline)
        if isinstance(planned, Proposal | str | ModelError):
            return planned
        turns = self._turns.setdefault(ask.form, iter(planned))
        self._last[ask.form] = next(turns, self._last.get(ask.form, ask.baseline))
        return self._last[ask.form]


class ScriptedProposer(ModelProposer):
    def __init__(
        self,
        script: Script,
        *,
        ledger: Ledger,
        clock: Clock,
        budget: Budget | None = None,
        num_ctx: int = 8192,
        max_calls: int = 400,
    ) -> None:
        chat = ScriptedChat(script, num_ctx)
        allowed = budget or Budget(tokens=10_000_000, seconds=3600.0)
        super().__init__(chat, ledger=ledger, clock=clock, budget=allowed, max_calls=max_calls)
