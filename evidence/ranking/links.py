"""Whether a change speaks of the very things that the symptoms speak of: names, literals, numbers."""

import re
from collections import Counter
from collections.abc import Iterable
from functools import cached_property

from ...contracts.claim import Claim
from ..diffs.text import COMMON, IDENTIFIER, stem, strings, terms, words
from ..diffs.values import quantities
from .board import Board, ChangeClaims, Symptom
from .signals import metric_words

KEY, QUOTE = 0.45, 0.25
"""Weight of a shared word that stands in what is changed, or only in its line."""
DISTINCT = 100
"""From here on a bare number is hardly said by accident."""
OVERSHOOT = 1.3
"""How far beyond a time limit the time lies, at most, that a text gives for work that it cut short."""
_LIMITS_TIME = re.compile(r"time ?out|deadline|budget|max wait|abort")
_GAVE_UP = re.compile(r"(?i)time(?:d)?.?out|deadline|abort|cancel|gave up|exceeded|elapsed")
_HOST = re.compile(r"\b[a-z][\w-]*(?:\.[a-z][\w-]*)+\b(?!\()")
_NAME = re.compile(r"[A-Za-z_][\w.-]{3,}")


class Links:
    """Terms of all symptoms and of all changes, so that what many changes speak of links none of them."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def score(self, effect: Claim) -> float:
        """0 where nothing is shared, 1 where a name, literal or number of the change stands in a symptom."""
        if self.exact(effect):
            return 1.0
        key, quote = terms(key_of(effect)) - self._service_terms, terms(line_of(effect)) - self._service_terms
        if effect_kind(effect) == "key_renamed":
            quote = key
        shared_key = key & self._symptom_terms
        shared_quote = (quote & self._symptom_terms) - shared_key
        return min(1.0, self._weigh(shared_key, KEY) + self._weigh(shared_quote, QUOTE))

    def quoted(self, change: ChangeClaims) -> float:
        """How far the change speaks of what an error puts in quotes or names: less, the more changes do."""
        return max(
            (match.strength / self._quoting[match.object] for match in change.matches if match.unit == "text"),
            default=0.0,
        )

    @cached_property
    def _quoting(self) -> Counter[str]:
        """How many changes hold a literal."""
        changes = self._board.changes.values()
        return Counter(text for c in changes for text in {m.object for m in c.matches if m.unit == "text"})

    def exact(self, effect: Claim) -> bool:
        """Whether the very name, literal or number of the change stands in a symptom."""
        return self._named(effect) or self._numbers(effect)

    def _weigh(self, shared: Iterable[str], weight: float) -> float:
        return sum(weight / max(1, self._holders[term]) for term in sorted(shared))

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        return tuple(s.text for s in self._board.symptoms if s.text)

    @cached_property
    def _joined(self) -> str:
        return " \n ".join(self._texts).lower()

    @cached_property
    def _symptom_terms(self) -> frozenset[str]:
        found = {term for text in self._texts for term in terms(text)}
        found |= {term for s in self._board.symptoms if s.metric for term in terms(s.metric)}
        return frozenset(found) - self._service_terms

    @cached_property
    def _service_terms(self) -> frozenset[str]:
        """Parts of services' names: they say where, not what."""
        return frozenset(stem(word) for name in self._board.services for word in words(name.removesuffix("service")))

    @cached_property
    def _holders(self) -> Counter[str]:
        """How many changes speak of a term."""
        found: Counter[str] = Counter()
        for change in self._board.changes.values():
            found.update({term for effect in change.effects for term in terms(f"{key_of(effect)} {line_of(effect)}")})
        return found

    def _named(self, effect: Claim) -> bool:
        """Whether a distinctive name or literal of the change stands in a symptom as it is."""
        key = key_of(effect).rpartition(".")[2]
        names = {key.lower()} if _distinct(key) else set()
        names |= {host.lower() for host in _HOST.findall(line_of(effect).rpartition(" + ")[2])}
        names |= {
            text.lower()
            for text in strings(line_of(effect))
            if _distinct(text) or (effect.object.startswith("field_") and len(text) > 2)
        }
        if effect.object.startswith("field_"):
            names.add(key.lower())
        names -= _on_both_sides(line_of(effect))
        known = {name.lower() for name in self._board.services}
        return any(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", self._joined) for name in names - known)

    def _numbers(self, effect: Claim) -> bool:
        """Whether a metric moved from the old value to the new one, or a text names the new one."""
        if effect.value is None or effect.unit in {"bool", "text"}:
            return False
        if effect.baseline is not None and any(_moved_alike(effect, symptom) for symptom in self._board.symptoms):
            return True
        if self._cut_short(effect):
            return True
        if effect.unit not in {"s", "By"} and effect.value < DISTINCT:
            return False
        return effect.value > 0 and any(
            q.unit in {effect.unit, "1"} and abs(q.value - effect.value) < 0.001 * effect.value
            for text in self._texts for q in quantities(text[:600])
        )  # fmt: skip

    def _cut_short(self, effect: Claim) -> bool:
        """Whether a text tells of work that was given up just after the new time limit, which was lowered."""
        if effect.value is None or effect.baseline is None or not 0 < effect.value < effect.baseline:
            return False
        if not _LIMITS_TIME.search(metric_words(key_of(effect))):
            return False
        limits = [effect.value] if effect.unit == "s" else [effect.value / 1000, effect.value]
        return any(
            q.unit == "s" and limit <= q.value <= OVERSHOOT * limit
            for text in self._texts if _GAVE_UP.search(text)
            for q in quantities(text[:600]) for limit in limits
        )  # fmt: skip


def _on_both_sides(line: str) -> set[str]:
    """Hosts and literals that stood there before and stand there still: the change is not about them."""
    old, arrow, new = line.partition(" + ")
    if not arrow:
        return set()
    sides = [{text.lower() for text in (*_HOST.findall(side), *strings(side))} for side in (old, new)]
    return sides[0] & sides[1]


def _moved_alike(effect: Claim, symptom: Symptom) -> bool:
    claim = symptom.claim
    if claim is None or not symptom.metric or claim.value is None or claim.baseline is None:
        return False
    if effect.value is None or effect.baseline is None or effect.value == effect.baseline:
        return False
    alike = abs(claim.value - effect.value) <= 0.02 * abs(effect.value) and abs(
        claim.baseline - effect.baseline
    ) <= 0.02 * abs(effect.baseline)
    return alike and bool(terms(key_of(effect)) & terms(metric_words(symptom.metric)))


def _distinct(name: str) -> bool:
    """A name that is hardly said by accident: of two parts or more, or long."""
    if not _NAME.fullmatch(name) or name.lower() in COMMON:
        return False
    return len(words(name)) > 1 and len(name) > 6


def key_of(effect: Claim) -> str:
    """What is changed, without the kind of effect in front of it."""
    return effect.object.partition(": ")[2] if effect.relation == "touches" else effect.object


def effect_kind(effect: Claim) -> str:
    if effect.relation == "touches":
        return effect.object.partition(": ")[0]
    if effect.unit == "bool":
        return "switch_changed"
    if effect.unit == "text":
        return "text_changed"
    if effect.baseline is None:
        return "constant_added"
    return "constant_removed" if effect.value is None else "constant_changed"


def path_of(effect: Claim) -> str:
    head = effect.quote.partition(": ")[0]
    return head if " " not in head else ""


def line_of(effect: Claim) -> str:
    path = path_of(effect)
    return effect.quote[len(path) :].lstrip(": ") if path else effect.quote


def identifiers(text: str) -> frozenset[str]:
    return frozenset(IDENTIFIER.findall(text))
