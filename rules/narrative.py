"""The summary's sentences: the rules' own, and which of a model's may stand."""

from collections.abc import Mapping, Sequence

from ..contracts.base import ClaimId
from ..contracts.claim import Claim
from ..contracts.proposal import NarrativeProposal, ProposedSentence
from ..contracts.report import Ranking, Sentence
from .planning import Refusal
from .wording import headline, say

MOST_CLAIMS = 4


def baseline_narrative(ranking: Ranking, claims: Mapping[ClaimId, Claim]) -> NarrativeProposal:
    """The verdict, then the first cause's strongest claims."""
    first = ranking.causes[0] if ranking.causes else None
    carried = [c for c in (first.claims_for if first else ()) if c in claims]
    sentences = [ProposedSentence(text=headline(ranking, first), claims=list(carried[:MOST_CLAIMS]))] if carried else []
    strongest = sorted(carried, key=lambda c: (-claims[c].strength, c))[:MOST_CLAIMS]
    sentences += [ProposedSentence(text=_sentence(claims[c]), claims=[c]) for c in strongest]
    return NarrativeProposal(sentences=sentences)


def checked_sentences(
    proposal: NarrativeProposal, claims: Mapping[ClaimId, Claim]
) -> tuple[tuple[Sentence, ...], tuple[Refusal, ...]]:
    """Drop every sentence that cites nothing accepted; drop from the others what they cite besides."""
    kept: list[Sentence] = []
    refused: list[Refusal] = []
    for sentence in proposal.sentences:
        cited = tuple(ClaimId(c) for c in sentence.claims if ClaimId(c) in claims)
        text = " ".join(sentence.text.split())
        if not cited or not text:
            refused.append(Refusal(text[:120], "it cites no accepted claim"))
        else:
            kept.append(Sentence(text=text[:600], claims=cited))
    return tuple(kept), tuple(refused)


def claim_lines(claims: Sequence[Claim]) -> tuple[tuple[str, str], ...]:
    return tuple((c.id, say(c)) for c in claims)


def _sentence(claim: Claim) -> str:
    text = say(claim)
    return text[0].upper() + text[1:] + "."
