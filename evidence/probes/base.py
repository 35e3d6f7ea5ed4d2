"""What every probe is made of: its parameters, how it is described, how its answer is put together."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from ...contracts.claim import Fact
from ...contracts.evidence import Answer, Cost, ProbeSpec, Source
from ...contracts.incident import TimeWindow
from ..tables import Tables

MAX_FACTS = 80
MAX_QUOTE = 300
MAX_EXCERPT = 20
DIGITS = 6
"""Significant digits of every number in an answer."""


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


def rounded(value: float | None, digits: int = DIGITS) -> float | None:
    """To significant digits, so that a last bit never makes two answers differ; None for what is not finite."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{digits}g}")


def strength(value: float) -> float:
    """Into [0, 1], to four places."""
    return round(min(max(value, 0.0), 1.0), 4) if math.isfinite(value) else 0.0


def saturating(value: float, half: float) -> float:
    """0 at 0, 0.5 at `half`, towards 1: monotone in `value`."""
    return strength(value / (value + half)) if value > 0 else 0.0


def cut(text: str, limit: int = MAX_QUOTE) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."


MINUTE = timedelta(minutes=1)
Names = tuple[str, ...]


def in_list(column: str, names: Sequence[str], params: list[Any]) -> str:
    """` AND column IN (...)`, empty for no names; the names become positional parameters."""
    if not names:
        return ""
    params.extend(names)
    return f" AND {column} IN ({', '.join('?' for _ in names)})"


ServiceNames = Field(default=(), max_length=200)
