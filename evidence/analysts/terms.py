"""The words and literals that an anomaly is told in, so that a change's lines can be searched for them."""

import re
from collections import Counter
from collections.abc import Iterable

from ...contracts.claim import Claim
from ..diffs.text import terms, words

MAX_TERMS = 40
MAX_LITERALS = 40
_QUOTED = re.compile(r"""(?<!\w)(?:'([^'\n]{3,60})'|"([^"\n]{3,60})"|`([^`\n]{3,60})`)(?!\w)""")
_NAMED = re.compile(r"[A-Za-z_]\w*(?:[.-][A-Za-z_]\w*)*")
_SPEAKING = frozenset({"log", "trace", "document", "resource"})


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


def anomaly_literals(claims: Iterable[Claim]) -> tuple[str, ...]:
    """What log lines and messages put in quotes, and names of several parts, as they stand; strongest claims first.

    Names of services are left out: they say where, not what.
    """
    told = sorted(claims, key=lambda c: (-c.strength, c.id))
    services = {name.lower() for c in told for name in (c.subject.owner, c.subject.ref, c.object) if name}
    found: dict[str, None] = {}
    for claim in told:
        if claim.signal.partition(":")[0] in _SPEAKING and claim.relation in {"appears", "rises", "fails", "matches"}:
            found.update(dict.fromkeys(_literals(claim.quote or claim.object)))
    return tuple(text for text in found if text.lower() not in services)[:MAX_LITERALS]


def _literals(text: str) -> list[str]:
    quoted = [next(part for part in match if part) for match in _QUOTED.findall(text)]
    named = [name for name in _NAMED.findall(text) if len(name) > 7 and len(words(name)) > 1 and _joined(name)]
    return [literal.strip() for literal in (*quoted, *named) if literal.strip()]


def _joined(name: str) -> bool:
    """Whether its parts are joined as code joins them: `max_age`, `mail.parse`, `maxAge`, no word with a hyphen."""
    return "_" in name or "." in name or re.search(r"[a-z][A-Z]", name) is not None
