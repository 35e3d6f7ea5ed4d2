"""Whose image cannot be pulled, and why not?

Method: pods that wait for an image, and the kubelet's message of the last failed pull: the registry's name does not
resolve or it is not reached; the registry wants credentials, or a pull secret that the pod names does not exist; the
reference names nothing that is there. A refusal by a registry that serves other pods' images of the same path, or an
official public image, speaks for a wrong reference. Strength: 1 where the message says it, .85 where it has to be told
apart. Cost: the resources, once.
"""

# ruff: noqa: E501  # one pattern stands on one line

import re
from collections.abc import Iterator

from ...contracts.claim import Fact
from ...contracts.evidence import Answer
from ..cluster.cluster import Cluster
from ..cluster.facts import component, diagnosis, strongest
from ..cluster.views import Event, Pod
from ..tables import Tables
from .base import Params, Probe, answered

WAITING = frozenset({"ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError"})
_FAILED = re.compile(
    r"[Ff]ailed to pull|[Ff]ailed to apply default image|InvalidImageName|couldn't parse image|ErrImageNeverPull|Back-off pulling"
)
_UNRESOLVED = re.compile(
    r"no such host|lookup \S+( on \S+)?: (server misbehaving|i/o timeout|no such)|name resolution|could not resolve",
    re.IGNORECASE,
)
_UNREACHED = re.compile(
    r"i/o timeout|connection refused|no route to host|TLS handshake timeout|Client\.Timeout|connection reset|x509|deadline exceeded",
    re.IGNORECASE,
)
_SECRET = re.compile(r"Unable to retrieve some image pull secrets|imagePullSecrets? .*not found", re.IGNORECASE)
_REFUSED = re.compile(
    r"unauthori[sz]ed|authentication required|failed to authorize|anonymous token|pull access denied|authorization failed|no basic auth|access denied|\b40[13]\b|denied:",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"manifest unknown|not found|NotFound|no match for platform|couldn't parse image|invalid reference|InvalidImageName|repository does not exist",
    re.IGNORECASE,
)
_IMAGE = re.compile(r"image \"([^\"]+)\"")


class ResourceImages(Params):
    """None: all pods are looked at."""


def answer(tables: Tables, params: ResourceImages) -> Answer:
    del params
    cluster = Cluster.read(tables)
    served = frozenset(
        _place(str(container.get("image")))
        for pod in cluster.pods
        if pod.ready
        for container in pod.spec.get("containers") or ()
    )
    facts = [fact for pod in cluster.pods if _waits(pod) for fact in _of_pod(cluster, pod, served)]
    if not cluster.pods:
        facts += [
            fact
            for kind, name, event in cluster.all_events
            if kind in {"pod", ""} and _FAILED.search(event.message)
            for fact in _judged(_named(name), [event], served, secrets=False)
        ]
    return answered(tables, "resources", strongest(facts), window=None, rows_read=len(cluster.rows))


def _waits(pod: Pod) -> bool:
    reasons = {str((state.get("state") or {}).get("reason")) for state in pod.states} | {
        pod.listed.removeprefix("Init:")
    }
    return not pod.finished and bool(reasons & WAITING)


def _of_pod(cluster: Cluster, pod: Pod, served: frozenset[str]) -> Iterator[Fact]:
    workload = cluster.workload(pod.owner)
    secrets = bool(workload and workload.first("imagePullSecrets")) or bool(pod.spec.get("imagePullSecrets"))
    told = [e for e in pod.events if _FAILED.search(e.message) or _SECRET.search(e.message)]
    states = [str((s.get("state") or {}).get("message") or "") for s in pod.states]
    told += [Event("Warning", "Waiting", text) for text in states if text]
    found = list(_judged(pod.owner, told, served, secrets=secrets))
    if not found:
        image = next((str(c.get("image")) for c in pod.spec.get("containers") or ()), "")
        yield diagnosis(
            component(pod.owner), "image", "image_pull_failure", 0.8, f"pod {pod.name}: {pod.listed} of image {image}"
        )
    yield from found


def _judged(owner: str, told: list[Event], served: frozenset[str], *, secrets: bool) -> Iterator[Fact]:
    """The most telling message decides."""
    text = " ".join(event.message for event in told)
    pulled = sorted((e for e in told if len(e.message) > 40), key=lambda e: (-len(e.message), e.message))
    if not pulled:
        return
    event = pulled[0]
    image = _IMAGE.search(event.message)
    place = _place(image.group(1)) if image else ""
    secret = next((e for e in told if _SECRET.search(e.message)), None)
    strength = 1.0
    if secret is not None:
        kind, event = "image_pull_secret_missing", secret
    elif _UNRESOLVED.search(text):
        kind = "image_registry_unresolved"
    elif _REFUSED.search(text):
        known = place in served or place.startswith("docker.io/library")
        kind = "image_not_found" if known and not secrets else "image_pull_secret_missing"
        strength = 0.85 if known else 0.95
        if (
            _NOTHING.search(text)
            and not re.search(r"anonymous token|unauthori[sz]ed", text, re.IGNORECASE)
            and not secrets
        ):
            kind = "image_not_found"
    elif _NOTHING.search(text):
        kind = "image_not_found"
    elif _UNREACHED.search(text):
        kind = "image_registry_unresolved"
        strength = 0.9
    else:
        kind, strength = "image_pull_failure", 0.8
    yield diagnosis(component(owner), "image", kind, strength, f"{event.reason}: {event.message}", at=event.at)


def _place(image: str) -> str:
    """Registry and path without the last name."""
    name = image.partition("@")[0]
    head, slash, _ = name.rpartition("/")
    if not slash:
        return "docker.io/library"
    first = head.partition("/")[0]
    return head if "." in first or ":" in first else f"docker.io/{head}"


def _named(pod: str) -> str:
    return re.sub(r"-[a-z0-9]{5,10}-[a-z0-9]{5}$", "", pod)


PROBE = Probe(
    name="resource_images",
    question="Whose image cannot be pulled, and why not?",
    sources=("resources",),
    cost="cheap",
    params=ResourceImages,
    answer=answer,
)
