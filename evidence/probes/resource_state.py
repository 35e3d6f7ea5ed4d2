"""Which resources are not healthy, and what do they say is wrong?

Method: the newest state of each resource, its status and description read by the words that Kubernetes uses for what
is wrong (kubernetes.py); events count by their reason. Strength: by how clear the word is (OOMKilled 1, Pending .7,
Terminating .4), a tenth less where only a description says it. Cost: the resources, at most 20,000 newest rows, the
first 64 KiB of each description.
"""

from datetime import datetime
from typing import NamedTuple

from pydantic import Field

from ...contracts.claim import Fact, Subject
from ...contracts.evidence import Answer
from ..kubernetes import troubles
from ..tables import Tables, naive, utc
from .base import Params, Probe, answered, cut, in_list, strength

MAX_ROWS = 20_000
BODY = 65_536
MAX_FACTS_EACH = 4


class ResourceState(Params):
    kinds: tuple[str, ...] = Field(default=(), max_length=50)
    """`Pod`, `Node`, `Event`, ... as the bundle writes them; empty means all."""
    names: tuple[str, ...] = Field(default=(), max_length=200)
    """Only these; empty means all."""


class _Row(NamedTuple):
    ts: datetime | None
    kind: str
    namespace: str
    name: str
    status: str
    body: str


def answer(tables: Tables, params: ResourceState) -> Answer:
    values: list[object] = []
    chosen = in_list("kind", params.kinds, values) + in_list("name", params.names, values)
    rows = [
        _Row(*row)
        for row in tables.rows(
            f"""SELECT ts, kind, namespace, name, status, left(body, {BODY}) AS b FROM resources WHERE true{chosen}
            ORDER BY ts DESC NULLS LAST, kind, namespace, name, status, b LIMIT {MAX_ROWS}""",  # noqa: S608  # placeholders only
            values,
        )
    ]
    newest: dict[tuple[str, str, str], _Row] = {}
    events: list[_Row] = []
    for row in rows:
        if row.kind.lower().startswith("event"):
            events.append(row)
        else:
            newest.setdefault((row.kind, row.namespace, row.name), row)
    facts: dict[tuple[str, str, str], Fact] = {}
    for row in (*newest.values(), *events):
        for fact in _facts(tables, row):
            key = (fact.subject.ref, fact.signal, fact.object)
            known = facts.get(key)
            if known is None or (fact.strength, known.at or fact.at) > (known.strength, fact.at or known.at):
                facts[key] = fact
    return answered(tables, "resources", facts.values(), window=None, rows_read=len(rows))


def _facts(tables: Tables, row: _Row) -> list[Fact]:
    window = tables.window
    old = window is not None and row.ts is not None and row.ts > naive(window.end)
    kind = row.kind.lower() or "resource"
    ref = f"{row.namespace}/{row.name}" if row.namespace else row.name
    subject = Subject(
        kind="node" if kind in {"node", "nodes"} else "component", ref=row.name if kind == "node" else ref
    )
    return [
        Fact(
            subject=subject, signal=f"resource:{kind}", relation="fails", object=trouble.reason,
            at=utc(row.ts) if row.ts else None, strength=strength(trouble.strength * (0.5 if old else 1.0)),
            quote=cut(trouble.quote),
        )
        for trouble in sorted(troubles(row.status, row.body), key=lambda t: (-t.strength, t.reason))[:MAX_FACTS_EACH]
    ]  # fmt: skip


PROBE = Probe(
    name="resource_state",
    question="Which resources are not healthy, and what do they say is wrong?",
    sources=("resources",),
    cost="cheap",
    params=ResourceState,
    answer=answer,
)
