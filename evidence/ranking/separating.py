"""Which questions would tell the first two causes apart."""

from collections.abc import Sequence

from pydantic import JsonValue

from ...contracts.evidence import ProbeCall
from ...contracts.report import RankedCause, Ranking

IN_ORDER: tuple[str, ...] = (
    "trace_self_time",
    "log_templates",
    "metric_shift",
    "trace_errors",
    "deepest_anomalous_callee",
)
"""Probes that look at named services closely, those first whose evidence the ranking weighs most (docs/ranking.md)."""
MOST = 4


def separating(ranking: Ranking, asked: Sequence[ProbeCall], probes: Sequence[str]) -> tuple[ProbeCall, ...]:
    """Questions about the two services, limited to them, that were not asked yet.

    Two causes of one service are told apart by what they are, which was looked at already: then there is no question.
    """
    rivals = [service for cause in ranking.causes[:2] if (service := _service(cause))]
    if len(set(rivals)) < 2:
        return ()
    services: list[JsonValue] = [*sorted(set(rivals))]
    known = {call.fingerprint for call in asked}
    calls = [ProbeCall(probe=name, params={"services": services}) for name in IN_ORDER if name in probes]
    return tuple(call for call in calls if call.fingerprint not in known)[:MOST]


def _service(cause: RankedCause) -> str:
    return cause.cause.service or (cause.cause.ref if cause.cause.kind == "service" else "")
