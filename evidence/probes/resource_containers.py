"""Which containers were killed, crash or cannot start, and what do they say?

Method: states and last states of containers: killed for memory (by the kernel, or already at creation because the
limit is too low), configuration that cannot be put together (secrets, config maps, keys), commands that do not exist,
exit codes with restarts, evictions. The memory limit and the command are named beside. Where nothing is wrong and all
pods are ready, that is said. Strength: 1 where the runtime says it, .9 for missing configuration and evictions, .45 for
a crash whose reason only the logs can tell. Cost: the resources, once.
"""

# ruff: noqa: E501  # one pattern stands on one line

import re
from collections.abc import Iterator

from ...contracts.claim import Fact, Subject
from ...contracts.evidence import Answer
from ..cluster.cluster import Cluster
from ..cluster.describe import Object
from ..cluster.facts import component, diagnosis, strongest
from ..cluster.views import Pod, Workload
from ..tables import Tables
from .base import Params, Probe, answered

KILLED = 137
_OOM = re.compile(r"OOM-?kill|out of memory|memory limit too low|OOMKill", re.IGNORECASE)
_WORDS: tuple[tuple[str, float, re.Pattern[str]], ...] = (
    ("secret_missing", 1.0, re.compile(r"secret \"?[^\s\"]+\"? not found|couldn't find key \S+ in Secret|non-existent secret", re.IGNORECASE)),
    ("config_map_missing", 1.0, re.compile(r"configmap \"?[^\s\"]+\"? not found|couldn't find key \S+ in ConfigMap|non-existent config", re.IGNORECASE)),
    ("command_not_found", 0.95, re.compile(r"executable file not found|exec: .*no such file|no such file or directory: unknown|exec format error", re.IGNORECASE)),
    ("run_as_root_refused", 0.95, re.compile(r"container has runAsNonRoot|runAsNonRoot and image", re.IGNORECASE)),
    ("container_port_conflict", 0.95, re.compile(r"address already in use|port is already allocated", re.IGNORECASE)),
    ("volume_permission_denied", 0.9, re.compile(r"permission denied", re.IGNORECASE)),
)  # fmt: skip


class ResourceContainers(Params):
    """None: all pods are looked at."""


def answer(tables: Tables, params: ResourceContainers) -> Answer:
    del params
    cluster = Cluster.read(tables)
    facts = [fact for pod in cluster.pods if not pod.finished for fact in _of_pod(cluster, pod)]
    facts += [*_listed(cluster)]
    facts += [] if facts else [*_well(tables, cluster)]
    return answered(tables, "resources", strongest(facts), window=None, rows_read=len(cluster.rows))


def _well(tables: Tables, cluster: Cluster) -> Iterator[Fact]:
    """That all pods are as they should be is worth saying: it is what a check was made for."""
    pods = [pod for pod in cluster.pods if not pod.finished]
    if pods and all(pod.ready and not pod.restarts for pod in pods):
        yield Fact(
            subject=Subject(kind="incident", ref=tables.incident.id), signal="resource:pods", relation="unchanged",
            object="healthy", value=float(len(pods)), strength=0.3,
            quote=f"all {len(pods)} pods are ready and none was restarted: normal, no failure",
        )  # fmt: skip


def _of_pod(cluster: Cluster, pod: Pod) -> Iterator[Fact]:
    workload = cluster.workload(pod.owner)
    for state in pod.states:
        now, last = dict(state.get("state") or {}), dict(state.get("lastState") or {})
        killed = "OOMKilled" in {now.get("reason"), last.get("reason")}
        if killed or (_OOM.search(f"{now.get('message')} {last.get('message')}")):
            yield _killed(
                pod,
                workload,
                state,
                f"container {state.get('name')}: OOMKilled, exit code {last.get('exitCode') or now.get('exitCode') or KILLED}",
            )
        waiting = str(now.get("reason") or "")
        told = f"{now.get('message') or ''} {last.get('message') or ''}"
        for kind, strength, pattern in _WORDS:
            if pattern.search(told):
                yield diagnosis(
                    component(pod.owner),
                    "container",
                    kind,
                    strength,
                    f"container {state.get('name')}: {waiting} {told}",
                )
        if waiting in {"CreateContainerConfigError", "CreateContainerError", "RunContainerError"}:
            yield from _config(pod, waiting)
        elif _crashes(pod, state):
            yield diagnosis(
                component(pod.owner), "container", "crash_loop", 0.45,
                f"pod {pod.name} is experiencing {waiting or pod.listed}: container {state.get('name')}, exit code "
                f"{last.get('exitCode') or now.get('exitCode')}, {state.get('restartCount')} restarts{_runs(pod, state)}",
                value=float(state.get("restartCount") or 0),
            )  # fmt: skip
    if pod.ready and not pod.restarts:
        return
    yield from _evicted(pod)
    for event in pod.warnings:
        if _OOM.search(event.message):
            yield _killed(pod, workload, {}, f"{event.reason}: {event.message}")


def _evicted(pod: Pod) -> Iterator[Fact]:
    reasons = {pod.listed, pod.status.get("reason"), *(str((s.get("state") or {}).get("reason")) for s in pod.states)}
    if "Evicted" in reasons:
        said = next((e.message for e in pod.warnings if e.reason == "Evicted"), str(pod.status.get("message") or ""))
        yield diagnosis(component(pod.owner), "container", "pod_evicted", 0.9, f"pod {pod.name} was Evicted: {said}")


def _runs(pod: Pod, state: Object) -> str:
    """Its command, which often is what fails."""
    for container in pod.spec.get("containers") or ():
        told = " ".join(str(part) for part in [*(container.get("command") or ()), *(container.get("args") or ())])
        if container.get("name") == state.get("name") and told:
            return f"; it runs {told[:160]}"
    return ""


def _crashes(pod: Pod, state: Object) -> bool:
    reason = str((state.get("state") or {}).get("reason") or "")
    ended = (state.get("lastState") or {}).get("exitCode") or (state.get("state") or {}).get("exitCode")
    return reason in {"CrashLoopBackOff", "Error", "StartError", "ContainerCannotRun"} or (
        not pod.ready and bool(state.get("restartCount")) and ended not in {0, None}
    )


def _killed(pod: Pod, workload: Workload | None, state: Object, text: str) -> Fact:
    limit = ""
    containers = [*(pod.spec.get("containers") or ()), *(workload.containers() if workload else ())]
    for container in containers:
        if not state or container.get("name") == state.get("name"):
            limit = str(((container.get("resources") or {}).get("limits") or {}).get("memory") or limit)
            if limit:
                break
    said = f", memory limit {limit}" if limit else ""
    return diagnosis(component(pod.owner), "container", "oom_killed", 1.0, f"pod {pod.name}{said}: {text}")


def _config(pod: Pod, waiting: str) -> Iterator[Fact]:
    for event in sorted({*pod.warnings}, key=lambda e: e.message):
        for kind, strength, pattern in _WORDS:
            if pattern.search(event.message):
                yield diagnosis(
                    component(pod.owner), "container", kind, strength, f"{waiting}: {event.message}", at=event.at
                )


def _listed(cluster: Cluster) -> Iterator[Fact]:
    """Where no pod is described: what events say of killing."""
    if cluster.pods:
        return
    for kind, name, event in cluster.all_events:
        if kind in {"pod", ""} and _OOM.search(f"{event.reason} {event.message}"):
            owner = re.sub(r"-[a-z0-9]{5,10}-[a-z0-9]{5}$", "", name)
            yield diagnosis(
                component(owner), "container", "oom_killed", 0.95, f"{event.reason}: {event.message}", at=event.at
            )


PROBE = Probe(
    name="resource_containers",
    question="Which containers were killed, crash or cannot start, and what do they say?",
    sources=("resources",),
    cost="cheap",
    params=ResourceContainers,
    answer=answer,
)
