"""Evidence on paper: an incident whose probes and analysts are a few lines each, for tests of the graph and the nodes.

One service, `till`, slowed down after change `c1`; `c2` is an innocent change whose score lies within the margin.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from leadline.contracts.base import AgentId, Digest, TaskId
from leadline.contracts.claim import Claim, Fact, Subject
from leadline.contracts.delegation import CaseView
from leadline.contracts.evidence import Answer, Observation, ProbeCall, ProbeSpec, Source, SourceCoverage
from leadline.contracts.incident import Alert, CauseRef, Incident
from leadline.contracts.report import ChainLink, ChartSeries, Finding, RankedCause, Ranking
from leadline.rules.claims import claim_of

DIGEST = Digest("b" * 64)
NOON = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)


def shift(service: str, *, at: int = 0, value: float = 9.0, relation: str = "rises") -> Fact:
    return Fact.model_validate(
        {
            "subject": Subject(kind="service", ref=service), "signal": "metric:latency", "relation": relation,
            "value": value, "baseline": 1.0, "unit": "s", "at": NOON + timedelta(minutes=at), "strength": 0.9,
        }
    )  # fmt: skip


def change(ref: str, line: str, strength: float) -> Fact:
    return Fact(
        subject=Subject(kind="change", ref=ref, service="till"), signal="change:diff", relation="touches",
        object="timeout", at=NOON - timedelta(minutes=5), strength=strength, quote=line,
    )  # fmt: skip


@dataclass
class PaperAnalyst:
    capability: str
    probe: str
    sources: tuple[Source, ...]
    after: tuple[str, ...] = ()

    def next_questions(self, view: CaseView, observed: Sequence[Observation]) -> Sequence[ProbeCall]:
        return () if observed else (ProbeCall(probe=self.probe, params={}),)

    def findings(self, view: CaseView, observed: Sequence[Observation], agent: AgentId) -> Sequence[Finding]:
        claims = [
            claim_of(f, o.id, agent=agent, origin="rules", task=TaskId(view.task_id))
            for o in observed
            for f in o.answer.facts
            if o.answer.status == "ok"
        ]
        return [Finding(claim=c, confidence=c.strength) for c in claims]


@dataclass
class PaperEvidence:
    incident: Incident = field(
        default_factory=lambda: Incident(
            id="inc-1",
            title="till is slow",
            alerts=(Alert(service="till", metric="latency", fired_at=NOON + timedelta(minutes=3), summary="slow"),),
        )
    )
    bundle_digest: Digest = DIGEST
    answers: dict[str, Answer] = field(
        default_factory=lambda: {
            "metric_shift": Answer(status="ok", facts=(shift("till"), shift("door", at=1, value=4.0)), rows_read=10),
            "change_diff": Answer(
                status="ok",
                facts=(change("c1", "-timeout: 5s +timeout: 50ms", 0.8), change("c2", "-retries: 3 +retries: 2", 0.75)),
                rows_read=2,
            ),
            "extra": Answer(status="ok", facts=(shift("cellar", at=2, value=2.0),), rows_read=3),
        }
    )
    asked: list[str] = field(default_factory=list)
    telling: tuple[str, ...] = ()
    """Probes that would tell the first causes apart."""
    crew: tuple[PaperAnalyst, ...] = (
        PaperAnalyst("analyze_metrics", "metric_shift", ("metrics",)),
        PaperAnalyst("analyze_changes", "change_diff", ("changes",), after=("analyze_metrics",)),
    )

    def coverage(self) -> tuple[SourceCoverage, ...]:
        return (
            SourceCoverage(source="metrics", status="ok", files=1, rows=10),
            SourceCoverage(source="changes", status="ok", files=1, rows=2),
            SourceCoverage(source="logs", status="missing"),
        )

    def services(self) -> tuple[str, ...]:
        return ("cellar", "door", "till")

    def probes(self) -> tuple[ProbeSpec, ...]:
        sources: dict[str, tuple[Source, ...]] = {"change_diff": ("changes",)}
        return tuple(
            ProbeSpec(name=n, question=f"{n}?", sources=sources.get(n, ("metrics",)), params={}, cost="cheap")
            for n in self.answers
        )

    async def ask(self, call: ProbeCall) -> Answer:
        self.asked.append(call.probe)
        return self.answers.get(call.probe, Answer(status="denied", note="no such probe"))

    def analysts(self) -> tuple[PaperAnalyst, ...]:
        return self.crew

    def rank(self, claims: Sequence[Claim]) -> Ranking:
        changes = sorted((c for c in claims if c.subject.kind == "change"), key=lambda c: (-c.strength, c.id))
        seen = [c for c in claims if c.signal == "metric:latency"]
        if not changes or not seen:
            return Ranking(outcome="inconclusive")
        causes = tuple(
            RankedCause(
                cause=CauseRef(kind="change", ref=c.subject.ref, service="till"), reason="timeout_too_short",
                score=c.strength, confidence=c.strength, onset=NOON, claims_for=(c.id, seen[0].id),
            )
            for c in changes
        )  # fmt: skip
        chain = (ChainLink(source=changes[0].subject.ref, target="till", how="slows", claims=(changes[0].id,)),)
        return Ranking(
            outcome="cause_found", causes=causes, first_failing_service="till", affected_services=("door",), onset=NOON,
            chain=chain,
        )  # fmt: skip

    def separating(self, ranking: Ranking, asked: Sequence[ProbeCall]) -> tuple[ProbeCall, ...]:
        wanted = [ProbeCall(probe=name) for name in self.telling]
        return tuple(c for c in wanted if c.fingerprint not in {a.fingerprint for a in asked})

    async def source_text(self, cause: CauseRef) -> tuple[str, ...]:
        return tuple(f.quote for f in self.answers["change_diff"].facts if f.subject.ref == cause.ref)

    async def charts(self, ranking: Ranking, claims: Sequence[Claim]) -> tuple[ChartSeries, ...]:
        return ()

    def close(self) -> None:
        pass
