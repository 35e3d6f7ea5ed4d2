"""Every question is recorded once it is answered, and answered from its record when it is asked again."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from pydantic import JsonValue, ValidationError

from ...contracts.base import Digest, derived_id, digest_of
from ...contracts.errors import CorruptStore, ModelError
from ...contracts.event import Event
from ...contracts.ports import Ask, Clock, Ledger, Proposed, Rendered, Writes
from ...contracts.proposal import Proposal
from ...contracts.proposal_record import DegradedKind, ProposalRecord

P = TypeVar("P", bound=Proposal)

REPLY_CHARS = 64_000


@dataclass
class Exchange:
    """One question while it is asked."""

    prompt: Rendered
    replies: list[str] = field(default_factory=list)
    attempts: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    estimate: int = 0
    prompt_chars: int = 0
    shared_chars: int = 0
    seconds: float = 0.0


def recalled(ask: Ask[P], record: ProposalRecord) -> Proposed[P]:
    """Raise CorruptStore where the record does not hold the asked form."""
    try:
        value = ask.form.model_validate(record.answer)
    except ValidationError as error:
        what = f"the recorded answer to {ask.ask_id!r} is no {ask.form.__name__}"
        raise CorruptStore(what, why=str(error).splitlines()[0], hint="start a new run") from error
    return Proposed(value=value, origin=record.origin, degraded=degraded_text(record))


def degraded_text(record: ProposalRecord) -> str:
    return f"{record.degraded}: {record.why}" if record.degraded else ""


class Journal:
    def __init__(self, ledger: Ledger, clock: Clock, model: str) -> None:
        self._ledger = ledger
        self._clock = clock
        self._model = model
        self._records: dict[str, ProposalRecord] = {}
        self._saved: dict[str, Digest] = {}
        """Artifacts of this process by their text: the shared parts are stored once."""

    async def read(self) -> tuple[ProposalRecord, ...]:
        """What earlier processes of the run recorded."""
        records = await self._ledger.all(ProposalRecord)
        self._records = {record.ask_id: record for record in records}
        return records

    async def prompts(self, records: Sequence[ProposalRecord]) -> tuple[str, ...]:
        """Prompts as they were sent: what the server's prefix cache may still hold of an earlier process's."""
        found = []
        for record in records:
            parts = [await self._ledger.artifact(ref) for ref in (record.system, record.shared, record.task)]
            system, shared, task = ((part or b"").decode("utf-8", "replace") for part in parts)
            found.append(f"{system}\n{shared}{task}")
        return tuple(found)

    def find(self, ask_id: str) -> ProposalRecord | None:
        return self._records.get(ask_id)

    async def keep(
        self, ask: Ask[Any], exchange: Exchange, value: Proposal, fault: ModelError | None
    ) -> ProposalRecord:
        record = ProposalRecord(
            ask_id=ask.ask_id,
            node=ask.node,
            form=ask.form.__name__,
            agent=ask.agent,
            task_id=ask.task_id,
            model=self._model,
            template=ask.prompt.template,
            system=await self._shared_text(exchange.prompt.system),
            shared=await self._shared_text(exchange.prompt.shared),
            task=await self._text(exchange.prompt.task),
            replies=tuple([await self._text(reply[:REPLY_CHARS]) for reply in exchange.replies]),
            answer=cast("dict[str, JsonValue]", value.model_dump(mode="json")),
            origin="rules" if fault else "model",
            degraded=cast("DegradedKind", fault.kind) if fault else None,
            why=str(fault)[:500] if fault else "",
            attempts=exchange.attempts,
            tokens_in=exchange.tokens_in,
            tokens_out=exchange.tokens_out,
            estimate=exchange.estimate,
            prompt_chars=exchange.prompt_chars,
            shared_prefix_chars=exchange.shared_chars,
            seconds=exchange.seconds,
            at=self._clock.now(),
        )
        await self._ledger.commit(Writes(records=(record,), events=(self._event(record),)))
        self._records[record.ask_id] = record
        return record

    async def _text(self, text: str) -> Digest:
        content = text.encode("utf-8", "backslashreplace")
        return (await self._ledger.save_artifact(content, "text/plain; charset=utf-8")).digest

    async def _shared_text(self, text: str) -> Digest:
        if text not in self._saved:
            self._saved[text] = await self._text(text)
        return self._saved[text]

    def _event(self, record: ProposalRecord) -> Event:
        data: dict[str, JsonValue] = {
            "node": record.node,
            "form": record.form,
            "model": record.model,
            "attempts": record.attempts,
            "tokens_in": record.tokens_in,
            "tokens_out": record.tokens_out,
        }
        return Event(
            event_id=derived_id("evt", "proposal", record.ask_id),
            kind="proposal.degraded" if record.degraded else "proposal.made",
            subject=record.ask_id,
            by=record.agent or record.node,
            reason=degraded_text(record),
            input_hash=digest_of([record.system, record.shared, record.task]),
            duration_ms=round(record.seconds * 1000, 1),
            data=data,
            at=record.at,
        )
