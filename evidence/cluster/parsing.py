"""A resource's body as objects of the API, whatever it was printed as."""

# ruff: noqa: E501  # one pattern stands on one line

import json
import re
from functools import lru_cache
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from .describe import Object, described

MAX_OBJECTS = 200
SHORT = 600
"""Characters of an answer that can be nothing but a refusal."""
_LISTING = re.compile(r"^[A-Z][A-Z0-9 ()-]*=[^;\n]*(?:; [A-Z(])")
_PHASES = frozenset({"Running", "Pending", "Succeeded", "Completed", "Failed", "Unknown", "Terminating"})
_STREAM = re.compile(r"^(?:stdout|stderr):\s*\n")
_NOT_FOUND = re.compile(r"\(NotFound\)|^Error from server \(NotFound\)|\" not found\s*$")


@lru_cache(maxsize=2048)
def objects_of(kind: str, body: str) -> tuple[Object, ...]:
    """Each with `kind` in lower case and `metadata`; `declared` where it is what was asked for, not what is."""
    if says_absent(body):
        return ()
    body = _STREAM.sub("", body)
    start = body.lstrip()[:1]
    if body.startswith("Name:"):
        found = described(kind, body)
        return (found,) if found else ()
    if _LISTING.match(body):
        return (_listed(kind, body),)
    if start in {"{", "["}:
        return _from_json(kind, body)
    if re.search(r"^(?:apiVersion|kind):", body, re.MULTILINE):
        return _from_yaml(body)
    return ()


def says_absent(body: str) -> bool:
    """Whether a look-up answered that there is no such object."""
    return len(body) < SHORT and "\n" not in body.strip() and _NOT_FOUND.search(body) is not None


def _listed(kind: str, body: str) -> Object:
    columns = dict(part.split("=", 1) for part in body.split("; ") if "=" in part)
    found: Object = {"kind": kind, "metadata": {"name": columns.get("NAME", ""), "labels": {}}, "columns": columns}
    if kind == "pod":
        found |= _listed_pod(columns)
    if kind == "persistentvolume":
        found["spec"] = {
            "claimRef": columns.get("CLAIM", ""), "storageClassName": columns.get("STORAGECLASS", ""),
            "capacity": {"storage": columns.get("CAPACITY", "")},
            "accessModes": columns.get("ACCESS MODES", "").split(","),
        }  # fmt: skip
        found["status"] = {"phase": columns.get("STATUS", "")}
    return found


def _listed_pod(columns: dict[str, str]) -> Object:
    status = columns.get("STATUS", "")
    ready, slash, wanted = columns.get("READY", "").partition("/")
    restarts = columns.get("RESTARTS", "").partition(" ")[0]
    waits = status if status not in _PHASES else ""
    return {
        "spec": {"nodeName": columns.get("NODE", "").replace("<none>", "")},
        "status": {
            "phase": status if status in _PHASES else "Pending" if "Pull" in status or "Creating" in status else "Running",
            "conditions": [{"type": "Ready", "status": str(bool(slash) and ready == wanted)}] if slash else [],
            "containerStatuses": [{
                "name": "", "ready": ready == wanted, "restartCount": int(restarts) if restarts.isdigit() else 0,
                "state": {"is": "Waiting" if waits else status, "reason": waits}, "lastState": {},
            }],
        },
    }  # fmt: skip


def _from_json(kind: str, body: str) -> tuple[Object, ...]:
    try:
        raw = json.loads(body)
    except ValueError:
        return ()
    items = raw if isinstance(raw, list) else raw.get("items", [raw]) if isinstance(raw, dict) else []
    return tuple(_api(item, kind) for item in items[:MAX_OBJECTS] if isinstance(item, dict))


def _from_yaml(body: str) -> tuple[Object, ...]:
    found = []
    try:
        for document in YAML(typ="safe", pure=True).load_all(body):
            if isinstance(document, dict) and "kind" in document:
                items = document.get("items") if str(document["kind"]).endswith("List") else [document]
                found += [_api(item, "") | {"declared": True} for item in items or () if isinstance(item, dict)]
    except (YAMLError, ValueError, TypeError, RecursionError):
        return tuple(found[:MAX_OBJECTS])
    return tuple(found[:MAX_OBJECTS])


def _api(item: dict[Any, Any], kind: str) -> Object:
    """An object of the API as it is; one of a flat export gets the API's places for what it says."""
    found: Object = {str(key): value for key, value in item.items()}
    found["kind"] = str(found.get("kind") or kind).lower()
    if not isinstance(found.get("metadata"), dict):
        found["metadata"] = {"name": str(found.get("name", "")), "namespace": str(found.get("namespace", ""))}
    containers = found.get("containers")
    if found["kind"] == "pod" and isinstance(containers, list) and "spec" not in found:
        found["spec"] = {"nodeName": found.get("node_name", ""), "containers": containers}
        found["status"] = {
            "phase": found.get("phase", ""), "conditions": found.get("conditions") or [],
            "containerStatuses": [_flat_status(c) for c in containers if isinstance(c, dict)],
        }  # fmt: skip
    elif found["kind"] == "pod":
        _own_states(found)
    elif "spec" not in found and isinstance(found.get("desired"), int):
        found["spec"] = {"replicas": found["desired"]}
        found["status"] = {"availableReplicas": found.get("available", found.get("ready", 0))}
    return found


def _flat_status(container: dict[str, Any]) -> Object:
    state = container.get("state") or {}
    return {
        "name": container.get("name", ""), "ready": bool(container.get("ready")),
        "restartCount": int(container.get("restart_count") or 0),
        "state": {"is": state.get("type", ""), **_state(state)}, "lastState": {},
    }  # fmt: skip


def _state(state: dict[str, Any]) -> Object:
    return {
        "reason": str(state.get("reason") or ""), "message": str(state.get("message") or ""),
        "exitCode": state.get("exit_code", state.get("exitCode")),
    }  # fmt: skip


def _own_states(pod: Object) -> None:
    """`{waiting: {reason: X}}` becomes `{is: Waiting, reason: X}`."""
    status = pod.get("status")
    if not isinstance(status, dict):
        return
    for entry in [*(status.get("containerStatuses") or []), *(status.get("initContainerStatuses") or [])]:
        for key in ("state", "lastState"):
            inner = entry.get(key)
            if isinstance(inner, dict) and inner and "is" not in inner:
                name, told = next(iter(inner.items()))
                entry[key] = {"is": str(name).capitalize(), **_state(told if isinstance(told, dict) else {})}
