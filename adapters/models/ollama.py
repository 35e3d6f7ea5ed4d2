"""A local model through langchain-ollama."""

import asyncio
from contextlib import aclosing
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from ...contracts.errors import ModelError
from ...contracts.ports import Clock, Ledger
from ...contracts.proposal import Proposal
from ...contracts.task import Budget
from .chat import KEEP_ALIVE, SEED, Call, Message, Profile, Reply
from .probe import Prober
from .proposer import ModelProposer
from .strict import ANSWER_CHARS
from .wire import CONNECT_SECONDS, certificates

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage
    from langchain_ollama import ChatOllama

MOST_TOKENS = 100_000_000
"""A count above is none."""


class OllamaChat:
    """One model of one server. The client is made once: that costs 50 ms, and its import a second."""

    def __init__(
        self,
        model: str,
        url: str,
        *,
        num_ctx: int = 8192,
        profile: Profile | None = None,
        prober: Prober | None = None,
        digest: str = "",
    ) -> None:
        self.model = model
        self.url = url
        self.num_ctx = num_ctx
        self.profile = profile or Profile()
        self._prober = None if profile else prober
        self._digest = digest
        self._probing = asyncio.Lock()

    @property
    def name(self) -> str:
        return f"ollama:{self.model}"

    async def prepare(self) -> Profile:
        """Probed before the first question, not before: a resumed run may have none left."""
        async with self._probing:
            if self._prober is not None:
                self.profile = await self._prober.profile(self.model, self.url, self._digest, self.num_ctx)
                self._prober = None
        return self.profile

    @cached_property
    def _client(self) -> "ChatOllama":
        import httpx  # noqa: PLC0415  # only where a model is asked
        from langchain_ollama import ChatOllama  # noqa: PLC0415

        return ChatOllama(
            model=self.model,
            base_url=self.url,
            reasoning=self.profile.reasoning,
            keep_alive=KEEP_ALIVE,
            client_kwargs={
                "timeout": httpx.Timeout(None, connect=CONNECT_SECONDS),  # every call has its own bound in `complete`
                "trust_env": False,
                "follow_redirects": False,
                "verify": certificates(),
            },
        )

    async def complete(self, call: Call) -> Reply:
        import httpx  # noqa: PLC0415  # only where a model is asked
        from ollama import RequestError, ResponseError  # noqa: PLC0415

        from .faults import fault_of, refused  # noqa: PLC0415

        try:
            async with asyncio.timeout(max(0.0, call.seconds)):
                return await self._stream(call)
        except ResponseError as error:
            raise refused(error.status_code, error.error) from error
        except TimeoutError as error:
            why = f"not within {call.seconds:.0f} s"
            raise ModelError("the model did not answer in time", kind="timeout", why=why) from error
        except (
            httpx.HTTPError, httpx.InvalidURL, RequestError, OSError, ValueError, TypeError, LookupError,
            AttributeError, RuntimeError,
        ) as error:  # fmt: skip  # what the clients raise on answers that are no Ollama's
            raise fault_of(error, self.url) from error

    async def close(self) -> None:
        if "_client" in self.__dict__:
            connections: Any = self._client._async_client  # noqa: SLF001  # langchain-ollama offers no other way
            await connections.close()

    async def _stream(self, call: Call) -> Reply:
        """The raw answer: with_structured_output would repair a cut one, so that nobody sees that it was cut."""
        options = {"num_ctx": self.num_ctx, "num_predict": call.answer_tokens, "temperature": 0.0, "seed": SEED}
        form: type[Proposal] = call.ask.form
        bound = self._client.bind(format=_schema_of(form), options=options)
        text, meta = "", {}
        async with aclosing(bound.astream([_lc(message) for message in call.messages])) as chunks:  # type: ignore[type-var]
            async for chunk in chunks:
                text += chunk.content if isinstance(chunk.content, str) else ""
                if chunk.response_metadata.get("done"):
                    meta = chunk.response_metadata
                if len(text) > ANSWER_CHARS:
                    break
        return _reply(text, meta)


@cache
def _schema_of(form: type[Proposal]) -> dict[str, Any]:
    return form.model_json_schema()


def _lc(message: Message) -> "BaseMessage":
    from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage  # noqa: PLC0415

    kinds: dict[str, type[BaseMessage]] = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}
    return kinds[message.role](content=message.text)


def _reply(text: str, meta: dict[str, Any]) -> Reply:
    def count(name: str) -> int | None:
        value = meta.get(name)
        return value if isinstance(value, int) and 0 <= value <= MOST_TOKENS else None

    reason = meta.get("done_reason")
    return Reply(
        text=text,
        done_reason=reason[:40] if isinstance(reason, str) else None,
        prompt_tokens=count("prompt_eval_count"),
        answer_tokens=count("eval_count"),
    )


class OllamaProposer(ModelProposer):
    def __init__(
        self,
        model: str,
        url: str,
        *,
        ledger: Ledger,
        clock: Clock,
        budget: Budget,
        num_ctx: int = 8192,
        profile: Profile | None = None,
        prober: Prober | None = None,
        digest: str = "",
        call_seconds: float = 180.0,
        max_calls: int = 400,
    ) -> None:
        """`model` is the bare name, `url` one of `address_of`; `prober` finds out the profile where none is given."""
        chat = OllamaChat(model, url, num_ctx=num_ctx, profile=profile, prober=prober, digest=digest)
        super().__init__(
            chat, ledger=ledger, clock=clock, budget=budget, call_seconds=call_seconds, max_calls=max_calls
        )
