"""The report on a terminal: what a person needs first, in 80 columns; the other formats hold the rest."""

import io
from collections.abc import Iterable, Iterator

from rich.console import Console, RenderableType
from rich.text import Text

from ...contracts.base import ClaimId
from ...contracts.report import IncidentReport
from ...rules.wording import name_cause, reason_words
from ..console import Hanging, command, facts, heading, items, line, plain, text
from ..times import clock_time, day, offset, utc
from . import words
from .pictures import onset_of

MOST_CITED, MOST_OTHERS = 6, 4
_STYLES = {"cause_found": "bold red", "no_incident": "bold green", "inconclusive": "bold yellow"}


def print_report(console: Console, report: IncidentReport) -> None:
    evidence = words.Evidence(report.claims)
    for part in (_verdict, _chain, _ruled_out, _unseen, _remedies, _timeline, _others, _evidence):
        for piece in part(report, evidence):
            console.print(piece, crop=False)


def report_text(report: IncidentReport) -> str:
    """The same without colour, for a file."""
    stream = io.StringIO()
    print_report(plain(stream), report)
    return stream.getvalue()


def _verdict(report: IncidentReport, evidence: words.Evidence) -> Iterator[RenderableType]:
    top = report.causes[0] if report.causes else None
    label = words.OUTCOME_LABELS[report.outcome].upper()
    sure = f"  {words.percent(top.confidence)} confidence, {words.confidence_word(top.confidence)}" if top else ""
    status = "" if report.status == "concluded" else f"  ({words.STATUS_LABELS[report.status]})"
    yield Text.assemble((label, _STYLES[report.outcome]), sure, status)
    yield text(report.headline, "bold")
    if report.outcome != "cause_found":
        yield Text(words.OUTCOME_MEANING[report.outcome])
    yield Text("")
    cause = f"{words.reported_name(top)}{_cited(evidence, top.claims)}" if top else ""
    told = [
        ("cause" if report.outcome == "cause_found" else "leading suspect", cause),
        ("reference", words.full_ref(top) if top else ""),
        ("kind of fault", reason_words(top.reason) if top else ""),
        ("onset", utc(top.onset) if top and top.onset else ""),
        ("first failing service", report.first_failing_service),
        ("affected", ", ".join(report.affected_services)),
        ("incident", f"{report.incident}: {report.title}"),
    ]
    yield from facts(told, indent="  ")
    if words.summary(report):
        yield Text("")
        yield text(" ".join(f"{s.text}{_cited(evidence, s.claims)}" for s in words.summary(report)))
    if top and top.source:
        yield heading("What is blamed")
        yield from (Hanging("    ", line(each)) for each in top.source)
    others = report.causes[1 : 1 + MOST_OTHERS]
    if others:
        yield heading("Other possible causes")
        yield from items(
            line(f"{words.reported_name(c)}, {words.percent(c.confidence)}{_cited(evidence, c.claims)}") for c in others
        )
        yield from _left_out(len(report.causes) - 1 - len(others), "unlikely ones")


def _chain(report: IncidentReport, evidence: words.Evidence) -> Iterator[RenderableType]:
    if report.outcome == "no_incident" and not report.chain:
        return
    yield heading("How it came about")
    if not report.chain:
        yield Text("No chain from a cause to the alert could be shown.")
    before = None
    for link in report.chain:
        if link.source != before:
            yield Hanging("  ", line(words.node_name(report, link.source), "bold"))
        yield Hanging("    ↓ ", line(f"{link.how}{_cited(evidence, link.claims)}"))
        yield Hanging("  ", line(words.node_name(report, link.target), "bold"))
        before = link.target


def _ruled_out(report: IncidentReport, evidence: words.Evidence) -> Iterator[RenderableType]:
    if report.ruled_out:
        yield heading("What was ruled out")
    names = (name_cause(r.cause) for r in report.ruled_out)
    yield from items(
        line(f"{name}: {r.why}{_cited(evidence, r.claims)}") for name, r in zip(names, report.ruled_out, strict=True)
    )


def _unseen(report: IncidentReport, _: words.Evidence) -> Iterator[RenderableType]:
    gaps = [
        f"{c.source}: {'; '.join((words.COVERAGE_LABELS[c.status], *c.notes))}"
        for c in report.coverage
        if (c.status != "ok" or c.notes) and not any(need.startswith(f"{c.source} (") for need in report.missing)
    ]
    yield heading("What could not be seen")
    if not (gaps or report.missing):
        yield Text("All sources of the bundle were read whole.")
    yield from items(line(each) for each in (*report.missing, *gaps))
    if report.would_change:
        yield Text("What could change the order of the causes:")
    yield from items(line(each) for each in report.would_change)


def _remedies(report: IncidentReport, evidence: words.Evidence) -> Iterator[RenderableType]:
    yield heading("What to do")
    if not report.remediation:
        yield Text("No action is proposed.")
    yield from items(
        (line(f"{reason_words(r.action)} {r.target}{_cited(evidence, r.why)}") for r in report.remediation),
        numbered=True,
    )
    yield from items(line(f"{reason_words(a.kind)} {a.target}: {words.action_words(a)}") for a in report.actions)


def _timeline(report: IncidentReport, evidence: words.Evidence) -> Iterator[RenderableType]:
    if not report.timeline:
        return
    onset, today, key = onset_of(report), "", words.key_claims(report)
    told = [e for e in report.timeline if e.lane == "alert" or e.claim is None or e.claim in key]
    yield heading("Timeline (UTC)")
    for entry in told:
        if day(entry.at) != today:
            today = day(entry.at)
            yield Text(f"  {today}", style="dim")
        relative = f"{offset(entry.at, onset):>14}" if onset else ""
        cited = _cited(evidence, (entry.claim,) if entry.claim else ())
        yield Hanging(
            f"  {clock_time(entry.at)}{relative}  {entry.lane:<8}  ",
            line(f"{words.dated_text(entry.text, entry.at)}{cited}"),
        )
    yield from _left_out(len(report.timeline) - len(told), "entries")


def _others(report: IncidentReport, _: words.Evidence) -> Iterator[RenderableType]:
    yield heading("Without a model")
    yield line(words.without_model_words(report))
    yield from items(line(each) for each in words.contribution_words(report.model))
    if report.degraded:
        yield heading("Where it fell back")
        yield from items(line(place) for place in report.degraded)
    if report.conflicts or report.decisions:
        yield heading("Conflicts and decisions")
        yield from items(line(f"{c.subject}: {c.description} Ruling: {c.ruling}") for c in report.conflicts)
        yield from items(line(f"{d.subject}: {words.decision_words(d)}") for d in report.decisions)


def _evidence(report: IncidentReport, evidence: words.Evidence) -> Iterator[RenderableType]:
    yield heading("Evidence")
    if not evidence.items:
        yield Text("No claim was made.")
    told = [(n, c) for n, c in evidence.items if c.id in words.key_claims(report)]
    width = len(str(told[-1][0])) if told else 1
    for number, claim in told:
        yield Hanging(f"{number:>{width}}. ", line(f"{claim.text} ({words.claim_mark(claim)})"))
    yield from _left_out(len(evidence.items) - len(told), "claims")
    yield Text("")
    pairs = [
        ("it took", words.usage_words(report.usage)),
        ("run", f"{report.run}, graph {report.graph}, proposer {report.proposer}"),
    ]
    yield from facts(pairs)
    yield Text("\nAsk again, or read it with its charts:", style="dim")
    first = next((c.observations[0] for _, c in told if c.observations), "")
    if first:
        yield command(words.evidence_command(report.run, first))
    yield command(f"leadline report {report.run} --format html --out report.html")


def _left_out(count: int, what: str) -> Iterator[Text]:
    if count > 0:
        yield Text(f"   and {count} {what} more in the whole report", style="dim")


def _cited(evidence: words.Evidence, claims: Iterable[ClaimId]) -> str:
    numbers = evidence.numbers(claims)
    shown = [str(n) for n in numbers[:MOST_CITED]] + ["…"] * (len(numbers) > MOST_CITED)
    return f" [{', '.join(shown)}]" if numbers else ""
