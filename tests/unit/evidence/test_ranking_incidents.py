"""Invented incidents of many kinds: the rules must find what nobody tuned them on."""

from pathlib import Path

import pytest

from tests.doubles.incidents import Story, investigated

CULPRIT = "c" * 40
DECOY = "d" * 40
OTHER = "e" * 40


def case(story: Story, *, culprit: tuple[int, str, list[str], str] | None = None, on: str = "", live: int = 80,
         decoy: tuple[int, str, list[str], str] | None = None, decoy_on: str = "", decoy_live: int = 88) -> Story:  # fmt: skip
    """The story with a guilty commit, deployed some minutes before the onset, and an innocent one right at it."""
    if culprit:
        story.commits.append((CULPRIT, *culprit))
        story.deploys.append((live, on, CULPRIT))
    if decoy:
        story.commits.append((DECOY, *decoy))
        story.deploys.append((decoy_live, decoy_on or story.alert_service, DECOY))
    return story


REFACTOR = (86, "refactor: tidy handler", ["services/quote/handler.go"],
            "@@ services/quote/handler.go @@\n-\titem, err := s.load(ctx, key)\n-\tif err != nil { return nil, err }\n-\treturn item, nil\n+\treturn s.load(ctx, key)")  # fmt: skip
POOL_IDLE = (85, "chore: tune idle connections", ["services/quote/db.go"],
             "@@ services/quote/db.go @@\n-\tcfg.MaxConnIdleTime = 30 * time.Second\n+\tcfg.MaxConnIdleTime = 4 * time.Minute")  # fmt: skip

GUILTY = {
    "retry_storm": case(
        Story("ledger", "http_5xx_ratio", "ledger 5xx above 2%: 503 overloaded",
              series=[("ledger", "requests_per_sec", 120, 900), ("ledger", "http_5xx_ratio", 0.003, 0.4), ("quote", "http_client_retries_total", 2, 700), ("ledger", "cpu_utilization", 30, 97)],
              lines=[("ledger", "ERROR", "503 overloaded: too many in-flight requests", 6), ("quote", "WARN", "retrying call to ledger attempt 7", 9)],
              spans=[("quote", "ledger", True)]),
        culprit=(70, "refactor: simplify ledger client", ["services/quote/ledger_client.go"],
                 "@@ services/quote/ledger_client.go @@\n-\tcfg.MaxAttempts = 2\n-\tcfg.Backoff = backoff.Exponential(200 * time.Millisecond)\n+\tcfg.MaxAttempts = 8"), on="quote",
        decoy=(86, "refactor: tidy ledger handler", ["services/ledger/handler.go"], "@@ services/ledger/handler.go @@\n-\tx, err := s.post(ctx)\n-\tif err != nil { return nil, err }\n-\treturn x, nil\n+\treturn s.post(ctx)")),
    "memory_leak": case(
        Story("quote", "container_restarts", "quote restarting: OOMKilled",
              ramps=[("quote", "process_resident_memory_bytes", 2e8, 2e9, 82)], series=[("quote", "container_restarts_total", 0, 3), ("quote", "http_5xx_ratio", 0.002, 0.1)],
              lines=[("quote", "FATAL", "process killed: out of memory (exit code 137)", 1)]),
        culprit=(70, "feat: remember priced baskets", ["services/quote/price.go"],
                 "@@ services/quote/price.go @@\n+\ts.seenBaskets[basket.ID] = basket\n \treturn price(basket)"), on="quote", decoy=POOL_IDLE),
    "n_plus_one": case(
        Story("quote", "http_server_duration_p99_ms", "quote p99 above 1s",
              series=[("quote", "http_server_duration_p99_ms", 60, 1400), ("quotedb", "db_queries_per_second", 90, 2600), ("quotedb", "db_cpu_utilization", 20, 92)],
              lines=[("quote", "WARN", "slow request: 240 queries in one request", 5)], spans=[("quote", "quotedb", False)]),
        culprit=(70, "feat: show discounts per line", ["services/quote/lines.py"],
                 "@@ services/quote/lines.py @@\n+    for line in basket.lines:\n+        line.discount = db.query(Discount).get(line.sku)\n     return basket"), on="quote", decoy=POOL_IDLE),
    "missing_index": case(
        Story("quotedb", "db_query_duration_p99_ms", "quotedb query p99 above 500ms",
              series=[("quotedb", "db_query_duration_p99_ms", 8, 2400), ("quotedb", "db_seq_scan_rows", 200, 900000), ("quotedb", "db_cpu_utilization", 22, 98)],
              lines=[("quotedb", "WARN", "slow query: seq scan on basket_lines filter basket_id", 5)]),
        culprit=(70, "chore: drop unused indexes", ["db/migrations/0101_cleanup.sql"],
                 "@@ db/migrations/0101_cleanup.sql @@\n+DROP INDEX IF EXISTS idx_basket_lines_basket_id;"), on="quotedb", decoy=REFACTOR),
    "lock_contention": case(
        Story("quote", "http_server_duration_p99_ms", "quote p99 above 1s; lock wait timeouts",
              series=[("quote", "http_server_duration_p99_ms", 60, 5200), ("quotedb", "db_lock_wait_seconds", 0.01, 4.0)],
              lines=[("quotedb", "ERROR", "canceling statement due to lock timeout: waiting for ShareLock on relation stock", 5)], spans=[("quote", "quotedb", True)]),
        culprit=(70, "fix: reserve stock consistently", ["services/quote/stock.go"],
                 '@@ services/quote/stock.go @@\n-\trow := tx.QueryRow("SELECT qty FROM stock WHERE sku = $1", sku)\n+\trow := tx.QueryRow("SELECT qty FROM stock WHERE sku = $1 FOR UPDATE", sku)'), on="quote", decoy=POOL_IDLE),
    "wrong_endpoint": case(
        Story("quote", "upstream_error_ratio", "quote cannot reach its tax service",
              series=[("quote", "upstream_error_ratio", 0.002, 0.9)],
              lines=[("quote", "ERROR", "tax lookup failed: dial tcp: lookup taxes-v2.internal: no such host", 6)]),
        culprit=(70, "chore: tidy service addresses", ["deploy/prod/quote.yaml"],
                 "@@ deploy/prod/quote.yaml @@\n-  tax_url: http://taxes.internal:8080\n+  tax_url: http://taxes-v2.internal:8080"), on="quote", decoy=REFACTOR),
    "credentials": case(
        Story("gate", "http_401_ratio", "gate rejects tokens",
              series=[("gate", "http_401_ratio", 0.01, 0.97)],
              lines=[("gate", "WARN", "token rejected: invalid audience, expected acme-internal", 9), ("shop", "ERROR", "call to gate failed: 401 unauthorized", 4)], spans=[("shop", "gate", True)]),
        culprit=(70, "chore: align auth settings", ["services/gate/auth.yaml"],
                 "@@ services/gate/auth.yaml @@\n-  audience: acme\n+  audience: acme-internal"), on="gate", decoy=REFACTOR, decoy_on="gate"),
    "log_flood": case(
        Story("ledger", "disk_used_percent", "ledger disk above 95%",
              ramps=[("ledger", "disk_used_percent", 40, 99, 72)], series=[("ledger", "log_bytes_per_sec", 2000, 900000)],
              lines=[("ledger", "ERROR", "write failed: no space left on device", 4)]),
        culprit=(66, "chore: logging settings", ["services/ledger/config.yaml"],
                 "@@ services/ledger/config.yaml @@\n-  log_level: info\n+  log_level: debug"), on="ledger", live=70, decoy=REFACTOR),
    "cpu_cost": case(
        Story("gate", "http_server_duration_p99_ms", "login p99 above 2s",
              series=[("gate", "http_server_duration_p99_ms", 90, 3100), ("gate", "cpu_utilization", 25, 99)],
              lines=[("gate", "WARN", "login took 2900ms", 5)]),
        culprit=(70, "chore: stronger hashing", ["services/gate/password.go"],
                 "@@ services/gate/password.go @@\n-const bcryptCost = 10\n+const bcryptCost = 15"), on="gate", decoy=REFACTOR),
    "replicas": case(
        Story("quote", "http_server_duration_p99_ms", "quote p99 above 1s, queue growing",
              series=[("quote", "http_server_duration_p99_ms", 60, 1900), ("quote", "cpu_utilization", 40, 99), ("quote", "available_replicas", 6, 2)],
              lines=[("quote", "WARN", "request queue is full, shedding", 5)]),
        culprit=(70, "chore: right-size workloads", ["deploy/prod/quote/values.yaml"],
                 "@@ deploy/prod/quote/values.yaml @@\n-replicas: 6\n+replicas: 2"), on="quote", decoy=POOL_IDLE),
    "rate_limit": case(
        Story("shop", "http_4xx_ratio", "shop sees 429 from gate",
              series=[("gate", "rejected_requests_per_sec", 0.2, 300), ("shop", "http_4xx_ratio", 0.01, 0.6)],
              lines=[("gate", "WARN", "429 too many requests: limit reached for tenant", 9), ("shop", "ERROR", "call to gate failed: 429", 4)], spans=[("shop", "gate", True)]),
        culprit=(70, "chore: limiter defaults", ["services/gate/limits.go"],
                 "@@ services/gate/limits.go @@\n-\tRequestsPerSecond: 500,\n+\tRequestsPerSecond: 50,"), on="gate", decoy=REFACTOR, decoy_on="shop"),
    "connection_leak": case(
        Story("quote", "open_file_descriptors", "quote runs out of file descriptors",
              ramps=[("quote", "process_open_fds", 90, 4000, 82)], series=[("quote", "http_5xx_ratio", 0.003, 0.5)],
              lines=[("quote", "ERROR", "dial tcp: socket: too many open files", 6)]),
        culprit=(70, "refactor: rate client", ["services/quote/rates.go"],
                 "@@ services/quote/rates.go @@\n \tresp, err := client.Do(req)\n-\tdefer resp.Body.Close()\n \treturn decode(resp.Body)"), on="quote", decoy=POOL_IDLE),
    "none_guard_in_python": case(
        Story("quote", "http_5xx_ratio", "quote 5xx above 2%",
              series=[("quote", "http_5xx_ratio", 0.003, 0.7)],
              lines=[("quote", "ERROR", "AttributeError: 'NoneType' object has no attribute 'tier'", 7)]),
        culprit=(70, "refactor: membership pricing", ["services/quote/member.py"],
                 "@@ services/quote/member.py @@\n-    if customer.membership is None:\n-        return 0\n-    return customer.membership.tier\n+    return customer.membership.tier"), on="quote", decoy=POOL_IDLE),
    "breaker_removed": case(
        Story("quote", "http_server_duration_p99_ms", "quote p99 above 5s",
              series=[("quote", "http_server_duration_p99_ms", 60, 9000), ("quote", "in_flight_requests", 20, 800), ("rates", "http_5xx_ratio", 0.01, 0.2)],
              lines=[("quote", "ERROR", "timeout waiting for rates after 9000ms", 5)], spans=[("quote", "rates", True)]),
        culprit=(70, "refactor: rates client", ["services/quote/rates.go"],
                 "@@ services/quote/rates.go @@\n-\treturn s.breaker.Execute(func() (any, error) { return s.rates.Get(ctx, key) })\n+\treturn s.rates.Get(ctx, key)"), on="quote", decoy=REFACTOR),
    "narrowed_type": case(
        Story("ledger", "http_5xx_ratio", "ledger 5xx above 2%: integer out of range",
              series=[("ledger", "http_5xx_ratio", 0.003, 0.5)],
              lines=[("ledger", "ERROR", "pq: value out of range for type integer: entry_id", 7)]),
        culprit=(70, "chore: align proto types", ["proto/ledger.proto"],
                 "@@ proto/ledger.proto @@\n-  int64 entry_id = 4;\n+  int32 entry_id = 4;"), on="ledger", decoy=REFACTOR, decoy_on="ledger"),
    "batch_size": case(
        Story("indexer", "consumer_lag", "indexer lag above 10k",
              series=[("indexer", "heap_used_bytes", 3e8, 1.9e9), ("indexer", "consumer_lag", 20, 50000)],
              lines=[("indexer", "ERROR", "java.lang.OutOfMemoryError: Java heap space while handling batch", 3), ("indexer", "WARN", "group rebalancing: max.poll.interval exceeded", 3)]),
        culprit=(70, "perf: fewer round trips", ["indexer/src/main/resources/application.properties"],
                 "@@ indexer/src/main/resources/application.properties @@\n-max.poll.records=500\n+max.poll.records=50000"), on="indexer", decoy=REFACTOR, decoy_on="indexer"),
}  # fmt: skip

INNOCENT = {
    "traffic_surge": case(
        Story("shop", "http_server_duration_p99_ms", "shop p99 above 2s",
              series=[("shop", "http_requests_per_sec", 300, 2600), ("shop", "http_server_duration_p99_ms", 80, 2900), ("quote", "requests_per_sec", 200, 1700), ("quote", "cpu_utilization", 35, 99), ("shop", "active_sessions", 900, 8000)],
              lines=[("quote", "WARN", "request queue is full, shedding load", 6)], spans=[("shop", "quote", True)]),
        decoy=POOL_IDLE, decoy_on="quote"),
    "certificate": case(
        Story("quote", "upstream_error_ratio", "quote cannot call rates",
              series=[("quote", "upstream_error_ratio", 0.002, 0.99), ("rates", "tls_handshake_errors_per_sec", 0.0, 40)],
              lines=[("quote", "ERROR", "call failed: x509: certificate has expired or is not yet valid: current time is after 2026-03-03T09:30:00Z", 8)], spans=[("quote", "rates", True)]),
        decoy=(85, "refactor: http transport", ["services/quote/transport.go"], "@@ services/quote/transport.go @@\n-\ttr := &http.Transport{MaxIdleConns: 50}\n+\ttr := &http.Transport{MaxIdleConns: 80}")),
    "provider": case(
        Story("pay", "charge_error_ratio", "pay: charges failing",
              series=[("pay", "provider_call_error_ratio", 0.004, 0.85), ("pay", "charge_error_ratio", 0.01, 0.84), ("shop", "http_5xx_ratio", 0.003, 0.4)],
              lines=[("pay", "ERROR", "charge failed: 503 Service Unavailable from https://api.cardhouse.com/v1/charges", 9)], spans=[("shop", "pay", True)],
              status="2026-03-03T09:31:00Z cardhouse: major outage, elevated error rates on charges API"),
        decoy=(85, "chore: raise charge deadline", ["services/pay/client.go"], "@@ services/pay/client.go @@\n-\tTimeout: 3 * time.Second,\n+\tTimeout: 5 * time.Second,")),
    "node": case(
        Story("quote", "http_5xx_ratio", "several services unavailable",
              series=[("quote", "http_5xx_ratio", 0.003, 0.5), ("rates", "http_5xx_ratio", 0.003, 0.5), ("mail", "http_5xx_ratio", 0.003, 0.4), ("kube", "node_ready_count", 6, 5), ("kube", "pods_evicted_total", 0, 9)],
              lines=[("kube", "ERROR", "node worker-7 NotReady: kubelet stopped posting status, evicting pods", 2), ("quote", "ERROR", "pod evicted from node", 1), ("rates", "ERROR", "pod evicted from node", 1), ("mail", "ERROR", "pod evicted from node", 1)]),
        decoy=(85, "chore: raise memory request", ["deploy/prod/quote/values.yaml"], "@@ deploy/prod/quote/values.yaml @@\n-  memory: 256Mi\n+  memory: 384Mi")),
    "disk_full": case(
        Story("quotedb", "disk_used_percent", "quotedb disk above 95%",
              ramps=[("quotedb", "disk_used_percent", 60, 100, 10)], series=[("quotedb", "db_write_error_ratio", 0.0, 0.9), ("quote", "http_5xx_ratio", 0.002, 0.6)],
              lines=[("quotedb", "ERROR", "could not extend file base/16384: No space left on device", 6), ("quote", "ERROR", "save failed: database error", 4)], spans=[("quote", "quotedb", True)]),
        decoy=REFACTOR, decoy_on="quote"),
    "clock_skew": case(
        Story("gate", "http_401_ratio", "gate rejects tokens",
              series=[("gate", "http_401_ratio", 0.01, 0.9), ("gate", "ntp_clock_offset_seconds", 0.002, 340)],
              lines=[("gate", "WARN", "token used before issued: clock skew 340s", 7), ("gate", "ERROR", "chronyd: lost synchronisation with all sources", 1)]),
        decoy=REFACTOR, decoy_on="gate"),
    "primary_failover": case(
        Story("quotedb", "db_write_error_ratio", "quotedb refuses writes",
              series=[("quotedb", "db_write_error_ratio", 0.0, 0.95), ("quote", "http_5xx_ratio", 0.003, 0.7)],
              lines=[("quotedb", "ERROR", "cannot execute UPDATE in a read-only transaction", 7), ("quotedb", "WARN", "primary lost, failover in progress, replica promoted", 1)], spans=[("quote", "quotedb", True)]),
        decoy=POOL_IDLE, decoy_on="quote"),
}  # fmt: skip


@pytest.mark.parametrize("kind", GUILTY)
async def test_the_guilty_commit_is_named(kind: str, tmp_path: Path) -> None:
    ranking, _ = await investigated(GUILTY[kind].write(tmp_path / "bundle"))
    assert ranking.causes[0].cause.ref == CULPRIT, [(c.cause.ref[:4], c.reason, c.score) for c in ranking.causes[:4]]


@pytest.mark.parametrize("kind", INNOCENT)
async def test_no_commit_is_blamed_for_what_none_did(kind: str, tmp_path: Path) -> None:
    ranking, _ = await investigated(INNOCENT[kind].write(tmp_path / "bundle"))
    assert ranking.causes[0].cause.kind == "none", [(c.cause.ref[:4], c.reason, c.score) for c in ranking.causes[:4]]
