"""Write the report, every part of it from records."""

from collections import Counter
from typing import TypedDict, cast

from ..contracts.approval import ApprovalRequest
from ..contracts.arbitration import ArbitrationRecord, Composite, DecisionRecord
from ..contracts.base import ClaimId, Record, derived_id
from ..contracts.claim import Claim
from ..contracts.event import Event
from ..contracts.evidence import Observation
from ..contracts.fuse import AgentFuse
from ..contracts.ports import Deps, Writes
from ..contracts.proposal_record import ProposalRecord
from ..contracts.report import IncidentReport, ModelContribution
from ..contracts.task import Risk, Task
from ..prompts.questions import NarrativePrompt
from ..rules.approvals import is_asked, make_request
from ..rules.narrative import baseline_narrative, checked_sentences, claim_lines
from ..rules.planning import Refusal
from ..rules.reporting import ReportParts, compose
from .action_notes import noted_actions
from .asking import ask, question, refusals
from .outcome import Outcome

MOST_SHOWN, MOST_LINES, MOST_CHARS = 3, 12, 200
"""Causes whose source the report quotes, and how much of each."""
MOST_TOLD = 24
"""Claims that a model is shown for its summary."""


class ConcludeInput(TypedDict):
    risk: str
    report: str
    stop: str


class ConcludeUpdate(TypedDict):
    report: str
    approval: str


async def conclude(state: ConcludeInput, deps: Deps) -> Outcome:
    """Adds the report as a draft, and asks for its approval where the team wants one."""
    composite = await deps.ledger.get(Composite, "composite")
    if composite is None:
        raise LookupError("there is nothing to report: no composite was merged")
    claims = {c.id: c for c in await deps.ledger.all(Claim)}
    parts, refused = await _parts(composite, claims, state["stop"], deps)
    report = compose(parts).model_copy(update={"actions": await noted_actions(deps)})
    records: list[Record] = [report]
    events = list(refusals(deps, "conclude", refused))
    update = ConcludeUpdate(report="free", approval="")
    point = deps.team.point("report")
    risk = cast(Risk, state["risk"])
    if is_asked(point, risk):
        request = _request(report, deps, risk)
        records.append(request)
        events.append(
            Event(
                event_id=derived_id("evt", deps.run_id, request.approval_id, "asked"), kind="approval.asked",
                subject=request.approval_id, by="conclude", reason=request.question, at=request.asked_at,
            )
        )  # fmt: skip
        update = ConcludeUpdate(report="ask", approval=request.approval_id)
    return Outcome(update, Writes(records=tuple(records), events=tuple(events)))


async def _parts(
    composite: Composite, claims: dict[ClaimId, Claim], stop: str, deps: Deps
) -> tuple[ReportParts, tuple[Refusal, ...]]:
    ranking = composite.ranking
    baseline = baseline_narrative(ranking, claims)
    told = sorted(claims.values(), key=lambda c: (-c.strength, c.id))[:MOST_TOLD]
    answer = await ask(
        deps,
        "narrative",
        question(deps, NarrativePrompt, ranking=ranking, claims=claim_lines(told)),
        baseline,
        node="conclude",
    )
    sentences, refused = checked_sentences(answer.value, claims)
    if not sentences:
        sentences, _ = checked_sentences(baseline, claims)
    observations = await deps.ledger.all(Observation)
    parts = ReportParts(
        run=deps.run_id,
        config=deps.config,
        proposer=deps.proposer.name,
        incident=deps.evidence.incident,
        composite=composite,
        claims=claims,
        coverage=deps.evidence.coverage(),
        sentences=sentences,
        rulings=await deps.ledger.all(ArbitrationRecord),
        decisions=await deps.ledger.all(DecisionRecord),
        degraded=await _degraded(composite, deps),
        missing=await _missing(observations, stop, deps),
        contribution=await _contribution(composite, claims, observations, deps),
        charts=await deps.evidence.charts(ranking, tuple(claims.values())),
        sources={
            c.cause.ref: tuple(line[:MOST_CHARS] for line in await deps.evidence.source_text(c.cause))[:MOST_LINES]
            for c in ranking.causes[:MOST_SHOWN]
        },
        usage=deps.proposer.usage().model_copy(
            update={
                "probe_calls": len(observations),
                "seconds": round(deps.clock.monotonic() - deps.started, 3),
            }
        ),
    )
    return parts, refused


async def _degraded(composite: Composite, deps: Deps) -> tuple[str, ...]:
    """Where the rules answered for a model, counted by question and kind of fault."""
    counted = Counter(
        (p.node, p.form, p.degraded, p.why) for p in await deps.ledger.all(ProposalRecord) if p.degraded is not None
    )
    lines = [
        f"{node}: {form} answered by rules, {n} times ({kind}: {why})" for (node, form, kind, why), n in counted.items()
    ]
    fuses = await deps.ledger.all(AgentFuse)
    isolated = [f"{f.agent_id} was isolated: {f.reason}" for f in fuses if f.state == "open"]
    reset = sorted({f.reason for f in fuses if f.rebuilds and f.reason.startswith("team rebuilt")})
    return (*sorted(lines), *sorted(isolated), *reset, *(f"merge: {failed}" for failed in composite.failed))


async def _missing(observations: tuple[Observation, ...], stop: str, deps: Deps) -> tuple[str, ...]:
    """What the investigation could not see, beyond what the bundle lacks."""
    silent = sorted(
        {f"{o.call.probe}: {o.answer.note}" for o in observations if o.answer.status in {"failed", "denied", "partial"}}
    )
    undone = sorted(t.spec.title for t in await deps.ledger.all(Task) if t.state == "cancelled")
    return (
        *((f"stopped by budget: {stop}",) if stop else ()),
        *(f"not done: {title}" for title in undone),
        *silent,
    )


async def _contribution(
    composite: Composite, claims: dict[ClaimId, Claim], observations: tuple[Observation, ...], deps: Deps
) -> ModelContribution:
    refused = [e for e in await deps.ledger.events() if e.kind == "claim.refused"]
    first = [r.causes[0].cause for r in (composite.ranking, composite.baseline) if r.causes]
    return ModelContribution(
        tasks_added=sum(t.origin == "model" for t in await deps.ledger.all(Task)),
        probes_added=sum(o.asked_for == "model" for o in observations),
        claims_added=sum(c.origin == "model" for c in claims.values()),
        claims_refused=len(refused),
        order_changed=len(set(first)) > 1,
        mechanisms=tuple(
            f"{j.cause_ref[:40]}: {j.verdict} (“{j.quotes[0]}”)" for j in composite.judgements if j.checked
        ),
    )


def _request(report: IncidentReport, deps: Deps, risk: Risk) -> ApprovalRequest:
    point = deps.team.point("report")
    content = report.model_dump(
        mode="json",
        include={"outcome", "headline", "causes", "summary", "remediation", "degraded", "missing", "coverage"},
    )
    return make_request(deps.run_id, point, "Submit this report?", content, risk=risk, at=deps.clock.now())
