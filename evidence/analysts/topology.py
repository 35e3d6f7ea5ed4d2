"""Topology: who calls whom, and where on that graph the anomaly ends."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...contracts.claim import Claim
from ...contracts.delegation import CaseView
from ...contracts.evidence import Observation, ProbeCall, Source
from ..ranking.signals import is_demand, is_trouble
from .base import FieldAnalyst

CLEAR = 0.5
MAX_SERVICES = 200


@dataclass(frozen=True, kw_only=True)
class TopologyAnalyst(FieldAnalyst):
    capability: str = "analyze_topology"
    sources: tuple[Source, ...] = ("topology", "traces", "metrics")
    after: tuple[str, ...] = ("analyze_metrics", "analyze_logs", "analyze_traces")

    def plan(self, view: CaseView, observed: Sequence[Observation]) -> Iterable[ProbeCall]:
        del observed
        yield ProbeCall(probe="call_graph")
        odd = anomalous(view.upstream)
        if odd:
            yield ProbeCall(probe="deepest_anomalous_callee", params={"services": list(odd)})


def anomalous(claims: Iterable[Claim]) -> tuple[str, ...]:
    """Services with clear trouble, by name; what is only asked of them does not count."""
    return tuple(
        sorted(
            {
                claim.subject.owner
                for claim in claims
                if claim.strength >= CLEAR and claim.subject.kind in {"service", "instance", "edge"}
                and is_trouble(claim) and not _asked(claim)
            }
        )[:MAX_SERVICES]
    )  # fmt: skip


def _asked(claim: Claim) -> bool:
    """Whether it tells what others do to the service rather than how the service does."""
    source, _, name = claim.signal.partition(":")
    return claim.signal in {"trace:rate", "trace:gap"} or (source == "metric" and is_demand(name))
