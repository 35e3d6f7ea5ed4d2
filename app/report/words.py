"""The report's typed values in words. Every format takes them from here, so that all say the same."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from ...contracts.base import ClaimId
from ...contracts.evidence import SourceCoverage
from ...contracts.incident import CauseRef
from ...contracts.report import (
    ActionNote,
    CheckedClaim,
    DecisionNote,
    IncidentReport,
    ModelContribution,
    Outcome,
    ReportedCause,
    Sentence,
    Usage,
)
from ...rules.wording import clock, name_cause
from ..times import between, span

OUTCOME_LABELS: dict[Outcome, str] = {
    "cause_found": "Cause found",
    "no_incident": "No incident",
    "inconclusive": "Inconclusive",
}
OUTCOME_MEANING: dict[Outcome, str] = {
    "cause_found": "The evidence singles out a cause.",
    "no_incident": "If something still looks wrong, look at what could not be seen.",
    "inconclusive": "Treat what follows as leads, not as an answer.",
}
STATUS_LABELS = {"concluded": "concluded", "draft": "draft, not approved", "rejected": "rejected by a person"}
MOST_LEADS = 12
COVERAGE_LABELS = {
    "ok": "read",
    "missing": "not in the bundle",
    "empty": "there, but empty",
    "cut": "cut: only part of it could be read",
    "unreadable": "unreadable",
}


def percent(share: float) -> str:
    return f"{round(share * 100)} %"


def confidence_word(confidence: float) -> str:
    if confidence >= 0.8:
        return "high"
    return "medium" if confidence >= 0.5 else "low"


def reported_name(cause: ReportedCause) -> str:
    return name_cause(CauseRef(kind=cause.kind, ref=cause.ref, service=cause.service))


def full_ref(cause: ReportedCause) -> str:
    """Its whole reference where the name cuts it, else empty."""
    return "" if cause.ref in reported_name(cause) else cause.ref


def node_name(report: IncidentReport, name: str) -> str:
    """A place of the chain; a cause is called as everywhere else."""
    return next((reported_name(cause) for cause in report.causes if cause.ref == name != cause.service), name)


def dated_text(text: str, at: datetime | None) -> str:
    """Without the time at its end, where that is shown beside it."""
    return text.removesuffix(f" at {clock(at)}") if at is not None else text


def summary(report: IncidentReport) -> tuple[Sentence, ...]:
    """Without what the headline says already."""
    return tuple(sentence for sentence in report.summary if sentence.text != report.headline)


def key_claims(report: IncidentReport) -> frozenset[ClaimId]:
    """Those that the verdict, the chain, the remedies and what was ruled out rest on; the first where nothing does."""
    parts = (report.causes[:1], report.chain, report.ruled_out)
    cited = {claim for part in parts for item in part for claim in item.claims}
    cited = cited.union(*(remedy.why for remedy in report.remediation))
    return frozenset(cited) or frozenset(claim.id for claim in report.claims[:MOST_LEADS])


def action_words(action: ActionNote) -> str:
    """What became of an action, in one line."""
    parts = [action.state.replace("_", " ")]
    parts += [f"approved by {action.approved_by}"] if action.approved_by else []
    parts += [f"as {action.reference}"] if action.reference else []
    parts += ["simulated: nothing was changed"] if action.simulated else []
    if action.helped != "not_checked" or action.check:
        parts.append(f"{action.helped.replace('_', ' ')}: {action.check}" if action.check else action.helped)
    parts += [f"undone by {action.undone_by}"] if action.undone_by else []
    parts += [action.reason] if action.reason else []
    return "; ".join(parts)


def decision_words(made: DecisionNote) -> str:
    return f"{made.decision} by {made.decided_by}" + (f": {made.reason}" if made.reason else "")


def coverage_words(coverage: SourceCoverage) -> str:
    """`read, 12,304 rows, 2026-07-11 12:00:00 UTC to …`, or what is wrong with it."""
    return ", ".join((COVERAGE_LABELS[coverage.status], *coverage_details(coverage)))


def coverage_details(coverage: SourceCoverage) -> tuple[str, ...]:
    parts = [f"{coverage.rows:,} rows"] if coverage.rows else []
    if coverage.start and coverage.end:
        parts.append(between(coverage.start, coverage.end))
    if "none" in coverage.zones:
        parts.append("times without a zone")
    return tuple(parts)


def without_model_words(report: IncidentReport) -> str:
    """What the rules alone conclude, held against this report."""
    alone, names = report.without_model, [reported_name(c) for c in report.without_model.causes]
    verdict = OUTCOME_LABELS[alone.outcome].lower()
    said = f"{verdict}, {names[0]}, confidence {percent(alone.causes[0].confidence)}" if names else verdict
    if report.proposer == "rules":
        return f"This run asked no model; the verdict is the rules' own: {said}."
    same = alone.outcome == report.outcome and names[:1] == [reported_name(c) for c in report.causes[:1]]
    return f"The rules alone say {'the same' if same else 'something else'}: {said}."


def contribution_words(model: ModelContribution) -> tuple[str, ...]:
    """What asking a model changed, one line each; empty where it changed nothing."""
    counted = (
        (model.tasks_added, "task", "added"),
        (model.probes_added, "question", "added"),
        (model.claims_added, "claim", "added and checked"),
        (model.claims_refused, "claim", "refused by the checks"),
    )
    lines = [f"{n} {what}{'' if n == 1 else 's'} {done}" for n, what, done in counted if n]
    if model.order_changed:
        lines.append("the order of the leading causes changed, within the stated margin")
    return (*lines, *model.mechanisms)


def usage_words(usage: Usage) -> str:
    calls = f"{usage.model_calls:,} model call{'' if usage.model_calls == 1 else 's'}"
    tokens = f"{usage.tokens_in:,} tokens in, {usage.tokens_out:,} out"
    asked = f"{usage.probe_calls:,} question{'' if usage.probe_calls == 1 else 's'} to the data"
    return f"{asked}, {calls}, {tokens}, {span(usage.seconds)}"


class Numbered(NamedTuple):
    number: int
    claim: CheckedClaim


class Evidence:
    """The report's claims by number, as its texts refer to them."""

    def __init__(self, claims: Iterable[CheckedClaim]) -> None:
        self.items = tuple(Numbered(number, claim) for number, claim in enumerate(claims, start=1))
        self._numbers = {item.claim.id: item.number for item in self.items}

    def numbers(self, claims: Iterable[ClaimId]) -> tuple[int, ...]:
        """Of those that the report holds, in order and once each."""
        return tuple(sorted({self._numbers[c] for c in claims if c in self._numbers}))

    def of(self, claims: Iterable[ClaimId]) -> tuple[Numbered, ...]:
        return tuple(self.items[n - 1] for n in self.numbers(claims))


def claim_mark(claim: CheckedClaim) -> str:
    """Whether it was checked, and who thought of it where that was not the rules."""
    checked = "checked" if claim.verified else "not verified"
    return checked if claim.origin == "rules" else f"{checked}, from a {claim.origin}"


def evidence_command(run: str, observation: str) -> str:
    return f"leadline evidence {run} {observation} --rerun"
