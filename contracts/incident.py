"""What happened, as the on-call engineer states it."""

from typing import Literal, Self

from pydantic import Field, model_validator

from .base import Contract, Utc

Severity = Literal["info", "warning", "critical"]
CauseKind = Literal[
    "service", "component", "change", "config", "dependency", "capacity", "infrastructure", "external", "none"
]


class TimeWindow(Contract):
    start: Utc
    """First instant, included."""
    end: Utc
    """Last instant, included; not before `start`."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.end < self.start:
            msg = f"window ends ({self.end.isoformat()}) before it starts ({self.start.isoformat()})"
            raise ValueError(msg)
        return self


class CauseRef(Contract):
    """One thing that can be to blame."""

    kind: CauseKind
    """What sort of thing it is; `none` says that nothing in the candidate set is to blame."""
    ref: str
    """Its name: a change's id, a service, an instance, a node, a configuration object."""
    service: str = ""
    """The service that it belongs to, empty where it has none."""


class Alert(Contract):
    service: str = ""
    """The service that the alert names."""
    metric: str = ""
    """The signal that crossed its threshold."""
    fired_at: Utc | None = None
    severity: Severity = "critical"
    summary: str = ""
    labels: dict[str, str] = Field(default_factory=dict)


class AnswerSpace(Contract):
    """Closed sets that the answer must come from; empty tuples leave it open."""

    causes: tuple[CauseRef, ...] = ()
    """The only candidates, where the asker lists them."""
    kinds: tuple[CauseKind, ...] = ()
    """The only kinds of cause, where the asker names kinds."""
    reasons: tuple[str, ...] = ()
    """The only fault kinds that `reason` may name."""


class Incident(Contract):
    id: str
    title: str
    window: TimeWindow | None = None
    """Where to look; None means all that the data spans."""
    baseline: TimeWindow | None = None
    """A stretch known to be normal, which may lie outside `window`; None means the time before the first alert."""
    alerts: tuple[Alert, ...] = ()
    services: tuple[str, ...] = ()
    """Services that the asker names; the data may hold more."""
    question: str = ""
    answer_space: AnswerSpace = AnswerSpace()

    @property
    def first_alert(self) -> Alert | None:
        dated = [alert for alert in self.alerts if alert.fired_at is not None]
        return min(dated, key=lambda a: (a.fired_at, a.service)) if dated else next(iter(self.alerts), None)
