"""What a fact is about, from the names that a row holds."""

from ..contracts.claim import Subject
from ..contracts.incident import Incident


def subject_for(incident: Incident, service: str, instance: str = "") -> Subject:
    """The instance where there is one, else the service; a row of neither is the incident's own."""
    if instance and instance != service:
        return Subject(kind="instance", ref=instance, service=service)
    if service:
        return Subject(kind="service", ref=service)
    return Subject(kind="incident", ref=incident.id)


def edge(caller: str, callee: str) -> Subject:
    return Subject(kind="edge", ref=f"{caller}->{callee}", service=callee)
