"""The root owner answers for the report: it alone submits."""

from typing import TypedDict, cast

from ..contracts.approval import ApprovalDecision
from ..contracts.arbitration import DecisionRecord
from ..contracts.base import derived_id
from ..contracts.claim import Claim
from ..contracts.event import Event
from ..contracts.ports import Deps, Writes
from ..contracts.proposal import NarrativeProposal
from ..contracts.report import DecisionNote, IncidentReport, Sentence
from ..rules.narrative import checked_sentences
from .asking import refusals
from .outcome import Outcome


class SubmitInput(TypedDict):
    report: str
    approval: str


class SubmitUpdate(TypedDict):
    report: str


async def submit(state: SubmitInput, deps: Deps) -> Outcome:
    """Adds the submission: concluded, or rejected by a person; an edited summary passes the same checks."""
    report = await deps.ledger.get(IncidentReport, "report")
    if report is None:
        raise LookupError("there is no report to submit")
    approval = await deps.ledger.get(ApprovalDecision, state["approval"]) if state["approval"] else None
    rejected = approval is not None and approval.decision in {"rejected", "expired"}
    summary, refused = await _edited(approval, deps)
    decision = DecisionRecord(
        decision_id=derived_id("dec", deps.run_id, "submission"),
        subject="the report",
        decision="rejected" if rejected else "submitted",
        reason=(approval.reason if approval else "") or report.headline,
        made_by=approval.by if approval else deps.team.root_owner,
        claims=report.causes[0].claims if report.causes else (),
        created_at=deps.clock.now(),
    )
    notes = [*report.decisions]
    if approval is not None:
        note = DecisionNote(
            subject=decision.subject, decision=approval.decision, reason=approval.reason, decided_by=approval.by
        )
        notes.append(note)
    final = report.model_copy(
        update={
            "status": "rejected" if rejected else "concluded",
            "summary": summary or report.summary,
            "decisions": tuple(notes),
        }
    )
    return Outcome(SubmitUpdate(report=final.status), Writes(records=(decision, final), events=refused))


async def _edited(approval: ApprovalDecision | None, deps: Deps) -> tuple[tuple[Sentence, ...], tuple[Event, ...]]:
    if approval is None or approval.edit is None:
        return (), ()
    proposal = NarrativeProposal.model_validate({"sentences": cast(object, approval.edit.get("summary", []))})
    claims = {c.id: c for c in await deps.ledger.all(Claim)}
    sentences, refused = checked_sentences(proposal, claims)
    return sentences, refusals(deps, "submit", refused)
