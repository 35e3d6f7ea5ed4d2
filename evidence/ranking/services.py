"""Which service failed first, which were dragged down, and which only look hurt."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property, partial

from ...contracts.base import ClaimId
from .board import STRONG, Board, Symptom
from .localization import seats
from .signals import is_demand, is_outgoing
from .support import noisy_or, support
from .taxonomy import taxonomy

OWN, SHARED, PASSED = 1.0, 0.6, 0.35
"""Weight of a symptom that shows a fault of one's own, that a victim shows as well, that blames another service."""
_PASSED_SIGNALS = frozenset({"trace:error_rate", "trace:gap"})
_SHARED_SIGNALS = frozenset({"log:error_rate", "trace:rate"})
ALERTED, EARLY = 0.25, 0.15
TELLS = 0.1
"""Least support of a fault kind that is named for a service."""
HURT = 0.35
FADING = 0.25
"""Least strength at which log lines that vanish count."""
SLACK = timedelta(seconds=90)
NEAR, LONG_BEFORE = timedelta(minutes=15), 0.6
"""An alert follows its cause closely, as a rule: weight of what began longer before it."""
SPREADS = 0.35
"""Power by which a signal loses weight with the number of services in which it moves alike."""
POSITION = {"deepest_anomalous": 1.0, "isolated": 0.85, "upstream_of_anomalous": 0.55}

_CUT_OFF = re.compile(
    r"(?i)cancel\w* by (the )?(client|caller)|context cancel|client (disconnect|closed|abort|"
    r"gone)|cancell?ed rate|broken pipe|\b499\b"
)
_PASSED_ON = re.compile(
    r"(?i)upstream|downstream|dependency|(call|request|fetch|invoke)\w* (to|of|"
    r"from) .{1,60}(fail|timeout|timed|error|50\d)|returned 5\d\d|fallback|from \w*(service|"
    r"svc)\b"
)


@dataclass(frozen=True)
class ServiceScore:
    name: str
    score: float
    """As the seat of the fault."""
    first: float
    """As the first to fail: an alert on it speaks for it."""
    own: float
    """How much speaks for a fault of its own."""
    hurt: float
    """How much is wrong with it, whoever's fault it is."""
    onset: datetime | None
    claims: tuple[ClaimId, ...]
    position: str
    reason: str
    """The fault kind that its own symptoms speak for most, empty where none does."""
    cut_off: bool
    """Whether its symptoms say that its caller gave up on it."""


class ServiceRanker:
    def __init__(self, board: Board) -> None:
        self._board = board
        self._alerted = {alert.service for alert in board.incident.alerts if alert.service}

    @cached_property
    def scores(self) -> tuple[ServiceScore, ...]:
        """Most likely seat of the fault first."""
        found = [self._score(name) for name in sorted(self._board.services)]
        return tuple(
            sorted(
                (s for s in found if s.own > 0 or s.name in self._fading or s.name in self._alerted),
                key=lambda s: (-s.score, s.name),
            )
        )

    def first_failing(self) -> str:
        return min(self.scores, key=lambda s: (-s.first, s.name)).name if self.scores else ""

    def affected(self, first: str, seat: frozenset[str] = frozenset()) -> tuple[str, ...]:
        """The other services that are hurt, without those that `seat` says hold the cause.

        Of a caller of one that is hurt, it is enough that its usual log lines fade.
        """
        hurt = {s.name for s in self.scores if s.hurt >= HURT} | {first}
        dragged = {caller for caller, callee in self._board.edges if callee in hurt and caller in self._fading}
        return tuple(
            s.name for s in sorted(self.scores, key=lambda s: (-s.hurt, s.name))
            if s.name != first and (s.hurt >= HURT or s.name in dragged) and not s.cut_off and s.name not in seat
        )  # fmt: skip

    @cached_property
    def _fading(self) -> frozenset[str]:
        """Services whose usual log lines became rare."""
        return frozenset(
            claim.subject.owner
            for claim in self._board.of("log")
            if claim.relation in {"vanishes", "falls"} and claim.strength >= FADING
        )

    @cached_property
    def _mine(self) -> dict[str, list[Symptom]]:
        found: dict[str, list[Symptom]] = {name: [] for name in self._board.services}
        for symptom in self._board.symptoms:
            if symptom.claim is not None and symptom.service in found:
                found[symptom.service].append(symptom)
        return found

    @cached_property
    def _spread(self) -> Counter[tuple[str, str, str]]:
        """In how many services the same signal moves the same way: what moves everywhere tells little of each."""
        return Counter(
            kind for symptoms in self._mine.values() for kind in {_kind(s) for s in symptoms if s.weight >= STRONG}
        )

    @cached_property
    def _families(self) -> dict[str, dict[str, float]]:
        """By kind of evidence, how much speaks for a fault of each service's own, callers and callees aside."""
        return {name: _strongest(mine, partial(self._weigh, name)) for name, mine in self._mine.items()}

    def _weigh(self, name: str, symptom: Symptom) -> float:
        spread = float(max(1, self._spread[_kind(symptom)]) ** -SPREADS)
        return symptom.weight * self._own(symptom, name) * spread * self._near(symptom)

    def _near(self, symptom: Symptom) -> float:
        alerted = self._board.alerted_at
        if alerted is None or symptom.at is None:
            return 1.0
        return LONG_BEFORE if alerted - symptom.at > NEAR else 1.0

    @cached_property
    def _seats(self) -> dict[str, float]:
        return seats(self._families, self._reached)

    def _reached(self, name: str) -> dict[str, float]:
        """Services that it calls, and less surely those that these call."""
        near = {callee for caller, callee in self._board.edges if caller == name and callee in self._families} - {name}
        far = {b for a, b in self._board.edges if a in near and b in self._families} - near - {name}
        return dict.fromkeys(far, 0.8) | dict.fromkeys(near, 1.0)

    def _score(self, name: str) -> ServiceScore:
        mine, own = self._mine[name], noisy_or(self._families[name].values())
        shown = [s for s in mine if s.weight >= STRONG and not _is_asked(s)]
        hurt = noisy_or(_strongest(shown, lambda s: s.weight).values())
        onset = min((s.at for s in mine if s.at and s.weight >= STRONG), default=None)
        claim = self._board.positions.get(name)
        position = claim.object if claim else ""
        cut_off = bool(mine) and max((s.weight for s in mine if not _is_cut_off(s)), default=0.0) < STRONG
        placed = self._seats[name] if self._board.edges else own * POSITION.get(position, 0.8)
        led = 0.9 + 0.1 * claim.strength if claim and position == "deepest_anomalous" else 0.9
        score = placed * led * (0.3 if cut_off else 1.0)
        score = (score + EARLY * self._early(onset) * own) / (1 + EARLY)
        ids = [s.claim.id for s in sorted(mine, key=lambda s: -s.weight) if s.claim][:8] + ([claim.id] if claim else [])
        first = score + ALERTED * (name in self._alerted)
        return ServiceScore(
            name=name, score=round(min(score, 1.0), 4), first=round(first, 4), own=own, hurt=hurt, onset=onset,
            claims=tuple(ids), position=position, cut_off=cut_off, reason=self._reason(name),
        )  # fmt: skip

    def _reason(self, name: str) -> str:
        """Of the faults that no change is needed for; where only golden signals moved, what makes calls slow."""
        local = [r for r in taxonomy() if not r.diff and (r.text or r.metrics or r.resources) and r.kind != "external"]
        spoken = [(support(r, self._board, keep=lambda s: s.service == name).score, r.name) for r in local]
        best = max(spoken, key=lambda pair: (pair[0], pair[1]), default=(0.0, ""))
        return best[1] if best[0] >= TELLS else ""

    def _own(self, symptom: Symptom, name: str) -> float:
        """Less where a victim would show it as well, or where its text blames another service."""
        if symptom.text and (_PASSED_ON.search(symptom.text) or self._names_another(symptom.text, name)):
            return PASSED
        signal = symptom.claim.signal if symptom.claim else ""
        if signal in _PASSED_SIGNALS or is_demand(symptom.metric) or is_outgoing(symptom.metric):
            return PASSED
        return SHARED if symptom.golden or symptom.family == "traffic" or signal in _SHARED_SIGNALS else OWN

    def _names_another(self, text: str, name: str) -> bool:
        lower = text.lower()
        return any(other.lower() in lower for other in self._board.services - {name} if len(other) > 3)

    def _early(self, onset: datetime | None) -> float:
        first = self._board.onset
        if onset is None or first is None:
            return 0.0
        gap = (onset - first).total_seconds()
        return 1.0 if gap <= SLACK.total_seconds() else max(0.0, 1.0 - gap / 1800)


def _kind(symptom: Symptom) -> tuple[str, str, str]:
    claim = symptom.claim
    if claim is None:
        return ("", "", "")
    return (claim.signal, symptom.relation, claim.object if claim.signal == "log:template" else "")


def _is_asked(symptom: Symptom) -> bool:
    signal = symptom.claim.signal if symptom.claim else ""
    return signal == "trace:gap" or bool(symptom.metric and is_demand(symptom.metric))


def _is_cut_off(symptom: Symptom) -> bool:
    return _CUT_OFF.search(symptom.text or symptom.metric.replace("_", " ")) is not None


def _strongest(symptoms: Sequence[Symptom], weight: Callable[[Symptom], float]) -> dict[str, float]:
    best: dict[str, float] = {}
    for symptom in symptoms:
        best[symptom.family] = max(best.get(symptom.family, 0.0), weight(symptom))
    return best
