"""What had expired, was not valid yet, or runs out soon: certificates, credentials, licences?

Method: dates that stand behind words such as `notAfter`, `expires` or `valid until` in resources, documents and
changes, and in log lines that hold such a word. A date before the end of the window is `fails expired`, a `notBefore`
after the split `fails not_yet_valid`; one in the seven days behind the window `states expires_soon`. Strength: 0.95
where it ran out between a day before the window and its end, 0.5 where earlier, 0.3 for soon. Cost: one pass over the
logs.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import re2

from ...contracts.claim import Fact, Relation, Subject
from ...contracts.evidence import Answer
from ..subjects import subject_for
from ..tables import Periods, Tables
from .base import Params, Probe, answered, cut, undated

SOON = timedelta(days=7)
FRESH = timedelta(days=1)
_WORD = (
    r"(?:not[ _]?(?:after|before)|expir(?:es?|y|ed|ation)(?:[ _]?(?:date|time|on|at|timestamp))?|"
    r"valid[ _]?(?:until|to|from))"
)
_DATED = re2.compile(
    rf"(?i)\b({_WORD})[\"']?\s*[:=]?\s*[\"']?"
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
    r"|[A-Z][a-z]{2} +[0-9]{1,2} [0-9]{2}:[0-9]{2}:[0-9]{2} [0-9]{4}(?: GMT)?)"
)
MAX_PER_TEXT = 20
MAX_TEXT = 1 << 18


class Expiry(Params):
    pass


class _Text(NamedTuple):
    subject: Subject
    text: str


class _Found(NamedTuple):
    word: str
    date: datetime
    quote: str


def answer(tables: Tables, params: Expiry) -> Answer:  # noqa: ARG001  # it has no parameters
    periods = tables.periods()
    if periods is None:
        return undated("resources")
    texts = list(_texts(tables))
    facts: dict[tuple[str, str, str], Fact] = {}
    for text in texts:
        for found in _dates(text.text):
            fact = _fact(text.subject, found, periods)
            if fact:
                facts.setdefault((fact.subject.ref, fact.object, str(fact.at)), fact)
    return answered(
        tables,
        "resources" if tables.has("resources") else "logs",
        facts.values(),
        window=periods.whole,
        rows_read=len(texts),
    )


def _texts(tables: Tables) -> Iterator[_Text]:
    for kind, namespace, name, body in tables.rows(
        f"SELECT kind, namespace, name, left(body, {MAX_TEXT}) AS b FROM resources ORDER BY kind, namespace, name, b"  # noqa: S608  # a number
    ):
        ref = f"{namespace}/{name}" if namespace else name
        yield _Text(Subject(kind="node" if kind.lower() == "node" else "component", ref=ref), body)
    for name, body in tables.rows(f"SELECT name, left(body, {MAX_TEXT}) FROM documents ORDER BY name"):  # noqa: S608  # a number
        yield _Text(Subject(kind="document", ref=name), body)
    for service, line in tables.rows(
        """SELECT service, min(left(body, 500)) AS line FROM logs WHERE regexp_matches(body, ?)
        GROUP BY service, left(body, 80) ORDER BY service, line LIMIT 2000""",
        [f"(?i){_WORD}"],
    ):
        yield _Text(subject_for(tables.incident, service), line)
    for ref, service, text in tables.rows(
        f"SELECT ref, service, left(title || chr(10) || diff, {MAX_TEXT}) AS b FROM changes ORDER BY ref, service, b"  # noqa: S608  # a number
    ):
        yield _Text(Subject(kind="change", ref=ref, service=service), text)


def _dates(text: str) -> Iterator[_Found]:
    for number, match in enumerate(_DATED.finditer(text)):
        if number >= MAX_PER_TEXT:
            return
        date = _read(match.group(2))
        if date is not None:
            start = max(match.start() - 80, 0)
            yield _Found(match.group(1).lower(), date, text[start : match.end() + 80].strip())


def _read(written: str) -> datetime | None:
    try:
        if written[0].isdigit():
            found = datetime.fromisoformat(written)
        else:
            plain = " ".join(written.removesuffix("GMT").split())
            found = datetime.strptime(plain, "%b %d %H:%M:%S %Y").replace(tzinfo=UTC)
    except ValueError:
        return None
    found = found if found.tzinfo else found.replace(tzinfo=UTC)
    return found if 1980 <= found.year < 2200 else None


def _fact(subject: Subject, found: _Found, periods: Periods) -> Fact | None:
    begins = "before" in found.word or "from" in found.word
    start, end = periods.after.start, periods.whole.end
    relation: Relation = "fails"
    if begins:
        if found.date <= start:
            return None
        said, strong = "not_yet_valid", 0.9
    elif found.date <= end:
        said, strong = "expired", 0.95 if found.date >= periods.whole.start - FRESH else 0.5
    elif found.date <= end + SOON:
        said, strong, relation = "expires_soon", 0.3, "states"
    else:
        return None
    return Fact(
        subject=subject, signal="calendar:expiry", relation=relation, object=said, at=found.date, strength=strong,
        quote=cut(" ".join(found.quote.split())),
    )  # fmt: skip


PROBE = Probe(
    name="expiry",
    question="Which certificates, credentials or licences had expired, or run out soon?",
    sources=("resources", "documents", "logs", "changes"),
    cost="moderate",
    params=Expiry,
    answer=answer,
)
