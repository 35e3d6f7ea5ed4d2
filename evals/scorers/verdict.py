"""The verdict around the ranking: outcome, services, remedy, decoys."""

from ..expected import Expected
from .matching import same_name, same_ref
from .report import ScoredReport


def outcome(report: ScoredReport, expected: Expected) -> float:
    return float(report.outcome == expected.outcome)


def false_alarm(report: ScoredReport, expected: Expected) -> float | None:
    """A cause where nothing is wrong; None where something is."""
    return float(report.outcome == "cause_found") if expected.outcome == "no_incident" else None


def missed_abstention(report: ScoredReport, expected: Expected) -> float | None:
    """A verdict where the evidence allows none."""
    return float(report.outcome != "inconclusive") if expected.outcome == "inconclusive" else None


def needless_abstention(report: ScoredReport, expected: Expected) -> float | None:
    """No verdict where there is a cause to find."""
    return float(report.outcome != "cause_found") if expected.outcome == "cause_found" else None


def first_failing_service(report: ScoredReport, expected: Expected) -> float | None:
    if not expected.first_failing_service:
        return None
    return float(same_name(report.first_failing_service, expected.first_failing_service))


def affected_jaccard(report: ScoredReport, expected: Expected) -> float | None:
    """Shared over all services named affected; None where none are expected."""
    if not expected.affected_services:
        return None
    given = {service.casefold() for service in report.affected_services}
    wanted = {service.casefold() for service in expected.affected_services}
    return len(given & wanted) / len(given | wanted)


def remediation(report: ScoredReport, expected: Expected) -> float | None:
    """Whether the first action is the expected one; `roll-back`, `roll_back` and `rollback` are the same word."""
    if not expected.remediation:
        return None
    action = report.remediation[0].action if report.remediation else ""
    return float(_word(action) == _word(expected.remediation))


def forbidden_named(report: ScoredReport, expected: Expected) -> float | None:
    """Whether the answer is one of the decoys; None where there are none."""
    if not expected.forbidden:
        return None
    first = report.first
    return float(first is not None and any(same_ref(first, decoy) for decoy in expected.forbidden))


def _word(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())
