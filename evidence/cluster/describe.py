"""What `kubectl describe` prints, as the API has it: one shape for all checks, whatever the source."""

# one pattern stands on one line

import re
from typing import Any

from .outline import Line, cells, outline
from .quantities import age_seconds, times_seen

Object = dict[str, Any]
EVENT_COLUMNS = 5
"""Type, reason, age, from, message."""

_PROBE = re.compile(r"(http-get|tcp-socket|grpc|exec)\s+(\S.*?)\s+delay=(\d+)s timeout=(\d+)s period=(\d+)s "
                    r"#success=(\d+) #failure=(\d+)")  # fmt: skip
_FROM_KEY = re.compile(r"<set to the key '([^']*)' (?:in|of) (secret|config map) '([^']*)'>\s*(?:Optional:\s*(true)?)?")
_REPLICAS = re.compile(r"(\d+) (desired|updated|total|available|unavailable)")
_TAINT = re.compile(r"^([^=:\s]+)(?:=([^:\s]*))?:(NoSchedule|NoExecute|PreferNoSchedule)")
_CURRENT = re.compile(r"(\d+) current / (\d+) desired")


def described(kind: str, text: str) -> Object:
    """The object; only what the checks read. Empty for a text that describes nothing."""
    root = outline(text)
    if not root.said("Name"):
        return {}
    reader = _READERS.get(kind, _plain)
    metadata = {
        "name": root.said("Name"), "namespace": root.said("Namespace"), "labels": pairs(root.values("Labels")),
        "annotations": {line.partition(":")[0]: line.partition(":")[2].strip() for line in root.values("Annotations")},
        "ownerReferences": _owners(root.said("Controlled By")),
    }  # fmt: skip
    return {"kind": kind, "metadata": metadata, **reader(root), "events": events(root)}


def pairs(lines: tuple[str, ...], sep: str = "=") -> dict[str, str]:
    found = {}
    for line in lines:
        for part in line.split(","):
            key, equals, value = part.strip().partition(sep)
            if equals:
                found[key] = value
    return found


def events(root: Line) -> list[Object]:
    return [
        {
            "type": row[0], "reason": row[1], "age": age_seconds(row[2]), "count": times_seen(row[2]),
            "message": "  ".join(row[4:]),
        }
        for row in cells(root.entries("Events"))
        if len(row) >= EVENT_COLUMNS
    ]  # fmt: skip


def _owners(text: str) -> list[Object]:
    kind, slash, name = text.partition("/")
    return [{"kind": kind, "name": name}] if slash else []


# --- workloads --------------------------------------------------------------------------------------------------------
def _pod(root: Line) -> Object:
    containers, statuses = _containers(root)
    conditions = [
        {"type": row.text.split()[0], "status": row.text.split()[1]}
        for row in root.entries("Conditions")[1:]
        if len(row.text.split()) >= 2  # type and status
    ]
    spec = _pod_spec(root, containers) | {"nodeName": root.said("Node").partition("/")[0]}
    status = {
        "phase": root.said("Status"), "reason": root.said("Reason"), "message": root.said("Message"),
        "podIP": root.said("IP"), "conditions": conditions, "containerStatuses": statuses,
    }  # fmt: skip
    return {"spec": spec, "status": status}


def _workload(root: Line) -> Object:
    counts = {word: int(number) for number, word in _REPLICAS.findall(root.said("Replicas"))}
    current = _CURRENT.search(root.said("Replicas"))
    if current:
        counts = {"total": int(current.group(1)), "desired": int(current.group(2))}
    ready = re.search(r"(\d+) Running", root.said("Pods Status"))
    template = root.get("Pod Template") or Line("")
    containers, _ = _containers(template)
    conditions = [
        {"type": words[0], "status": words[1], "reason": words[2] if len(words) > 2 else ""}
        for row in root.entries("Conditions")
        if len(words := row.text.split()) >= 2 and words[1] in {"True", "False", "Unknown"}
    ]
    return {
        "spec": {
            "replicas": counts.get("desired"),
            "selector": {"matchLabels": pairs((root.said("Selector"),))},
            "template": {
                "metadata": {"labels": pairs(template.values("Labels"))},
                "spec": _pod_spec(template, containers),
            },
        },
        "status": {
            "replicas": counts.get("total", 0),
            "availableReplicas": counts.get("available", int(ready.group(1)) if ready else 0),
            "conditions": conditions,
        },
    }  # fmt: skip


def _pod_spec(root: Line, containers: list[Object]) -> Object:
    return {
        "serviceAccountName": root.said("Service Account"),
        "containers": containers,
        "volumes": [_volume(line) for line in root.entries("Volumes")],
        "nodeSelector": pairs(root.values("Node-Selectors")),
        "tolerations": [_toleration(text) for text in root.values("Tolerations")],
    }


def _containers(root: Line) -> tuple[list[Object], list[Object]]:
    found, statuses = [], []
    for section in ("Init Containers", "Containers"):
        for line in root.entries(section):
            container = _container(line) | {"init": section.startswith("Init")}
            found.append(container)
            if line.get("State") is not None:
                statuses.append(_status(line))
    return found, statuses


def _container(line: Line) -> Object:
    ports = re.findall(r"(\d+)/(TCP|UDP|SCTP)", line.said("Port") + " " + line.said("Ports"))
    found: Object = {
        "name": line.key,
        "image": line.said("Image"),
        "command": [row.text for row in line.entries("Command")],
        "args": [row.text for row in line.entries("Args")],
        "ports": [{"containerPort": int(port), "protocol": protocol} for port, protocol in ports],
        "resources": {
            "limits": {row.key: row.value for row in line.entries("Limits")},
            "requests": {row.key: row.value for row in line.entries("Requests")},
        },
        "env": [_env(row) for row in line.entries("Environment") if row.key],
        "envFrom": [_env_from(row.text) for row in line.entries("Environment Variables from")],
        "volumeMounts": [
            {"mountPath": row.text.partition(" from ")[0], "name": row.text.partition(" from ")[2].partition(" ")[0]}
            for row in line.entries("Mounts")
        ],
    }
    for name, key in (("Liveness", "livenessProbe"), ("Readiness", "readinessProbe"), ("Startup", "startupProbe")):
        if probe := _probe(line.said(name)):
            found[key] = probe
    return found


def _env(row: Line) -> Object:
    match = _FROM_KEY.search(row.value)
    if match is None:
        return {"name": row.key, "value": row.value}
    key, kind, name, optional = match.groups()
    source = "secretKeyRef" if kind == "secret" else "configMapKeyRef"
    return {"name": row.key, "valueFrom": {source: {"name": name, "key": key, "optional": optional == "true"}}}


def _env_from(text: str) -> Object:
    name, _, rest = text.partition(" ")
    source = "secretRef" if "Secret" in rest else "configMapRef"
    return {source: {"name": name, "optional": "Optional: true" in rest}}


def _probe(text: str) -> Object:
    match = _PROBE.search(text)
    if match is None:
        return {}
    how, target, delay, timeout, period, _, failure = match.groups()
    port = re.search(r":(\w+)(/\S*)?$", target)
    place: Object = {"port": _number(port.group(1))} if port else {}
    if how == "http-get":
        place["path"] = (port.group(2) or "/") if port else "/"
    name = {"http-get": "httpGet", "tcp-socket": "tcpSocket", "grpc": "grpc", "exec": "exec"}[how]
    return {
        name: place if how != "exec" else {"command": [target]}, "initialDelaySeconds": int(delay),
        "timeoutSeconds": int(timeout), "periodSeconds": int(period), "failureThreshold": int(failure),
    }  # fmt: skip


def _number(text: str) -> int | str:
    return int(text) if text.isdigit() else text


def _status(line: Line) -> Object:
    def state(key: str) -> Object:
        entry = line.get(key)
        if entry is None:
            return {}
        return {
            "is": entry.value, "reason": entry.said("Reason"), "message": entry.said("Message"),
            "exitCode": _code(entry.said("Exit Code")),
        }  # fmt: skip

    restarts = line.said("Restart Count")
    return {
        "name": line.key, "ready": line.said("Ready") == "True", "state": state("State"),
        "lastState": state("Last State"), "restartCount": int(restarts) if restarts.isdigit() else 0,
    }  # fmt: skip


def _code(text: str) -> int | None:
    return int(text) if text.isdigit() else None


def _volume(line: Line) -> Object:
    kind = line.said("Type").partition(" ")[0]
    found: Object = {"name": line.key, "type": kind}
    if kind == "PersistentVolumeClaim":
        found["persistentVolumeClaim"] = {"claimName": line.said("ClaimName")}
    elif kind == "Secret":
        found["secret"] = {"secretName": line.said("SecretName"), "optional": line.said("Optional") == "true"}
    elif kind == "ConfigMap":
        found["configMap"] = {"name": line.said("Name"), "optional": line.said("Optional") == "true"}
    elif kind == "HostPath":
        found["hostPath"] = {"path": line.said("Path"), "type": line.said("HostPathType")}
    return found


def _toleration(text: str) -> Object:
    head, _, rest = text.partition(" ")
    key, _, effect = head.partition(":")
    name, equals, value = key.partition("=")
    found: Object = {"key": name, "effect": effect}
    if "op=Exists" in rest or not equals:
        found["operator"] = "Exists"
    else:
        found["value"] = value
    return found


# --- the rest ---------------------------------------------------------------------------------------------------------
def _service(root: Line) -> Object:
    ports: list[Object] = []
    for line in root.below:
        words = line.value.split()
        number = re.search(r"(\S+)/(TCP|UDP|SCTP)", line.value)
        if line.key == "Port" and number:
            name = words[0] if len(words) > 1 and words[0] != "<unset>" else ""
            ports.append({"name": name, "port": _number(number.group(1)), "protocol": number.group(2)})
        elif line.key == "TargetPort" and number and ports:
            ports[-1]["targetPort"] = _number(number.group(1))
    spec: Object = {"selector": pairs(root.values("Selector")), "type": root.said("Type"), "ports": ports}
    if root.said("External Name"):
        spec["externalName"] = root.said("External Name")
    return {"spec": spec, "endpoints": root.said("Endpoints") if root.get("Endpoints") else None}


def _endpoints(root: Line) -> Object:
    subsets = root.get("Subsets") or Line("")
    return {"addresses": subsets.said("Addresses"), "notReady": subsets.said("NotReadyAddresses")}


def _node(root: Line) -> Object:
    conditions = [
        {"type": row[0], "status": row[1], "reason": row[-2], "message": row[-1]}
        for row in cells(root.entries("Conditions"))
        if len(row) >= 4  # type, status, times, reason, message
    ]
    taints = [
        {"key": m.group(1), "value": m.group(2) or "", "effect": m.group(3)}
        for text in root.values("Taints")
        if (m := _TAINT.match(text))
    ]
    used = {row[0]: row[1] for row in cells(root.entries("Allocated resources")[1:]) if len(row) > 1}
    return {
        "spec": {"taints": taints, "unschedulable": root.said("Unschedulable") == "true"},
        "status": {
            "conditions": conditions,
            "allocatable": {row.key: row.value for row in root.entries("Allocatable")},
            "requested": used,
        },
        "roles": root.said("Roles"),
        "podCount": int(count.group(1))
        if (count := re.search(r"(\d+) in total", root.said("Non-terminated Pods")))
        else 0,
    }


def _claim(root: Line) -> Object:
    return {
        "spec": {"storageClassName": root.said("StorageClass"), "volumeName": root.said("Volume")},
        "status": {"phase": root.said("Status"), "capacity": root.said("Capacity")},
    }


def _volume_object(root: Line) -> Object:
    return {
        "spec": {
            "storageClassName": root.said("StorageClass"),
            "capacity": {"storage": root.said("Capacity")},
            "accessModes": [mode.strip() for mode in root.said("Access Modes").split(",") if mode.strip()],
            "claimRef": root.said("Claim"),
        },
        "status": {"phase": root.said("Status")},
    }


def _quota(root: Line) -> Object:
    rows = [line.text.split() for line in root.below]
    named = [
        row for row in rows if len(row) == 3 and not row[0].endswith(":") and row[0] != "Resource" and row[0][0] != "-"
    ]  # resource, used, hard
    return {"status": {"used": {row[0]: row[1] for row in named}, "hard": {row[0]: row[2] for row in named}}}


def _data(root: Line) -> Object:
    data = root.get("Data")
    keys = [line.key for line in (root.below if data is None else [*data.below, *root.below]) if line.key]
    return {"keys": keys}


def _account(root: Line) -> Object:
    return {"imagePullSecrets": [{"name": name} for name in root.values("Image pull secrets")]}


def _plain(root: Line) -> Object:
    del root
    return {}


_READERS = {
    "pod": _pod, "deployment": _workload, "replicaset": _workload, "statefulset": _workload, "daemonset": _workload,
    "job": _workload, "service": _service, "endpoints": _endpoints, "node": _node, "persistentvolumeclaim": _claim,
    "persistentvolume": _volume_object, "resourcequota": _quota, "configmap": _data, "secret": _data,
    "serviceaccount": _account,
}  # fmt: skip
