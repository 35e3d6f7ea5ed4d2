"""Whether a text says a fact, without a judge: names must be there, and most of the other words."""

import re

from ..expected import Expected
from .report import ScoredReport

NAME = re.compile(r"`([^`]+)`|\"([^\"]+)\"|\b([\w.]+(?:[-/_:.][\w.]+)+)\b|\b([A-Z]{2,}[A-Za-z]*)\b|\b(\d[\w.:%-]*)")
WORD = re.compile(r"[a-z]{3,}")
SHARE = 0.6
"""Of the words that are no names, by their stems."""
WORD_LIST = """
the and are was were has have had for from with that this than then into onto out not but its their there because due
should must may can could would will been being output answer mention mentions mentioned state states stated say says
either exact following summary errors whichever order specific quote
"""
EMPTY = frozenset(WORD.findall(WORD_LIST))
"""Words that carry no fact."""
STEM, SHORTEST = 5, 3
"""At most and at least so many letters are compared: `exhausted` and `exhaustion` are one, `fail` and `failed` too."""


def says(text: str, fact: str) -> bool:
    """Every name of the fact (quoted, hyphenated, numbered, capitals) and at least 60 % of its other words."""
    wanted = names(fact)
    spoken = text.casefold()
    if any(name not in spoken for name in wanted):
        return False
    words = _words(fact, wanted)
    if not words:
        return bool(wanted)
    told = set(WORD.findall(spoken))
    return sum(any(_akin(word, other) for other in told) for word in words) >= SHARE * len(words)


def _akin(word: str, other: str) -> bool:
    shorter = min(len(word), len(other), STEM)
    return shorter >= SHORTEST and word[:shorter] == other[:shorter]


def facts_present(report: ScoredReport, expected: Expected) -> float | None:
    """Share of the expected facts that the report says anywhere."""
    if not expected.facts:
        return None
    texts = [report.headline, *report.missing, *(claim.text for claim in report.claims)]
    texts += [f"{cause.ref} {cause.reason.replace('_', ' ')}" for cause in report.causes[:1]]
    return sum(says(" ".join(texts), fact) for fact in expected.facts) / len(expected.facts)


def names(fact: str) -> list[str]:
    found = (next(group for group in match.groups() if group) for match in NAME.finditer(fact))
    return sorted({name.strip(".,:;").casefold() for name in found})


def _words(fact: str, wanted: list[str]) -> set[str]:
    rest = fact.casefold()
    for name in wanted:
        rest = rest.replace(name, " ")
    return {word for word in WORD.findall(rest) if word not in EMPTY}
