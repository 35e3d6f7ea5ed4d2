"""Each fault of a cluster is named with its object by the check that looks for it; a healthy cluster has none."""

import pytest

from leadline.evidence.probes.registry import all_probes
from tests.unit.evidence.asking import ask
from tests.unit.evidence.cluster_objects import Row, app, broken, healthy, node, nodes, row, warning

CHECKS = tuple(sorted(name for name in all_probes() if name.startswith("resource_")))
PENDING = {
    "phase": "Pending", "listed": "Pending", "ready": "False", "scheduled": "False", "node": "<none>", "state": "Waiting",
    "available": 0, "endpoints": "<none>",
}  # fmt: skip
WAITS = {"phase": "Pending", "ready": "False", "state": "Waiting", "available": 0, "endpoints": "<none>"}
CRASHES = {"ready": "False", "state": "Waiting", "reason": "      Reason:       CrashLoopBackOff\n", "restarts": 5,
           "last": "Terminated", "code": "      Exit Code:    137\n", "available": 0}  # fmt: skip


def unplaced(words: str, **changed: object) -> list[Row]:
    return broken(
        "ledger", **PENDING, events=warning("FailedScheduling", f"0/4 nodes are available: {words}."), **changed
    )


def unpulled(words: str) -> list[Row]:
    return broken(
        "ledger", **WAITS, listed="ErrImagePull", reason="      Reason:       ErrImagePull\n",
        events=warning("Failed", f'Failed to pull image "registry.example.org/depot/ledger:v1.4": {words}'),
    )  # fmt: skip


def probed(kind: str, probe: str, words: str, **changed: object) -> list[Row]:
    return broken(
        "ledger",
        **{kind.lower(): probe},
        events=warning("Unhealthy", f"{kind} probe failed: {words}", "2s (x9 over 90s)"),
        **changed,
    )


CLAIM = """apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: ledger-data, namespace: depot}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: SIZE}}
  storageClassName: ""
SELECTOR
"""
VOLUME = """Name:            ledger-disk
Labels:          tier=cold
StorageClass:    {storage}
Status:          {phase}
Claim:           {claim}
Access Modes:    {modes}
Capacity:        2Gi
Events:          <none>
"""
UNBOUND = """Name:          ledger-data
Namespace:     depot
StorageClass:
Status:        Pending
Events:
  Type    Reason         Age   From                         Message
  ----    ------         ----  ----                         -------
  Normal  FailedBinding  4s    persistentvolume-controller  no persistent volumes available for this claim
"""


def unbound(
    size: str = "1Gi",
    selector: str = "",
    *,
    phase: str = "Available",
    claim: str = "",
    modes: str = "RWO",
    storage: str = "",
) -> list[Row]:
    declared = CLAIM.replace("SIZE", size).replace(
        "SELECTOR", f"  selector: {{matchLabels: {{{selector}}}}}" if selector else ""
    )
    deployment = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: ledger}\nspec:\n  template:\n    metadata: {labels: {app: ledger}}\n"
        "    spec:\n      containers: [{name: main, image: x}]\n      volumes: [{name: d, persistentVolumeClaim: {claimName: ledger-data}}]\n"
    )
    return [
        *unplaced("pod has unbound immediate PersistentVolumeClaims"),
        row("persistentvolumeclaim", "ledger-data", "Pending", UNBOUND),
        row(
            "persistentvolume",
            "ledger-disk",
            phase,
            VOLUME.format(phase=phase, claim=claim, modes=modes, storage=storage),
        ),
        row("manifest", "ledger", "", f"{declared}---\n{deployment}"),
    ]


LEDGER = """apiVersion: apps/v1
kind: Deployment
metadata: {name: ledger, namespace: depot}
spec:
  template:
    metadata: {labels: {app: ledger}}
    spec: {SPEC}
"""
TWO_PORTS = "containers: [{name: main, ports: [{containerPort: 7001}]}, {name: side, ports: [{containerPort: 7001}]}]"
ROUTES = """routes:
  - uri: http://ledger:7001
    predicates: [Path=/api/ledger/**]
  - uri: http://mailer:7002
    predicates: [Path=/api/mailer/**]
  - uri: http://stock:7003
    predicates: [Path=/api/stock/**]
  - uri: http://stock:7003
    predicates: [Path=/api/refunds/**]
"""


def secretive(*names: str) -> list[Row]:
    """Apps that take their settings from a secret."""
    told = "      KEY:  <set to the key 'k' in secret 's'>  Optional: false\n"
    return [r for n, name in enumerate(names) for r in app(name, 7001 + n, env=told)] + nodes()


HTTP = "http-get http://:{port}/ delay=5s timeout=1s period=10s #success=1 #failure=3"
CASES: dict[str, tuple[list[Row], str, str]] = {
    "service account": (
        [*broken("ledger", total=0, available=0, account="ledgers", desired=1, listed="", ready="False", events="")[:-1], row("replicaset", "ledger-7d9f8c4b5", "0", "Name:           ledger-7d9f8c4b5\nNamespace:      depot\nControlled By:  Deployment/ledger\n" "Replicas:       0 current / 1 desired\nPods Status:    0 Running / 0 Waiting\nEvents:\n  Type  Reason  Age  From  Message\n  ----  ------  ----  ----  ---\n" '  Warning  FailedCreate  9s  replicaset-controller  Error creating: pods "ledger-" is forbidden: error looking up service account depot/ledgers: serviceaccount "ledgers" not found\n')],
        "ledger", "service_account_missing",
    ),
    "cpu quota": (
        [*broken("ledger", total=0, available=0)[:-1], row("replicaset", "ledger-7d9f8c4b5", "0", "Name:           ledger-7d9f8c4b5\nNamespace:      depot\nControlled By:  Deployment/ledger\n" "Replicas:       0 current / 1 desired\nEvents:\n  Type  Reason  Age  From  Message\n  ----  ------  ----  ----  ---\n" '  Warning  FailedCreate  9s  replicaset-controller  Error creating: pods "ledger-x" is forbidden: exceeded quota: q, requested: requests.cpu=1, used: requests.cpu=4, limited: requests.cpu=4\n')],
        "namespace/depot", "namespace_cpu_quota_exceeded",
    ),
    "service quota": (
        [r for r in healthy() if (r["kind"], r["name"]) != ("service", "ledger")]
        + [row("service", "ledger", "failed", 'Error: Error from server (NotFound): services "ledger" not found'),
           row("resourcequota", "q", "", "Name:       q\nNamespace:  depot\nResource    Used  Hard\n--------    ----  ----\nservices    2     2\n")],
        "namespace/depot", "namespace_service_quota_exceeded",
    ),
    "scaled to zero": (broken("ledger", desired=0, total=0, available=0, endpoints="<none>"), "ledger", "deployment_scaled_to_zero"),
    "no such image": (unpulled("rpc error: code = NotFound desc = registry.example.org/depot/ledger:v1.4: not found"), "ledger", "image_not_found"),
    "registry unknown": (unpulled('failed to do request: Head "https://registry.example.org/v2": dial tcp: lookup registry.example.org on 10.0.0.2:53: no such host'), "ledger", "image_registry_unresolved"),
    "registry refuses": (
        [r for r in unpulled("failed to authorize: failed to fetch anonymous token: unexpected status: 401 Unauthorized") if "mailer" not in r["name"] and "stock" not in r["name"]],
        "ledger", "image_pull_secret_missing",
    ),
    "refused, but others are served from there": (unpulled("unexpected status from HEAD request: 403 Forbidden"), "ledger", "image_not_found"),
    "too little cpu": (unplaced("1 node(s) were unschedulable, 3 Insufficient cpu"), "ledger", "insufficient_cpu"),
    "too little memory": (unplaced("1 node(s) were unschedulable, 3 Insufficient memory"), "ledger", "insufficient_memory"),
    "selector of no node": (unplaced("1 node(s) were unschedulable, 3 node(s) didn't match Pod's node affinity/selector", selector="disk=ssd"), "ledger", "node_selector_mismatch"),
    "selected node is tainted": (
        [r for r in unplaced("1 node(s) had untolerated taint {sick: true}, 1 node(s) were unschedulable, 2 node(s) didn't match Pod's node affinity/selector",
                             selector="kubernetes.io/hostname=beta") if r["name"] != "beta"] + [node("beta", taints="sick=true:NoExecute")],
        "ledger", "taint_not_tolerated",
    ),
    "selected node is cordoned": (
        [r for r in unplaced("2 node(s) were unschedulable, 2 node(s) didn't match Pod's node affinity/selector",
                             selector="kubernetes.io/hostname=beta") if r["name"] != "beta"] + [node("beta", cordoned="true")],
        "ledger", "node_cordoned",
    ),
    "all nodes cordoned": (
        [r for r in unplaced("4 node(s) were unschedulable") if r["kind"] != "node"] + nodes(cordoned="true"), "ledger", "node_cordoned",
    ),
    "anti-affinity": (unplaced("1 node(s) were unschedulable, 3 node(s) didn't match pod anti-affinity rules"), "ledger", "pod_anti_affinity_conflict"),
    "claim too large": (unbound("5Gi"), "ledger", "pvc_capacity_mismatch"),
    "claim of another mode": (unbound(modes="ROX"), "ledger", "pvc_access_mode_mismatch"),
    "claim selects other labels": (unbound(selector="tier: hot"), "ledger", "pvc_selector_mismatch"),
    "claim of another class": (unbound(storage="slow"), "ledger", "storage_class_mismatch"),
    "volume is taken": (unbound(phase="Bound", claim="depot/other-data"), "ledger", "pv_already_bound"),
    "liveness on another port": (probed("Liveness", HTTP.format(port=7999), "dial tcp 10.1.0.7:7999: connect: connection refused", restarts=4, last="Terminated", code="      Exit Code:    137\n"), "ledger", "liveness_probe_wrong_port"),
    "liveness of another protocol": (probed("Liveness", HTTP.format(port=7001), "net/http: HTTP/1.x transport connection broken: malformed HTTP response", restarts=4, last="Terminated", code="      Exit Code:    137\n"), "ledger", "liveness_probe_wrong_protocol"),
    "liveness without patience": (
        probed("Liveness", "grpc <pod>:7001 delay=1s timeout=1s period=1s #success=1 #failure=1", 'timeout: failed to connect service "10.1.0.7:7001" within 1s',
               restarts=4, last="Terminated", code="      Exit Code:    137\n"), "ledger", "liveness_probe_too_impatient",
    ),
    "readiness on another port": (probed("Readiness", "tcp-socket :7999 delay=5s timeout=1s period=10s #success=1 #failure=3", "dial tcp 10.1.0.7:7999: connect: connection refused", ready="False", available=0, endpoints="<none>"), "ledger", "readiness_probe_wrong_port"),
    "readiness of another protocol": (probed("Readiness", HTTP.format(port=7001), "malformed HTTP response", ready="False", available=0, endpoints="<none>"), "ledger", "readiness_probe_wrong_protocol"),
    "killed for memory": (
        broken("ledger", **{**CRASHES, "reason": "      Reason:       CrashLoopBackOff\n", "code": "      Reason:       OOMKilled\n      Exit Code:    137\n"}, events=""), "ledger", "oom_killed",
    ),
    "secret is not there": (
        broken("ledger", **WAITS, listed="CreateContainerConfigError", reason="      Reason:       CreateContainerConfigError\n",
               events=warning("Failed", 'Error: secret "ledger-keys" not found')), "ledger", "secret_missing",
    ),
    "selector of no pod": (broken("ledger", selects="app=ledgers", endpoints="<none>"), "ledger", "service_selector_mismatch"),
    "target port of nobody": (broken("ledger", target=7009, endpoints="10.1.0.7:7009"), "ledger", "target_port_mismatch"),
    "another transport": (broken("ledger", protocol="UDP"), "ledger", "service_protocol_mismatch"),
    "address with another port": (broken("stock", 7003, env="      LEDGER_ADDR:  ledger:7777\n"), "stock", "service_address_wrong"),
    "address that is misspelt": (broken("stock", 7003, env="      LEDGER_ADDR:  ledger-old:7001\n"), "stock", "service_address_wrong"),
    "port of a store": (
        [*broken("stock", 7003, env="      STOCK_MYSQL_PORT:  3307\n"), *app("depot-mysql", 3306)],
        "stock",
        "database_port_wrong",
    ),
    "resolves names elsewhere": (
        [
            *broken("ledger"),
            row("manifest", "ledger", "", LEDGER.replace("SPEC", "dnsPolicy: None, dnsConfig: {nameservers: [203.0.113.9]}")),
        ],
        "ledger",
        "service_dns_resolution_failure",
    ),
    "two containers on one port": (
        [*broken("ledger"), row("manifest", "ledger", "", LEDGER.replace("SPEC", TWO_PORTS))],
        "ledger",
        "container_port_conflict",
    ),
    "route to another": (
        [*healthy(), row("configmap", "ledger-routes", "", ROUTES)],
        "ledger",
        "gateway_misrouted",
    ),
    "nothing from a secret": (
        [*secretive("ledger", "mailer", "stock"), *broken("till", 7005, **CRASHES, events="")],
        "till",
        "secret_missing",
    ),
    "read-only database": (
        [
            *broken("stock", 7003, env="      DB_HOST:  depot-mysql\n"),
            *app("depot-mysql", 3306),
            row("configmap", "depot-mysql", "", "Name: depot-mysql\nData\n====\nmy.cnf:\n----\n[mysqld]\nread_only = 1\n"),
        ],
        "depot-mysql",
        "database_read_only",
    ),
    "node without kubelet": ([*healthy(), row("node_service", "beta/kubelet", "inactive (dead)", "Active: inactive (dead) since Mon")], "beta", "kubelet_unavailable"),
    "node without runtime": ([*healthy(), row("node_service", "beta/containerd", "failed (Result: signal)", "Active: failed")], "beta", "container_runtime_unavailable"),
    "memory pressure": ([*healthy(), node("delta", memory="True ")], "delta", "node_memory_pressure"),
    "too many pods": ([*healthy(), node("delta", pods=110)], "delta", "insufficient_pods"),
}  # fmt: skip


async def diagnosed(bundle, least: float = 0.6) -> list[tuple[str, str]]:
    facts = [fact for name in CHECKS for fact in (await ask(bundle, name)).facts]
    told = sorted((f for f in facts if f.relation == "states" and f.strength >= least), key=lambda f: -f.strength)
    return list(dict.fromkeys((f.subject.ref, f.object) for f in told))


@pytest.mark.parametrize("name", CASES)
async def test_the_fault_is_named_with_its_object(opened, name: str) -> None:
    rows, subject, kind = CASES[name]
    found = await diagnosed(opened({"resources.jsonl": rows}))
    assert found[:1] == [(subject, kind)]


async def test_a_healthy_cluster_has_no_fault(opened) -> None:
    assert await diagnosed(opened({"resources.jsonl": healthy()}), least=0.3) == []


async def test_trouble_at_the_start_is_over(opened) -> None:
    """A pod that is ready now was slow to start; a control plane that takes no pods is as it should be."""
    late = warning("Unhealthy", "Readiness probe failed: timeout: failed to connect service", "80s (x2 over 82s)")
    rows = broken("ledger", events=late)
    rows.append(row(
        "replicaset", "ledger-7d9f8c4b5", "1",
        "Name:           ledger-7d9f8c4b5\nNamespace:      depot\nControlled By:  Deployment/ledger\nReplicas:       1 current / 1 desired\n"
        "Pods Status:    1 Running / 0 Waiting\nEvents:\n  Type  Reason  Age  From  Message\n  ----  ------  ----  ----  ---\n"
        '  Warning  FailedCreate  2m  replicaset-controller  Error creating: serviceaccount "ledger" not found\n',
    ))  # fmt: skip
    bundle = opened({"resources.jsonl": rows})
    assert await diagnosed(bundle, least=0.3) == []
    assert {f.subject.ref for f in (await ask(bundle, "resource_state")).facts} <= {"helm"}


async def test_a_completed_pod_is_no_fault(opened) -> None:
    rows = [*healthy(), *app("nightly", phase="Succeeded", listed="Completed", ready="False", state="Terminated")]
    assert [d for d in await diagnosed(opened({"resources.jsonl": rows}), least=0.3) if d[0] == "nightly"] == []


async def test_every_diagnosis_cites_the_line_that_shows_it(opened) -> None:
    rows, _, _ = CASES["address with another port"]
    facts = (await ask(opened({"resources.jsonl": rows}), "resource_references")).facts
    assert [(f.quote, f.value, f.baseline) for f in facts] == [
        ("stock is told LEDGER_ADDR=ledger:7777; service ledger has port 7001", 7777.0, 7001.0)
    ]
