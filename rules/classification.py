"""How risky an incident is; a model may raise that, never lower it."""

from ..contracts.incident import Incident
from ..contracts.task import RISK_ORDER, Risk


def risk_of(incident: Incident) -> Risk:
    """High where several services page critically at once, medium for any critical alert, else low."""
    critical = {a.service for a in incident.alerts if a.severity == "critical"}
    if len(critical) >= 3:
        return "high"
    return "medium" if critical else "low"


def raised(base: Risk, hint: Risk) -> Risk:
    return max(base, hint, key=RISK_ORDER.index)
