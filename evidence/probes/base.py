"""What every probe is made of: its parameters, how it is described, how its answer is put together."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from ...contracts.claim import Fact
from ...contracts.evidence import Answer, Cost, ProbeSpec, Source
from ...contracts.incident import TimeWindow
from ..numbers import rounded, saturating, strength
from ..tables import Tables

__all__ = [
    "MAX_EXCERPT", "MAX_FACTS", "MAX_QUOTE", "Params", "Probe", "ServiceNames", "answered", "cut", "in_list", "rounded",
    "saturating", "strength", "undated",
]  # fmt: skip

MAX_FACTS = 80
MAX_QUOTE = 300
MAX_EXCERPT = 20


class Params(BaseModel):
    """Parameters of a probe. JSON comes in, so types are read leniently; names that do not exist are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, str_max_length=2000)


P = TypeVar("P", bound=Params)


@dataclass(frozen=True, kw_only=True)
class Probe(Generic[P]):
    name: str
    question: str
    sources: tuple[Source, ...]
    """It can be asked where one of them holds rows."""
    cost: Cost
    params: type[P]
    answer: Callable[[Tables, P], Answer]
    """Blocking, bounded; runs in a thread of its own."""
    version: int = 1

    @property
    def spec(self) -> ProbeSpec:
        return ProbeSpec(
            name=self.name, question=self.question, sources=self.sources, params=self.params.model_json_schema(),
            cost=self.cost, version=self.version,
        )  # fmt: skip


def answered(
    tables: Tables,
    source: Source,
    facts: Iterable[Fact],
    *,
    window: TimeWindow | None,
    rows_read: int,
    excerpt: Sequence[str] = (),
    note: str = "",
) -> Answer:
    """The strongest facts; none is `empty`, or `partial` where the source is known to have lost records."""
    ordered = sorted(facts, key=_order)
    notes = [note] if note else []
    if len(ordered) > MAX_FACTS:
        notes.append(f"the strongest {MAX_FACTS} of {len(ordered)} facts")
        ordered = ordered[:MAX_FACTS]
    complete = tables.complete(source)
    if not complete:
        notes.append(f"{source} are incomplete: what is absent here may have been lost")
    status = "ok" if ordered else ("empty" if complete else "partial")
    return Answer(
        status=status, facts=tuple(ordered), window=window, rows_read=rows_read,
        excerpt=tuple(line[:MAX_QUOTE] for line in excerpt[:MAX_EXCERPT]), note="; ".join(notes),
    )  # fmt: skip


def undated(source: Source) -> Answer:
    return Answer(status="empty", note=f"no {source} with a time that can be understood")


def _order(fact: Fact) -> tuple[Any, ...]:
    return (-fact.strength, fact.subject.kind, fact.subject.ref, fact.signal, fact.relation, fact.object,
            fact.at.isoformat() if fact.at else "")  # fmt: skip


def cut(text: str, limit: int = MAX_QUOTE) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."


def in_list(column: str, names: Sequence[str], params: list[Any]) -> str:
    """` AND column IN (...)`, empty for no names; the names become positional parameters."""
    if not names:
        return ""
    params.extend(names)
    return f" AND {column} IN ({', '.join('?' for _ in names)})"


ServiceNames = Field(default=(), max_length=200)
