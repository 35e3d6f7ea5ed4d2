"""Which fault do recorded outputs name, and of what?

Method: lines that say one kind of fault and hardly another, by the words of programs, databases, clusters and name
servers, counted over all documents; it is laid to what was asked about: the component of the alert, else the word of
the title or question that documents or their names hold. Guides and pages from the web are left out, and so is what
could not be collected. Strength: .65 for the kind with the most lines, less for each further. Cost: the documents, at
most 64 KiB of each.
"""

# ruff: noqa: E501  # one pattern stands on one line

import re
from collections import defaultdict
from collections.abc import Mapping

from ...contracts.claim import Fact
from ...contracts.evidence import Answer
from ..cluster.cluster import Cluster
from ..cluster.facts import component, diagnosis
from ..tables import Tables
from .base import Params, Probe, answered
from .document_lines import BODY, MAX_DOCUMENTS, is_guide, is_routine

MOST = 4
_KINDS: tuple[tuple[str, float, re.Pattern[str]], ...] = (
    (
        "network_partition",
        1.0,
        re.compile(r"partitions?_detected\"?: true|network partition|split.?brain", re.IGNORECASE),
    ),
    (
        "certificate_expired",
        1.0,
        re.compile(r"certificate (?:has |is |was )?expired|x509: certificate has expired", re.IGNORECASE),
    ),
    (
        "name_not_resolved",
        1.0,
        re.compile(
            r"could not resolve host|no such host|name or service not known|ENOTFOUND|UnknownHost", re.IGNORECASE
        ),
    ),
    (
        "environment_variable_missing",
        1.0,
        re.compile(
            r"environment variable\b.{0,60}(?:undefined|not set|missing|required|not defined)|(?:missing|undefined) environment variable",
            re.IGNORECASE,
        ),
    ),
    (
        "pool_exhaustion",
        1.0,
        re.compile(
            r"connection pool (?:is )?exhausted|pool exhausted|too many connections|no (?:free|available) connections?",
            re.IGNORECASE,
        ),
    ),
    ("rate_limited", 0.9, re.compile(r"rate limit(?:ed| exceeded)|too many requests|\b429\b", re.IGNORECASE)),
    (
        "object_missing",
        0.9,
        re.compile(
            r"\b(?:namespaces?|secrets?|configmaps?|services?|deployments?|storageclass\S*|table|relation|column|bucket|topic|queue)\b \"?[\w.-]+\"? (?:not found|does not exist)",
            re.IGNORECASE,
        ),
    ),
    (
        "slow_database_query",
        0.9,
        re.compile(
            r"slow query|query (?:took|duration|time)\D{0,10}\d{4,}|\b(?:\w+\.query|SELECT|sql)\b.{0,60} - \d{4,}(?:\.\d+)?ms",
            re.IGNORECASE,
        ),
    ),
    (
        "memory_leak",
        0.9,
        re.compile(
            r"memory leak|retained by|heap (?:dump|usage|space).{0,60}(?:grow|retain|unclosed|leak)|OutOfMemory",
            re.IGNORECASE,
        ),
    ),
    (
        "cpu_heavy_code",
        0.8,
        re.compile(
            r"cpu.{0,80}\b(?:regex|function|profil\w+)|\b\d{2} ?% of (?:total )?cpu|(?:regex|function|profil\w+).{0,80}cpu (?:time|usage)",
            re.IGNORECASE,
        ),
    ),
    (
        "slow_disk",
        0.8,
        re.compile(
            r"(?:disk|i/?o).{0,30}(?:util\w*|wait|latency|saturat\w*|bandwidth).{0,20}\b(?:9\d|100) ?%|\biowait\b.{0,12}\b[5-9]\d",
            re.IGNORECASE,
        ),
    ),
    (
        "cpu_overcommitted",
        0.9,
        re.compile(r"overcommitted CPU|CPU (?:resource )?(?:requests )?overcommit", re.IGNORECASE),
    ),
    ("consumer_lag", 0.7, re.compile(r"\b(?:consumer |total_)?lag\"?[:=]\s*[1-9]\d{2,}", re.IGNORECASE)),
    (
        "db_query_error",
        0.8,
        re.compile(
            r"syntax error at or near|violates (?:unique|foreign key|check) constraint|duplicate key value",
            re.IGNORECASE,
        ),
    ),
)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{2,}")
_WORDS = """
the and what why how who when where this that with from for are not has have can you your our was were its
alert cause issue wrong  investigate investigation experiencing intermittent errors error api app application
pod pods job jobs service services failed  fail fails failing healthy health check status logs log show last
post namespace topic node nodes cluster currently please  returning causing gateway timeout high usage slow
kubernetes problem problems happening running work working contain contains
"""
_COMMON = frozenset(_WORD.findall(_WORDS))
"""Words of questions that name nothing."""


class DocumentFaults(Params):
    """None: all documents are looked at."""


def answer(tables: Tables, params: DocumentFaults) -> Answer:
    del params
    documents = [
        (name, body)
        for name, body in tables.rows(
            f"SELECT name, left(body, {BODY}) FROM documents ORDER BY name LIMIT {MAX_DOCUMENTS}"  # noqa: S608  # constants
        )
        if not is_guide(name) and "collection_status" not in name
    ]
    found: dict[str, list[str]] = defaultdict(list)
    weights: dict[str, float] = {}
    for _, body in documents:
        for line in body.splitlines():
            if is_routine(line):
                continue
            for kind, weight, pattern in _KINDS:
                if pattern.search(line):
                    found[kind].append(" ".join(line.split()))
                    weights[kind] = weight
                    break
    asked = _asked(tables, documents) or _named(tables, found) or _labelled(tables)
    if not asked:
        found.clear()
    ordered = sorted(found, key=lambda kind: (-weights[kind] * len(found[kind]) ** 0.3, kind))[:MOST]
    facts: list[Fact] = [
        diagnosis(
            component(asked), "document", kind, 0.65 * weights[kind] - 0.1 * place,
            f"{found[kind][0]}" + (f" ({len(found[kind])} such lines)" if len(found[kind]) > 1 else ""),
        )
        for place, kind in enumerate(ordered)
    ]  # fmt: skip
    return answered(tables, "documents", facts, window=None, rows_read=len(documents))


def _named(tables: Tables, found: Mapping[str, list[str]]) -> str:
    """The workload that the telling lines name most often, or the only one that was looked at."""
    text = " ".join(line for lines in found.values() for line in lines)
    counts = {w.name: text.count(w.name) for w in Cluster.read(tables).workloads if len(w.name) > 3}
    best = max(counts, key=lambda name: (counts[name], name), default="")
    return best if best and (counts[best] or len(counts) == 1) else ""


def _labelled(tables: Tables) -> str:
    """What the first alert's labels name, the nearest first."""
    labels = tables.incident.alerts[0].labels if tables.incident.alerts else {}
    return next(
        (
            labels[key]
            for key in ("service", "deployment", "pod", "job", "node", "namespace", "cluster")
            if labels.get(key)
        ),
        "",
    )


def _asked(tables: Tables, documents: list[tuple[str, str]]) -> str:
    """What the question is about, as far as documents know it."""
    incident = tables.incident
    if incident.alerts and incident.alerts[0].service:
        return incident.alerts[0].service
    words = [w.strip(".-") for w in _WORD.findall(f"{incident.title} {incident.question}") if w.lower() not in _COMMON]
    text = " ".join(f"{name} {body}" for name, body in documents).lower()
    known = [word for word in dict.fromkeys(words) if word.lower() in text]
    compound = [word for word in known if "-" in word or "_" in word]
    titles = " ".join(name for name, _ in documents).lower()
    named = [word for word in known if word.lower() in titles or f"{word.lower()}-" in text]
    return max(compound or named, key=len, default="")


PROBE = Probe(
    name="document_faults",
    question="Which fault do recorded outputs name, and of what?",
    sources=("documents",),
    cost="cheap",
    params=DocumentFaults,
    answer=answer,
)
