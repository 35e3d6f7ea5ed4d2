"""Settle what contradicts, and say how far the evidence separates the causes."""

import asyncio
from typing import NamedTuple, TypedDict

from ..contracts.arbitration import Candidate, Composite, DecisionRecord, MechanismJudgement
from ..contracts.base import ClaimId, TaskId, derived_id
from ..contracts.claim import Claim
from ..contracts.ports import Deps, Writes
from ..contracts.proposal import MechanismProposal
from ..contracts.report import DomainSummary, RankedCause, Ranking
from ..prompts.block import quoted_in
from ..prompts.questions import MechanismPrompt
from ..rules.claims import distinct
from ..rules.conflicts import Ruling, find_conflicts, rule_on
from ..rules.merge import check_mechanism, contenders, order_within_margin
from ..rules.wording import name_cause, say
from .asking import ask, question
from .outcome import Outcome

MOST_TOLD = 12
"""Sentences about the anomaly that a model is shown."""


class ArbitrateInput(TypedDict):
    round: int


class ArbitrateUpdate(TypedDict):
    pass


class Ranked(NamedTuple):
    baseline: Ranking
    """From what rules found alone."""
    full: Ranking
    """With what a model contributed."""


async def arbitrate(state: ArbitrateInput, deps: Deps) -> Outcome:
    """Adds rulings on conflicts and one ranking.

    A model is asked only whether a cause explains the anomaly, only about causes that the evidence leaves within the
    team's margin, and its answer counts only with quotes that stand in the source.
    """
    claims = await _submitted(deps)
    tasks = {c: cand.task_id for cand in await deps.ledger.all(Candidate) for c in cand.claims}
    rulings = _rulings(claims, tasks, deps)
    dropped = {c for r in rulings for c in r.dropped}
    standing = distinct([c for c in claims if c.id not in dropped])
    ranked = await asyncio.to_thread(_rank, standing, deps)
    judgements = await _judgements(ranked.baseline, standing, deps)
    ordered = order_within_margin(ranked.baseline, ranked.full, judgements, deps.team.margin)
    composite = Composite(ranking=ordered, baseline=ranked.baseline, judgements=judgements, round=state["round"])
    decisions = _decisions(ranked.baseline, ordered, judgements, deps)
    records = (*(r.conflict for r in rulings), *(r.record for r in rulings), *decisions, composite)
    return Outcome(ArbitrateUpdate(), Writes(records=records))


async def _submitted(deps: Deps) -> tuple[Claim, ...]:
    """Accepted claims; in a hierarchy those that domain leads put into their summaries."""
    claims = await deps.ledger.all(Claim)
    summaries = await deps.ledger.all(DomainSummary)
    told = {c for s in summaries for c in s.claims}
    return tuple(c for c in claims if c.id in told) if summaries else claims


def _rulings(claims: tuple[Claim, ...], tasks: dict[ClaimId, TaskId], deps: Deps) -> tuple[Ruling, ...]:
    by_id = {c.id: c for c in claims}
    at = deps.clock.now()
    return tuple(rule_on(c, by_id, run_id=deps.run_id, at=at) for c in find_conflicts(claims, tasks))


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
