"""One analyst a field: which questions to ask of it, and what the answers show, without a model."""

from collections.abc import Collection

from ...contracts.ports import Analyst
from .changes import ChangesAnalyst
from .documents import DocumentsAnalyst
from .logs import LogsAnalyst
from .metrics import MetricsAnalyst
from .resources import ResourcesAnalyst
from .topology import TopologyAnalyst
from .traces import TracesAnalyst

__all__ = ["all_analysts"]


def all_analysts(probes: Collection[str] | None = None) -> tuple[Analyst, ...]:
    """Every analyst; with `probes`, none asks a probe that is not among them."""
    return tuple(
        kind(probes=None if probes is None else frozenset(probes))
        for kind in (
            MetricsAnalyst, LogsAnalyst, TracesAnalyst, TopologyAnalyst, ResourcesAnalyst, DocumentsAnalyst,
            ChangesAnalyst,
        )
    )  # fmt: skip
