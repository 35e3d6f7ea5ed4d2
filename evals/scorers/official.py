"""The scores that the public formats themselves would give."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone

from ...contracts.errors import DatasetError
from ..expected import Expected
from ..formats.cloud_opsbench import load_reasons
from .matching import same_ref, same_service
from .report import Cause, ScoredReport
from .verdict import affected_jaccard, first_failing_service, forbidden_named, remediation

Scores = dict[str, float]


def official_scores(report: ScoredReport, expected: Expected) -> Scores:
    """Empty for cases of no public format, or of one that has no scorer of its own."""
    name = str(expected.official.get("scorer") or expected.tags.get("source", ""))
    scorer = OFFICIAL.get(name)
    return scorer(report, expected) if scorer is not None else {}


def rootcausebench(report: ScoredReport, expected: Expected) -> Scores:
    """1 for the commit; 0 where a decoy is blamed; else .5 (.5 service + .3 Jaccard + .2 remediation)."""
    first = report.first
    commit = first is not None and any(same_ref(first, truth) for truth in expected.causes)
    partial = (
        0.5 * (first_failing_service(report, expected) or 0.0)
        + 0.3 * (affected_jaccard(report, expected) or 0.0)
        + 0.2 * (remediation(report, expected) or 0.0)
    )
    reward = 1.0 if commit else 0.0 if forbidden_named(report, expected) else 0.5 * partial
    return {"commit": float(commit), "reward": reward}


def cloud_opsbench(report: ScoredReport, expected: Expected) -> Scores:
    """String equality of object, root cause and class, as the labels have them, of the first and the first three."""
    truth = {key: _text(value) for key, value in expected.official.items()}
    taxonomy = load_reasons().taxonomy

    def parts(cause: Cause) -> tuple[bool, bool, bool]:
        return (
            _text(taxonomy.get(cause.reason, "")) == truth["fault_taxonomy"],
            _text(cause.ref) == truth["fault_object"],
            _text(cause.reason) == truth["root_cause"],
        )

    ranked = [parts(cause) for cause in report.causes[:3]]
    first = ranked[0] if ranked else (False, False, False)
    return {
        "taxonomy": float(first[0]),
        "object": float(first[1]),
        "root_cause": float(first[2]),
        "joint": float(first[1] and first[2]),
        "a@1": float(all(first)),
        "a@3": float(any(all(found) for found in ranked)),
    }


def opensre(report: ScoredReport, expected: Expected) -> Scores:
    """The category, and whether every keyword is said: by the report's claims, headline and first cause."""
    truth = str(expected.official["root_cause_category"])
    answer = "healthy" if report.outcome == "no_incident" else report.first.reason if report.first else "unknown"
    told = " ".join([report.headline, *(claim.text for claim in report.claims), *(c.ref for c in report.causes[:1])])
    spoken = " ".join(told.casefold().split())
    wanted = [" ".join(str(word).casefold().split()) for word in _list(expected, "required_keywords")]
    banned = [" ".join(str(word).casefold().split()) for word in _list(expected, "forbidden_keywords")]
    category = answer == truth
    whole = category and all(word in spoken for word in wanted) and not any(word in spoken for word in banned)
    return {"category": float(category), "passed": float(whole)}


def top_k(report: ScoredReport, expected: Expected) -> Scores:
    """PetShop and RCAEval: whether the node is among the first 1, 3 and 5."""
    hits = [any(same_ref(c, t) or same_service(c, t) for t in expected.causes) for c in report.causes[:5]]
    return {f"top{k}": float(any(hits[:k])) for k in (1, 3, 5)}


LOCAL = timezone(timedelta(hours=8))
COMPONENT = re.compile(r"The (?:\d+-th|only) predicted root cause component is ([^\n]+)")
REASON = re.compile(r"The (?:\d+-th|only) predicted root cause reason is ([^\n]+)")
TIME = re.compile(r"The (?:\d+-th|only) root cause occurrence time is within 1 minutes \(i\.e\., <=1min\) of ([^\n]+)")
TOLERANCE = timedelta(seconds=60)


def openrca(report: ScoredReport, expected: Expected) -> Scores:
    """Points met by the best order of the answers, over all points; 0 where the number of answers is not that asked."""
    told = str(expected.official["scoring_points"])
    points = [
        [text.strip() for text in COMPONENT.findall(told)],
        [text.strip() for text in REASON.findall(told)],
        [text.strip() for text in TIME.findall(told)],
    ]
    length, total = max(map(len, points)), sum(map(len, points))
    if not total:
        raise DatasetError("scoring points of an OpenRCA case cannot be read", why=told[:200])
    asked = expected.official.get("failures")
    answers = report.causes[: int(str(asked))] if asked else report.causes[:1]
    if len(answers) != length:
        return {"score": 0.0, "strict": 0.0}
    score = round(_best_order(answers, points) / total, 2)
    return {"score": score, "strict": float(score == 1.0)}


def _best_order(answers: tuple[Cause, ...], points: list[list[str]]) -> int:
    """Most points that any order of the answers meets; a list of points that is too short counts for nothing."""
    length = len(answers)
    components, reasons, times = (wanted if len(wanted) == length else [] for wanted in points)

    def met(cause: Cause, place: int) -> int:
        return (
            (bool(components) and cause.ref == components[place])
            + (bool(reasons) and cause.reason == reasons[place])
            + (bool(times) and _within(cause.onset, times[place]))
        )

    best = {0: 0}
    for place in range(length):
        following: dict[int, int] = {}
        for used, so_far in best.items():
            for number, cause in enumerate(answers):
                if not used & 1 << number:
                    now = used | 1 << number
                    following[now] = max(following.get(now, 0), so_far + met(cause, place))
        best = following
    return max(best.values())


def _within(onset: str | None, wanted: str) -> bool:
    try:
        at = datetime.strptime(wanted, "%Y-%m-%d %H:%M:%S").replace(tzinfo=LOCAL)
        return onset is not None and abs(datetime.fromisoformat(onset).replace(microsecond=0) - at) <= TOLERANCE
    except ValueError:
        return False


def _text(value: object) -> str:
    return " ".join(str(value or "").strip().lower().split())


def _list(expected: Expected, key: str) -> list[object]:
    value = expected.official.get(key)
    return list(value) if isinstance(value, list) else []


OFFICIAL: dict[str, Callable[[ScoredReport, Expected], Scores]] = {
    "rootcausebench": rootcausebench,
    "cloud_opsbench": cloud_opsbench,
    "opensre": opensre,
    "openrca": openrca,
    "petshop": top_k,
    "rcaeval": top_k,
    "changerca": top_k,
    "nezha": top_k,
}
