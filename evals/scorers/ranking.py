"""Where the truth stands in the ranking."""

from math import comb

from ..expected import Expected, Judged
from .matching import found, is_right
from .report import ScoredReport


def accuracy_at(report: ScoredReport, expected: Expected, k: int, judged_by: tuple[Judged, ...] = ()) -> float | None:
    """AC@k: whether one of the first k is right; with `all_of` the share of min(k, n) that is found.

    The ranking counts whether or not the report dared to conclude. None where no cause was to be found.
    """
    if not expected.causes:
        return None
    judged = judged_by or expected.judged_by
    hits = found(report.causes[:k], expected, judged)
    if not expected.all_of:
        return float(hits > 0)
    return hits / min(k, len(expected.causes))


def average_at(report: ScoredReport, expected: Expected, k: int) -> float | None:
    """Avg@k: the mean of AC@1 to AC@k."""
    values = [accuracy_at(report, expected, place) for place in range(1, k + 1)]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def chance_at(expected: Expected, k: int) -> float | None:
    """AC@k of a random ranking of all possible answers; None where their number is not known."""
    total = expected.candidates
    if not expected.causes or not total:
        return None
    right, picks = min(len(expected.causes), total), min(k, total)
    if expected.all_of:
        return picks * right / total / min(k, right)
    return 1.0 - comb(total - right, picks) / comb(total, picks)


def reciprocal_rank(report: ScoredReport, expected: Expected) -> float | None:
    if not expected.causes:
        return None
    ranks = (place for place, cause in enumerate(report.causes, start=1) if is_right(cause, expected))
    return 1.0 / next(ranks, float("inf"))


def exact_set(report: ScoredReport, expected: Expected) -> float | None:
    """Whether the first n causes are the n expected ones, nothing else; None unless the set is asked for."""
    if not expected.all_of:
        return None
    count = len(expected.causes)
    first = report.causes[:count]
    whole = found(first, expected, expected.judged_by) == count and all(is_right(cause, expected) for cause in first)
    return float(whole and report.outcome == "cause_found")
