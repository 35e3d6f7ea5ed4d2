"""Causes that need no change: traffic, providers, certificates, nodes, data."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from ...contracts.base import ClaimId
from ...contracts.incident import CauseKind
from .board import Board, Symptom
from .signals import is_traffic
from .support import Support, noisy_or, support
from .taxonomy import Reason, taxonomy

TOGETHER = timedelta(minutes=3)
GROWN = 1.4
"""Least factor by which traffic must rise to be a surge."""


@dataclass(frozen=True)
class OperationalCause:
    reason: Reason
    kind: CauseKind
    score: float
    service: str
    claims: tuple[ClaimId, ...]
    services: frozenset[str]
    """Those whose symptoms speak for it."""
    note: str
    at: datetime | None = None


def operational_causes(board: Board) -> tuple[OperationalCause, ...]:
    """Strongest first; only those that some telemetry, not the alert alone, speaks for."""
    found = [_judge(reason, board) for reason in taxonomy() if reason.operational]
    kept = [cause for cause in found if cause is not None]
    return tuple(sorted(kept, key=lambda cause: (-cause.score, cause.reason.name)))


def _judge(reason: Reason, board: Board) -> OperationalCause | None:
    if reason.name == "traffic_surge":
        return _surge(reason, board)
    spoken = support(reason, board, keep=_outside(board) if reason.kind == "external" else _any)
    if not spoken.claims:
        return None
    score = spoken.score * (0.85 if "log" not in spoken.families and "trace" not in spoken.families else 1.0)
    note = f"{len(spoken.services) or 1} services speak of {reason.name.replace('_', ' ')}"
    if len(spoken.services) >= 3 and _together(board, spoken.services):
        score = noisy_or([score, 0.4])
        note += ", and they began within minutes of each other"
    if _official(board, spoken):
        score = noisy_or([score, 0.4])
        note += ", and a status feed says so"
    return OperationalCause(
        reason=reason, kind=reason.kind, score=round(score, 4), service=_seat(board, spoken), claims=spoken.claims,
        services=spoken.services, note=f"{note}.", at=_began(board, spoken),
    )  # fmt: skip


def _any(_: Symptom) -> bool:
    return True


def _outside(board: Board) -> Callable[[Symptom], bool]:
    """Only symptoms that do not name another service of ours as the one to blame."""

    def keep(symptom: Symptom) -> bool:
        others = board.services - {symptom.service}
        return not any(name.lower() in symptom.text.lower() for name in others if len(name) > 3)

    return keep


def _surge(reason: Reason, board: Board) -> OperationalCause | None:
    """Traffic that rises at a service that is asked from outside, no later than the trouble."""
    rising = [
        s
        for s in board.symptoms
        if s.claim and s.metric and is_traffic(s.metric) and s.relation == "rises" and _factor(s) >= GROWN
    ]
    early = [s for s in rising if s.at is None or board.onset is None or s.at <= board.onset + TOGETHER]
    if not early:
        return None
    callees = {callee for _, callee in board.edges}
    spoken = support(reason, board, keep=lambda s: not s.metric)
    weights = [0.6 * s.weight * min(1.0, _factor(s) - 1.0) * (1.0 if s.service not in callees else 0.7) for s in early]
    score = noisy_or([max(weights), *sorted(weights)[:-1][-2:], spoken.score])
    claims = {s.claim.id for s in early if s.claim} | set(spoken.claims)
    return OperationalCause(
        reason=reason,
        kind=reason.kind,
        score=round(score, 4),
        service=min(early, key=lambda s: (-s.weight, s.service)).service,
        claims=tuple(sorted(claims)),
        services=frozenset(s.service for s in early) - {""},
        note="More is asked of it than before, and the trouble does not begin earlier.",
        at=min((s.at for s in early if s.at), default=None),
    )


def _factor(symptom: Symptom) -> float:
    claim = symptom.claim
    if claim is None or claim.value is None or not claim.baseline or claim.baseline <= 0:
        return 2.0
    return claim.value / claim.baseline


def _together(board: Board, services: frozenset[str]) -> bool:
    """Whether services that do not call each other began within minutes."""
    firsts = [
        min((s.at for s in board.telling if s.service == name and s.at), default=None) for name in sorted(services)
    ]
    dated = sorted(at for at in firsts if at is not None)
    return len(dated) >= 3 and dated[2] - dated[0] <= TOGETHER


def _official(board: Board, spoken: Support) -> bool:
    own = set(spoken.claims)
    return any(c.id in own and (c.subject.kind == "external" or c.signal.startswith("external")) for c in board.claims)


def _seat(board: Board, spoken: Support) -> str:
    """The service whose symptoms speak loudest for it."""
    own = set(spoken.claims)
    weights: dict[str, float] = {}
    for symptom in board.symptoms:
        if symptom.claim and symptom.claim.id in own and symptom.service:
            weights[symptom.service] = weights.get(symptom.service, 0.0) + symptom.weight
    return min(weights, key=lambda name: (-weights[name], name), default="")


def _began(board: Board, spoken: Support) -> datetime | None:
    own = set(spoken.claims)
    return min((s.at for s in board.symptoms if s.claim and s.claim.id in own and s.at), default=None)
