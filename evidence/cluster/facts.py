"""How a check says what it found: the object, the fault kind by its name in the taxonomy, and the line that shows it."""

# ruff: noqa: E501  # one pattern stands on one line

from collections.abc import Iterable
from datetime import datetime

from ...contracts.claim import Fact, Subject

MAX_QUOTE = 300
NAMESPACE = "namespace/"


def component(name: str) -> Subject:
    return Subject(kind="component", ref=name, service=name)


def namespace(name: str) -> Subject:
    return Subject(kind="component", ref=f"{NAMESPACE}{name or 'default'}")


def node(name: str) -> Subject:
    return Subject(kind="node", ref=name)


def diagnosis(
    subject: Subject, area: str, kind: str, strength: float, quote: str, *, value: float | None = None,
    baseline: float | None = None, unit: str = "", at: datetime | None = None,
) -> Fact:  # fmt: skip
    text = " ".join(quote.split())
    return Fact(
        subject=subject, signal=f"resource:{area}", relation="states", object=kind, strength=round(strength, 4),
        quote=text if len(text) <= MAX_QUOTE else text[: MAX_QUOTE - 3] + "...", value=value, baseline=baseline,
        unit=unit, at=at,
    )  # fmt: skip


def strongest(facts: Iterable[Fact]) -> list[Fact]:
    """One of each object and kind."""
    best: dict[tuple[str, str], Fact] = {}
    for fact in facts:
        key = (fact.subject.ref, fact.object)
        if key not in best or (-fact.strength, fact.quote) < (-best[key].strength, best[key].quote):
            best[key] = fact
    return list(best.values())
