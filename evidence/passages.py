"""Lines that a mechanism can be quoted from: a change's title and diff, a resource's text, a service's logs."""

from collections.abc import Iterator

from ..contracts.incident import CauseRef
from .probes.log_templates import LogTemplates
from .probes.log_templates import answer as log_templates
from .redaction import Redactor
from .tables import Tables

MAX_LINES = 240
MAX_LINE = 400
MAX_TEXT = 200_000
SHORT_ID = 7
"""So many characters of a commit's id are taken for it."""


def passages(tables: Tables, redactor: Redactor, cause: CauseRef) -> tuple[str, ...]:
    """Redacted lines, the cause's own first; empty where the bundle says nothing of it."""
    lines: list[str] = []
    for text in (
        *_changes(tables, cause),
        *_resources(tables, cause),
        *_documents(tables, cause),
        *_logs(tables, cause),
    ):
        lines.extend(line[:MAX_LINE] for line in redactor.lines(text) if line.strip())
        if len(lines) >= MAX_LINES:
            break
    return tuple(lines[:MAX_LINES])


def _changes(tables: Tables, cause: CauseRef) -> Iterator[str]:
    ref = cause.ref
    rows = tables.rows(
        """SELECT kind, service, ref, title, left(diff, ?) FROM changes
        WHERE ref <> '' AND (ref = ? OR (length(?) >= ? AND starts_with(ref, ?)))
        ORDER BY ts NULLS LAST, kind, service, title, diff LIMIT 20""",
        [MAX_TEXT, ref, ref, SHORT_ID, ref],
    )
    for kind, service, found, title, diff in rows:
        yield f"{kind} {found} {service}".strip()
        yield title
        yield diff


def _resources(tables: Tables, cause: CauseRef) -> Iterator[str]:
    namespace, _, name = cause.ref.rpartition("/")
    rows = tables.rows(
        """SELECT kind, namespace, name, status, left(body, ?) FROM resources
        WHERE name = ? AND (? = '' OR namespace = ?)
        ORDER BY ts DESC NULLS LAST, kind, namespace, name, status, body LIMIT 12""",
        [MAX_TEXT, name, namespace, namespace],
    )
    for kind, space, found, status, body in rows:
        yield f"{kind} {space}/{found} {status}".strip()
        yield body


def _documents(tables: Tables, cause: CauseRef) -> Iterator[str]:
    if cause.kind == "external":
        for name, body in tables.rows("SELECT name, body FROM documents WHERE name = ? ORDER BY name", [cause.ref]):
            yield name
            yield body


def _logs(tables: Tables, cause: CauseRef) -> Iterator[str]:
    service = cause.service or cause.ref
    if cause.kind == "change" or not tables.has("logs"):
        return
    for fact in log_templates(tables, LogTemplates(services=(service,), limit=30)).facts:
        yield fact.quote
