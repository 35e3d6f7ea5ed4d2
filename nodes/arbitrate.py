"""Settle what contradicts, and say how far the evidence separates the causes."""

import asyncio
from typing import NamedTuple, TypedDict, cast

from ..contracts.arbitration import Candidate, Composite, DecisionRecord, MechanismJudgement
from ..contracts.base import Record, canonical_json, derived_id
from ..contracts.claim import Claim
from ..contracts.event import Event
from ..contracts.ports import Deps, Writes
from ..contracts.proposal import MechanismProposal
from ..contracts.report import DomainSummary, RankedCause, Ranking
from ..contracts.task import Risk
from ..prompts.block import quoted_in
from ..prompts.questions import MechanismPrompt
from ..rules.claims import distinct
from ..rules.margin import check_mechanism, contenders, order_within_margin
from ..rules.transition import transition
from ..rules.wording import name_cause, say
from .asking import ask, question
from .correspondence import told_of_rulings
from .messaging import Postbox
from .outcome import Outcome, stamp
from .separating import follow_up_for, separating_calls
from .settling import ask_owner, owned_by_a_person, remedy_conflicts, rule_facts

MOST_TOLD = 12
"""Sentences about the anomaly that a model is shown."""


class ArbitrateInput(TypedDict):
    risk: str
    round: int
    decision: str


class ArbitrateUpdate(TypedDict):
    next: str
    decision: str
    approval: str


class Ranked(NamedTuple):
    baseline: Ranking
    """From what rules found alone."""
    full: Ranking
    """With what a model contributed."""


async def arbitrate(state: ArbitrateInput, deps: Deps) -> Outcome:
    """Adds rulings on conflicts and one ranking, and asks for more where that would tell the first causes apart.

    A model is asked only whether a cause explains the anomaly, only about causes that the evidence leaves within the
    team's margin, and its answer counts only with quotes that stand in the source.
    """
    claims = await _submitted(deps)
    tasks = {c: cand.task_id for cand in await deps.ledger.all(Candidate) for c in cand.claims}
    rulings = rule_facts(claims, tasks, deps)
    lost = {ref for r in rulings for ref in r.record.lost}
    standing = distinct([c for c in claims if c.id not in lost])
    ranked = await asyncio.to_thread(_rank, standing, deps)
    risk = cast(Risk, state["risk"])
    calls = await separating_calls(ranked.baseline, deps)
    more = await follow_up_for(calls, ranked.baseline, risk, deps)
    box = await Postbox.open(deps)
    told_of_rulings(rulings, box)
    records: list[Record] = [r for ruling in rulings for r in ruling]
    if more is not None:
        ready, event = transition(more, "ready", stamp(deps, "arbitrate"), reason=more.spec.title)
        update = ArbitrateUpdate(next="distribute", decision="", approval="")
        return Outcome(update, Writes(records=(*records, ready, *box.records()), events=(event, *box.events())))
    judgements = await _judgements(ranked.baseline, standing, deps)
    ordered = order_within_margin(ranked.baseline, ranked.full, judgements, deps.team.margin)
    told = tuple(f"{c.probe} {canonical_json(c.params)}"[:200] for c in calls)
    records.append(
        Composite(
            ranking=ordered, baseline=ranked.baseline, judgements=judgements, round=state["round"], separating=told
        )
    )
    records += _decisions(ranked.baseline, ordered, judgements, deps)
    update, events = _remedies(ordered, risk, records, deps)
    box.expire("arbitrate")
    return Outcome(update, Writes(records=(*records, *box.records()), events=(*events, *box.events())))


def _remedies(
    ranking: Ranking, risk: Risk, records: list[Record], deps: Deps
) -> tuple[ArbitrateUpdate, tuple[Event, ...]]:
    """Conflicts about what to do are kept open for merge; a person is asked about those that a person owns."""
    conflicts = remedy_conflicts(ranking, deps)
    records += conflicts
    owned = owned_by_a_person(conflicts)
    if not owned:
        return ArbitrateUpdate(next="merge", decision="", approval=""), ()
    request = ask_owner(owned, risk, deps)
    records.append(request)
    asked = Event(
        event_id=derived_id("evt", deps.run_id, request.approval_id, "asked"),
        kind="approval.asked",
        subject=request.approval_id,
        by="arbitrate",
        reason=request.question,
        at=request.asked_at,
    )
    return ArbitrateUpdate(next="merge", decision="ask", approval=request.approval_id), (asked,)


async def _submitted(deps: Deps) -> tuple[Claim, ...]:
    """Accepted claims; in a hierarchy those that domain leads put into their summaries."""
    claims = await deps.ledger.all(Claim)
    summaries = await deps.ledger.all(DomainSummary)
    told = {c for s in summaries for c in s.claims}
    return tuple(c for c in claims if c.id in told) if summaries else claims


def _rank(claims: tuple[Claim, ...], deps: Deps) -> Ranked:
    own = tuple(c for c in claims if c.origin != "model")
    baseline = deps.evidence.rank(own)
    return Ranked(baseline, deps.evidence.rank(claims) if len(own) < len(claims) else baseline)


async def _judgements(baseline: Ranking, claims: tuple[Claim, ...], deps: Deps) -> tuple[MechanismJudgement, ...]:
    front = contenders(baseline, deps.team.margin)
    if len(front) < 2 or "mechanism" not in deps.team.asks:
        return ()
    anomaly = tuple(say(c) for c in sorted(claims, key=lambda c: (-c.strength, c.id)) if c.subject.kind != "change")
    found = await asyncio.gather(*(_judgement(cause, anomaly[:MOST_TOLD], deps) for cause in front))
    return tuple(j for j in found if j is not None)


async def _judgement(cause: RankedCause, anomaly: tuple[str, ...], deps: Deps) -> MechanismJudgement | None:
    source = await deps.evidence.source_text(cause.cause)
    if not source:
        return None
    answer = await ask(
        deps,
        "mechanism",
        question(deps, MechanismPrompt, cause=cause, anomaly=anomaly, source=source),
        MechanismProposal(verdict="unclear", quotes=[], why=""),
        node="arbitrate",
        about=f"{cause.cause.kind}:{cause.cause.ref}",
    )
    if answer.origin == "rules":
        return None
    return check_mechanism(cause.cause, answer.value, lambda quote: quoted_in(quote, source))


def _decisions(
    baseline: Ranking, ordered: Ranking, judgements: tuple[MechanismJudgement, ...], deps: Deps
) -> tuple[DecisionRecord, ...]:
    """Kept wherever the order of causes is not the rules' own, and for each judgement that did not count."""
    decisions = [
        DecisionRecord(
            decision_id=derived_id("dec", deps.run_id, "mechanism", j.cause_ref),
            subject=f"does {j.cause_ref[:40]} explain the anomaly",
            decision=j.verdict if j.checked else f"{j.verdict}, not counted",
            reason="quoted: " + " | ".join(j.quotes) if j.checked else "its quotes do not stand in the source",
            made_by=f"model:{deps.proposer.name}",
            created_at=deps.clock.now(),
        )
        for j in judgements
    ]
    if baseline.causes and ordered.causes and baseline.causes[0].cause != ordered.causes[0].cause:
        decisions.append(
            DecisionRecord(
                decision_id=derived_id("dec", deps.run_id, "order"),
                subject="first cause",
                decision=name_cause(ordered.causes[0].cause),
                reason=f"a model's contribution, within the margin of {deps.team.margin:g}; by rules alone it is "
                f"{name_cause(baseline.causes[0].cause)}",
                made_by="rule:order-within-margin@1",
                claims=ordered.causes[0].claims_for,
                created_at=deps.clock.now(),
            )
        )
    return tuple(decisions)
