"""Which documents speak of these terms?

Method: substring search without regard to case, in names and text; the first line that holds the term is quoted. A
document whose text says that it failed ("command failed with return code", "permission denied", ...) is said so, and no
match in it counts for more than 0.2, whatever its header claims. Strength: 0.5, 0.7 where a line holds two terms. Cost:
the documents, at most 64 MiB.
"""

from typing import Annotated

import re2
from pydantic import Field, StringConstraints

from ...contracts.claim import Fact, Subject
from ...contracts.evidence import Answer
from ..tables import Tables
from .base import MAX_EXCERPT, Params, Probe, answered, cut

_FAILED = re2.compile(
    r"(?i)(?:command failed|failed with (?:return|exit) code [1-9]|exit(?:ed with)? (?:code|status) [1-9]|"
    r"permission denied|error from server|connection refused|unable to connect|no such host|command not found|"
    r"unauthorized|\(forbidden\))"
)


class DocumentSearch(Params):
    terms: tuple[Annotated[str, StringConstraints(min_length=2, max_length=100)], ...] = Field(
        min_length=1, max_length=20
    )
    """Words or phrases; each is looked for by itself."""


def answer(tables: Tables, params: DocumentSearch) -> Answer:
    facts: list[Fact] = []
    excerpt: list[str] = []
    terms = [term.lower() for term in params.terms]
    documents = tables.rows("SELECT name, body FROM documents ORDER BY name")
    for name, body in documents:
        failed = bool(_FAILED.search(body[:2000])) and len(body) < 4000
        if failed:
            excerpt.append(f"{name}: says that it failed")
        lines = body.splitlines()
        for term, asked in zip(terms, params.terms, strict=True):
            found = next((line for line in lines if term in line.lower()), None)
            if found is None and term not in name.lower():
                continue
            both = found is not None and sum(other in found.lower() for other in terms) > 1
            facts.append(
                Fact(
                    subject=Subject(kind="document", ref=name), signal="document:text", relation="matches",
                    object=asked, strength=0.2 if failed else (0.7 if both else 0.5),
                    quote=_around(found, term) if found else name,
                )
            )  # fmt: skip
    return answered(tables, "documents", facts, window=None, rows_read=len(documents), excerpt=excerpt[:MAX_EXCERPT])


def _around(line: str, term: str) -> str:
    at = max(line.lower().find(term) - 120, 0)
    return cut(("..." if at else "") + line[at:].strip())


PROBE = Probe(
    name="document_search",
    question="Which documents speak of these terms?",
    sources=("documents",),
    cost="cheap",
    params=DocumentSearch,
    answer=answer,
)
