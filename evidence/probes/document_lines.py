"""What do recorded outputs and notes say is wrong, in their own words?

Method: lines that tell of trouble by the words of operating systems, databases, clusters and programs, those first
that name an error with its object; lines that differ in numbers and ids only count once; a flag of a structure is
read with what follows it; of a tree of spans the one that holds most of the whole. Guides (runbooks, pages from the
web) tell of troubles in general and are left out; an output that could not be collected says so. Strength: .8 for an
error with its object, .6 for an error word, .45 for a word such as `slow`. Cost: the documents, at most 64 KiB of
each.
"""

# ruff: noqa: E501  # one pattern stands on one line

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...contracts.claim import Fact, Subject
from ...contracts.evidence import Answer
from ..cluster.quantities import age_seconds
from ..tables import Tables
from .base import Params, Probe, answered, cut

BODY = 65_536
MAX_DOCUMENTS = 200
EACH, MOST = 6, 40
FOLLOWING = 8
ALIKE = 0.7
"""Share of words from which two lines say the same."""
HELD = 0.3
"""Share of the whole that a span must hold."""

_GUIDE = re.compile(r"(?:^|/)web/|runbook|playbook|readme|how.?to|(?:^|/)docs?/|guide", re.IGNORECASE)
_STRONG = re.compile(
    r"\b(?:could not|cannot|can't|unable to|failed to) \w+|\w* not found\b|no such \w+|OOMKilled|CrashLoopBackOff|ImagePullBackOff|"
    r"(?:is|are|has|was|been) (?:undefined|missing|expired|denied|refused|exhausted|exceeded)|certificate expired|\binsufficient \S+|"
    r"(?:violates|syntax error|duplicate key|unique constraint|connection pool exhausted|out of memory|rate limit|too many \w+)|"
    r"(?:connection|access|permission) (?:refused|denied|reset)|timed? ?out\b|exceeded \w+|\w*(?:Exception|Error):|partition\w*_detected\"?: true",
    re.IGNORECASE,
)
_WEAK = re.compile(
    r"\b(?:error|fatal|critical|panic|fail(?:ed|ing|ure)?|crash\w*|unhealthy|degraded|OutOfSync|backoff|back-off|killed|denied|refused|"
    r"expired|exhausted|unavailable|undefined|invalid|warning|leak|retained|saturat\w+|throttl\w+)\b",
    re.IGNORECASE,
)
_SLOW = re.compile(
    r"\b(?:slow\w*|latency|lag|delayed|high (?:cpu|memory|load)|overload\w*|util\w* 9\d|9\d ?%|100 ?%)", re.IGNORECASE
)
_ROUTINE = re.compile(
    r"(?:error|fail\w*|warn\w*|retr\w+|restarts?)\w*\"?\s*[:=]\s*(?:\"?(?:0|none|null|false|no)\b|\"\"|\[\]|<none>)|Optional:|--fail|on-?failure|"
    r"failureThreshold|#failure=|error_log|\.ms:|\.bytes:|is_default|no errors?\b|0 errors|normal query|without error|error_code\"?: ?(?:0|null)",
    re.IGNORECASE,
)
_FLAG = re.compile(r"\"\w*(?:detected|failed|error|broken|degraded)\w*\"\s*:\s*true", re.IGNORECASE)
_STARTED = re.compile(
    r"\"?(?:starts_?at|started_?at|firing_since|first_seen)\"?\s*[:=]\s*\"?\d{4}-\d{2}-\d{2}", re.IGNORECASE
)
_SPAN = re.compile(r"([\w./ :-]+?) \(([\w.-]+)\) - ([0-9.]+)ms")
_MASK = re.compile(r"[0-9a-f]{8,}|\b\w*\d\w*\b")
_EVENT = re.compile(r"^(?:Warning|Normal) +\w+ +([0-9dhms]+)\b")
PAST = 1800
"""Seconds after which an event of a cluster is over."""
_UNCOLLECTED = re.compile(r"^(\S+): (failed|empty)\b:? ?(.*)$")


class DocumentLines(Params):
    """None: all documents are looked at."""


class _Line(NamedTuple):
    weight: float
    text: str
    kind: str


def is_guide(name: str) -> bool:
    """Whether a document teaches rather than records."""
    return _GUIDE.search(name) is not None


def is_routine(line: str) -> bool:
    return _ROUTINE.search(line) is not None


def answer(tables: Tables, params: DocumentLines) -> Answer:
    del params
    documents = tables.rows(
        f"SELECT name, left(body, {BODY}) FROM documents ORDER BY name LIMIT {MAX_DOCUMENTS}"  # noqa: S608  # constants
    )
    seen: list[frozenset[str]] = []
    facts: list[Fact] = []
    for name, body in documents:
        if is_guide(name):
            continue
        lines = body.splitlines()
        found = [*_collection(lines)] if "collection_status" in name else [*_troubles(lines), *_span(lines)]
        fresh = []
        for line in sorted(found, key=lambda line: (-line.weight, found.index(line))):
            words = frozenset(_MASK.sub("#", line.text).lower().split())
            if not any(_alike(words, other) for other in seen):
                seen.append(words)
                fresh.append(line)
        facts += [
            _fact(name, line)
            for line in [*fresh[:EACH], *(f for f in fresh[EACH:] if f.kind == "start date")][: EACH + 1]
        ]
    facts.sort(key=lambda fact: (-fact.strength, fact.subject.ref, fact.quote))
    return answered(tables, "documents", facts[:MOST], window=None, rows_read=len(documents))


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= ALIKE * len(one | other)


def _fact(name: str, line: _Line) -> Fact:
    quiet = line.kind == "empty"
    return Fact(
        subject=Subject(kind="document", ref=name), signal="document:line", relation="unchanged" if quiet else "states",
        object=line.kind, strength=line.weight, quote=cut(line.text),
    )  # fmt: skip


def _troubles(lines: list[str]) -> Iterator[_Line]:
    for at, line in enumerate(lines):
        text = " ".join(line.split())
        if len(text) < 6:
            continue
        if _STARTED.search(text):
            yield _Line(0.5, text, "start date")
        if is_routine(text) or _is_past(text):
            continue
        if _FLAG.search(text):
            yield _Line(0.8, " ".join(" ".join(lines[at : at + FOLLOWING]).split()), "error")
        elif _STRONG.search(text):
            yield _Line(0.8, text, "error")
        elif _WEAK.search(text):
            yield _Line(0.6, text, "error")
        elif _SLOW.search(text) and re.search(r"\d", text):
            yield _Line(0.45, text, "slow")


def _is_past(text: str) -> bool:
    """An event of a cluster that was last seen long ago."""
    match = _EVENT.match(text)
    seen = age_seconds(match.group(1)) if match else None
    return seen is not None and seen > PAST


def _span(lines: list[str]) -> Iterator[_Line]:
    """Of an indented tree of spans, the deepest that holds a good share of the root."""
    spans = [(len(line) - len(line.lstrip(" │├└─")), m) for line in lines if (m := _SPAN.search(line))]
    whole = max((float(m.group(3)) for _, m in spans), default=0.0)
    held = [(depth, m) for depth, m in spans if whole and float(m.group(3)) >= HELD * whole]
    if len(spans) > 2 and held:
        _, match = max(held, key=lambda pair: (pair[0], float(pair[1].group(3))))
        name = match.group(1).strip(" │├└─")
        database = (
            " slow database query"
            if re.search(r"quer|sql|postgres|mysql|mongo|redis", name, re.IGNORECASE)
            else " slow"
        )
        yield _Line(0.75, f"{match.group(2)}:{database}: {name} took {match.group(3)} ms of {whole:g} ms", "slow")


def _collection(lines: list[str]) -> Iterator[_Line]:
    """What could not be collected is no evidence of anything but that; what was empty shows that nothing was there."""
    for line in lines:
        match = _UNCOLLECTED.match(" ".join(line.split()))
        if match and match.group(2) == "failed":
            yield _Line(
                0.2,
                f"{match.group(1)} is currently failing, it could not be collected: {match.group(3)}",
                "uncollected",
            )
        elif match and "log" in match.group(1):
            yield _Line(0.3, f"{match.group(1)} is empty: no ERROR lines and no other logs were found", "empty")


PROBE = Probe(
    name="document_lines",
    question="What do recorded outputs and notes say is wrong, in their own words?",
    sources=("documents",),
    cost="cheap",
    params=DocumentLines,
    answer=answer,
)
