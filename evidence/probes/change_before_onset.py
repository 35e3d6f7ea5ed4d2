"""Which changes were live before a time, and where?

Method: a change counts from the deploy that carried it, not from its commit: a deploy that names it (surest), one that
names a version bump of the library it lies in, or a later build of its service or of shared code (least sure). A change
of another kind (flag, config, migration) counts from its own time. Each gives `precedes` with the minutes before the
time (its service as `object`, `(inferred)` behind it where no deploy names the change), or `states` `live later`
where it came after. Strength: how sure it is that the change was live there by then: 1
named by a deploy or of itself, 0.9 by a version bump, 0.5 to 0.6 by a later build, 0.35 never seen deployed, times 0.3
for tests, documents, pipelines and what is not production; halved where it came later.
Cost: one pass over the changes, and the diffs of version bumps.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from pydantic import Field

from ...contracts.claim import Fact, Subject
from ...contracts.evidence import Answer
from ...contracts.incident import TimeWindow
from ..tables import Tables
from .base import Params, Probe, answered, rounded, strength, undated
from .change_rows import Carriage, ChangeRow, by_ref, carried, owner_of, read_changes, runs

SLACK = timedelta(seconds=90)
"""Clocks and scrape intervals: a change so shortly after the time still counts as before it."""
NEVER_DEPLOYED = 0.35
KNOWN = 0.9
"""From here on a deploy names the change, or the version that holds it."""
INERT = 0.3


class ChangeBeforeOnset(Params):
    before: datetime | None = None
    """The first anomaly; the default is where the incident's periods part."""
    lookback_hours: float = Field(default=168.0, gt=0, le=8760)


def answer(tables: Tables, params: ChangeBeforeOnset) -> Answer:
    periods = tables.periods()
    before = params.before or (periods.split if periods else None)
    changes = read_changes(tables)
    if before is None or not any(change.ts for change in changes):
        return undated("changes")
    services = [name for (name,) in tables.rows(
        "SELECT DISTINCT service FROM (SELECT service FROM metrics UNION SELECT service FROM logs UNION SELECT service "
        "FROM spans UNION SELECT service FROM changes) WHERE service <> '' ORDER BY service LIMIT 500"
    )]  # fmt: skip
    earliest = before - timedelta(hours=params.lookback_hours)
    facts = [fact for fact in _facts(changes, services, before) if fact.at is None or fact.at >= earliest]
    times = [change.ts for change in changes if change.ts]
    return answered(
        tables,
        "changes",
        facts,
        window=TimeWindow(start=min(times), end=max(times)),
        rows_read=len(changes),
        excerpt=[
            f"{c.ts:%Y-%m-%dT%H:%M:%SZ} {c.kind} {c.service} {c.ref[:12]} {c.title}"
            for c in changes
            if c.ts and c.ts <= before
        ][-20:],
    )


def _facts(changes: tuple[ChangeRow, ...], services: list[str], before: datetime) -> Iterator[Fact]:
    ways = carried(changes)
    commits = by_ref([change for change in changes if not change.is_deploy])
    any_deploy = any(change.is_deploy for change in changes)
    for ref, change in commits.items():
        found = ways.get(ref, ())
        if found:
            for way in found[:4]:
                yield _fact(change, way, before)
        elif change.ts is not None:
            own = change.kind not in {"commit", "merge", "pull_request", "pr"} or not any_deploy
            sure = 1.0 if own else NEVER_DEPLOYED
            service = change.service or owner_of(change, services)
            yield _fact(change, Carriage(service, change.ts, sure, "" if own else "never seen deployed"), before)
    for deploy in changes:
        if deploy.is_deploy and deploy.ts and not any(_carries(deploy, commit) for commit in commits.values()):
            yield _fact(deploy, Carriage(deploy.service, deploy.ts, 1.0, ""), before)


def _carries(deploy: ChangeRow, commit: ChangeRow) -> bool:
    return any(link.startswith(commit.ref[:12]) for link in deploy.links) and len(commit.ref) >= 7


def _fact(change: ChangeRow, way: Carriage, before: datetime) -> Fact:
    live = way.at <= before + SLACK
    sure = way.sure * (1.0 if runs(change) else INERT)
    minutes = (before - way.at).total_seconds() / 60
    return Fact(
        subject=Subject(kind="change", ref=change.ref, service=way.service or change.service), signal="change:time",
        relation="precedes" if live else "states", object=_where(way) if live else "live later",
        value=rounded(minutes), unit="min", at=way.at, strength=strength(sure if live else 0.5 * sure),
        quote=": ".join(part for part in (change.kind, way.how, change.title) if part)[:300],
    )  # fmt: skip


def _where(way: Carriage) -> str:
    """Which service it reached; said to be inferred where no deploy names it."""
    return way.service if way.sure >= KNOWN or not way.service else f"{way.service} (inferred)"


PROBE = Probe(
    name="change_before_onset",
    question="Which changes were live before the first anomaly, and on which service?",
    sources=("changes",),
    cost="cheap",
    params=ChangeBeforeOnset,
    answer=answer,
)
