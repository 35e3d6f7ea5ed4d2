"""One report from the merged result: every part of it from records, none from prose."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..contracts.arbitration import ArbitrationRecord, Composite, DecisionRecord
from ..contracts.base import ClaimId
from ..contracts.claim import Claim
from ..contracts.evidence import SourceCoverage
from ..contracts.incident import Incident
from ..contracts.report import (
    ChartSeries,
    CheckedClaim,
    ConflictNote,
    DecisionNote,
    IncidentReport,
    ModelContribution,
    Ranking,
    ReportedCause,
    Sentence,
    ShortVerdict,
    TimelineEntry,
    Usage,
)  # fmt: skip
from ..contracts.run import Run, RunConfig
from .wording import headline, say

LANES = {
    "metric": "metric", "log": "log", "trace": "trace", "change": "change", "resource": "resource", "topology": "trace",
    "document": "external", "external": "external",
}  # fmt: skip
MOST_TIMELINE = 60


class ReportParts(NamedTuple):
    """All that a report is made of."""

    run: str
    config: RunConfig
    proposer: str
    incident: Incident
    composite: Composite
    claims: Mapping[ClaimId, Claim]
    coverage: tuple[SourceCoverage, ...]
    sentences: tuple[Sentence, ...]
    rulings: Sequence[ArbitrationRecord]
    decisions: Sequence[DecisionRecord]
    degraded: tuple[str, ...]
    missing: tuple[str, ...]
    contribution: ModelContribution
    charts: tuple[ChartSeries, ...]
    sources: Mapping[str, tuple[str, ...]]
    """Lines of what is blamed, by the cause's ref."""
    usage: Usage


WOULD_SHOW: dict[str, str] = {
    "metrics": "what shifted first, and by how much",
    "logs": "what was said for the first time, and by whom",
    "traces": "where time and errors arise along the calls",
    "changes": "what was deployed, configured or switched before the onset",
    "topology": "who calls whom, and so who only suffers",
    "resources": "which pods, nodes and limits are not healthy",
    "documents": "what runbooks and status feeds know of it",
}


def wanted(ranking: Ranking, coverage: Sequence[SourceCoverage]) -> tuple[str, ...]:
    """Where the evidence did not suffice: which sources to add, and what each would show."""
    if ranking.outcome != "inconclusive":
        return ()
    return tuple(
        f"{c.source} ({'not in the bundle' if c.status == 'missing' else c.status}) would show {WOULD_SHOW[c.source]}"
        for c in coverage
        if c.status in {"missing", "empty", "unreadable"}
    )


def compose(parts: ReportParts) -> IncidentReport:
    ranking = parts.composite.ranking
    first = ranking.causes[0] if ranking.causes else None
    cited = cited_claims(ranking, parts)
    return IncidentReport.model_validate(
        {
            "schema": 1,
            "run": parts.run,
            "incident": parts.incident.id,
            "title": parts.incident.title,
            "graph": parts.config.graph_version,
            "proposer": parts.proposer,
            "bundle": parts.config.bundle_digest,
            "status": "draft",
            "outcome": ranking.outcome,
            "headline": headline(ranking, first),
            "causes": reported_causes(ranking, parts.sources),
            "first_failing_service": ranking.first_failing_service,
            "affected_services": ranking.affected_services,
            "chain": ranking.chain,
            "summary": parts.sentences,
            "remediation": ranking.remediation,
            "claims": tuple(
                CheckedClaim(
                    id=c.id,
                    text=say(c),
                    observations=c.observations,
                    verified=True,
                    origin=c.origin,
                    at=c.at,
                    service=c.subject.owner if c.subject.kind in {"service", "instance", "edge"} else c.subject.service,
                )
                for c in cited
            ),
            "ruled_out": ranking.ruled_out,
            "coverage": parts.coverage,
            "missing": (*parts.missing, *ranking.missing, *wanted(ranking, parts.coverage)),
            "would_change": parts.composite.separating,
            "timeline": timeline(parts.incident, cited),
            "charts": parts.charts,
            "degraded": parts.degraded,
            "conflicts": tuple(
                ConflictNote(
                    subject=r.subject, description=" against ".join(r.candidates), ruling=f"{r.decision}: {r.reason}"
                )
                for r in parts.rulings
            ),
            "decisions": tuple(
                DecisionNote(subject=d.subject, decision=d.decision, reason=d.reason, decided_by=d.made_by)
                for d in parts.decisions
            ),
            "without_model": ShortVerdict(
                outcome=parts.composite.baseline.outcome, causes=reported_causes(parts.composite.baseline)[:3]
            ),
            "model": parts.contribution,
            "usage": parts.usage,
        }
    )


def reported_causes(
    ranking: Ranking, sources: Mapping[str, tuple[str, ...]] | None = None
) -> tuple[ReportedCause, ...]:
    return tuple(
        ReportedCause(
            rank=rank,
            kind=c.cause.kind,
            ref=c.cause.ref,
            service=c.cause.service,
            reason=c.reason,
            onset=c.onset,
            confidence=c.confidence,
            claims=c.claims_for,
            against=c.claims_against,
            source=(sources or {}).get(c.cause.ref, ()),
            note=c.note,
        )
        for rank, c in enumerate(ranking.causes[:10], start=1)
    )


def cited_claims(ranking: Ranking, parts: ReportParts) -> tuple[Claim, ...]:
    """Claims that the report rests on, in the order of their citation, then the strongest of the rest up to a page."""
    cited = [
        *(c for cause in ranking.causes for c in (*cause.claims_for, *cause.claims_against)),
        *(c for link in ranking.chain for c in link.claims),
        *(c for out in ranking.ruled_out for c in out.claims),
        *(c for remedy in ranking.remediation for c in remedy.why),
        *(c for sentence in parts.sentences for c in sentence.claims),
        *(c for cause in parts.composite.baseline.causes[:3] for c in cause.claims_for),
    ]
    rest = sorted(parts.claims.values(), key=lambda c: (-c.strength, c.id))[:20]
    ids = dict.fromkeys((*cited, *(c.id for c in rest)))
    return tuple(parts.claims[c] for c in ids if c in parts.claims)


def timeline(incident: Incident, claims: Sequence[Claim]) -> tuple[TimelineEntry, ...]:
    """Alerts and dated claims; a change that came after the first alert tells nothing about what led to it."""
    first = incident.first_alert
    fired = first.fired_at if first else None
    entries = [
        TimelineEntry(at=a.fired_at, lane="alert", text=f"{a.service}: {a.summary or a.metric}".strip(": "))
        for a in incident.alerts
        if a.fired_at is not None
    ]
    for claim in claims:
        lane = LANES.get(claim.signal.partition(":")[0])
        late = lane == "change" and fired is not None and claim.at is not None and claim.at > fired
        if claim.at is not None and lane is not None and not late:
            entries.append(
                TimelineEntry.model_validate({"at": claim.at, "lane": lane, "text": say(claim), "claim": claim.id})
            )
    return tuple(sorted(entries, key=lambda e: (e.at, e.lane, e.text))[:MOST_TIMELINE])


def exit_code(report: IncidentReport | None, run: Run, *, stopped: bool) -> int:
    """0 concluded; 3 inconclusive, rejected or degraded against what was asked; 5 waiting; 1 failed; 124 spent."""
    if run.state == "waiting":
        return 5
    if run.state in {"failed", "cancelled"} or report is None:
        return 1
    if stopped:
        return 124
    asked_model = run.config.model != "rules"
    good = report.outcome != "inconclusive" and report.status == "concluded" and not (asked_model and report.degraded)
    return 0 if good else 3
