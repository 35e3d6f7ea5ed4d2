"""How well one change explains the symptoms: mechanism, time, reach, place, innocence."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from ...contracts.base import ClaimId
from ...contracts.claim import Claim
from .board import Board, ChangeClaims
from .links import Links, effect_kind, key_of, line_of, path_of
from .signals import metric_words
from .support import Support, noisy_or, support
from .taxonomy import DiffRule, Reason, taxonomy

SLACK = timedelta(seconds=90)
LATEST = datetime.max.replace(tzinfo=UTC)
BASE, SHOWN, LINKED = 0.15, 0.6, 0.35
"""Of a mechanism: what its kind is worth by itself, with symptoms of that kind, with words in common."""
SHOWN_BY_CANARY, TELLING = 0.9, 0.4
"""Weight of new instances that behave otherwise than the stable ones beside them, and least strength that is told."""
UNJUDGED = frozenset({"unknown_content", "dependency_minor"})
"""What a diff may be called without anything being known of what it does: that clears nobody."""
RELIEVES, LOUDER = 0.6, 0.15
"""What a change loses that works against the fault that is told, and how much louder that fault must be."""
UNREAD, UNNAMED, NAMED = 0.12, 0.35, 0.85
"""Mechanism of a change whose lines are not known, weight of an effect that fits no fault kind, and least clearness of
one whose very name or number stands in a symptom."""


@dataclass(frozen=True)
class Mechanism:
    score: float
    reason: str
    effect: Claim | None
    claims: tuple[ClaimId, ...]


@dataclass(frozen=True)
class ChangeScore:
    ref: str
    service: str
    score: float
    reason: str
    at: datetime | None
    claims_for: tuple[ClaimId, ...]
    claims_against: tuple[ClaimId, ...]
    note: str
    nearness: float
    """How suspicious time, reach and place make it, whatever its content."""
    unread: bool


class ChangeRanker:
    def __init__(self, board: Board) -> None:
        self._board = board
        self._links = Links(board)
        self._support: dict[str, Support] = {}
        self._hurt = {s.service for s in board.telling} | {a.service for a in board.incident.alerts}

    def scores(self) -> tuple[ChangeScore, ...]:
        found = [self._score(change) for change in self._board.changes.values()]
        return tuple(sorted(found, key=lambda c: (-c.score, c.ref)))

    def _score(self, change: ChangeClaims) -> ChangeScore:
        mechanism = self._mechanism(change)
        way = self._way(change)
        timely = self._timely(way.at if way else None)
        reach = 0.4 + 0.6 * (_sure(way) if way else 0.3)
        place = self._place(way.subject.service if way else "")
        harmless = change.innocence.strength if change.innocence else 0.0
        differs = noisy_or(claim.strength for claim in change.canary)
        score = noisy_or([mechanism.score * timely * reach * place * (1.0 - harmless), SHOWN_BY_CANARY * differs])
        judged = change.innocence is not None and change.innocence.object not in UNJUDGED
        against = [change.innocence.id] if change.innocence and judged else []
        if way is not None and timely < 0.5:
            against.append(way.id)
        own = [c.id for c in (mechanism.effect, way, *change.canary) if c is not None and c.id not in against]
        return ChangeScore(
            ref=change.ref,
            service=way.subject.service if way else "",
            score=round(min(score, 1.0), 4),
            reason=mechanism.reason,
            at=way.at if way else None,
            claims_for=tuple(dict.fromkeys([*own, *mechanism.claims])),
            claims_against=tuple(against),
            note=_canary_note(change) or _note(mechanism, harmless, change, timely),
            nearness=round(timely * reach * place, 4),
            unread=not change.canary and not judged and (mechanism.effect is None or change.innocence is not None),
        )

    def _mechanism(self, change: ChangeClaims) -> Mechanism:
        options = [option for effect in change.effects for option in self._options(effect, self._links.quoted(change))]
        if not options:
            return Mechanism(UNREAD if not change.innocence else 0.05, "", None, ())
        return max(options, key=lambda m: (m.score, m.reason, m.effect.id if m.effect else ""))

    def _options(self, effect: Claim, quoted: float) -> list[Mechanism]:
        link = max(self._links.score(effect), quoted)
        clear = max(effect.strength, NAMED) if self._links.exact(effect) else effect.strength
        found = [Mechanism(UNNAMED * clear * (0.4 + 0.6 * link), "", effect, ())]
        for reason in taxonomy():
            weight = max((rule.weight * _fits(rule, effect) for rule in reason.diff), default=0.0)
            if weight:
                spoken = self._spoken(reason)
                weight *= 1.0 - RELIEVES * self._relieves(effect, spoken.score)
                shown = max(spoken.score, 0.9 if self._below_normal(reason, effect) else 0.0)
                score = weight * clear * min(1.0, BASE + SHOWN * shown + LINKED * link)
                found.append(Mechanism(score, reason.name, effect, spoken.claims[:8]))
        return found

    def _relieves(self, effect: Claim, least: float) -> float:
        """How surely the change makes a fault less likely that the symptoms speak for more than for this one."""
        louder = (
            self._spoken(reason).score
            for reason in taxonomy()
            if any(_opposes(rule, effect) for rule in reason.diff)
            and not any(_fits(rule, effect) for rule in reason.diff)
        )
        return max((score for score in louder if score >= least + LOUDER), default=0.0)

    def _spoken(self, reason: Reason) -> Support:
        if reason.name not in self._support:
            self._support[reason.name] = support(reason, self._board)
        return self._support[reason.name]

    def _below_normal(self, reason: Reason, effect: Claim) -> bool:
        """Whether a new time limit lies below what the work normally takes."""
        if reason.name != "timeout_too_short" or effect.value is None or effect.unit != "s":
            return False
        usual = [_seconds(c) for c in self._board.of("trace", "metric") if c.baseline]
        return any(effect.value < took <= (effect.baseline or 1e9) for took in usual if took)

    def _way(self, change: ChangeClaims) -> Claim | None:
        """Of several deploys, the one that reaches a hurt service earliest."""
        return min(change.times, key=lambda c: (-_sure(c) * self._place(c.subject.service), c.at or LATEST, c.id),
                   default=None)  # fmt: skip

    def _place(self, service: str) -> float:
        if not self._hurt:
            return 0.8
        if service in self._hurt:
            return 1.0
        if any(service in edge and self._hurt & set(edge) for edge in self._board.edges):
            return 0.9
        return 0.75 if not service else 0.65

    def _timely(self, at: datetime | None) -> float:
        """The share of the evidence that had not begun when the change went live: a cause comes before its effects."""
        if at is None:
            return 0.5
        alerted = self._board.alerted_at
        if alerted is not None and at > alerted + SLACK:
            return 0.03
        dated = [(s.at, s.weight) for s in self._board.telling if s.at is not None]
        total = sum(weight for _, weight in dated)
        if not total:
            return 0.8
        share = sum(weight for began, weight in dated if began + SLACK >= at) / total
        first = min((began for began, _ in dated if began + SLACK >= at), default=at)
        return (0.05 + 0.95 * share) * _age(first - at)


def _age(gap: timedelta) -> float:
    hours = gap.total_seconds() / 3600
    return 1.0 if hours <= 3 else 0.93 if hours <= 24 else 0.8


def _sure(way: Claim) -> float:
    return way.strength if way.relation == "precedes" else min(1.0, 2 * way.strength)


def _fits(rule: DiffRule, effect: Claim) -> float:
    """1 where the effect is of the rule's kind and key, 0.8 where only its file's name is, else 0."""
    if effect_kind(effect) not in rule.effects:
        return 0.0
    key = metric_words(key_of(effect))
    if rule.but is not None and rule.but.search(key):
        return 0.0
    grade = 1.0
    if rule.keys is not None and not rule.keys.search(key):
        file = metric_words("/".join(path_of(effect).split("/")[-2:]))
        line = metric_words(line_of(effect)) if effect.unit == "text" else ""
        if not rule.keys.search(f"{file} {key} {line}"):
            return 0.0
        grade = 0.8
    return grade if _moves(rule, effect) else 0.0


def _opposes(rule: DiffRule, effect: Claim) -> bool:
    """Whether it moves the very key that the rule means, the other way."""
    if not rule.direction or effect_kind(effect) not in rule.effects or rule.keys is None:
        return False
    if effect.value is None or effect.baseline is None or effect.value == effect.baseline:
        return False
    key = metric_words(key_of(effect))
    if not rule.keys.search(key) or (rule.but is not None and rule.but.search(key)):
        return False
    return (effect.value > effect.baseline) != (rule.direction == "raised")


def _moves(rule: DiffRule, effect: Claim) -> bool:
    if not rule.direction and rule.factor <= 1:
        return True
    if effect.value is None or effect.baseline is None:
        return not rule.direction
    raised = effect.value > effect.baseline
    if rule.direction and raised != (rule.direction == "raised"):
        return False
    small, large = sorted((abs(effect.value), abs(effect.baseline)))
    return small == 0 or large / small >= rule.factor


def _seconds(claim: Claim) -> float:
    if claim.baseline is None:
        return 0.0
    text = metric_words(claim.signal)
    if claim.unit == "ms" or text.endswith((" ms", " millis")):
        return claim.baseline / 1000
    return claim.baseline if claim.unit == "s" or "seconds" in text else 0.0


def _canary_note(change: ChangeClaims) -> str:
    best = max(change.canary, key=lambda c: (c.strength, c.id), default=None)
    if best is None or best.strength < TELLING:
        return ""
    return f"The instances that it released differ from the stable ones: {best.object} {best.relation}."


def _note(mechanism: Mechanism, harmless: float, change: ChangeClaims, timely: float) -> str:
    if timely < 0.1:
        return "It went live after the incident had begun."
    if change.innocence is not None and change.innocence.object in UNJUDGED:
        return "It cannot be judged: what it does is not recorded."
    if harmless >= 0.5 and change.innocence is not None:
        return f"Its diff cannot produce the symptoms: {change.innocence.object.replace('_', ' ')}."
    if mechanism.effect is None:
        return "Its lines are not known."
    return f"{mechanism.effect.object} fits {mechanism.reason.replace('_', ' ') or 'no known fault kind'}."
