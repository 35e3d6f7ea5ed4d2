"""A small cluster as `kubectl` prints it, healthy until a test breaks something."""

from typing import Any

Row = dict[str, Any]
NODES = ("alpha", "beta", "gamma")
SPACE = "depot"

POD = """Name:             {name}-7d9f8c4b5-x2k9p
Namespace:        depot
Service Account:  {account}
Node:             {node}
Labels:           app={name}
                  pod-template-hash=7d9f8c4b5
Status:           {phase}
IP:               10.1.0.7
Controlled By:    ReplicaSet/{name}-7d9f8c4b5
Containers:
  main:
    Image:          registry.example.org/depot/{image}
    Port:           {port}/TCP
    State:          {state}
{reason}    Last State:     {last}
{code}    Ready:          {ready}
    Restart Count:  {restarts}
    Limits:
      cpu:     200m
      memory:  128Mi
    Requests:
      cpu:     100m
      memory:  64Mi
    Liveness:   {liveness}
    Readiness:  {readiness}
    Environment:
{env}    Mounts:  <none>
Conditions:
  Type            Status
  Ready           {ready}
  PodScheduled    {scheduled}
Volumes:  <none>
Node-Selectors:   {selector}
Tolerations:      node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
Events:
  Type     Reason     Age                From     Message
  ----     ------     ----               ----     -------
{events}"""

DEPLOYMENT = """Name:                   {name}
Namespace:              depot
Labels:                 app={name}
Selector:               app={name}
Replicas:               {desired} desired | {desired} updated | {total} total | {available} available | 0 unavailable
Pod Template:
  Labels:           app={name}
  Service Account:  {account}
  Containers:
   main:
    Image:      registry.example.org/depot/{image}
    Port:       {port}/TCP
    Environment:
{env}    Mounts:        <none>
  Volumes:         <none>
  Node-Selectors:  {selector}
Events:  <none>
"""

SERVICE = """Name:                     {name}
Namespace:                depot
Selector:                 {selects}
Type:                     ClusterIP
Port:                     main  {port}/{protocol}
TargetPort:               {target}/{protocol}
Endpoints:                {endpoints}
Events:                   <none>
"""

NODE = """Name:               {name}
Roles:              {role}
Labels:             kubernetes.io/hostname={name}
                    disk={disk}
Taints:             {taints}
Unschedulable:      {cordoned}
Conditions:
  Type             Status  LastHeartbeatTime                 LastTransitionTime                Reason          Message
  ----             ------  -----------------                 ------------------                ------          -------
  MemoryPressure   {memory}   Mon, 09 Mar 2026 10:00:00 +0000   Mon, 09 Mar 2026 09:00:00 +0000   KubeletSays     as it is
  Ready            {ready}    Mon, 09 Mar 2026 10:00:00 +0000   Mon, 09 Mar 2026 09:00:00 +0000   KubeletReady    {message}
Allocatable:
  cpu:     8
  memory:  16Gi
  pods:    110
Non-terminated Pods:          ({pods} in total)
Events:              <none>
"""

GRPC = "grpc <pod>:{port} delay=5s timeout=1s period=10s #success=1 #failure=3"


def app(name: str, port: int = 8080, **changed: Any) -> list[Row]:
    """A deployment of one pod and its service; what is given replaces what is usual."""
    usual = {
        "name": name, "port": port, "account": name, "node": "alpha/10.0.0.1", "phase": "Running", "image": f"{name}:v1.4",
        "state": "Running", "reason": "", "last": "", "code": "", "ready": "True", "restarts": 0, "scheduled": "True",
        "liveness": GRPC.format(port=port), "readiness": GRPC.format(port=port), "env": f"      PORT:  {port}\n",
        "selector": "<none>", "events": "  Normal   Started    3m                 kubelet  Started container main",
        "desired": 1, "total": 1, "available": 1, "selects": f"app={name}", "protocol": "TCP", "target": port,
        "endpoints": f"10.1.0.7:{port}", "listed": "Running",
    }  # fmt: skip
    values = usual | changed
    rows = [
        row("deployment", name, f"{values['available']}/{values['desired']}", DEPLOYMENT.format(**values)),
        row("service", name, "", SERVICE.format(**values)),
    ]
    if values["desired"]:
        rows.append(row("pod", f"{name}-7d9f8c4b5-x2k9p", values["listed"], POD.format(**values)))
    return rows


def node(name: str, **changed: Any) -> Row:
    usual = {
        "name": name, "role": "worker", "disk": "hdd", "taints": "<none>", "cordoned": "false", "memory": "False",
        "ready": "True", "message": "kubelet is posting ready status", "pods": 12,
    }  # fmt: skip
    return row("node", name, "Ready", NODE.format(**(usual | changed)))


def nodes(**changed: Any) -> list[Row]:
    """Three workers, all changed alike, and a control plane that takes no pods."""
    control = node(
        "helm", role="control-plane", cordoned="true", taints="node-role.kubernetes.io/control-plane:NoSchedule"
    )
    return [control, *(node(name, **changed) for name in NODES)]


def row(kind: str, name: str, status: str, body: str) -> Row:
    return {"kind": kind, "namespace": SPACE, "name": name, "status": status, "body": body}


def warning(reason: str, message: str, age: str = "14s (x3 over 2m)") -> str:
    return f"  Warning  {reason}  {age}  kubelet  {message}"


def healthy() -> list[Row]:
    """Three apps that call each other."""
    return [
        *app("ledger", 7001), *app("mailer", 7002),
        *app("stock", 7003, env="      LEDGER_ADDR:  ledger:7001\n      MAILER_ADDR:  mailer:7002\n"), *nodes(),
    ]  # fmt: skip


def broken(name: str, port: int = 7001, **changed: Any) -> list[Row]:
    """The healthy cluster with one app changed."""
    return [r for r in healthy() if r["name"] != name and not r["name"].startswith(f"{name}-")] + app(
        name, port, **changed
    )
