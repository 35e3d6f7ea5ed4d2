"""The report as Markdown, for a ticket or a chat."""

from collections.abc import Iterable, Iterator

from ...contracts.base import ClaimId
from ...contracts.report import IncidentReport
from ...rules.wording import name_cause, reason_words
from ..times import offset, utc
from . import words
from .markdown_text import code, md


def report_markdown(report: IncidentReport) -> str:
    evidence = words.Evidence(report.claims)
    parts = (
        _verdict(report, evidence),
        _chain(report, evidence),
        _ruled_out(report, evidence),
        _unseen(report),
        _remedies(report, evidence),
        _timeline(report, evidence),
        _without_model(report),
        _degraded(report),
        _rulings(report),
        _usage(report),
        _evidence(report, evidence),
    )
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _verdict(report: IncidentReport, evidence: words.Evidence) -> Iterator[str]:
    yield f"# {md(report.title)}"
    yield ""
    yield f"**{md(report.headline)}**"
    yield ""
    top = report.causes[0] if report.causes else None
    confidence = (
        f", confidence {words.percent(top.confidence)} ({words.confidence_word(top.confidence)})" if top else ""
    )
    yield f"- Verdict: **{words.OUTCOME_LABELS[report.outcome]}**{confidence}. {words.OUTCOME_MEANING[report.outcome]}"
    if top:
        reason = f", {md(reason_words(top.reason))}" if top.reason else ""
        yield f"- Cause: {md(words.reported_name(top))}{reason}{_cited(evidence, top.claims)}"
    if top and words.full_ref(top):
        yield f"- Reference: {code(top.ref)}"
    if top and top.onset:
        yield f"- Onset: {utc(top.onset)}"
    if report.first_failing_service:
        yield f"- First failing service: {md(report.first_failing_service)}"
    if report.affected_services:
        yield f"- Affected: {md(', '.join(report.affected_services))}"
    yield (
        f"- Incident {code(report.incident)}, run {code(report.run)}, "
        f"graph {code(report.graph)}, proposer {code(report.proposer)}"
    )
    if report.status != "concluded":
        yield f"- Status: **{words.STATUS_LABELS[report.status]}**"
    if words.summary(report):
        yield ""
        yield " ".join(f"{md(s.text)}{_cited(evidence, s.claims)}" for s in words.summary(report))
    if top and top.source:
        yield ""
        yield "What is blamed:"
        yield ""
        yield from (f"- {code(each)}" for each in top.source)
    if len(report.causes) > 1 or (report.causes and report.outcome != "cause_found"):
        yield from _causes(report, evidence)


def _causes(report: IncidentReport, evidence: words.Evidence) -> Iterator[str]:
    yield ""
    yield "| Rank | Possible cause | Reason | Onset | Confidence | Evidence |"
    yield "|---:|---|---|---|---:|---|"
    for cause in report.causes:
        onset = utc(cause.onset) if cause.onset else ""
        cells = (str(cause.rank), md(words.reported_name(cause)), md(reason_words(cause.reason)), onset)
        numbers = ", ".join(str(n) for n in evidence.numbers(cause.claims))
        yield f"| {' | '.join(cells)} | {words.percent(cause.confidence)} | {numbers} |"


def _chain(report: IncidentReport, evidence: words.Evidence) -> Iterator[str]:
    yield "## How it came about"
    yield ""
    if not report.chain:
        yield "No chain from a cause to the alert could be shown."
    for link in report.chain:
        source, target = (md(words.node_name(report, name)) for name in (link.source, link.target))
        yield f"- **{source}** → **{target}**: {md(link.how)}{_cited(evidence, link.claims)}"


def _ruled_out(report: IncidentReport, evidence: words.Evidence) -> Iterator[str]:
    yield "## What was ruled out"
    yield ""
    if not report.ruled_out:
        yield "Nothing was ruled out by evidence."
    for item in report.ruled_out:
        name = name_cause(item.cause)
        yield f"- {md(name)}: {md(item.why)}{_cited(evidence, item.claims)}"


def _unseen(report: IncidentReport) -> Iterator[str]:
    yield "## What could not be seen"
    yield ""
    for need in report.missing:
        yield f"- Missing: {md(need)}"
    if report.missing:
        yield ""
    yield "| Source | Coverage | Notes |"
    yield "|---|---|---|"
    for source in report.coverage:
        yield f"| {source.source} | {md(words.coverage_words(source))} | {md('; '.join(source.notes))} |"
    if report.would_change:
        yield ""
        yield "What could change the order of the causes:"
        yield ""
    yield from (f"- {md(question)}" for question in report.would_change)


def _remedies(report: IncidentReport, evidence: words.Evidence) -> Iterator[str]:
    yield "## What to do"
    yield ""
    if not report.remediation:
        yield "No action is proposed."
    for number, remedy in enumerate(report.remediation, start=1):
        action = md(reason_words(remedy.action))
        yield f"{number}. **{action}** {md(remedy.target)}{_cited(evidence, remedy.why)}"
    if report.actions:
        yield ""
        yield "What became of the actions:"
        yield ""
    for taken in report.actions:
        yield f"- **{md(reason_words(taken.kind))}** {md(taken.target)}: {md(words.action_words(taken))}"


def _timeline(report: IncidentReport, evidence: words.Evidence) -> Iterator[str]:
    yield "## Timeline"
    yield ""
    if not report.timeline:
        yield "Nothing dated was found."
        return
    onset = report.causes[0].onset if report.causes else None
    yield f"| Time (UTC) | {'From onset' if onset else ''} | Lane | What |"
    yield "|---|---:|---|---|"
    for entry in report.timeline:
        cited = _cited(evidence, (entry.claim,) if entry.claim else ())
        relative = offset(entry.at, onset) if onset else ""
        yield f"| {utc(entry.at)} | {relative} | {entry.lane} | {md(words.dated_text(entry.text, entry.at))}{cited} |"


def _without_model(report: IncidentReport) -> Iterator[str]:
    yield "## Without a model"
    yield ""
    yield md(words.without_model_words(report))
    added = words.contribution_words(report.model)
    if added:
        yield ""
        yield "What the model added:"
        yield ""
        yield from (f"- {md(line)}" for line in added)


def _degraded(report: IncidentReport) -> Iterator[str]:
    yield "## Where it fell back"
    yield ""
    if not report.degraded:
        yield "Nowhere: every step ran as it was asked to."
    yield from (f"- {md(place)}" for place in report.degraded)


def _rulings(report: IncidentReport) -> Iterator[str]:
    yield "## Conflicts and decisions"
    yield ""
    if not (report.conflicts or report.decisions):
        yield "No findings contradicted each other, and nothing had to be decided."
    for conflict in report.conflicts:
        yield f"- Conflict about {md(conflict.subject)}: {md(conflict.description)} Ruling: {md(conflict.ruling)}"
    for made in report.decisions:
        yield f"- {md(made.subject)}: {md(words.decision_words(made))}"


def _usage(report: IncidentReport) -> Iterator[str]:
    usage = report.usage
    yield "## What it took"
    yield ""
    yield words.usage_words(usage) + "."
    if usage.prompt_chars:
        shared = words.percent(usage.shared_chars / usage.prompt_chars)
        yield f"Of {usage.prompt_chars:,} prompt characters, {shared} were shared with an earlier prompt."


def _evidence(report: IncidentReport, evidence: words.Evidence) -> Iterator[str]:
    yield "## Evidence"
    yield ""
    if not evidence.items:
        yield "No claim was made."
    for number, claim in evidence.items:
        when = f" ({utc(claim.at)})" if claim.at else ""
        said = md(words.dated_text(claim.text, claim.at))
        yield f"{number}. {said}{when} — {words.claim_mark(claim)}, {code(claim.id)}"
        for observation in claim.observations:
            yield f"   - {code(words.evidence_command(report.run, observation))}"


def _cited(evidence: words.Evidence, claims: Iterable[ClaimId]) -> str:
    numbers = evidence.numbers(claims)
    return f" (evidence {', '.join(str(n) for n in numbers)})" if numbers else ""
