"""When an answer names the same thing as the truth."""

from ..expected import Expected, ExpectedCause, Judged
from .facts import facts_present
from .report import Cause, ScoredReport

SHORTEST_PREFIX = 7
"""Of a change's id, as version control abbreviates it."""


def same_name(answer: str, truth: str, *, kind: str = "") -> bool:
    """Equal but for case; a change also by an unambiguous beginning of its id."""
    given, wanted = answer.strip().casefold(), truth.strip().casefold()
    if given == wanted:
        return bool(given)
    shorter, longer = sorted((given, wanted), key=len)
    return kind == "change" and len(shorter) >= SHORTEST_PREFIX and longer.startswith(shorter)


def same_ref(cause: Cause, truth: ExpectedCause) -> bool:
    if "none" in (cause.kind, truth.kind):
        return cause.kind == truth.kind
    return any(same_name(cause.ref, name, kind=truth.kind) for name in truth.names)


def same_service(cause: Cause, truth: ExpectedCause) -> bool:
    """By the service that the cause belongs to, or its own name where it has none."""
    wanted = (truth.service, *truth.names) if truth.kind == "service" else (truth.service,)
    return any(same_name(cause.service or cause.ref, name) for name in wanted)


def same_reason(cause: Cause, truth: ExpectedCause) -> bool:
    return any(same_name(cause.reason, word) for word in (truth.reason, *truth.reason_aliases))


def matches(cause: Cause, truth: ExpectedCause, judged_by: tuple[Judged, ...]) -> bool:
    tests = {"ref": same_ref, "service": same_service, "reason": same_reason}
    return all(tests[what](cause, truth) for what in judged_by)


def is_right(cause: Cause, expected: Expected) -> bool:
    return any(matches(cause, truth, expected.judged_by) for truth in expected.causes)


def found(causes: tuple[Cause, ...], expected: Expected, judged_by: tuple[Judged, ...]) -> int:
    """How many of the expected causes are among `causes`."""
    return sum(any(matches(cause, truth, judged_by) for cause in causes) for truth in expected.causes)


def right_answer(report: ScoredReport, expected: Expected) -> bool:
    """The whole verdict: the outcome, and where a cause was to be found the first one (with `all_of` the first n).

    Where the case knows facts instead of causes, all of them must be said.
    """
    if report.outcome != expected.outcome:
        return False
    if expected.outcome != "cause_found":
        return True
    if not expected.causes:
        return facts_present(report, expected) == 1.0
    if expected.all_of:
        count = len(expected.causes)
        return found(report.causes[:count], expected, expected.judged_by) == count
    return report.first is not None and is_right(report.first, expected)
