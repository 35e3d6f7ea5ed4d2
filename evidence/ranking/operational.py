"""Causes that need no change: traffic, providers, certificates, nodes, data."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from ...contracts.base import ClaimId
from ...contracts.incident import CauseKind
from .board import Board, Symptom
from .signals import is_latency, is_traffic, metric_words
from .support import Support, noisy_or, support
from .taxonomy import Reason, taxonomy

TOGETHER = timedelta(minutes=3)
GROWN = 1.4
"""Least factor by which traffic must rise to be a surge."""
UNSPOKEN, LIMIT_ONLY = 0.4, 0.85
"""What is left of a cause that only names of metrics speak for, and of one whose metrics came to their limit."""
_FILLS = re.compile(r"\b(pct|percent|ratio|util|utili[sz]ation|used|usage|fill|saturation)\b")
_RUNS_OUT = re.compile(r"\b(free|avail\w*|remaining|left|balance|credits?|valid|days|ttl|until|headroom|ready)\b")
_OFFSET = re.compile(r"\b(offset|skew|drift|handshake|servfail|nxdomain|evicted|oom)\b")
ASKED_BY_OURS = 0.45
"""Weight of more work at a service that only our own call, while none of those is asked for more."""
FULL, SPENT = 0.97, 0.05
BOTH = 0.3
"""What a cause gains whose words and whose metric at its limit say the same."""


NODES = "node_failure"
_NODE = re.compile(
    r"(?i)\bnodes?\b[^,;]{0,40}(?:not ?ready|unreachable|lost|down|pressure)|NodeNotReady|NodeLost|low on resource"
)


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
    spoken = support(reason, board, keep=_keep(reason, board))
    if not spoken.claims:
        return None
    score = min(1.0, spoken.score * _testified(board, spoken))
    note = _spoken_by(spoken, reason)
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


def _testified(board: Board, spoken: Support) -> float:
    """Words of logs, traces, feeds and states say what it is; a metric's name does so only at its limit."""
    own = [s for s in board.symptoms if s.claim is not None and s.claim.id in set(spoken.claims)]
    if any(not s.metric for s in own if s.text):
        limit = any(_at_limit(s) for s in own)
        return 1.0 + limit * BOTH if {"log", "trace"} & spoken.families else LIMIT_ONLY
    return LIMIT_ONLY if any(_at_limit(s) for s in own) else UNSPOKEN


def _at_limit(symptom: Symptom) -> bool:
    """Whether a metric says by itself that something is full, used up or off: not merely that it moved."""
    name, claim = metric_words(symptom.metric), symptom.claim
    if claim is None or claim.value is None:
        return False
    if _OFFSET.search(name):
        return symptom.relation == "rises"
    if _RUNS_OUT.search(name):
        return symptom.relation == "falls" and claim.value <= SPENT * (claim.baseline or 1.0)
    whole = 100.0 if claim.value > 1.0 + SPENT else 1.0
    return bool(_FILLS.search(name)) and symptom.relation == "rises" and FULL * whole <= claim.value <= 1.05 * whole


def _keep(reason: Reason, board: Board) -> Callable[[Symptom], bool]:
    if reason.kind == "external":
        return _outside(board)
    return _of_nodes if reason.name == NODES else _not_slow


def _of_nodes(symptom: Symptom) -> bool:
    """A workload that is not ready is no node that is not: of objects, only a node's state speaks for nodes."""
    claim = symptom.claim
    of_object = claim is not None and symptom.family == "resource" and not symptom.metric
    told = claim is not None and (claim.subject.kind == "node" or _NODE.search(symptom.text) is not None)
    return _not_slow(symptom) and (told or not of_object)


def _not_slow(symptom: Symptom) -> bool:
    """How long work takes, and how long it waited, says nothing of why."""
    return not (symptom.metric and is_latency(symptom.metric))


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
        if s.claim
        and s.metric
        and is_traffic(s.metric)
        and not is_latency(s.metric)
        and s.relation == "rises"
        and _factor(s) >= GROWN
    ]
    early = [s for s in rising if s.at is None or board.onset is None or s.at <= board.onset + TOGETHER]
    if not early:
        return None
    callees = {callee for _, callee in board.edges}
    inside = 0.7 if any(s.service not in callees for s in early) else ASKED_BY_OURS
    spoken = support(reason, board, keep=lambda s: not s.metric)
    weights = [
        0.6 * s.weight * min(1.0, _factor(s) - 1.0) * (1.0 if s.service not in callees else inside) for s in early
    ]
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
    """How many times more is asked; what was not asked at all before is work that began, and no surge."""
    claim = symptom.claim
    if claim is None or claim.value is None or claim.baseline is None or claim.baseline <= 0:
        return 1.0
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


def _spoken_by(spoken: Support, reason: Reason) -> str:
    what, number = reason.name.replace("_", " "), len(spoken.services) or 1
    kinds = ", ".join(sorted(spoken.families)) or "metric"
    return f"{number} service{'s' if number > 1 else ''} show{'' if number > 1 else 's'} {what} ({kinds})"
