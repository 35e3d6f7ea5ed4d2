"""Did something outside report trouble?

Method: entries of a provider's status feed, given as changes of kind `status` (or `status_feed`, `incident_feed`) or
as a document whose name holds `status`; an entry that speaks of trouble and not of its end, nearest the start of the
incident first. Strength: 0.8 inside the window, 0.5 otherwise, 0.3 where it was already resolved before the split.
Cost: cheap.
"""

from datetime import datetime, timedelta

import re2

from ...contracts.claim import Fact, Subject
from ...contracts.evidence import Answer
from ..tables import Tables, naive, utc
from .base import Params, Probe, answered, cut

_TROUBLE = re2.compile(
    r"(?i)\b(?:outage|degrad\w+|incident|disruption|elevated|investigating|identified|major|unavailable|failure|failing|"
    r"delayed|partial|error rates?|latency)\b"
)
_OVER = re2.compile(r"(?i)\b(?:resolved|operational|completed|recovered|all systems)\b")
BEFORE = timedelta(minutes=60)


class ExternalStatus(Params):
    split_at: datetime | None = None


def answer(tables: Tables, params: ExternalStatus) -> Answer:
    periods = tables.periods(params.split_at)
    rows = tables.rows(
        """SELECT ts, service, ref, title, diff, attributes FROM changes
        WHERE lower(kind) IN ('status', 'status_feed', 'status_page', 'incident_feed', 'external')
        ORDER BY ts, service, ref, title LIMIT 500"""
    )
    facts = []
    for ts, service, ref, title, text, attributes in rows:
        said = " ".join(part for part in (title, text, attributes) if part)
        if not _TROUBLE.search(said):
            continue
        near = (
            periods is not None and ts is not None and naive(periods.split) - BEFORE <= ts <= naive(periods.whole.end)
        )
        over = bool(_OVER.search(said)) and periods is not None and ts is not None and ts < naive(periods.split)
        facts.append(
            Fact(
                subject=Subject(kind="external", ref=service or ref or "external"), signal="external:status",
                relation="fails", object=cut(title, 200), at=utc(ts) if ts else None,
                strength=0.3 if over else (0.8 if near else 0.5), quote=cut(said),
            )
        )  # fmt: skip
    facts.extend(_documents(tables))
    return answered(
        tables, "changes" if tables.has("changes") else "documents", facts,
        window=periods.whole if periods else None, rows_read=len(rows),
    )  # fmt: skip


def _documents(tables: Tables) -> list[Fact]:
    found = tables.rows("SELECT name, body FROM documents WHERE contains(lower(name), 'status') ORDER BY name")
    facts = []
    for name, body in found:
        line = next((line for line in body.splitlines() if _TROUBLE.search(line) and not _OVER.search(line)), None)
        if line:
            facts.append(
                Fact(
                    subject=Subject(kind="external", ref=name), signal="external:status", relation="fails",
                    object=cut(line.strip(), 200), strength=0.5, quote=cut(line.strip()),
                )
            )  # fmt: skip
    return facts


PROBE = Probe(
    name="external_status",
    question="Did something outside report trouble?",
    sources=("changes", "documents"),
    cost="cheap",
    params=ExternalStatus,
    answer=answer,
)
