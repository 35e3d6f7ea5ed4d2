"""Invented incidents of kinds that were met only after the rules had been set: each holds one rule of the page on ranking."""

from pathlib import Path

import pytest

from tests.doubles.incidents import Story, investigated

CULPRIT = "b" * 40
DECOY = "d" * 40
Commit = tuple[int, str, list[str], str]


def case(story: Story, *, culprit: Commit | None = None, on: str = "", live: int = 80, decoy: Commit | None = None,
         decoy_on: str = "", decoy_live: int = 88) -> Story:  # fmt: skip
    if culprit:
        story.commits.append((CULPRIT, *culprit))
        story.deploys.append((live, on, CULPRIT))
    if decoy:
        story.commits.append((DECOY, *decoy))
        story.deploys.append((decoy_live, decoy_on or story.alert_service, DECOY))
    return story


TIDY: Commit = (84, "refactor: name the helper", ["services/kiln/load.go"],
        "@@ services/kiln/load.go @@\n-\tv, err := s.load(ctx, key)\n-\tif err != nil { return nil, err }\n-\treturn v, nil\n+\treturn s.load(ctx, key)")  # fmt: skip
IDLE: Commit = (85, "chore: keep idle connections longer", ["services/kiln/db.go"],
        "@@ services/kiln/db.go @@\n-\tcfg.MaxConnIdleTime = 30 * time.Second\n+\tcfg.MaxConnIdleTime = 4 * time.Minute")  # fmt: skip

GUILTY = {
    "a bounded memory that is bounded no more": case(
        Story("kiln", "container_restarts", "kiln restarts: out of memory",
              ramps=[("kiln", "glaze_cache_entries", 2000, 90000, 82), ("kiln", "process_resident_memory_bytes", 3e8, 2.4e9, 82)],
              series=[("kiln", "container_restarts_total", 0, 2), ("kiln", "event_loop_lag_p99_ms", 4, 60)],
              lines=[("kiln", "FATAL", "Reached heap limit Allocation failed - JavaScript heap out of memory", 1)]),
        culprit=(70, "chore: one dependency less", ["services/kiln/src/glaze.ts"],
                 "@@ services/kiln/src/glaze.ts @@\n-const glazes = new LRUCache<string, Glaze>({ max: 2000 });\n+const glazes = new Map<string, Glaze>();"), on="kiln", decoy=IDLE),
    "a lock held over a call": case(
        Story("kiln", "rpc_duration_p99_ms", "kiln p99 above 3 s",
              series=[("kiln", "mutex_wait_seconds_per_second", 0.02, 90), ("kiln", "rpc_duration_p99_ms", 30, 6400), ("kiln", "go_goroutines", 300, 8000), ("shop", "http_5xx_ratio", 0.003, 0.4)],
              lines=[("kiln", "WARN", "slow call: Shelf.Move waited for sync.(*Mutex).Lock", 5), ("shop", "ERROR", "DEADLINE_EXCEEDED: moveShelf after 2500ms", 6)], spans=[("shop", "kiln", True)]),
        culprit=(70, "shelf: unlock with defer", ["services/kiln/shelf.go"],
                 "@@ services/kiln/shelf.go @@ func (s *Shelf) Move(ctx context.Context, id string) error {\n \ts.mu.Lock()\n+\tdefer s.mu.Unlock()\n \tit, ok := s.items[id]\n-\ts.mu.Unlock()\n \tif !ok {\n \t\treturn ErrGone\n \t}\n \treturn s.store.Save(ctx, it)"), on="kiln",
        decoy=(85, "shop: a deadline for shelf calls", ["services/shop/shelf.ts"], "@@ services/shop/shelf.ts @@\n-  return this.rpc.moveShelf({ id });\n+  return this.rpc.moveShelf({ id }, { deadline: Date.now() + 2_500 });"), decoy_on="shop"),
    "a time limit in another unit": case(
        Story("kiln", "upload_error_ratio", "kiln uploads fail",
              series=[("kiln", "upload_error_ratio", 0.002, 0.96), ("depot", "http_server_duration_p99_ms", 310, 320), ("depot", "requests_per_sec", 0, 40)],
              lines=[("kiln", "ERROR", "TimeoutError: The operation was aborted due to timeout (tray 118, elapsed 32 ms)", 8), ("depot", "WARN", "499 client closed request PUT /tray after 31 ms", 8)], spans=[("kiln", "depot", True)]),
        culprit=(70, "upload: plain options", ["services/kiln/src/upload.ts"],
                 "@@ services/kiln/src/upload.ts @@\n-  const signal = AbortSignal.timeout(o.timeoutMs ?? 30_000);\n+  const signal = AbortSignal.timeout(o.timeout ?? 30);"), on="kiln",
        decoy=(85, "depot: longer budget", ["services/depot/put.go"], "@@ services/depot/put.go @@\n-\tctx, cancel := context.WithTimeout(r.Context(), 4*time.Second)\n+\tctx, cancel := context.WithTimeout(r.Context(), 6*time.Second)"), decoy_on="depot"),
    "a setting under another name": case(
        Story("kiln", "http_5xx_ratio", "kiln answers 500",
              series=[("kiln", "http_5xx_ratio", 0.003, 0.93)],
              lines=[("kiln", "WARN", "GLAZE_QUEUE_URL unset, using default 127.0.0.1:5672", 1), ("kiln", "ERROR", "dial tcp 127.0.0.1:5672: connect: connection refused", 8)]),
        culprit=(70, "charts: one naming scheme", ["charts/kiln/values.yaml"],
                 "@@ charts/kiln/values.yaml @@ env:\n-  GLAZE_QUEUE_URL: amqp://rabbit.prod:5672\n+  GLAZE_BROKER_URL: amqp://rabbit.prod:5672"), on="kiln", decoy=IDLE),
    "a value on the wire": case(
        Story("rack", "events_failed_per_min", "rack cannot read events",
              series=[("rack", "events_failed_per_min", 0, 800), ("rack", "events_processed_per_min", 850, 0), ("kiln", "events_published_per_min", 850, 1500)],
              lines=[("rack", "ERROR", "handler failed: ValueError: 'cooling_down' is not a valid FiringPhase", 9)]),
        culprit=(60, "kiln: phase names as the display has them", ["kiln/src/main/java/Phase.java"],
                 '@@ kiln/src/main/java/Phase.java @@ public enum Phase {\n-  COOLING("cooling"),\n+  COOLING("cooling_down"),'), on="kiln", live=66,
        decoy=(85, "rack: helper reads the phase", ["rack/handlers.py"], '@@ rack/handlers.py @@\n-    phase = FiringPhase(event["phase"])\n+    phase = parse_phase(event)\n@@ rack/handlers.py @@\n+def parse_phase(event):\n+    return FiringPhase(event["phase"])'), decoy_on="rack"),
    "a pattern that backtracks": case(
        Story("kiln", "http_server_duration_p99_ms", "kiln p99 above 10 s",
              series=[("kiln", "cpu_utilization", 22, 99), ("kiln", "label_parse_p99_ms", 3, 40000), ("kiln", "oldest_message_age_seconds", 2, 900)],
              lines=[("kiln", "WARN", "worker busy for 38 s in kilnlib.labels", 4)]),
        culprit=(70, "labels: allow dotted names", ["libs/kilnlib/labels.py"],
                 '@@ libs/kilnlib/labels.py @@\n-LABEL = re.compile(r"^[a-z0-9.-]+$")\n+LABEL = re.compile(r"^([a-z0-9]+[.-]?)+$")'), on="kiln", decoy=IDLE),
    "a default that was turned round": case(
        Story("rack", "shelf_mismatch_per_min", "rack counts differ",
              series=[("kiln", "rack_events_published_per_min", 1900, 0), ("rack", "events_consumed_per_min", 1880, 0), ("rack", "shelf_mismatch_per_min", 0, 900)],
              lines=[("kiln", "INFO", "flag rack_shadow_write not defined in provider, default used", 1), ("rack", "ERROR", "shelf mismatch", 6)]),
        culprit=(80, "kiln: the new flag client", ["services/kiln/src/flags.ts"],
                 '@@ services/kiln/src/flags.ts @@\n-export const shadow = () => ld.variation("rack_shadow_write", CTX, true);\n+export const shadow = () => flags.getBoolean("rack_shadow_write", false);'), on="kiln", live=89,
        decoy=(60, "rack: larger batches", ["services/rack/application.yaml"], "@@ services/rack/application.yaml @@\n-  max-poll-records: 100\n+  max-poll-records: 500"), decoy_on="rack", decoy_live=66),
    "a charge made twice": case(
        Story("till", "duplicate_charges_per_min", "till charges twice",
              series=[("till", "duplicate_charges_per_min", 0, 40), ("till", "refund_requests_per_min", 1, 30)],
              lines=[("till", "ERROR", "duplicate charge for order detected by reconciliation", 5)]),
        culprit=(70, "till: simpler charge call", ["services/till/charge.py"],
                 "@@ services/till/charge.py @@\n-    with idempotency.guard(order.key):\n-        return psp.charge(order)\n+    return psp.charge(order)"), on="till", decoy=(85, "chore: keep idle connections longer", ["services/till/db.py"], "@@ services/till/db.py @@\n-MAX_IDLE_SECONDS = 30\n+MAX_IDLE_SECONDS = 240")),
    "a message that is too large now": case(
        Story("kiln", "publish_error_ratio", "kiln cannot publish",
              series=[("kiln", "publish_error_ratio", 0.001, 0.5), ("kiln", "rejected_too_large_per_min", 0, 120)],
              lines=[("kiln", "ERROR", "RecordTooLargeException: the message is 913402 bytes, larger than max.request.size", 7)]),
        culprit=(70, "kafka: smaller requests", ["services/kiln/application.properties"],
                 "@@ services/kiln/application.properties @@\n-max.request.size=5242880\n+max.request.size=524288"), on="kiln", decoy=IDLE),
    "a probe that asks the wrong path": case(
        Story("kiln", "available_replicas", "kiln has no ready pods",
              series=[("kiln", "available_replicas", 4, 0), ("edge", "http_5xx_ratio", 0.002, 0.95)],
              lines=[("kiln", "WARN", "Readiness probe failed: HTTP probe failed with statuscode: 404", 4), ("edge", "ERROR", "503 no healthy upstream for kiln", 8)], spans=[("edge", "kiln", True)]),
        culprit=(70, "charts: probe of the new framework", ["charts/kiln/deployment.yaml"],
                 "@@ charts/kiln/deployment.yaml @@ readinessProbe:\n-      path: /healthz\n+      path: /actuator/health"), on="kiln", decoy=(85, "edge: keep idle connections longer", ["services/edge/pool.go"], "@@ services/edge/pool.go @@\n-\tIdleConnTimeout: 30 * time.Second,\n+\tIdleConnTimeout: 90 * time.Second,"), decoy_on="edge"),
    "a host that may not be called any more": case(
        Story("till", "charge_error_ratio", "till cannot charge",
              series=[("till", "charge_error_ratio", 0.004, 0.98)],
              lines=[("till", "ERROR", "egress denied by policy: host pay.cardmill.example is not in the allowlist", 8)]),
        culprit=(70, "egress: drop unused hosts", ["deploy/prod/egress.yaml"],
                 "@@ deploy/prod/egress.yaml @@ allowlist:\n   - mail.postmill.example\n-  - pay.cardmill.example\n   - maps.tilemill.example"), on="till", decoy=(85, "till: rename a helper", ["services/till/sum.py"], "@@ services/till/sum.py @@\n-def total(lines):\n-    return sum(line.price for line in lines)\n+def sum_of(lines):\n+    return sum(line.price for line in lines)")),
    "calls that run at once": case(
        Story("kiln", "http_server_duration_p99_ms", "thumbs overloaded",
              series=[("thumbs", "cpu_utilization", 40, 99), ("thumbs", "requests_per_sec", 50, 900), ("kiln", "http_server_duration_p99_ms", 100, 6000)],
              lines=[("thumbs", "WARN", "503 overloaded", 6), ("kiln", "ERROR", "thumb failed: 503", 6)], spans=[("kiln", "thumbs", True)]),
        culprit=(70, "kiln: previews in parallel", ["services/kiln/preview.ts"],
                 "@@ services/kiln/preview.ts @@\n-  for (const p of pages) out.push(await thumb(p));\n+  const out = await Promise.all(pages.map((p) => thumb(p)));"), on="kiln",
        decoy=(85, "thumbs: log", ["services/thumbs/log.ts"], '@@ services/thumbs/log.ts @@\n+  log.info("thumb", { id });'), decoy_on="thumbs"),
    "a call that blocks a loop": case(
        Story("kiln", "http_server_duration_p99_ms", "kiln p99 above 2 s",
              series=[("kiln", "http_server_duration_p99_ms", 80, 5000), ("kiln", "event_loop_lag_ms", 2, 900), ("kiln", "cpu_utilization", 30, 28)],
              lines=[("kiln", "WARN", "Executing task took 4.2 seconds: print_label", 4)]),
        culprit=(70, "labels: the other http library", ["services/kiln/labels.py"],
                 "@@ services/kiln/labels.py @@ async def print_label(req):\n-    resp = await http.post(URL, json=req)\n+    resp = requests.post(URL, json=req)\n     return resp.json()"), on="kiln", decoy=IDLE),
    "a clock without a zone": case(
        Story("gate", "http_401_ratio", "gate rejects tokens", series=[("gate", "http_401_ratio", 0.01, 0.95)],
              lines=[("gate", "WARN", "token expired: exp 2026-03-03T07:31:00 is before now", 8)]),
        culprit=(70, "gate: one way to ask for the time", ["services/gate/token.py"],
                 "@@ services/gate/token.py @@\n-    exp = datetime.utcnow() + TTL\n+    exp = datetime.now() + TTL"), on="gate",
        decoy=(85, "gate: log claims", ["services/gate/log.py"], '@@ services/gate/log.py @@\n+    logger.info("claims", extra=claims)')),
    "a permit that is not given back": case(
        Story("kiln", "http_server_duration_p99_ms", "kiln is stuck",
              ramps=[("kiln", "semaphore_permits_in_use", 2, 100, 82)], series=[("kiln", "http_server_duration_p99_ms", 80, 9000)],
              lines=[("kiln", "ERROR", "timed out waiting for permit", 6)]),
        culprit=(70, "kiln: nothing to do for empty jobs", ["services/kiln/fire.go"],
                 "@@ services/kiln/fire.go @@\n \ts.sem.Acquire(ctx, 1)\n-\tdefer s.sem.Release(1)\n+\tif job.Empty() {\n+\t\treturn nil\n+\t}\n \terr := s.fire(ctx, job)\n+\ts.sem.Release(1)\n \treturn err"), on="kiln", decoy=IDLE),
    "a default that is gone": case(
        Story("kiln", "http_5xx_ratio", "kiln answers 500", series=[("kiln", "http_5xx_ratio", 0.002, 0.5)],
              lines=[("kiln", "ERROR", "TypeError: 'NoneType' object is not iterable", 8)]),
        culprit=(70, "kiln: tidy options", ["services/kiln/options.py"],
                 '@@ services/kiln/options.py @@\n-    tags = data.get("tags", [])\n+    tags = data.get("tags")\n     return [t.upper() for t in tags]'), on="kiln", decoy=IDLE),
    "a buffer that is too small": case(
        Story("rack", "dropped_events_per_min", "rack drops events",
              series=[("rack", "dropped_events_per_min", 0, 600), ("rack", "queue_depth", 40, 1000)],
              lines=[("rack", "WARN", "buffer full, dropping event", 7)]),
        culprit=(70, "rack: less memory", ["services/rack/buffer.go"],
                 "@@ services/rack/buffer.go @@\n-\tch := make(chan Event, 10000)\n+\tch := make(chan Event, 1000)"), on="rack",
        decoy=(85, "rack: log", ["services/rack/log.go"], '@@ services/rack/log.go @@\n+\tlog.Info("event", "id", ev.ID)')),
    "a loop without an end": case(
        Story("rack", "cpu_utilization", "rack lists for ever",
              series=[("rack", "cpu_utilization", 25, 98), ("rack", "http_server_duration_p99_ms", 70, 9000), ("depot", "requests_per_sec", 30, 2600)],
              lines=[("rack", "WARN", "listing trays: fetched page 4312, cursor unchanged", 6)], spans=[("rack", "depot", False)]),
        culprit=(70, "rack: pages by cursor", ["services/rack/list.go"],
                 '@@ services/rack/list.go @@\n-\tfor page := 1; page <= total; page++ {\n-\t\tres := s.depot.List(ctx, page)\n+\tfor cursor != "" {\n+\t\tres := s.depot.List(ctx, cursor)\n \t\tout = append(out, res.Items...)\n+\t\tcursor = res.Cursor\n \t}'), on="rack",
        decoy=(85, "depot: idle connections", ["services/depot/db.go"], "@@ services/depot/db.go @@\n-\tIdle: 30,\n+\tIdle: 60,"), decoy_on="depot"),
}  # fmt: skip

INNOCENT = {
    "a volume that filled up": case(
        Story("vault", "write_error_ratio", "vault refuses writes",
              ramps=[("vault", "data_volume_used_pct", 88, 103, 0)],
              series=[("vault", "write_error_ratio", 0.0, 0.98), ("rack", "http_5xx_ratio", 0.002, 0.9)],
              lines=[("vault", "ERROR", "write /data/wal/00041: no space left on device", 9), ("rack", "ERROR", "vault write: 500 Internal Server Error", 8)], spans=[("rack", "vault", True)]),
        decoy=(84, "vault: smaller log files", ["services/vault/logging.yaml"], "@@ services/vault/logging.yaml @@\n-  max_size_mb: 512\n+  max_size_mb: 128"), decoy_on="vault"),
    "a quota of a cloud": case(
        Story("kiln", "decrypt_error_ratio", "kiln cannot decrypt",
              series=[("kiln", "decrypt_error_ratio", 0.0, 0.8), ("kiln", "kms_throttled_per_min", 0, 400)],
              lines=[("kiln", "ERROR", "ThrottlingException: account quota exceeded for Decrypt requests, request a quota increase", 9)]),
        decoy=TIDY),
    "a network that loses packets": case(
        Story("kiln", "rpc_error_ratio", "kiln and rack lose calls",
              series=[("kiln", "rpc_error_ratio", 0.002, 0.4), ("rack", "rpc_error_ratio", 0.002, 0.4), ("till", "rpc_error_ratio", 0.002, 0.35), ("node-4", "tcp_retransmits_per_sec", 3, 900)],
              lines=[("node-4", "WARN", "NIC eth0: link flapping, packet loss 31 %", 4), ("kiln", "ERROR", "connection reset by peer", 4), ("rack", "ERROR", "connection reset by peer", 4), ("till", "ERROR", "connection reset by peer", 4)]),
        decoy=IDLE),
    "a certificate, and a handshake that was tuned": case(
        Story("gate", "idp_error_ratio", "gate cannot reach its identity provider", series=[("gate", "idp_error_ratio", 0.0, 1.0)],
              lines=[("gate", "ERROR", "x509: certificate has expired or is not yet valid: current time is after NotAfter", 8)]),
        decoy=(85, "gate: transport", ["services/gate/transport.go"], "@@ services/gate/transport.go @@\n-\tTLSHandshakeTimeout: 10 * time.Second,\n+\tTLSHandshakeTimeout: 5 * time.Second,")),
    "names that do not resolve": case(
        Story("kiln", "outbound_error_ratio", "calls fail everywhere",
              series=[(name, "outbound_error_ratio", 0, 0.6) for name in ("kiln", "rack", "till")],
              lines=[(name, "ERROR", "lookup depot.prod.svc on 10.0.0.10:53: server misbehaving", 6) for name in ("kiln", "rack", "till")]),
        decoy=(85, "kiln: depot client", ["services/kiln/client.yaml"], "@@ services/kiln/client.yaml @@\n-  depot_timeout: 2s\n+  depot_timeout: 3s")),
}  # fmt: skip


@pytest.mark.parametrize("kind", GUILTY)
async def test_the_guilty_commit_is_named(kind: str, tmp_path: Path) -> None:
    ranking, _ = await investigated(GUILTY[kind].write(tmp_path / "bundle"))
    assert ranking.causes[0].cause.ref == CULPRIT, [(c.cause.ref[:4], c.reason, c.score) for c in ranking.causes[:4]]


@pytest.mark.parametrize("kind", INNOCENT)
async def test_no_commit_is_blamed_for_what_none_did(kind: str, tmp_path: Path) -> None:
    ranking, _ = await investigated(INNOCENT[kind].write(tmp_path / "bundle"))
    assert ranking.causes[0].cause.kind == "none", [(c.cause.ref[:4], c.reason, c.score) for c in ranking.causes[:4]]
