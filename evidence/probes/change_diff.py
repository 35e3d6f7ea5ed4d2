"""What does a change's diff do, and does it speak of the anomaly?

Method: the diff is read as data (docs/ranking.md, "Diffs"): constants that move, checks, calls and registrations that
go, queries, schema changes, names on the wire. `sets` gives a key its new value and, as baseline, the old one, in base
units; `touches` names an effect and what it happens to, as `guard_removed: order.customer`; `states` names a kind of
change that cannot break anything; `matches` finds a term of the anomaly in a changed line, or, with the unit `text`, a
literal or name of it as it stands. Strength: how clearly the lines say it; of `states`: how sure that kind is to be
harmless; of `matches`: 1 / (lines that hold the term), of a literal .9, .7 where only the path of a file is it.
Cost: one row.
"""

import re
from collections.abc import Iterator, Sequence

from pydantic import Field

from ...contracts.claim import Fact, Subject
from ...contracts.evidence import Answer
from ..diffs import Effect
from ..diffs.innocence import HOW_SURE
from ..diffs.text import bare, terms
from ..tables import Tables
from .base import Params, Probe, answered, cut, rounded, strength
from .change_rows import ChangeRow, by_ref, read_changes, same_id

MAX_MATCHES = 6
MAX_LITERALS = 3
_SETS = frozenset({"constant_changed", "constant_added", "constant_removed", "text_changed", "switch_changed"})


class ChangeDiff(Params):
    ref: str = Field(min_length=1)
    """The change's id; its first seven or more characters are enough."""
    terms: tuple[str, ...] = Field(default=(), max_length=60)
    """Words of the anomaly, stemmed as the analysts do."""
    literals: tuple[str, ...] = Field(default=(), max_length=60)
    """Names and quoted texts of the anomaly, as they stand."""


def answer(tables: Tables, params: ChangeDiff) -> Answer:
    changes = by_ref(read_changes(tables))
    change = changes.get(params.ref) or next((c for ref, c in changes.items() if same_id(ref, params.ref)), None)
    if change is None:
        return Answer(status="empty", note=f"no change is called {params.ref[:80]!r}")
    facts = [*_facts(change, frozenset(params.terms)), *_quoted(change, params.literals)]
    return answered(
        tables, "changes", facts, window=None, rows_read=1, excerpt=change.diff_text.splitlines()[:20],
        note="" if change.diff_text else "the change is known by the names of its files alone",
    )  # fmt: skip


def _facts(change: ChangeRow, wanted: frozenset[str]) -> Iterator[Fact]:
    subject = Subject(kind="change", ref=change.ref, service=change.service)
    profile = change.profile
    for effect in profile.effects:
        yield _effect(subject, effect)
    if profile.innocence:
        yield Fact(subject=subject, signal="change:diff", relation="states", object=profile.innocence,
                   strength=HOW_SURE[profile.innocence], quote=cut(", ".join(change.paths)))  # fmt: skip
    elif not profile.effects:
        yield Fact(
            subject=subject,
            signal="change:diff",
            relation="touches",
            object=f"files: {', '.join(change.paths[:4])}",
            strength=0.1,
            quote=cut(change.title),
        )
    yield from _matches(subject, change, wanted)


def _effect(subject: Subject, effect: Effect) -> Fact:
    sets = effect.kind in _SETS
    return Fact(
        subject=subject, signal="change:diff", relation="sets" if sets else "touches",
        object=effect.key if sets else f"{effect.kind}: {effect.key}", value=rounded(effect.new_value),
        baseline=rounded(effect.old_value), unit=effect.unit, strength=strength(effect.clear),
        quote=cut(f"{effect.path}: {effect.quote}"),
    )  # fmt: skip


def _matches(subject: Subject, change: ChangeRow, wanted: frozenset[str]) -> Iterator[Fact]:
    lines = [(file, line) for file in change.diff.files for line in (*file.removed, *file.added)]
    holders: dict[str, list[str]] = {}
    for file, line in lines[:2000]:
        for term in terms(bare(line, file.path)) & wanted:
            holders.setdefault(term, []).append(f"{file.path}: {line.strip()}")
    for term in sorted(holders, key=lambda term: (len(holders[term]), term))[:MAX_MATCHES]:
        yield Fact(subject=subject, signal="change:diff", relation="matches", object=term,
                   strength=strength(1 / len(holders[term])), quote=cut(holders[term][0]))  # fmt: skip


def _quoted(change: ChangeRow, literals: Sequence[str]) -> Iterator[Fact]:
    """Literals that stand in an added or removed line, or name a changed file as code imports it."""
    subject = Subject(kind="change", ref=change.ref, service=change.service)
    lines = [(file.path, line) for file in change.diff.files for line in (*file.removed, *file.added)][:2000]
    found = []
    for literal in dict.fromkeys(literals):
        exact = re.compile(rf"(?<![\w-]){re.escape(literal)}(?![\w-])")
        line = next((f"{path}: {text.strip()}" for path, text in lines if exact.search(text)), "")
        path = "" if line else next((path for path in change.paths if _imports(literal, path)), "")
        if line or path:
            found.append(
                Fact(subject=subject, signal="change:diff", relation="matches", object=cut(literal), unit="text",
                     strength=0.9 if line else 0.7, quote=cut(line or path))
            )  # fmt: skip
    yield from sorted(found, key=lambda fact: (-fact.strength, -len(fact.object), fact.object))[:MAX_LITERALS]


def _imports(literal: str, path: str) -> bool:
    """Whether a dotted name is a file's: `mail.address` is `lib/mail/address.py`."""
    stem = path.rpartition(".")[0] or path
    return "." in literal and f"/{stem}/".endswith(f"/{literal.replace('.', '/')}/")


PROBE = Probe(
    name="change_diff",
    question="What does this change's diff do, and does it speak of the anomaly?",
    sources=("changes",),
    cost="cheap",
    params=ChangeDiff,
    answer=answer,
)
