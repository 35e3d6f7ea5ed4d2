"""Whether it helped: the symptom's own questions, asked again on data from after the action."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...contracts.action import Helped, SymptomCheck
from ...contracts.base import ObservationId
from ...contracts.claim import Claim, Fact, Relation
from ...contracts.evidence import Answer, Observation
from ..wording import say

SYMPTOMS: frozenset[Relation] = frozenset({"rises", "falls", "appears", "vanishes", "fails", "slows", "waits_on"})
SIGNALS = ("metric:", "log:", "trace:", "resource:")
MOST = 8
EASED = 0.5
"""A symptom of less than half its strength counts as eased."""


class Verdict(NamedTuple):
    verdict: Helped
    why: str


def symptoms(claims: Sequence[Claim], observations: Mapping[ObservationId, Observation]) -> tuple[Observation, ...]:
    """The questions that showed what is wrong, the strongest first."""
    shown = sorted((c for c in claims if _is_symptom(c.signal, c.relation)), key=lambda c: (-c.strength, c.id))
    ids = dict.fromkeys(o for c in shown for o in c.observations if o in observations)
    return tuple(observations[o] for o in ids)[:MOST]


def compare(before: Observation, after: Answer) -> SymptomCheck:
    wrong = [f for f in before.answer.facts if _is_symptom(f.signal, f.relation)]
    now = {_place(f): f for f in after.facts}
    still = [f for f in wrong if _place(f) in now and now[_place(f)].strength > f.strength * EASED]
    return SymptomCheck(
        observation=before.id,
        probe=before.call.probe,
        before=tuple(say(f) for f in wrong[:MOST]),
        still_there=tuple(say(now[_place(f)]) for f in still[:MOST]),
        status=after.status,
    )


def verdict(checks: Sequence[SymptomCheck], worse: Sequence[str]) -> Verdict:
    """`worse` holds sentences of anomalies that were not there before."""
    answered = [c for c in checks if c.status in {"ok", "empty"} and c.before]
    if not answered:
        return Verdict("not_checked", "no question about the symptom could be answered on fresh data")
    gone = [c for c in answered if not c.still_there]
    if worse and not gone:
        return Verdict("worse", f"the symptom is still there, and new: {worse[0]}")
    if len(gone) == len(answered):
        return Verdict("helped", f"{len(gone)} of {len(answered)} questions about the symptom show it no more")
    if gone:
        return Verdict("partly", f"{len(gone)} of {len(answered)} questions about the symptom show it no more")
    return Verdict("unchanged", f"the symptom is still there: {answered[0].still_there[0]}")


def newly_wrong(before: Observation, after: Answer) -> tuple[str, ...]:
    known = {_place(f) for f in before.answer.facts}
    return tuple(say(f) for f in after.facts if _is_symptom(f.signal, f.relation) and _place(f) not in known)


def _is_symptom(signal: str, relation: Relation) -> bool:
    return relation in SYMPTOMS and signal.startswith(SIGNALS)


def _place(fact: Fact) -> tuple[str, str, str, str, str]:
    return fact.subject.kind, fact.subject.ref, fact.signal, fact.relation, fact.object
