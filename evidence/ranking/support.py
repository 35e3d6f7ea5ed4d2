"""How far the symptoms of an incident speak for a fault kind."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ...contracts.base import ClaimId
from .board import Board, Symptom
from .signals import metric_words
from .taxonomy import Reason

TEXT, ALERT, METRIC, GOLDEN, RESOURCE = 0.6, 0.35, 0.45, 0.12, 0.7
"""Weight of one symptom of full strength: text of telemetry, text of the alert alone, a specific metric, a golden
signal, a state of a resource."""


@dataclass(frozen=True)
class Support:
    score: float
    """Noisy-or of the distinct symptoms that match, in [0, 1]."""
    claims: tuple[ClaimId, ...] = ()
    services: frozenset[str] = frozenset()
    families: frozenset[str] = frozenset()


def support(reason: Reason, board: Board, keep: Callable[[Symptom], bool] = lambda _: True) -> Support:
    """One pattern counts once per service, at its strongest, so that saying a thing twice adds nothing."""
    best: dict[tuple[str, str], tuple[float, Symptom]] = {}
    for symptom in board.symptoms:
        if not keep(symptom):
            continue
        for key, weight in _matches(reason, symptom):
            slot = (symptom.service, key)
            if slot not in best or (weight, _id(symptom)) > (best[slot][0], _id(best[slot][1])):
                best[slot] = (weight, symptom)
    found = list(best.values())
    return Support(
        score=noisy_or(weight for weight, _ in found),
        claims=tuple(sorted({_id(symptom) for _, symptom in found} - {ClaimId("")})),
        services=frozenset(symptom.service for _, symptom in found if symptom.claim is not None) - {""},
        families=frozenset(symptom.family for _, symptom in found),
    )


def noisy_or(weights: Iterable[float]) -> float:
    """The chance that not all of them are accidents; every further weight raises it, none beyond 1."""
    left = 1.0
    for weight in sorted(weights):
        left *= 1.0 - min(max(weight, 0.0), 0.98)
    return 1.0 - left


def _matches(reason: Reason, symptom: Symptom) -> Iterable[tuple[str, float]]:
    if symptom.text:
        scale = ALERT if symptom.claim is None else TEXT
        if symptom.family == "resource" and reason.resources is not None and reason.resources.search(symptom.text):
            yield "resource", RESOURCE * symptom.weight
        for pattern in reason.text:
            if pattern.search(symptom.text):
                yield "text", scale * symptom.weight
                break
    if symptom.metric:
        name = metric_words(symptom.metric)
        for rule in reason.metrics:
            if rule.moves == symptom.relation and rule.name.search(name):
                yield f"metric:{rule.name.pattern}", (GOLDEN if symptom.golden else METRIC) * symptom.weight
                break


def _id(symptom: Symptom) -> ClaimId:
    return symptom.claim.id if symptom.claim else ClaimId("")
