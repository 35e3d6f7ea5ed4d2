"""All objects of a bundle at their newest, and what belongs to what."""

# one pattern stands on one line

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from ..tables import Tables, utc
from .describe import Object
from .parsing import objects_of, says_absent
from .quantities import age_seconds, times_seen
from .views import Event, Pod, Service, Workload

MAX_ROWS = 4000
BODY = 65_536
WORKLOADS = ("deployment", "statefulset", "daemonset")
_HASHED = re.compile(r"-[a-z0-9]{5,10}-[a-z0-9]{5}$")
_ORDINAL = re.compile(r"-[0-9]{1,3}$")
_REPLICA_SET = re.compile(r"-[a-f0-9]{5,10}$")


class Row(NamedTuple):
    ts: datetime | None
    kind: str
    namespace: str
    name: str
    status: str
    body: str


@dataclass(frozen=True)
class Cluster:
    rows: tuple[Row, ...]
    """The newest of each resource; events all."""

    @classmethod
    def read(cls, tables: Tables) -> "Cluster":
        found = [
            Row(*row)
            for row in tables.rows(
                f"""SELECT ts, lower(kind) AS k, namespace, name, status, left(body, {BODY}) AS b FROM resources
                ORDER BY ts DESC NULLS LAST, k, namespace, name, status, b LIMIT {MAX_ROWS}"""  # noqa: S608  # constants only
            )
        ]
        newest: dict[tuple[str, ...], Row] = {}
        for row in found:
            key = (row.kind, row.namespace, row.name, "listed" if row.body.startswith("NAME") else "")
            newest.setdefault((*key, row.status, row.body) if row.kind.startswith("event") else key, row)
        return cls(tuple(sorted(newest.values(), key=lambda r: (r.kind, r.namespace, r.name, r.status, r.body))))

    # --- objects ------------------------------------------------------------------------------------------------------
    @cached_property
    def objects(self) -> dict[str, dict[str, list[Object]]]:
        """By kind and name; what is stands before what was declared."""
        found: dict[str, dict[str, list[Object]]] = defaultdict(lambda: defaultdict(list))
        for row in self.rows:
            for item in objects_of(row.kind, row.body):
                name = str((item.get("metadata") or {}).get("name") or row.name)
                found[item["kind"]][name].append(item | {"listed_status": row.status})
        for names in found.values():
            for items in names.values():
                items.sort(key=lambda item: (bool(item.get("declared")), "columns" in item))
        return {kind: dict(names) for kind, names in found.items()}

    def of(self, kind: str) -> dict[str, Object]:
        """The objects of a kind as they are; one that is only declared is not among them."""
        return {
            name: items[0]
            for name, items in sorted(self.objects.get(kind, {}).items())
            if not items[0].get("declared") and (kind, name) not in self.absent
        }

    def declared(self, kind: str) -> dict[str, Object]:
        return {
            name: item
            for name, items in sorted(self.objects.get(kind, {}).items())
            for item in items
            if item.get("declared")
        }

    @cached_property
    def absent(self) -> frozenset[tuple[str, str]]:
        """Objects that were looked for and are not there."""
        return frozenset((row.kind, row.name) for row in self.rows if says_absent(row.body))

    def knows(self, kind: str) -> bool:
        """Whether objects of the kind were looked at, so that one that is missing is missing."""
        return bool(self.of(kind))

    def status_of(self, kind: str) -> Iterator[Row]:
        return (row for row in self.rows if row.kind == kind)

    # --- views --------------------------------------------------------------------------------------------------------
    @cached_property
    def pods(self) -> tuple[Pod, ...]:
        return tuple(
            Pod(name=name, raw=raw, owner=self._owner(name, raw), events=self.events_of("pod", name, raw))
            for name, raw in self.of("pod").items()
        )

    @cached_property
    def workloads(self) -> tuple[Workload, ...]:
        by_owner: dict[str, list[Pod]] = defaultdict(list)
        for pod in self.pods:
            by_owner[pod.owner].append(pod)
        names = {name: kind for kind in reversed(WORKLOADS) for name in self.of(kind)}
        for kind in WORKLOADS:
            for name in self.declared(kind):
                names.setdefault(name, kind)
        for pod in self.pods:
            names.setdefault(pod.owner, "pod")
        return tuple(
            self._workload(name, kind, tuple(by_owner.get(name, ()))) for name, kind in sorted(names.items()) if name
        )

    def _workload(self, name: str, kind: str, pods: tuple[Pod, ...]) -> Workload:
        live = self.of(kind).get(name, {})
        sets = [
            (set_name, raw)
            for set_name, raw in self.of("replicaset").items()
            if self._owner_of_set(set_name, raw) == name and (raw.get("spec") or {}).get("replicas") != 0
        ]
        own = list(self.events_of(kind, name, live))
        for set_name, raw in sets:
            own += self.events_of("replicaset", set_name, raw)
        templates = [raw for raw in (live, *(raw for _, raw in sets)) if raw]
        specs = [_template(raw) for raw in templates] + [pod.raw for pod in pods]
        declared = [self.declared(kind)[name]] if name in self.declared(kind) else []
        return Workload(
            name=name, kind=kind, raw=live, pods=pods, events=tuple(own), sets=tuple(raw for _, raw in sets),
            templates=tuple(specs + [_template(raw) for raw in declared]), declared=declared[0] if declared else {},
        )  # fmt: skip

    @cached_property
    def services(self) -> tuple[Service, ...]:
        return tuple(
            Service(name=name, raw=raw, endpoints=self.of("endpoints").get(name))
            for name, raw in self.of("service").items()
        )

    def workload(self, name: str) -> Workload | None:
        return next((w for w in self.workloads if w.name == name), None)

    def selected(self, service: Service) -> tuple[Workload, ...]:
        """Workloads whose pods carry all labels that the service selects."""
        return tuple(w for w in self.workloads if service.selector and service.selector.items() <= w.labels.items())

    # --- events -------------------------------------------------------------------------------------------------------
    @cached_property
    def _told(self) -> dict[tuple[str, str], list[Event]]:
        found: dict[tuple[str, str], list[Event]] = defaultdict(list)
        for row in self.rows:
            if not row.kind.startswith("event"):
                continue
            event = _listed_event(row)
            kind, slash, name = row.name.lower().partition("/")
            found[kind if slash else "", name if slash else kind].append(event)
        return found

    def events_of(self, kind: str, name: str, raw: Object) -> tuple[Event, ...]:
        """Those of its own description; where it has none, those that were listed."""
        own = [
            Event(
                type=str(e.get("type", "")), reason=str(e.get("reason", "")), message=str(e.get("message", "")),
                age=e.get("age"), count=int(e.get("count") or 1),
            )
            for e in raw.get("events") or ()
        ]  # fmt: skip
        listed = [*self._told.get((kind, name.lower()), ()), *self._told.get(("", name.lower()), ())]
        return tuple(own or listed)

    @property
    def all_events(self) -> Iterable[tuple[str, str, Event]]:
        """Kind and name of what each listed event is about, and the event."""
        return [(kind, name, event) for (kind, name), group in sorted(self._told.items()) for event in group]

    # --- ownership ----------------------------------------------------------------------------------------------------
    def _owner(self, name: str, raw: Object) -> str:
        for owner in (raw.get("metadata") or {}).get("ownerReferences") or ():
            if owner.get("kind") == "ReplicaSet":
                set_name = str(owner.get("name"))
                return self._owner_of_set(set_name, self.of("replicaset").get(set_name, {}))
            return str(owner.get("name"))
        known = [w for kind in WORKLOADS for w in self.of(kind) if name.startswith(f"{w}-")]
        return max(known, key=len) if known else owner_by_name(name)

    @staticmethod
    def _owner_of_set(name: str, raw: Object) -> str:
        owners = (raw.get("metadata") or {}).get("ownerReferences") or ()
        named = next((str(o.get("name")) for o in owners if o.get("kind") == "Deployment"), "")
        return named or _REPLICA_SET.sub("", name)


def owner_by_name(pod: str) -> str:
    """The workload by the convention of names: `web-5d9f7c-x2x4z` and `db-0` belong to `web` and `db`."""
    cut = _HASHED.sub("", pod)
    return cut if cut != pod else _ORDINAL.sub("", pod)


def _template(raw: Object) -> Object:
    return dict((raw.get("spec") or {}).get("template") or {})


def _listed_event(row: Row) -> Event:
    columns: dict[str, Any] = {}
    if "=" in row.body and "; " in row.body:
        columns = dict(part.split("=", 1) for part in row.body.split("; ") if "=" in part)
    message = row.body.partition("MESSAGE=")[2] if "MESSAGE=" in row.body else row.body
    seen = str(columns.get("LAST SEEN", ""))
    return Event(
        type=str(columns.get("TYPE", "Warning")), reason=row.status, message=message, age=age_seconds(seen),
        count=times_seen(seen), at=utc(row.ts) if row.ts and not columns else None,
    )  # fmt: skip
