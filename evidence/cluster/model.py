"""Resources by kind and owner, read from the descriptions that `kubectl describe` prints and from manifests."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

MismatchKind = Literal["component", "node", "namespace"]
_HASHED = re.compile(r"-[a-z0-9]{5,10}(?:-[a-z0-9]{5})?$")


class Mismatch(NamedTuple):
    kind: MismatchKind
    ref: str
    """`namespace/name` of a workload, a node's name, a namespace's name."""
    reason: str
    """A fault kind of the taxonomy."""
    strength: float
    quote: str


@dataclass(frozen=True)
class Resource:
    kind: str
    namespace: str
    name: str
    status: str
    body: str

    def field(self, key: str) -> str:
        """The value behind `key:` at the first place where it stands; empty for `<none>` and where it is not."""
        match = re.search(rf"^[ \t]*{re.escape(key)}:[ \t]*(.*)$", self.body, re.MULTILINE)
        value = match.group(1).strip() if match else ""
        return "" if value in {"<none>", "<unset>"} else value

    def fields(self, key: str) -> tuple[str, ...]:
        return tuple(v.strip() for v in re.findall(rf"^[ \t]*{re.escape(key)}:[ \t]*(.*)$", self.body, re.MULTILINE))

    def line(self, pattern: str) -> str:
        """The first line that holds the pattern, its spaces squeezed."""
        match = re.search(rf"^.*(?:{pattern}).*$", self.body, re.MULTILINE | re.IGNORECASE)
        return " ".join(match.group(0).split()) if match else ""

    @property
    def ready(self) -> bool | None:
        """Of a status like `0/1`: whether all replicas are there; None where it does not say."""
        match = re.match(r"\s*(\d+)/(\d+)", self.status)
        return None if match is None else int(match.group(1)) >= int(match.group(2))


class Cluster:
    def __init__(self, resources: Iterable[Resource]) -> None:
        self._all = tuple(resources)

    def of(self, *kinds: str) -> tuple[Resource, ...]:
        return tuple(r for r in self._all if r.kind in kinds)

    @cached_property
    def workloads(self) -> tuple[Resource, ...]:
        return self.of("deployment", "statefulset", "daemonset")

    @cached_property
    def services(self) -> tuple[Resource, ...]:
        return self.of("service")

    def pods_of(self, workload: Resource) -> tuple[Resource, ...]:
        return tuple(
            p for p in self.of("pod") if p.namespace == workload.namespace and owner_name(p.name) == workload.name
        )

    def replicas_of(self, workload: Resource) -> tuple[Resource, ...]:
        """Replica sets, whose events tell why no pod could be made."""
        return tuple(
            r for r in self.of("replicaset")
            if r.namespace == workload.namespace and owner_name(r.name) == workload.name
        )  # fmt: skip

    def service_of(self, workload: Resource) -> Resource | None:
        return next((s for s in self.services if (s.namespace, s.name) == (workload.namespace, workload.name)), None)

    def manifest_of(self, namespace: str, name: str) -> str:
        return next((m.body for m in self.of("manifest") if (m.namespace, m.name) == (namespace, name)), "")

    def unreachable(self) -> frozenset[str]:
        """Names that a connection test could not reach."""
        failed = (c for c in self.of("connectivity") if "fail" in c.status.lower())
        return frozenset(c.name.partition(":")[0] for c in failed)


def owner_name(name: str) -> str:
    """`cart` of the pod `cart-7dd764f9cc-dvz9s` and of the replica set `cart-7dd764f9cc`."""
    return _HASHED.sub("", name)


def ref_of(resource: Resource) -> str:
    return f"{resource.namespace}/{resource.name}" if resource.namespace else resource.name


def pairs(text: str) -> Iterator[tuple[str, str]]:
    """`a=1,b=2` as pairs."""
    for part in text.split(","):
        key, equals, value = part.partition("=")
        if equals:
            yield key.strip(), value.strip()
