"""Where a model may order causes: among those that the evidence does not separate, and nowhere else."""

from collections.abc import Callable, Sequence

from ..contracts.arbitration import MechanismJudgement
from ..contracts.incident import CauseRef
from ..contracts.proposal import MechanismProposal
from ..contracts.report import RankedCause, Ranking

MOST_JUDGED = 3
SHORTEST_QUOTE = 8
"""Characters; anything shorter stands everywhere."""
LIFT = {"yes": 1, "unclear": 0, "no": -1}


def contenders(ranking: Ranking, margin: float) -> tuple[RankedCause, ...]:
    """Causes that the evidence does not separate from the first one: at most `margin` of score behind it."""
    if not ranking.causes:
        return ()
    top = ranking.causes[0].score
    return tuple(c for c in ranking.causes if top - c.score <= margin)[:MOST_JUDGED]


def check_mechanism(cause: CauseRef, proposal: MechanismProposal, stands: Callable[[str], bool]) -> MechanismJudgement:
    """A judgement counts only where it quotes the source, and every quote `stands` there."""
    quotes = tuple(" ".join(q.split()) for q in proposal.quotes)
    found = bool(quotes) and all(len(q) >= SHORTEST_QUOTE and stands(q) for q in quotes)
    return MechanismJudgement(
        cause_ref=cause.ref, verdict=proposal.verdict, quotes=tuple(q[:200] for q in quotes), checked=found
    )


def order_within_margin(
    baseline: Ranking, full: Ranking, judgements: Sequence[MechanismJudgement], margin: float
) -> Ranking:
    """The baseline's causes, of which the contenders may change places, and no other.

    Whatever a model adds moves causes inside the margin of the rules' own ranking: it breaks ties, it cannot make a
    cause that the evidence puts behind come first. The chain and the remedies are those of the cause that is first.
    """
    front = contenders(baseline, margin)
    if len(front) < 2:
        return baseline
    lifted = {j.cause_ref: LIFT[j.verdict] for j in judgements if j.checked}
    seen = {_key(c.cause): round(c.score, 6) for c in full.causes}
    before = {_key(c.cause): n for n, c in enumerate(front)}
    ordered = sorted(
        front,
        key=lambda c: (-lifted.get(c.cause.ref, 0), -seen.get(_key(c.cause), round(c.score, 6)), before[_key(c.cause)]),
    )
    rest = tuple(c for c in baseline.causes if _key(c.cause) not in before)
    causes = (*ordered, *rest)
    if _key(ordered[0].cause) == _key(front[0].cause):
        return baseline.model_copy(update={"causes": causes})
    same_first = bool(full.causes) and _key(full.causes[0].cause) == _key(ordered[0].cause)
    return baseline.model_copy(
        update={
            "causes": causes,
            "chain": full.chain if same_first else (),
            "remediation": full.remediation if same_first else (),
        }
    )


def _key(cause: CauseRef) -> tuple[str, str]:
    return cause.kind, cause.ref
