"""The one path from a question to a model and back: render, estimate, call, check, parse, repair, fall back."""

import asyncio
from typing import TypeVar

from ...contracts.errors import ModelError
from ...contracts.ports import Ask, Clock, Ledger, Proposed
from ...contracts.proposal import Proposal
from ...contracts.report import Usage
from ...contracts.task import Budget
from .breaker import Breaker
from .chat import Call, Chat, Message, Reply
from .journal import Exchange, Journal, degraded_text, recalled
from .spending import Spending
from .strict import read_form
from .window import PROMPTS_KEPT, Prefixes, cut_reason, fits, size_of, tokens_for

P = TypeVar("P", bound=Proposal)

ANSWER_TOKENS = {
    "PlanProposal": 1200,
    "TriageProposal": 200,
    "ProbeProposal": 700,
    "FindingsProposal": 1200,
    "MechanismProposal": 500,
    "ReviewProposal": 700,
    "NarrativeProposal": 900,
    "ActionsProposal": 700,
    "MessagesProposal": 500,
}
DEFAULT_ANSWER_TOKENS = 800
THINKING_ROOM = 3
"""A model whose thoughts cannot be switched off needs so many times the tokens."""
BAD_ANSWER_SHOWN = 2000
UNAFFORDABLE = frozenset({"too_long", "budget"})
"""A repair that cannot be asked leaves the first answer's fault standing."""
MAX_CALLS = 400


class ModelProposer:
    """Implements `Proposer`. Whatever the model does, the rules' answer stands behind it."""

    def __init__(
        self,
        chat: Chat,
        *,
        ledger: Ledger,
        clock: Clock,
        budget: Budget,
        call_seconds: float = 180.0,
        max_calls: int = MAX_CALLS,
        breaker: Breaker | None = None,
    ) -> None:
        self._chat = chat
        self._clock = clock
        self._call_seconds = call_seconds
        self._breaker = breaker or Breaker()
        self._journal = Journal(ledger, clock, chat.name)
        self._spending = Spending(budget=budget, clock=clock, max_calls=max_calls, started=clock.monotonic())
        self._prefixes = Prefixes()
        self._opened = False
        self._opening = asyncio.Lock()
        """Those who ask at once wait for the first one's reading."""

    @property
    def name(self) -> str:
        return self._chat.name

    def usage(self) -> Usage:
        return self._spending.usage

    async def open(self) -> None:
        """Read what earlier processes of the run asked, so that nothing is asked or paid twice; done once."""
        async with self._opening:
            if self._opened:
                return
            records = await self._journal.read()
            for record in records:
                self._spending.add(record)
            for prompt in await self._journal.prompts(records[-PROMPTS_KEPT:]):
                self._prefixes.shared(prompt)
            self._spending.earlier_seconds = self._spending.usage.seconds
            self._opened = True

    async def close(self) -> None:
        await self._chat.close()

    async def propose(self, ask: Ask[P]) -> Proposed[P]:
        if not ask.uses_model:
            return Proposed(value=ask.baseline, origin="rules")
        await self.open()
        if (record := self._journal.find(ask.ask_id)) is not None:
            return recalled(ask, record)
        exchange = Exchange(prompt=ask.prompt.render())
        fault = None
        try:
            value = await self._fill(ask, exchange)
            self._breaker.answered()
        except ModelError as error:
            value, fault = ask.baseline, error
            if exchange.attempts:
                self._breaker.failed(error, self._clock.monotonic())
        record = await self._journal.keep(ask, exchange, value, fault)
        self._spending.add(record)
        return Proposed(value=value, origin=record.origin, degraded=degraded_text(record))

    async def _fill(self, ask: Ask[P], exchange: Exchange) -> P:
        """Ask, and once more with what was wrong with the first answer."""
        prompt = exchange.prompt
        messages = [Message("system", prompt.system), Message("user", prompt.shared + prompt.task)]
        text = await self._answer(ask, messages, exchange)
        try:
            return read_form(text, ask.form)
        except ModelError as error:
            refused = error
        shown = text.strip()[:BAD_ANSWER_SHOWN] or "(nothing)"
        messages += [Message("assistant", shown), Message("user", f"REFUSED: {refused}")]
        try:
            repaired = await self._answer(ask, messages, exchange)
        except ModelError as fault:
            if fault.kind in UNAFFORDABLE:
                raise refused from fault
            raise
        return read_form(repaired, ask.form)

    async def _answer(self, ask: Ask[P], messages: list[Message], exchange: Exchange) -> str:
        """One call: what it may cost is checked before it, what came of it after."""
        self._breaker.check(self._clock.monotonic())
        profile = await self._chat.prepare()
        sent = "\n".join(message.text for message in messages)
        estimate = tokens_for(size_of(sent), profile.bytes_per_token)
        exchange.estimate = exchange.estimate or estimate
        room = ANSWER_TOKENS.get(ask.form.__name__, DEFAULT_ANSWER_TOKENS) * (THINKING_ROOM if profile.thinks else 1)
        if not fits(estimate, room, self._chat.num_ctx):
            need = f"about {estimate} tokens and {room} for the answer do not fit into {self._chat.num_ctx}"
            raise ModelError("the prompt is too long", kind="too_long", why=need)
        with self._spending.reserve(estimate + room, exchange.tokens_in + exchange.tokens_out, exchange.attempts):
            reply, shared = await self._call(ask, messages, exchange, sent, room)
        exchange.replies.append(reply.text)
        exchange.tokens_in += reply.prompt_tokens if reply.prompt_tokens is not None else estimate
        exchange.tokens_out += _answered(reply, profile.bytes_per_token)
        cut = cut_reason(
            counted=reply.prompt_tokens,
            expected=estimate,
            reusable=int(size_of(sent[:shared]) / profile.bytes_per_token),
            num_ctx=self._chat.num_ctx,
            partial_counts=profile.partial_counts,
        )
        if cut:
            raise ModelError("the prompt was cut", kind="cut_prompt", why=cut)
        if reply.done_reason != "stop":
            ended = f"it ended with {reply.done_reason!r}" if reply.done_reason else "it broke off"
            raise ModelError("the answer is incomplete", kind="incomplete", why=ended)
        return reply.text

    async def _call(
        self, ask: Ask[P], messages: list[Message], exchange: Exchange, sent: str, room: int
    ) -> tuple[Reply, int]:
        """The reply, and how many characters at the beginning an earlier prompt shared."""
        shared = self._prefixes.shared(sent)
        exchange.attempts += 1
        exchange.prompt_chars += len(sent)
        exchange.shared_chars += shared
        queue = max(1, self._spending.pending_calls)  # a server that answers one at a time makes the others wait
        seconds = min(self._call_seconds * queue, self._spending.seconds_left())
        started = self._clock.monotonic()
        call = Call(ask=ask, messages=tuple(messages), answer_tokens=room, seconds=seconds)
        try:
            return await self._chat.complete(call), shared
        finally:
            exchange.seconds += self._clock.monotonic() - started


def _answered(reply: Reply, bytes_per_token: float) -> int:
    return reply.answer_tokens if reply.answer_tokens is not None else int(size_of(reply.text) / bytes_per_token)
