"""Pods, workloads and services as the checks look at them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from .describe import Object

_OVERCOME = re.compile(r"retried successfully|succeeded (?:after|on) (?:a )?retry|has recovered", re.IGNORECASE)
MESH = frozenset({
    "istio-proxy", "istio-init", "istio-validation", "linkerd-proxy", "linkerd-init", "linkerd-network-validator",
})  # fmt: skip
"""Containers that a service mesh puts into pods, by the names that the meshes document: what they say is the mesh's."""


@dataclass(frozen=True)
class Event:
    type: str
    reason: str
    message: str
    age: float | None = None
    """Seconds before the snapshot."""
    count: int = 1
    at: datetime | None = None


@dataclass(frozen=True)
class Pod:
    name: str
    raw: Object
    owner: str
    """Its workload's name, or its own."""
    events: tuple[Event, ...] = ()

    @property
    def spec(self) -> Object:
        return dict(self.raw.get("spec") or {})

    @property
    def status(self) -> Object:
        return dict(self.raw.get("status") or {})

    @property
    def listed(self) -> str:
        """As `kubectl get pods` says: `Running`, `CrashLoopBackOff`, `Init:0/1`."""
        return str(self.raw.get("listed_status") or "")

    @property
    def node(self) -> str:
        return str(self.spec.get("nodeName") or "")

    @property
    def phase(self) -> str:
        return str(self.status.get("phase") or self.listed)

    @cached_property
    def states(self) -> tuple[Object, ...]:
        status = self.status
        return (*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ()))

    @property
    def restarts(self) -> int:
        return max((int(s.get("restartCount") or 0) for s in self.states), default=0)

    def condition(self, name: str) -> str:
        return next((str(c.get("status")) for c in self.status.get("conditions") or () if c.get("type") == name), "")

    @property
    def finished(self) -> bool:
        """Whether it ran to its end, as a job's pod does."""
        return self.phase in {"Succeeded", "Completed"} or self.listed == "Completed"

    @property
    def scheduled(self) -> bool:
        return self.condition("PodScheduled") != "False" and bool(self.node or self.phase != "Pending")

    @property
    def ready(self) -> bool:
        said = self.condition("Ready")
        return said == "True" if said else self.phase == "Running"

    @property
    def warnings(self) -> tuple[Event, ...]:
        """Without those that say that a retry went well."""
        return tuple(e for e in self.events if e.type != "Normal" and not _OVERCOME.search(e.message))


@dataclass(frozen=True)
class Workload:
    name: str
    kind: str
    raw: Object
    pods: tuple[Pod, ...]
    events: tuple[Event, ...]
    """Of itself and of its replica sets."""
    sets: tuple[Object, ...]
    templates: tuple[Object, ...]
    """Pod templates, those that are before the one that was declared."""
    declared: Object

    @cached_property
    def specs(self) -> tuple[Object, ...]:
        return tuple(dict(t.get("spec") or {}) for t in self.templates)

    @cached_property
    def labels(self) -> dict[str, str]:
        """Those of its pods, else of its template."""
        live = [p.raw for p in self.pods] or list(self.templates)
        metadata = dict((live[0].get("metadata") or {}) if live else {})
        return {str(k): str(v) for k, v in (metadata.get("labels") or {}).items()}

    @property
    def desired(self) -> int | None:
        value = (self.raw.get("spec") or {}).get("replicas")
        return int(value) if isinstance(value, int) else None

    @property
    def healthy(self) -> bool:
        """Whether every pod that is wanted is ready, and none was restarted."""
        if not self.pods:
            return self.desired == 0
        live = [pod for pod in self.pods if not pod.finished]
        enough = self.desired is None or sum(p.ready for p in live) >= self.desired
        return enough and all(pod.ready and not pod.restarts for pod in live)

    @property
    def warnings(self) -> tuple[Event, ...]:
        return tuple(e for e in self.events if e.type != "Normal")

    def first(self, key: str) -> Any:
        """The first template's that says anything of it."""
        return next((spec[key] for spec in self.specs if spec.get(key)), None)

    def containers(self) -> Iterator[Object]:
        """Its own, each once, by name; what a source leaves out is taken from the next one."""
        merged: dict[str, Object] = {}
        for spec in self.specs:
            found = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
            for container in found:
                if container.get("name") in MESH:
                    continue
                known = merged.setdefault(str(container.get("name", "")), {})
                for key, value in container.items():
                    if not known.get(key):
                        known[key] = value
        yield from merged.values()

    @cached_property
    def ports(self) -> dict[int, str]:
        """Container ports with their protocol."""
        return {
            int(port["containerPort"]): str(port.get("protocol") or "TCP")
            for container in self.containers()
            for port in container.get("ports") or ()
            if str(port.get("containerPort", "")).isdigit()
        }

    @cached_property
    def named_ports(self) -> frozenset[str]:
        return frozenset(
            str(port["name"])
            for container in self.containers()
            for port in container.get("ports") or ()
            if port.get("name")
        )


@dataclass(frozen=True)
class Service:
    name: str
    raw: Object
    endpoints: Object | None

    @property
    def spec(self) -> Object:
        return dict(self.raw.get("spec") or {})

    @property
    def selector(self) -> dict[str, str]:
        return {str(k): str(v) for k, v in (self.spec.get("selector") or {}).items()}

    @property
    def ports(self) -> tuple[Object, ...]:
        return tuple(self.spec.get("ports") or ())

    @property
    def has_endpoints(self) -> bool | None:
        """None where nobody looked."""
        said = self.raw.get("endpoints")
        if isinstance(said, str):
            return bool(said) and said != "<none>"
        if self.endpoints is not None and "addresses" in self.endpoints:
            return bool(self.endpoints["addresses"])
        return None
