"""Whether what a report says stands on what was observed."""

from collections.abc import Mapping
from typing import NamedTuple

from ...contracts.claim import Claim as ClaimRecord
from ...contracts.claim import Statement
from ...contracts.evidence import Observation
from ..expected import Expected
from .facts import says
from .matching import right_answer, same_name
from .report import Cause, Claim, ScoredReport

SIGNAL_SOURCES = {
    "metric": "metrics", "log": "logs", "trace": "traces", "change": "changes", "topology": "topology",
    "resource": "resources", "document": "documents",
}  # fmt: skip
"""What a claim's signal begins with, and the source that it was read from."""


class Records(NamedTuple):
    """What the run's store holds behind the report; without it only the report's own words can be checked."""

    claims: Mapping[str, ClaimRecord]
    observations: Mapping[str, Observation]


def grounded(report: ScoredReport, expected: Expected, records: Records | None) -> float | None:
    """A right answer that its observations carry, of all cases; None where nothing was to be found.

    Where facts are asked for, verified claims must say all of them. Otherwise the first cause must cite claims; every
    cited claim must be verified and name observations; one of them at least must be about the cause. With the records,
    each observation must be `ok` and hold the fact that the claim repeats.
    """
    if expected.outcome != "cause_found":
        return None
    if not expected.causes:
        return float(right_answer(report, expected) and facts_cited(report, expected, records) == 1.0)
    return float(right_answer(report, expected) and supported(report, records))


def supported(report: ScoredReport, records: Records | None) -> bool:
    cause = report.first
    if cause is None or not cause.claims:
        return False
    cited = [report.claim(claim_id) for claim_id in cause.claims]
    claims = [claim for claim in cited if claim is not None]
    if len(claims) < len(cited) or not all(claim.verified and claim.observations for claim in claims):
        return False
    if cause.kind != "none" and not any(_about(claim, cause, records) for claim in claims):
        return False
    return records is None or all(_carried(claim, records) for claim in claims)


def _about(claim: Claim, cause: Cause, records: Records | None) -> bool:
    """Its subject, its object or its words are the cause's."""
    record = records.claims.get(claim.id) if records is not None else None
    said = {claim.service}
    if record is not None:
        said |= {record.subject.ref, record.subject.owner, record.object}
    names = [name for name in (cause.ref, cause.ref.rpartition("/")[2], cause.service) if name]
    return any(same_name(word, name, kind=cause.kind) for word in said for name in names) or any(
        name.casefold() in claim.text.casefold() for name in names
    )


def _carried(claim: Claim, records: Records) -> bool:
    record = records.claims.get(claim.id)
    if record is None:
        return False
    seen = [records.observations.get(observation) for observation in claim.observations]
    return all(o is not None and o.answer.status in {"ok", "partial"} for o in seen) and any(
        _same_statement(record, fact)
        for o in seen
        if o is not None and o.answer.status == "ok"
        for fact in o.answer.facts
    )


def _same_statement(claim: Statement, fact: Statement) -> bool:
    fields = ("subject", "signal", "relation", "object", "value", "baseline", "at")
    return all(getattr(claim, field) == getattr(fact, field) for field in fields)


def completeness(report: ScoredReport, expected: Expected, records: Records | None) -> float | None:
    """Share of the required sources that were readable and, where records tell, that a verified claim speaks from."""
    if not expected.required_evidence:
        return None
    readable = {source.source for source in report.coverage if source.status in {"ok", "cut"}}
    used = readable if records is None else readable & _sources(report, records)
    return sum(source in used for source in expected.required_evidence) / len(expected.required_evidence)


def _sources(report: ScoredReport, records: Records) -> set[str]:
    verified = [records.claims[claim.id] for claim in report.claims if claim.verified and claim.id in records.claims]
    return {SIGNAL_SOURCES.get(claim.signal.partition(":")[0], "") for claim in verified}


def facts_cited(report: ScoredReport, expected: Expected, records: Records | None) -> float | None:
    """Share of the expected facts that verified claims with observations say, their quotes included."""
    if not expected.facts:
        return None
    texts = [_words(claim, records) for claim in report.claims if claim.verified and claim.observations]
    return sum(says(" ".join(texts), fact) for fact in expected.facts) / len(expected.facts)


def _words(claim: Claim, records: Records | None) -> str:
    record = records.claims.get(claim.id) if records is not None else None
    return claim.text if record is None else f"{claim.text} {record.object} {record.quote}"
