"""Which pods find no node, and what keeps them off?

Method: for each pod that is not placed, every node is held against what the pod asks: node selector and affinity
against labels, taints against tolerations, cordon, free room against requests. Nodes that the pod's own selector
admits decide: where none is admitted the selector is wrong; where those that are admitted are tainted, cordoned or
full, that is it. Without a description of the nodes the scheduler's own count of reasons is read; a cordon of the
control plane alone is usual and says nothing. Strength: 1 where the scheduler says it and the objects agree, .9
otherwise. Cost: the resources, once.
"""

# ruff: noqa: E501  # one pattern stands on one line

import re
from collections import Counter
from collections.abc import Iterator

from ...contracts.claim import Fact
from ...contracts.evidence import Answer
from ..cluster.cluster import Cluster
from ..cluster.describe import Object
from ..cluster.facts import component, diagnosis, node, strongest
from ..cluster.views import Event, Pod
from ..tables import Tables
from .base import Params, Probe, answered

_SAYS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("taint_not_tolerated", re.compile(r"(\d+) node\(s\) had untolerated taint \{(?!node\.kubernetes\.io/(?:unschedulable|not-ready|unreachable)|node-role\.)[^}]*\}")),
    ("insufficient_cpu", re.compile(r"(\d+) Insufficient cpu")),
    ("insufficient_memory", re.compile(r"(\d+) Insufficient memory")),
    ("insufficient_pods", re.compile(r"(\d+) Too many pods")),
    ("insufficient_extended_resource", re.compile(r"(\d+) Insufficient [a-z0-9.-]+/[a-z0-9.-]+")),
    ("insufficient_storage", re.compile(r"(\d+) Insufficient ephemeral-storage")),
    ("pod_anti_affinity_conflict", re.compile(r"(\d+) node\(s\) didn't (?:match|satisfy) (?:existing pods )?(?:pod )?anti-affinity")),
    ("pod_affinity_unsatisfied", re.compile(r"(\d+) node\(s\) didn't match pod affinity")),
    ("topology_spread_unsatisfied", re.compile(r"(\d+) node\(s\) didn't match pod topology spread")),
    ("host_port_conflict", re.compile(r"(\d+) node\(s\) didn't have free ports")),
    ("volume_node_affinity_conflict", re.compile(r"(\d+) node\(s\) had volume node affinity conflict")),
    ("affinity", re.compile(r"(\d+) node\(s\) didn't match (?:Pod's )?node (?:affinity|selector)")),
    ("node_cordoned", re.compile(r"(\d+) node\(s\) were unschedulable|(\d+) node\(s\) had untolerated taint \{node\.kubernetes\.io/unschedulable")),
    ("node_not_ready", re.compile(r"(\d+) node\(s\) (?:were not ready|had untolerated taint \{node\.kubernetes\.io/(?:not-ready|unreachable))")),
)  # fmt: skip
_VOLUMES = re.compile(r"unbound immediate PersistentVolumeClaims|persistentvolumeclaim \"", re.IGNORECASE)
_CONTROL = re.compile(r"control-plane|master")


class ResourceScheduling(Params):
    """None: all pods are looked at."""


def answer(tables: Tables, params: ResourceScheduling) -> Answer:
    del params
    cluster = Cluster.read(tables)
    facts: list[Fact] = []
    for pod in cluster.pods:
        told = [e for e in pod.events if e.reason == "FailedScheduling" or "nodes are available" in e.message]
        told += [
            Event("Warning", str(c.get("reason")), str(c.get("message") or ""))
            for c in pod.status.get("conditions") or ()
            if c.get("type") == "PodScheduled" and c.get("status") == "False" and c.get("message")
        ]
        if not pod.scheduled and not pod.finished:
            facts += _of_pod(cluster, pod, told)
    if not cluster.pods:
        for kind, name, event in cluster.all_events:
            if event.reason == "FailedScheduling" and kind in {"pod", ""}:
                owner = re.sub(r"-[a-z0-9]{5,10}-[a-z0-9]{5}$", "", name)
                facts += _by_words(cluster, owner, event, selector="")
    return answered(tables, "resources", strongest(facts), window=None, rows_read=len(cluster.rows))


def _of_pod(cluster: Cluster, pod: Pod, told: list[Event]) -> Iterator[Fact]:
    event = min(told, key=lambda e: (e.age if e.age is not None else 1e9, e.message), default=None)
    if event is None:
        described = "columns" not in pod.raw
        if (
            described
            and not any(e.reason == "Scheduled" for e in pod.events)
            and pod.phase == "Pending"
            and not pod.node
        ):
            yield from _nobody_schedules(cluster, pod)
        return
    if _VOLUMES.search(event.message):
        return
    workload = cluster.workload(pod.owner)
    selector = dict(pod.spec.get("nodeSelector") or (workload.first("nodeSelector") if workload else None) or {})
    affinity = pod.spec.get("affinity") or (workload.first("affinity") if workload else None) or {}
    named = "selector" if selector else "affinity" if affinity.get("nodeAffinity") else ""
    admitted = _admitted(cluster, selector, affinity.get("nodeAffinity") or {})
    if admitted:
        tolerations = list(pod.spec.get("tolerations") or ())
        tainted = [t for raw in admitted for t in (raw["spec"].get("taints") or ()) if _repels(t, tolerations)]
        cordoned = [raw for raw in admitted if raw["spec"].get("unschedulable")]
        narrow = len(admitted) < len(_workers(cluster))
        if narrow and tainted and len(cordoned) < len(admitted):
            taint = tainted[0]
            yield _said(
                pod, "taint_not_tolerated", event, f"taint {taint['key']}={taint.get('value', '')} is not tolerated; "
            )
            return
        if narrow and len(cordoned) == len(admitted):
            yield _said(pod, "node_cordoned", event, f"node {_name(cordoned[0])} is cordoned; ")
            return
    yield from _by_words(cluster, pod.owner, event, selector=named, why=_why(selector, affinity))


def _nobody_schedules(cluster: Cluster, pod: Pod) -> Iterator[Fact]:
    del cluster
    yield diagnosis(component(pod.owner), "scheduling", "pod_never_scheduled", 0.5,
                    f"pod {pod.name} is Pending, has no node, and no scheduler ever looked at it")  # fmt: skip


def _said(pod: Pod, kind: str, event: Event, why: str) -> Fact:
    return diagnosis(
        component(pod.owner), "scheduling", kind, 1.0, f"{why}{event.reason}: {event.message}", at=event.at
    )


def _by_words(cluster: Cluster, owner: str, event: Event, *, selector: str, why: str = "") -> Iterator[Fact]:
    """The scheduler counts nodes by what keeps the pod off them."""
    first = event.message.partition("preemption:")[0]
    counts: Counter[str] = Counter()
    for kind, pattern in _SAYS:
        for match in pattern.finditer(first):
            counts[kind] += int(next(group for group in match.groups() if group))
    usual = sum(1 for raw in cluster.of("node").values() if _is_control(raw))
    workers = [raw for raw in cluster.of("node").values() if not _is_control(raw)]
    if counts["node_cordoned"] <= max(usual, 1 if not workers else 0) and len(counts) > 1:
        del counts["node_cordoned"]
    if not counts:
        return
    order = [kind for kind, _ in _SAYS]
    kind = min(counts, key=lambda k: (-counts[k], order.index(k)))
    strength = 1.0 if len(counts) == 1 else 0.9
    if kind == "affinity":
        kind = "node_selector_mismatch" if selector == "selector" else "node_affinity_mismatch"
    if kind == "node_not_ready":
        for raw in cluster.of("node").values():
            if not _ready(raw):
                yield diagnosis(
                    node(_name(raw)), "scheduling", kind, 0.9, f"{event.reason}: {event.message}", at=event.at
                )
        return
    yield diagnosis(
        component(owner), "scheduling", kind, strength, f"{why}{event.reason}: {event.message}", at=event.at
    )


def _why(selector: Object, affinity: Object) -> str:
    if selector:
        return "node selector " + ",".join(f"{k}={v}" for k, v in sorted(selector.items())) + "; "
    return "node affinity is required; " if affinity.get("nodeAffinity") else ""


# --- nodes against what a pod asks ------------------------------------------------------------------------------------
def _admitted(cluster: Cluster, selector: Object, affinity: Object) -> list[Object]:
    """Worker nodes whose labels the pod's own rules accept; empty where none is described."""
    terms = ((affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}).get("nodeSelectorTerms")) or []
    return [
        raw
        for raw in _workers(cluster)
        if {str(k): str(v) for k, v in selector.items()}.items() <= _labels(raw).items()
        and (not terms or any(all(_meets(e, _labels(raw)) for e in t.get("matchExpressions") or ()) for t in terms))
    ]


def _workers(cluster: Cluster) -> list[Object]:
    return [raw for raw in cluster.of("node").values() if not _is_control(raw) and "spec" in raw]


def _labels(raw: Object) -> dict[str, str]:
    """A node answers to its name as its host name, where no label says otherwise."""
    said = {str(k): str(v) for k, v in ((raw.get("metadata") or {}).get("labels") or {}).items()}
    return {"kubernetes.io/hostname": _name(raw), **said}


def _meets(expression: Object, labels: dict[str, str]) -> bool:
    value, wanted = labels.get(str(expression.get("key"))), [str(v) for v in expression.get("values") or ()]
    match str(expression.get("operator")):
        case "In":
            return value in wanted
        case "NotIn":
            return value not in wanted
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
    return True


def _repels(taint: Object, tolerations: list[Object]) -> bool:
    """Whether a taint of somebody's own making is not tolerated."""
    key = str(taint.get("key"))
    if taint.get("effect") == "PreferNoSchedule" or key.startswith(("node.kubernetes.io/", "node-role.kubernetes.io/")):
        return False
    for toleration in tolerations:
        same_effect = not toleration.get("effect") or toleration.get("effect") == taint.get("effect")
        exists = toleration.get("operator") == "Exists" and toleration.get("key") in {"", None, key}
        equal = toleration.get("key") == key and str(toleration.get("value", "")) == str(taint.get("value", ""))
        if same_effect and (exists or equal):
            return False
    return True


def _is_control(raw: Object) -> bool:
    names = [str(raw.get("roles") or ""), *(key for key in _labels(raw) if key.startswith("node-role."))]
    names.append(_labels(raw).get("kubernetes.io/role", ""))
    return any(_CONTROL.search(name) for name in names)


def _ready(raw: Object) -> bool:
    conditions = (raw.get("status") or {}).get("conditions") or ()
    return all(c.get("status") == "True" for c in conditions if c.get("type") == "Ready")


def _name(raw: Object) -> str:
    return str((raw.get("metadata") or {}).get("name"))


PROBE = Probe(
    name="resource_scheduling",
    question="Which pods find no node, and what keeps them off?",
    sources=("resources",),
    cost="cheap",
    params=ResourceScheduling,
    answer=answer,
)
