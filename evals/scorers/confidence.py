"""Whether the stated confidence can be believed."""

from ..expected import Expected
from .matching import right_answer
from .report import ScoredReport

CONFIDENT = 0.8


def stated(report: ScoredReport) -> float | None:
    """Of the answer; None where the report does not name a cause."""
    return report.first.confidence if report.first is not None else None


def brier(report: ScoredReport, expected: Expected) -> float | None:
    """(confidence - right)^2 of the first cause: 0 is best, .25 is what `.5` always earns."""
    confidence = stated(report)
    return None if confidence is None else (confidence - float(right_answer(report, expected))) ** 2


def confident_wrong(report: ScoredReport, expected: Expected) -> float:
    """A wrong cause at a confidence of .8 or more; an abstention is never that."""
    confidence = stated(report)
    return float(confidence is not None and confidence >= CONFIDENT and not right_answer(report, expected))
