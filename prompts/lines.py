"""Contracts as short lines for a prompt: one fact a line, references instead of copies, every list bounded."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from ..contracts.action_catalog import ActionSpec, ArgumentSpec
from ..contracts.claim import Claim, Fact, Statement
from ..contracts.delegation import DelegationBrief
from ..contracts.evidence import Observation, ProbeSpec, SourceCoverage
from ..contracts.incident import Alert, CauseRef, Incident
from ..contracts.report import AgentReport, RankedCause, Ranking
from .block import visible

OBSERVATIONS_SHOWN = 24
FACTS_SHOWN = 40
"""Of one observation, where there is room."""
ALERTS_SHOWN = 10
CANDIDATES_SHOWN = 40
SERVICES_SHOWN = 80
PARAMETER_CHARS = 60
CLAIMS_SHOWN = 40


def _time(at: datetime | None) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ") if at else "unknown time"


def _number(value: float) -> str:
    return f"{value:.6g}"


def _more(hidden: int, what: str) -> Iterator[str]:
    if hidden > 0:
        yield f"and {hidden} {what} more"


def _alert(alert: Alert) -> str:
    what = " ".join(part for part in (alert.service, alert.metric) if part)
    return f"alert {_time(alert.fired_at)} {alert.severity} {what}: {alert.summary}"


def _cause(cause: CauseRef) -> str:
    return f"{cause.kind} {cause.ref}" + (f" of {cause.service}" if cause.service not in {"", cause.ref} else "")


def incident_lines(incident: Incident) -> Iterator[str]:
    yield f"{incident.id}: {incident.title}"
    if incident.question:
        yield f"question: {incident.question}"
    if incident.window:
        yield f"window: {_time(incident.window.start)} to {_time(incident.window.end)}"
    yield from (_alert(alert) for alert in incident.alerts[:ALERTS_SHOWN])
    yield from _more(len(incident.alerts) - ALERTS_SHOWN, "alerts")
    space = incident.answer_space
    if space.kinds:
        yield "kinds of cause: " + ", ".join(space.kinds)
    if space.reasons:
        yield "fault kinds: " + ", ".join(space.reasons[:CANDIDATES_SHOWN])
    yield from (f"candidate: {_cause(cause)}" for cause in space.causes[:CANDIDATES_SHOWN])
    yield from _more(len(space.causes) - CANDIDATES_SHOWN, "candidates")


def service_lines(services: Sequence[str]) -> Iterator[str]:
    shown = services[:SERVICES_SHOWN]
    yield from (", ".join(shown[i : i + 6]) for i in range(0, len(shown), 6))
    yield from _more(len(services) - SERVICES_SHOWN, "services")


def coverage_lines(coverage: Iterable[SourceCoverage]) -> Iterator[str]:
    for one in coverage:
        span = f" {_time(one.start)} to {_time(one.end)}" if one.start and one.end else ""
        notes = "; " + "; ".join(one.notes[:2]) if one.notes else ""
        yield f"{one.source}: {one.status}, {one.rows} rows{span}{notes}"


def pair_lines(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    yield from (f"{name}: {text}" for name, text in pairs)


def _type(schema: Mapping[str, Any]) -> str:
    """What may be given, in words; empty where the schema does not say."""
    if isinstance(choices := schema.get("enum"), list):
        return f"one of {', '.join(map(str, choices))}"
    if isinstance(options := schema.get("anyOf"), list):
        return " or ".join(filter(None, (_type(one) for one in options if one.get("type") != "null")))
    if isinstance(inner := schema.get("items"), dict):
        return f"list of {_type(inner) or 'values'}"
    if schema.get("format") == "date-time":
        return "time"
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    return name or str(schema.get("type", ""))


def _param(name: str, schema: Mapping[str, Any], needed: Collection[str]) -> str:
    text = name if name in needed else f"{name}?"
    return f"{text}: {kind}" if (kind := _type(schema)) else text


def probe_lines(probes: Iterable[ProbeSpec]) -> Iterator[str]:
    for probe in probes:
        schema: Mapping[str, Any] = probe.params
        needed = schema.get("required", ())
        params = "; ".join(_param(name, one, needed) for name, one in schema.get("properties", {}).items())
        yield f"{probe.name} ({probe.cost}): {probe.question} Parameters: {params or 'none'}"


def brief_lines(brief: DelegationBrief) -> Iterator[str]:
    yield f"objective: {brief.objective}"
    yield f"why: {brief.why_this_matters}"
    if brief.context_summary:
        yield f"context: {brief.context_summary}"
    yield from (f"not your task: {text}" for text in brief.non_goals[:6])
    yield from (f"constraint: {text}" for text in brief.constraints[:8])
    yield from (f"done when: {text}" for text in brief.success_criteria[:6])
    if brief.scope.allowed_domains:
        yield "only these services: " + ", ".join(brief.scope.allowed_domains[:20])


def statement(said: Statement) -> str:
    parts = [said.subject.kind, said.subject.ref]
    if said.subject.service not in {"", said.subject.ref}:
        parts.append(f"(of {said.subject.service})")
    parts += [said.signal, said.relation]
    if said.object:
        parts.append(said.object)
    if said.value is not None:
        parts.append(f"value {_number(said.value)}{' ' + said.unit if said.unit else ''}")
    if said.baseline is not None:
        parts.append(f"normally {_number(said.baseline)}")
    if said.at is not None:
        parts.append(f"at {_time(said.at)}")
    return " ".join(parts)


def _fact(fact: Fact) -> str:
    quote = f" text: {fact.quote[:160]}" if fact.quote else ""
    return f"{statement(fact)} strength {fact.strength:.2f}{quote}"


def _given(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= PARAMETER_CHARS else f"{text[:PARAMETER_CHARS]}…"


def _params(seen: Observation) -> str:
    return " ".join(f"{name}={_given(value)}" for name, value in sorted(seen.call.params.items()))


def _observation(seen: Observation) -> list[str]:
    note = f" ({seen.answer.note})" if seen.answer.note else ""
    facts = enumerate(seen.answer.facts[:FACTS_SHOWN], start=1)
    return [
        f"{seen.id} {seen.call.probe} {_params(seen)}: {seen.answer.status}{note}",
        *(f"{seen.id} fact {number}: {_fact(fact)}" for number, fact in facts),
    ]


def observation_lines(observations: Sequence[Observation], chars: int) -> Iterator[str]:
    """As many first facts of each observation as fit for all alike; probes put the strongest first."""
    shown = [_observation(seen) for seen in observations[:OBSERVATIONS_SHOWN]]
    sizes = [[len(visible(line)) + 3 for line in lines] for lines in shown]
    fits = (n for n in range(FACTS_SHOWN, 0, -1) if sum(sum(s[: n + 1]) for s in sizes) + 40 * len(shown) <= chars)
    share = next(fits, 1)
    for seen, lines in zip(observations, shown, strict=False):
        yield from lines[: share + 1]
        yield from _more(len(seen.answer.facts) - share, f"facts in {seen.id}")
    yield from _more(len(observations) - OBSERVATIONS_SHOWN, "observations")


def claim_lines(claims: Sequence[Claim]) -> Iterator[str]:
    yield from (statement(claim) for claim in claims[:CLAIMS_SHOWN])
    yield from _more(len(claims) - CLAIMS_SHOWN, "claims")


def report_lines(report: AgentReport) -> Iterator[str]:
    yield f"agent {report.agent_id}: {report.summary}"
    for finding in report.findings:
        shown = ", ".join(finding.claim.observations)
        yield f"{finding.claim.id} confidence {finding.confidence:.2f} shown by {shown}"
    yield from (f"open question: {text}" for text in report.open_questions[:6])
    yield from (f"not verified: {text}" for text in report.verification.not_verified[:6])


def cause_lines(ranked: RankedCause) -> Iterator[str]:
    yield f"{_cause(ranked.cause)}" + (f", fault kind {ranked.reason}" if ranked.reason else "")
    yield f"onset: {_time(ranked.onset)}"
    if ranked.note:
        yield ranked.note


def ranking_lines(ranking: Ranking) -> Iterator[str]:
    yield f"outcome: {ranking.outcome}"
    for place, ranked in enumerate(ranking.causes[:5], start=1):
        kind = f" ({ranked.reason})" if ranked.reason else ""
        claims = ", ".join(ranked.claims_for[:6])
        yield f"cause {place}: {_cause(ranked.cause)}{kind}, confidence {ranked.confidence:.2f}, claims {claims}"
    if ranking.first_failing_service:
        yield f"failed first: {ranking.first_failing_service}, onset {_time(ranking.onset)}"
    if ranking.affected_services:
        yield "affected: " + ", ".join(ranking.affected_services[:20])
    for link in ranking.chain[:8]:
        yield f"chain: {link.source} -> {link.target}: {link.how} {', '.join(link.claims[:3])}"
    yield from (f"ruled out: {_cause(out.cause)}: {out.why}" for out in ranking.ruled_out[:4])
    yield from (f"remedy: {remedy.action} {remedy.target}" for remedy in ranking.remediation[:4])


def _argument(name: str, spec: ArgumentSpec) -> str:
    text = name if spec.required else f"{name}?"
    kind = f"one of {', '.join(map(str, spec.choices))}" if spec.choices else spec.type
    return f"{text}: {kind}" + (f" ({spec.description})" if spec.description else "")


def action_lines(actions: Iterable[ActionSpec]) -> Iterator[str]:
    for action in actions:
        arguments = "; ".join(_argument(name, spec) for name, spec in action.arguments.items())
        said = f"{action.title}. {action.description}" if action.description else f"{action.title}."
        yield f"{action.kind}: {said} Arguments: {arguments or 'none'}"


FILTERS: dict[str, Callable[..., Iterator[str]]] = {
    "incident_lines": incident_lines,
    "service_lines": service_lines,
    "coverage_lines": coverage_lines,
    "pair_lines": pair_lines,
    "probe_lines": probe_lines,
    "brief_lines": brief_lines,
    "observation_lines": observation_lines,
    "claim_lines": claim_lines,
    "report_lines": report_lines,
    "cause_lines": cause_lines,
    "ranking_lines": ranking_lines,
    "action_lines": action_lines,
}
