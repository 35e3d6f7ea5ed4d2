"""Changes as rows, and which deploy carried which change to which service."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from ..diffs import Diff, Profile, parse_diff, profile_of
from ..diffs.roles import is_production, is_shared, role_of
from ..diffs.text import words
from ..tables import Tables, utc

MAX_CHANGES = 3000
MAX_DIFF = 200_000
"""Characters read of one diff."""
DEPLOY_KINDS = frozenset({"deploy", "deployment", "release", "rollout", "canary"})

_INERT = frozenset({"tests", "docs", "ci"})
_SUFFIX = re.compile(r"[-_.]?(service|svc|server|api|app|job|worker|db)$")
_ID = re.compile(r"^[0-9a-f]{7,64}$", re.IGNORECASE)


@dataclass(frozen=True)
class ChangeRow:
    ts: datetime | None
    kind: str
    service: str
    ref: str
    title: str
    diff_text: str
    files: tuple[str, ...]
    links: frozenset[str] = field(default_factory=frozenset)
    """Other ids that it names: the commit of a deploy, a revision, a pull request."""

    @property
    def is_deploy(self) -> bool:
        return self.kind in DEPLOY_KINDS

    @cached_property
    def diff(self) -> Diff:
        return parse_diff(self.diff_text, self.files)

    @cached_property
    def profile(self) -> Profile:
        return profile_of(self.diff)

    @property
    def paths(self) -> tuple[str, ...]:
        return self.files or self.diff.paths


class Carriage(NamedTuple):
    """A change on its way to a service."""

    service: str
    at: datetime
    sure: float
    """1 where the deploy names the change, less where it only may hold it."""
    how: str


def read_changes(tables: Tables) -> tuple[ChangeRow, ...]:
    """By time, then kind and ref; the latest `MAX_CHANGES`."""
    rows = tables.rows(
        "SELECT ts, kind, service, ref, title, left(diff, ?) AS diff, attributes FROM changes "
        "ORDER BY ts DESC NULLS LAST, kind, ref, service, title, diff, attributes LIMIT ?",
        [MAX_DIFF, MAX_CHANGES],
    )
    return tuple(_row(row) for row in reversed(rows))


def _row(row: tuple[Any, ...]) -> ChangeRow:
    ts, kind, service, ref, title, diff, attributes = row
    extra = _flat(attributes)
    files = tuple(str(name) for key in ("files_changed", "files", "paths") for name in _list(extra.get(key)))
    return ChangeRow(
        ts=utc(ts) if ts else None, kind=(kind or "change").lower(), service=service or "",
        ref=ref or title or "", title=title or "", diff_text=diff or "", files=files,
        links=frozenset(str(value) for value in extra.values() if isinstance(value, str) and _ID.match(value)),
    )  # fmt: skip


def _flat(attributes: str | None) -> dict[str, Any]:
    found = _loaded(attributes)
    nested = _loaded(found.get("attributes"))
    return {**nested, **found} if isinstance(nested, dict) else found


def _loaded(value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return {}
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return [part.strip() for part in value.split(",") if part.strip()]
    return value if isinstance(value, list) else []


def same_id(one: str, other: str) -> bool:
    """Equal, or one is the beginning of the other by at least seven characters."""
    return one == other or (min(len(one), len(other)) >= 7 and (one.startswith(other) or other.startswith(one)))


def carried(changes: Sequence[ChangeRow]) -> dict[str, tuple[Carriage, ...]]:
    """For every change that is no carrier itself: the deploys that brought it, earliest first."""
    deploys = [c for c in changes if c.is_deploy and c.ts]
    plain = [c for c in changes if not c.is_deploy]
    by_deploy = [(deploy, [c for c in plain if _names(deploy, c)]) for deploy in deploys]
    found: dict[str, list[Carriage]] = {c.ref: [] for c in plain}
    for deploy, named in by_deploy:
        for change in named:
            found[change.ref].append(_carriage(deploy, 1.0, "deployed"))
        for change in plain:
            if change not in named:
                found[change.ref] += _indirect(deploy, named, change)
    return {ref: tuple(_chosen(ways)) for ref, ways in found.items()}


def _chosen(ways: Sequence[Carriage]) -> list[Carriage]:
    """Where a deploy names the change, only such deploys count; else the first that may hold it."""
    first = _first_per_service(ways)
    surest = max((way.sure for way in first), default=0.0)
    kept = [way for way in first if way.sure == surest]
    return kept if surest >= 0.9 else kept[:1]


def _names(deploy: ChangeRow, change: ChangeRow) -> bool:
    return any(same_id(link, change.ref) for link in deploy.links) or deploy.ref == change.ref


def _carriage(deploy: ChangeRow, sure: float, how: str) -> Carriage:
    assert deploy.ts is not None
    return Carriage(deploy.service, deploy.ts, sure, how)


def _indirect(deploy: ChangeRow, named: Sequence[ChangeRow], change: ChangeRow) -> Iterator[Carriage]:
    """A library that a named change moves to a newer version, or a build of the branch that holds the change."""
    for carrier in named:
        if change.ts is None or carrier.ts is None or change.ts > carrier.ts:
            continue
        if any(_module_holds(bump.name, change.paths) for bump in carrier.profile.bumps):
            yield _carriage(deploy, 0.9, f"deployed with the version bump {carrier.ref[:12]}")
        elif any(owns(deploy.service, path) for path in change.paths):
            yield _carriage(deploy, 0.6, "built into a later deploy of its service")
        elif any(is_shared(path) for path in change.paths):
            yield _carriage(deploy, 0.5, "built into a later deploy, as shared code")


def _module_holds(module: str, paths: Iterable[str]) -> bool:
    """Whether a module's path ends in a folder of the change: `host/org/pkg/schema` holds `pkg/schema/x.go`.

    A package without a path, `@org/feed-client`, is held by the shared folder of its name: `libs/feed-client/x.ts`.
    """
    parts = module.split("/")
    tails = ["/".join(parts[at:]) for at in range(len(parts)) if len(parts) - at >= 2] or [module]
    if any(f"/{path}".find(f"/{tail}/") >= 0 for tail in tails for path in paths):
        return True
    name = _squeezed(parts[-1].partition(":")[2] or parts[-1])
    return len(name) > 3 and any(
        name in {_squeezed(part) for part in path.split("/")[:-1]} for path in paths if is_shared(path)
    )


def _first_per_service(ways: Iterable[Carriage]) -> list[Carriage]:
    """The surest way to each service, and of equally sure ones the earliest."""
    best: dict[str, Carriage] = {}
    for way in ways:
        known = best.get(way.service)
        if known is None or (-way.sure, way.at) < (-known.sure, known.at):
            best[way.service] = way
    return sorted(best.values(), key=lambda way: (way.at, way.service))


def owns(service: str, path: str) -> bool:
    """Whether a folder of the path is named as the service is, with or without the usual endings."""
    names = {_squeezed(service), _squeezed(_SUFFIX.sub("", service.lower()))} - {""}
    parts = {_squeezed(part) for part in path.split("/")[:-1]}
    parts |= {_squeezed(_SUFFIX.sub("", part.lower())) for part in path.split("/")[:-1]}
    return bool({name for name in names if len(name) > 2} & parts)


def _squeezed(name: str) -> str:
    return "".join(words(name))


def owner_of(change: ChangeRow, services: Iterable[str]) -> str:
    """The one service whose folder it touches, or none."""
    found = sorted({service for service in services for path in change.paths if owns(service, path)})
    return found[0] if len(found) == 1 else ""


def runs(change: ChangeRow) -> bool:
    """Whether any file of it can matter where it is deployed: not tests, documents, pipelines or staging alone."""
    return not change.paths or any(is_production(path) and role_of(path) not in _INERT for path in change.paths)


def by_ref(changes: Sequence[ChangeRow]) -> Mapping[str, ChangeRow]:
    """The change behind each ref; where several rows share one, the row that has a diff."""
    found: dict[str, ChangeRow] = {}
    for change in changes:
        if change.ref not in found or (change.diff_text and not found[change.ref].diff_text):
            found[change.ref] = change
    return found
