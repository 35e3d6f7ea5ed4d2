"""Where before ends, if nobody says: docs/probes.md."""

from collections.abc import Mapping
from datetime import datetime

from ..contracts.evidence import Source, SourceCoverage
from ..contracts.incident import Incident
from .tables import ALERT_LAG, span_of


def default_split(incident: Incident, coverage: Mapping[Source, SourceCoverage]) -> datetime | None:
    """The first alert's time less five minutes, where it lies inside the window."""
    window = incident.window or span_of(coverage)
    alert = incident.first_alert
    if window is None or alert is None or alert.fired_at is None:
        return None
    if not window.start < alert.fired_at <= window.end:
        return None
    lag = min(ALERT_LAG, (alert.fired_at - window.start) / 3)
    return alert.fired_at - lag
