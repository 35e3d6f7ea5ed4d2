"""The words that an anomaly is told in, so that a change's lines can be searched for them."""

from collections import Counter
from collections.abc import Iterable

from ...contracts.claim import Claim
from ..diffs.text import terms

MAX_TERMS = 40


def anomaly_terms(claims: Iterable[Claim]) -> tuple[str, ...]:
    """Words of log lines, error messages and metric names, those of the strongest claims first."""
    weights: Counter[str] = Counter()
    for claim in claims:
        if claim.relation in {"calls", "unchanged", "vanishes", "falls"} and not claim.signal.startswith("metric:"):
            continue
        text = (
            f"{claim.object} {claim.quote}"
            if not claim.signal.startswith("metric:")
            else claim.signal.partition(":")[2]
        )
        for term in terms(text):
            weights[term] = max(weights[term], round(1000 * claim.strength))
    return tuple(sorted(sorted(weights), key=lambda term: -weights[term])[:MAX_TERMS])
