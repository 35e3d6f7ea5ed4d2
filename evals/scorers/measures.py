"""The table of measures; a change to how one counts must raise its version."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from ..expected import Expected
from . import confidence, evidence, facts, ranking, verdict
from .evidence import Records
from .matching import right_answer
from .official import official_scores
from .report import ScoredReport

Better = Literal["higher", "lower", "neither"]
Compute = Callable[[ScoredReport, Expected, Records | None], float | None]


class Measure(NamedTuple):
    name: str
    version: int
    better: Better
    describes: str
    compute: Compute
    """None: the case has nothing to say about it."""


def _plain(function: Callable[[ScoredReport, Expected], float | None]) -> Compute:
    return lambda report, expected, _: function(report, expected)


def _ac(k: int) -> Compute:
    return lambda report, expected, _: ranking.accuracy_at(report, expected, k)


def _chance(k: int) -> Compute:
    return lambda _, expected, __: ranking.chance_at(expected, k)


def _service_at_1(report: ScoredReport, expected: Expected) -> float | None:
    named = any(cause.service for cause in expected.causes)
    return ranking.accuracy_at(report, expected, 1, ("service",)) if named else None


def _reason_at_1(report: ScoredReport, expected: Expected) -> float | None:
    named = any(cause.reason for cause in expected.causes)
    return ranking.accuracy_at(report, expected, 1, ("reason",)) if named else None


def _shared_prefix(report: ScoredReport, _: Expected) -> float | None:
    usage = report.usage
    return usage.shared_chars / usage.prompt_chars if usage.prompt_chars else None


def _used(field: str) -> Compute:
    return lambda report, _, __: float(getattr(report.usage, field))


def _tokens(report: ScoredReport, _: Expected) -> float:
    return float(report.usage.tokens_in + report.usage.tokens_out)


_TABLE = (
    Measure("ac@1", 1, "higher", "the first cause is right", _ac(1)),
    Measure("ac@3", 1, "higher", "one of the first three is right", _ac(3)),
    Measure("ac@5", 1, "higher", "one of the first five is right", _ac(5)),
    Measure("avg@5", 1, "higher", "mean of AC@1 to AC@5", _plain(lambda r, e: ranking.average_at(r, e, 5))),
    Measure("chance@1", 1, "neither", "AC@1 of a random ranking", _chance(1)),
    Measure("chance@3", 1, "neither", "AC@3 of a random ranking", _chance(3)),
    Measure("chance@5", 1, "neither", "AC@5 of a random ranking", _chance(5)),
    Measure("mrr", 1, "higher", "reciprocal rank of the first right cause", _plain(ranking.reciprocal_rank)),
    Measure("exact_set", 1, "higher", "the first n are the n expected causes", _plain(ranking.exact_set)),
    Measure("service@1", 1, "higher", "the first cause lies in the right service", _plain(_service_at_1)),
    Measure("reason@1", 1, "higher", "the first cause is of the right fault kind", _plain(_reason_at_1)),
    Measure("right", 1, "higher", "the verdict as a whole is right", _plain(lambda r, e: float(right_answer(r, e)))),
    Measure("grounded", 1, "higher", "right, and carried by verified observations", evidence.grounded),
    Measure("evidence", 1, "higher", "share of the required sources that was used", evidence.completeness),
    Measure("facts_present", 1, "higher", "share of the expected facts that is said", _plain(facts.facts_present)),
    Measure("facts_cited", 1, "higher", "share that verified claims say", evidence.facts_cited),
    Measure("outcome", 1, "higher", "cause, no incident or inconclusive, as expected", _plain(verdict.outcome)),
    Measure("false_alarm", 1, "lower", "a cause where nothing is wrong", _plain(verdict.false_alarm)),
    Measure("missed_abstention", 1, "lower", "a verdict that nothing allows", _plain(verdict.missed_abstention)),
    Measure("needless_abstention", 1, "lower", "no cause where there is one", _plain(verdict.needless_abstention)),
    Measure("forbidden", 1, "lower", "the first cause is a decoy", _plain(verdict.forbidden_named)),
    Measure("first_failing", 1, "higher", "the first failing service", _plain(verdict.first_failing_service)),
    Measure("affected", 1, "higher", "Jaccard index of the affected services", _plain(verdict.affected_jaccard)),
    Measure("remediation", 1, "higher", "the first remedy is the expected one", _plain(verdict.remediation)),
    Measure("brier", 1, "lower", "squared error of the stated confidence", _plain(confidence.brier)),
    Measure("confident_wrong", 1, "lower", "wrong at a confidence of .8 or more", _plain(confidence.confident_wrong)),
    Measure("model_calls", 1, "lower", "questions to the model", _used("model_calls")),
    Measure("tokens", 1, "lower", "prompt and answer tokens", _plain(_tokens)),
    Measure("prompt_chars", 1, "lower", "characters sent to the model", _used("prompt_chars")),
    Measure("shared_prefix", 1, "higher", "share of them that repeats an earlier prefix", _plain(_shared_prefix)),
    Measure("probe_calls", 1, "lower", "questions to the evidence", _used("probe_calls")),
    Measure("seconds", 1, "lower", "wall-clock time of the run", _used("seconds")),
)
MEASURES: dict[str, Measure] = {measure.name: measure for measure in _TABLE}


def score(report: Mapping[str, Any], expected: Expected, records: Records | None = None) -> dict[str, float | None]:
    """Every measure of one report, and those of the format's own scorer as `official:NAME`."""
    seen = ScoredReport.of(report)
    values = {name: measure.compute(seen, expected, records) for name, measure in MEASURES.items()}
    return values | {f"official:{name}": value for name, value in official_scores(seen, expected).items()}
