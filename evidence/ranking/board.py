"""All claims of an incident, once each, laid out by what they are about."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from ...contracts.base import canonical_json
from ...contracts.claim import Claim
from ...contracts.incident import Incident
from .signals import family_of, is_countdown, is_golden, is_trouble

COUNTED = frozenset({"trace:calls_per_span", "trace:rate"})
"""Signals of traces that count things, as metrics do."""
INFERRED = "(inferred)"
"""How a change's time ends that no deploy names: see the probe change_before_onset."""
STRONG = 0.4
"""Least strength of a symptom that counts for time and place."""


@dataclass(frozen=True)
class Symptom:
    """Something that went wrong, as one claim or as the alert says it."""

    service: str
    weight: float
    """In [0, 1]: strength, less where it is only the alert's word."""
    text: str = ""
    """What a log, a span or an alert says."""
    metric: str = ""
    """Its name, where it is a metric."""
    relation: str = ""
    at: datetime | None = None
    claim: Claim | None = None
    golden: bool = False
    """Latency, errors, traffic: every fault shows in them, so they name none."""
    family: str = "log"


@dataclass(frozen=True)
class ChangeClaims:
    ref: str
    times: tuple[Claim, ...]
    effects: tuple[Claim, ...]
    innocence: Claim | None
    matches: tuple[Claim, ...]
    canary: tuple[Claim, ...] = ()
    """How the instances that it released differ from the stable ones."""

    @property
    def all(self) -> tuple[Claim, ...]:
        return (*self.times, *self.effects, *((self.innocence,) if self.innocence else ()), *self.matches, *self.canary)


class Board:
    def __init__(self, claims: Iterable[Claim], incident: Incident) -> None:
        self.incident = incident
        self.claims = _once(claims)

    @cached_property
    def by_source(self) -> dict[str, tuple[Claim, ...]]:
        found: dict[str, list[Claim]] = defaultdict(list)
        for claim in self.claims:
            found[claim.signal.partition(":")[0]].append(claim)
        return {source: tuple(group) for source, group in found.items()}

    def of(self, *sources: str) -> tuple[Claim, ...]:
        return tuple(claim for source in sources for claim in self.by_source.get(source, ()))

    @cached_property
    def symptoms(self) -> tuple[Symptom, ...]:
        """Of metrics, logs, traces and resources, then what the alerts say."""
        found = [symptom for claim in self.claims if (symptom := _symptom(claim)) is not None]
        found += [
            Symptom(service=alert.service, weight=0.5, text=alert.summary, metric="", at=alert.fired_at, family="alert")
            for alert in self.incident.alerts
            if alert.summary
        ]
        return tuple(found)

    @cached_property
    def telling(self) -> tuple[Symptom, ...]:
        """Symptoms strong enough to date the incident and to place it."""
        return tuple(
            s
            for s in self.symptoms
            if s.claim is not None and s.weight >= STRONG and s.relation not in {"unchanged", "calls"}
        )

    @cached_property
    def edges(self) -> frozenset[tuple[str, str]]:
        pairs = (
            claim.subject.ref.partition("->")
            for claim in self.claims
            if claim.relation == "calls" and claim.subject.kind == "edge"
        )
        named = (
            (c.subject.ref, c.object)
            for c in self.claims
            if c.relation in {"calls", "waits_on"} and c.subject.kind != "edge" and c.object
        )
        return frozenset([(caller, callee) for caller, arrow, callee in pairs if arrow] + [(a, b) for a, b in named])

    @cached_property
    def positions(self) -> dict[str, Claim]:
        return {c.subject.ref: c for c in self.claims if c.signal == "topology:position" and c.relation == "states"}

    @cached_property
    def services(self) -> frozenset[str]:
        named = {c.subject.owner for c in self.claims if c.subject.kind in {"service", "instance", "edge", "component"}}
        ends = {name for edge in self.edges for name in edge}
        return frozenset(
            (named | ends | set(self.incident.services) | {a.service for a in self.incident.alerts}) - {""}
        )

    @cached_property
    def changes(self) -> dict[str, ChangeClaims]:
        grouped: dict[str, list[Claim]] = defaultdict(list)
        for claim in self.of("change"):
            if claim.subject.kind == "change":
                grouped[claim.subject.ref].append(claim)
        return {ref: _change(ref, group) for ref, group in sorted(grouped.items())}

    @cached_property
    def alerted_at(self) -> datetime | None:
        times = [alert.fired_at for alert in self.incident.alerts if alert.fired_at]
        return min(times) if times else None

    @cached_property
    def onset(self) -> datetime | None:
        """The first time at which a twentieth of all telling evidence has begun."""
        dated = sorted((s.at, s.weight) for s in self.telling if s.at is not None and not is_countdown(s.metric))
        total, seen = sum(weight for _, weight in dated), 0.0
        for at, weight in dated:
            seen += weight
            if seen >= 0.05 * total:
                return at
        return None


def _once(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """The same statement said twice, by whomever, counts once; the order is that of the statements."""
    kept: dict[str, Claim] = {}
    for claim in claims:
        key = canonical_json(claim.model_dump(mode="json", exclude={"id", "observations", "made_by", "origin"}))
        if key not in kept or claim.id < kept[key].id:
            kept[key] = claim
    return tuple(kept[key] for key in sorted(kept))


def _symptom(claim: Claim) -> Symptom | None:
    source, _, name = claim.signal.partition(":")
    if not is_trouble(claim):
        return None
    text = ""
    if source in {"log", "trace", "resource", "document", "external"}:
        text = " ".join(dict.fromkeys(part for part in (claim.object, claim.quote) if part))
    metric = name if source == "metric" or claim.signal in COUNTED else ""
    return Symptom(
        service=claim.subject.owner if claim.subject.kind not in {"document", "incident", "external"} else "",
        weight=claim.strength, text=text, metric=metric, at=claim.at, claim=claim,
        relation="rises" if claim.relation == "states" and claim.object == "saturated" else claim.relation,
        golden=source in {"metric", "trace"} and is_golden(name), family=family_of(source, name),
    )  # fmt: skip


def _change(ref: str, claims: Sequence[Claim]) -> ChangeClaims:
    return ChangeClaims(
        ref=ref,
        times=tuple(c for c in claims if c.signal == "change:time"),
        effects=tuple(c for c in claims if c.signal == "change:diff" and c.relation in {"sets", "touches"}),
        innocence=next((c for c in claims if c.signal == "change:diff" and c.relation == "states"), None),
        matches=tuple(c for c in claims if c.signal == "change:diff" and c.relation == "matches"),
        canary=tuple(c for c in claims if c.signal == "change:canary"),
    )
