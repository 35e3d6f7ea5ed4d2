"""More invented incidents, of kinds that the first set does not have; each was written before the rule that it needed."""

from pathlib import Path

import pytest

from tests.doubles.incidents import Story, investigated

CULPRIT, DECOY = "c" * 40, "d" * 40
Commit = tuple[int, str, list[str], str]


def case(
    story: Story, culprit: Commit | None = None, on: str = "", live: int = 80, decoy: Commit | None = None,
    decoy_on: str = "", decoy_live: int = 88,
) -> Story:  # fmt: skip
    if culprit:
        story.commits.append((CULPRIT, *culprit))
        story.deploys.append((live, on, CULPRIT))
    if decoy:
        story.commits.append((DECOY, *decoy))
        story.deploys.append((decoy_live, decoy_on or story.alert_service, DECOY))
    return story


REFACTOR = (
    86,
    "refactor: tidy handler",
    ["services/quote/handler.go"],
    "@@ services/quote/handler.go @@\n-\titem, err := s.load(ctx, key)\n-\tif err != nil { return nil, err }\n-\treturn item, nil\n+\treturn s.load(ctx, key)",
)
EXTRACTED = (
    86,
    "refactor: extract row mapper",
    ["services/quote/store.go"],
    "@@ services/quote/store.go @@\n-\tvar out []Row\n-\tfor rows.Next() {\n-\t\tvar r Row\n-\t\trows.Scan(&r.ID)\n-\t\tout = append(out, r)\n-\t}\n-\treturn out, nil\n+\treturn mapRows(rows)",
)
LARGER_POOL = (
    85,
    "chore: raise pool ceiling",
    ["services/quote/db.go"],
    "@@ services/quote/db.go @@\n-\tcfg.MaxConns = 20\n+\tcfg.MaxConns = 40",
)
SORTING = (
    86,
    "feat: support sort direction",
    ["services/quote/api.go"],
    '@@ services/quote/api.go @@\n+\tasc := r.URL.Query().Get("order") == "asc"\n+\tif asc {\n+\t\tsort.Slice(res, func(i, j int) bool { return res[i].At < res[j].At })\n+\t}',
)

GUILTY = {
    "goroutine_leak": case(
        Story(
            "quote",
            "memory_bytes",
            "quote memory climbing",
            ramps=[
                ("quote", "go_goroutines", 200, 90000, 82),
                ("quote", "process_resident_memory_bytes", 2e8, 1.5e9, 82),
            ],
            lines=[("quote", "WARN", "runtime: goroutine count 80000, scheduler latency high", 2)],
        ),
        (
            70,
            "refactor: notify async",
            ["services/quote/notify.go"],
            "@@ services/quote/notify.go @@\n-\ts.notifier.Send(ctx, ev)\n+\tgo func() {\n+\t\ts.results <- s.notifier.Send(context.Background(), ev)\n+\t}()",
        ),
        "quote",
        decoy=LARGER_POOL,
    ),
    "cache_key_tenant": case(
        Story(
            "catalog",
            "cache_hit_ratio",
            "catalog cache hit ratio dropped",
            series=[
                ("catalog", "cache_hit_ratio", 0.95, 0.1),
                ("catalogdb", "db_queries_per_second", 100, 900),
                ("catalogdb", "db_cpu_utilization", 20, 95),
            ],
            lines=[("catalog", "WARN", "cache miss; reading from catalogdb", 6)],
            spans=[("catalog", "catalogdb", False)],
        ),
        (
            70,
            "fix: include request id in cache key",
            ["services/catalog/cache.go"],
            '@@ services/catalog/cache.go @@\n-\tkey := fmt.Sprintf("item:%s", id)\n+\tkey := fmt.Sprintf("item:%s:%s", id, reqID)',
        ),
        "catalog",
        decoy=REFACTOR,
        decoy_on="catalog",
    ),
    "consumer_topic": case(
        Story(
            "billing",
            "consumer_lag",
            "billing consumer lag; events not processed",
            series=[("billing", "events_processed_per_min", 500, 0), ("broker", "consumer_lag_messages", 10, 90000)],
            lines=[
                (
                    "billing",
                    "WARN",
                    "subscribed topic invoices-v2 has no partitions assigned; unknown topic or partition",
                    3,
                )
            ],
        ),
        (
            70,
            "chore: align topic names",
            ["services/billing/config.yaml"],
            "@@ services/billing/config.yaml @@\n-  topic: invoices\n+  topic: invoices-v2",
        ),
        "billing",
        decoy=REFACTOR,
        decoy_on="billing",
    ),
    "idempotency": case(
        Story(
            "pay",
            "duplicate_charges_total",
            "duplicate charges detected",
            series=[("pay", "duplicate_charges_total", 0, 40)],
            lines=[("pay", "ERROR", "duplicate charge detected for order: idempotency key missing", 5)],
        ),
        (
            70,
            "refactor: charge request builder",
            ["services/pay/charge.go"],
            "@@ services/pay/charge.go @@\n \treq := gateway.ChargeRequest{Amount: amt}\n-\treq.SetIdempotencyKey(order.ID)\n \treturn c.gw.Charge(ctx, req)",
        ),
        "pay",
        decoy=LARGER_POOL,
        decoy_on="pay",
    ),
    "grpc_msg_size": case(
        Story(
            "catalog",
            "rpc_client_error_rate",
            "catalog calls failing ResourceExhausted",
            series=[("catalog", "rpc_client_error_rate", 0.002, 0.7)],
            lines=[
                (
                    "catalog",
                    "ERROR",
                    "rpc error: code = ResourceExhausted desc = grpc: received message larger than max (6291456 vs. 1048576)",
                    6,
                )
            ],
        ),
        (
            70,
            "chore: grpc client options",
            ["pkg/rpc/client.go"],
            "@@ pkg/rpc/client.go @@\n-\tMaxRecvMsgSize: 16 << 20,\n+\tMaxRecvMsgSize: 1 << 20,",
        ),
        "catalog",
        decoy=EXTRACTED,
        decoy_on="catalog",
    ),
    "keepalive": case(
        Story(
            "quote",
            "http_server_duration_p99_ms",
            "quote p99 up; ports exhausted",
            series=[("quote", "http_server_duration_p99_ms", 50, 900), ("quote", "tcp_time_wait_sockets", 300, 28000)],
            lines=[("quote", "ERROR", "dial tcp 10.0.0.7:443: connect: cannot assign requested address", 5)],
        ),
        (
            70,
            "refactor: http client per request",
            ["services/quote/client.go"],
            "@@ services/quote/client.go @@\n-\tresp, err := s.client.Do(req)\n+\tclient := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}\n+\tresp, err := client.Do(req)",
        ),
        "quote",
        decoy=LARGER_POOL,
    ),
    "statement_timeout": case(
        Story(
            "reports",
            "http_5xx_ratio",
            "reports 5xx: canceling statement due to statement timeout",
            series=[("reports", "http_5xx_ratio", 0.003, 0.6)],
            lines=[("reports", "ERROR", "pq: canceling statement due to statement timeout", 6)],
        ),
        (
            70,
            "chore: db session defaults",
            ["pkg/db/session.go"],
            "@@ pkg/db/session.go @@\n-\tstatementTimeout = 30 * time.Second\n+\tstatementTimeout = 500 * time.Millisecond",
        ),
        "reports",
        decoy=EXTRACTED,
        decoy_on="reports",
    ),
    "hpa_max": case(
        Story(
            "quote",
            "cpu_utilization",
            "quote CPU saturated at peak",
            series=[
                ("quote", "cpu_utilization", 55, 99),
                ("quote", "http_server_duration_p99_ms", 80, 2400),
                ("quote", "hpa_current_replicas", 9, 3),
            ],
            lines=[("quote", "WARN", "autoscaler: desired replicas 9 limited to max 3", 2)],
        ),
        (
            70,
            "chore: cost guardrails",
            ["deploy/prod/quote/hpa.yaml"],
            "@@ deploy/prod/quote/hpa.yaml @@\n-  maxReplicas: 12\n+  maxReplicas: 3",
        ),
        "quote",
        decoy=SORTING,
    ),
    "liveness_path": case(
        Story(
            "quote",
            "container_restarts",
            "quote restarting",
            series=[("quote", "container_restarts_total", 0, 6), ("quote", "http_5xx_ratio", 0.002, 0.3)],
            lines=[
                (
                    "kubelet",
                    "WARN",
                    "Liveness probe failed: HTTP probe failed with statuscode: 404, quote will be restarted",
                    3,
                )
            ],
        ),
        (
            70,
            "chore: unify probes",
            ["deploy/prod/quote/deployment.yaml"],
            "@@ deploy/prod/quote/deployment.yaml @@\n livenessProbe:\n   httpGet:\n-    path: /healthz\n+    path: /livez",
        ),
        "quote",
        decoy=SORTING,
    ),
    "regex_cpu": case(
        Story(
            "gate",
            "cpu_utilization",
            "gate CPU at 100%",
            series=[("gate", "cpu_utilization", 25, 99), ("gate", "http_server_duration_p99_ms", 40, 4000)],
            lines=[("gate", "WARN", "email validation took 3800ms", 4)],
        ),
        (
            70,
            "fix: stricter email validation",
            ["services/gate/validate.js"],
            "@@ services/gate/validate.js @@\n-const EMAIL = /^[^@]+@[^@]+$/;\n+const EMAIL = /^([a-zA-Z0-9]+)+@([a-z]+)+$/;",
        ),
        "gate",
        decoy=LARGER_POOL,
        decoy_on="gate",
    ),
    "where_tenant": case(
        Story(
            "reports",
            "http_server_duration_p99_ms",
            "reports p99 above 5s",
            series=[("reports", "http_server_duration_p99_ms", 90, 6000), ("reports", "db_rows_examined", 200, 900000)],
            lines=[("reports", "WARN", "slow query: SELECT * FROM ledger_rows took 5400ms", 5)],
        ),
        (
            70,
            "refactor: report query",
            ["services/reports/query.py"],
            "@@ services/reports/query.py @@\n-    q = session.query(LedgerRow).filter(LedgerRow.tenant == tenant).filter(LedgerRow.day >= since)\n+    q = session.query(LedgerRow).filter(LedgerRow.day >= since)",
        ),
        "reports",
        decoy=LARGER_POOL,
        decoy_on="reports",
    ),
    "flag_default": case(
        Story(
            "shop",
            "checkout_error_ratio",
            "shop checkout errors",
            series=[("shop", "checkout_error_ratio", 0.004, 0.8)],
            lines=[("shop", "ERROR", "new pricing engine: not implemented for currency EUR", 6)],
        ),
        (
            70,
            "chore: flip defaults",
            ["services/shop/flags.go"],
            "@@ services/shop/flags.go @@\n-\tNewPricingEngine: false,\n+\tNewPricingEngine: true,",
        ),
        "shop",
        decoy=REFACTOR,
        decoy_on="shop",
    ),
    "missing_env": case(
        Story(
            "mail",
            "send_error_ratio",
            "mail cannot send",
            series=[("mail", "send_error_ratio", 0.003, 1.0)],
            lines=[("mail", "ERROR", "smtp auth failed: 535 authentication credentials invalid: username empty", 6)],
        ),
        (
            70,
            "chore: tidy env",
            ["deploy/prod/mail.yaml"],
            "@@ deploy/prod/mail.yaml @@\n env:\n-  - name: SMTP_USERNAME\n-    valueFrom: {secretKeyRef: {name: smtp, key: username}}\n   - name: SMTP_HOST",
        ),
        "mail",
        decoy=REFACTOR,
        decoy_on="mail",
    ),
    "index_bounds": case(
        Story(
            "quote",
            "http_5xx_ratio",
            "quote panics",
            series=[("quote", "http_5xx_ratio", 0.003, 0.4), ("quote", "panic_count", 0, 30)],
            lines=[("quote", "ERROR", "panic: runtime error: index out of range [0] with length 0", 6)],
        ),
        (
            70,
            "refactor: first offer wins",
            ["services/quote/offers.go"],
            "@@ services/quote/offers.go @@\n-\tif len(offers) == 0 {\n-\t\treturn nil, ErrNoOffer\n-\t}\n-\treturn offers[0], nil\n+\treturn offers[0], nil",
        ),
        "quote",
        decoy=LARGER_POOL,
    ),
    "await_missing": case(
        Story(
            "ledger",
            "lost_writes_total",
            "ledger entries missing",
            series=[("ledger", "lost_writes_total", 0, 90)],
            lines=[
                (
                    "ledger",
                    "ERROR",
                    "reconciliation mismatch: 90 entries missing; unhandled promise rejection in saveEntry",
                    4,
                )
            ],
        ),
        (
            70,
            "refactor: entry writer",
            ["services/ledger/writer.ts"],
            "@@ services/ledger/writer.ts @@\n-    await saveEntry(entry);\n+    saveEntry(entry);",
        ),
        "ledger",
        decoy=LARGER_POOL,
        decoy_on="ledger",
    ),
    "tls_min": case(
        Story(
            "gate",
            "tls_handshake_errors",
            "gate handshake failures from partners",
            series=[("gate", "tls_handshake_errors_per_sec", 0.1, 60)],
            lines=[("gate", "WARN", "TLS handshake error: client offered only unsupported versions: [302 301]", 6)],
        ),
        (
            70,
            "chore: tls hardening",
            ["services/gate/tls.go"],
            "@@ services/gate/tls.go @@\n-\tMinVersion: tls.VersionTLS11,\n+\tMinVersion: tls.VersionTLS13,",
        ),
        "gate",
        decoy=REFACTOR,
        decoy_on="gate",
    ),
    "mem_limit": case(
        Story(
            "quote",
            "container_restarts",
            "quote OOMKilled",
            series=[
                ("quote", "container_restarts_total", 0, 5),
                ("quote", "container_memory_working_set_ratio", 0.5, 1.0),
            ],
            lines=[("kubelet", "ERROR", "container quote OOMKilled exit code 137", 2)],
        ),
        (
            70,
            "chore: right-size requests",
            ["deploy/prod/quote/values.yaml"],
            "@@ deploy/prod/quote/values.yaml @@\n resources:\n   limits:\n-    memory: 1Gi\n+    memory: 256Mi",
        ),
        "quote",
        decoy=SORTING,
    ),
    "mutex": case(
        Story(
            "quote",
            "http_server_duration_p99_ms",
            "quote p99 above 3s",
            series=[
                ("quote", "http_server_duration_p99_ms", 60, 3500),
                ("quote", "go_mutex_wait_seconds", 0.01, 9),
                ("quote", "go_goroutines", 200, 4000),
            ],
            lines=[("quote", "WARN", "request waited 3100ms for rate table lock", 5)],
        ),
        (
            70,
            "fix: protect rate table",
            ["services/quote/rates.go"],
            "@@ services/quote/rates.go @@\n+\ts.mu.Lock()\n+\tdefer s.mu.Unlock()\n \trate, err := s.remote.Fetch(ctx, key)",
        ),
        "quote",
        decoy=EXTRACTED,
    ),
    "proto_required": case(
        Story(
            "writer",
            "deserialize_error_ratio",
            "writer rejects events",
            series=[("writer", "deserialize_error_ratio", 0.002, 0.95), ("writer", "events_written_per_min", 400, 2)],
            lines=[("writer", "ERROR", "event rejected: missing required field region", 7)],
        ),
        (
            65,
            "feat: region on events",
            ["schemas/event.schema.json"],
            '@@ schemas/event.schema.json @@\n-  "required": ["id", "kind"]\n+  "required": ["id", "kind", "region"]',
        ),
        "writer",
        live=75,
        decoy=REFACTOR,
        decoy_on="writer",
    ),
    "queue_name": case(
        Story(
            "mail",
            "emails_sent_per_min",
            "mail sends nothing",
            series=[("mail", "emails_sent_per_min", 90, 0), ("broker", "queue_depth", 5, 9000)],
            lines=[("mail", "ERROR", "NOT_FOUND - no queue 'mail-outbox' in vhost '/'", 3)],
        ),
        (
            70,
            "chore: queue constants",
            ["pkg/queues/names.go"],
            '@@ pkg/queues/names.go @@\n-const MailQueue = "mail.outbox"\n+const MailQueue = "mail-outbox"',
        ),
        "mail",
        decoy=REFACTOR,
        decoy_on="mail",
    ),
    "prefetch": case(
        Story(
            "worker",
            "jobs_processed_per_min",
            "worker throughput dropped",
            series=[("worker", "jobs_processed_per_min", 800, 40), ("broker", "queue_depth", 10, 20000)],
            lines=[("worker", "WARN", "waiting for next delivery", 3)],
        ),
        (
            70,
            "chore: consumer qos",
            ["services/worker/consumer.go"],
            "@@ services/worker/consumer.go @@\n-\tch.Qos(64, 0, false)\n+\tch.Qos(1, 0, false)",
        ),
        "worker",
        decoy=SORTING,
        decoy_on="worker",
    ),
    "thread_pool": case(
        Story(
            "search",
            "rejected_requests_total",
            "search rejects requests",
            series=[("search", "rejected_requests_total", 0, 900), ("search", "thread_pool_queue_size", 3, 1000)],
            lines=[("search", "ERROR", "RejectedExecutionException: thread pool queue is full", 6)],
        ),
        (
            70,
            "chore: executor sizes",
            ["search/src/main/resources/application.yml"],
            "@@ search/src/main/resources/application.yml @@\n executor:\n-  core-size: 64\n+  core-size: 4",
        ),
        "search",
        decoy=REFACTOR,
        decoy_on="search",
    ),
    "date_format": case(
        Story(
            "billing",
            "invoice_error_ratio",
            "billing invoices failing",
            series=[("billing", "invoice_error_ratio", 0.001, 0.9)],
            lines=[("billing", "ERROR", 'parsing time "03/03/2026" as "2006-01-02": cannot parse date', 6)],
        ),
        (
            70,
            "chore: date layout",
            ["services/billing/dates.go"],
            '@@ services/billing/dates.go @@\n-const layout = "01/02/2006"\n+const layout = "2006-01-02"',
        ),
        "billing",
        decoy=LARGER_POOL,
        decoy_on="billing",
    ),
    "enum_removed": case(
        Story(
            "orders",
            "http_5xx_ratio",
            "orders 5xx: unknown status",
            series=[("orders", "http_5xx_ratio", 0.002, 0.3)],
            lines=[("orders", "ERROR", "unknown order status: PARTIALLY_SHIPPED", 6)],
        ),
        (
            70,
            "refactor: order status enum",
            ["services/orders/status.ts"],
            "@@ services/orders/status.ts @@\n export enum Status {\n   PAID = 'PAID',\n-  PARTIALLY_SHIPPED = 'PARTIALLY_SHIPPED',\n   SHIPPED = 'SHIPPED',",
        ),
        "orders",
        decoy=LARGER_POOL,
        decoy_on="orders",
    ),
    "route_removed": case(
        Story(
            "api",
            "http_404_ratio",
            "api 404s on /v1/quotes",
            series=[("api", "http_404_ratio", 0.01, 0.6)],
            lines=[("api", "WARN", "404 no route for GET /v1/quotes", 8)],
        ),
        (
            70,
            "chore: drop legacy routes",
            ["services/api/routes.go"],
            '@@ services/api/routes.go @@\n-\tr.HandleFunc("/v1/quotes", h.Quotes)\n \tr.HandleFunc("/v2/quotes", h.QuotesV2)',
        ),
        "api",
        decoy=REFACTOR,
        decoy_on="api",
    ),
    "recursion": case(
        Story(
            "tree",
            "http_5xx_ratio",
            "tree 5xx: stack overflow",
            series=[("tree", "http_5xx_ratio", 0.002, 0.7)],
            lines=[("tree", "ERROR", "RecursionError: maximum recursion depth exceeded in expand", 6)],
        ),
        (
            70,
            "refactor: expand children",
            ["services/tree/expand.py"],
            "@@ services/tree/expand.py @@\n-    if depth > MAX_DEPTH:\n-        return node\n     for child in node.children:\n         expand(child, depth + 1)",
        ),
        "tree",
        decoy=LARGER_POOL,
        decoy_on="tree",
    ),
    "read_replica": case(
        Story(
            "cart",
            "stale_read_ratio",
            "cart shows stale data",
            series=[("cart", "stale_read_ratio", 0.001, 0.4)],
            lines=[("cart", "WARN", "read-your-write violated: replica lag 9s", 5)],
        ),
        (
            70,
            "perf: read from replica",
            ["services/cart/store.go"],
            "@@ services/cart/store.go @@\n-\trow := s.primary.QueryRow(ctx, q, id)\n+\trow := s.replica.QueryRow(ctx, q, id)",
        ),
        "cart",
        decoy=LARGER_POOL,
        decoy_on="cart",
    ),
    "gzip_level": case(
        Story(
            "edge",
            "cpu_utilization",
            "edge CPU saturated",
            series=[("edge", "cpu_utilization", 30, 98), ("edge", "http_server_duration_p99_ms", 20, 700)],
            lines=[("edge", "WARN", "response compression took 600ms", 4)],
        ),
        (
            70,
            "perf: smaller responses",
            ["services/edge/gzip.go"],
            "@@ services/edge/gzip.go @@\n-\tgz, _ := gzip.NewWriterLevel(w, 1)\n+\tgz, _ := gzip.NewWriterLevel(w, 9)",
        ),
        "edge",
        decoy=REFACTOR,
        decoy_on="edge",
    ),
    "poll_interval": case(
        Story(
            "catalogdb",
            "db_queries_per_second",
            "catalogdb overloaded",
            series=[("catalogdb", "db_queries_per_second", 120, 3000), ("catalogdb", "db_cpu_utilization", 20, 97)],
            lines=[("catalogdb", "WARN", "too many queries: SELECT version FROM settings", 6)],
            spans=[("shop", "catalogdb", False)],
        ),
        (
            70,
            "chore: fresher settings",
            ["pkg/settings/watch.go"],
            "@@ pkg/settings/watch.go @@\n-\tpollInterval: 60 * time.Second,\n+\tpollInterval: 100 * time.Millisecond,",
        ),
        "shop",
        decoy=REFACTOR,
        decoy_on="catalogdb",
    ),
    "unlock_removed": case(
        Story(
            "stock",
            "http_server_duration_p99_ms",
            "stock hangs",
            series=[("stock", "http_server_duration_p99_ms", 40, 30000), ("stock", "go_goroutines", 100, 9000)],
            lines=[("stock", "ERROR", "request timed out waiting for stock mutex", 6)],
        ),
        (
            70,
            "refactor: early return",
            ["services/stock/reserve.go"],
            "@@ services/stock/reserve.go @@\n \ts.mu.Lock()\n-\tdefer s.mu.Unlock()\n \tif qty == 0 {\n \t\treturn nil\n \t}",
        ),
        "stock",
        decoy=LARGER_POOL,
        decoy_on="stock",
    ),
    "int_division": case(
        Story(
            "price",
            "price_mismatch_total",
            "prices wrong",
            series=[("price", "price_mismatch_total", 0, 700)],
            lines=[("price", "ERROR", "price mismatch: computed 0 expected 1999", 6)],
        ),
        (
            70,
            "refactor: discount math",
            ["services/price/discount.go"],
            "@@ services/price/discount.go @@\n-\treturn price * (100 - pct) / 100\n+\treturn price * ((100 - pct) / 100)",
        ),
        "price",
        decoy=LARGER_POOL,
        decoy_on="price",
    ),
}

INNOCENT = {
    "surge_with_pool": case(
        Story(
            "shop",
            "http_server_duration_p99_ms",
            "shop latency high under load",
            series=[
                ("shop", "requests_per_second", 400, 3100),
                ("shop", "http_server_duration_p99_ms", 70, 3500),
                ("quote", "requests_per_second", 380, 2900),
                ("quotedb", "db_connections_active", 15, 40),
                ("quote", "db_pool_wait_seconds_p99", 0.01, 3),
            ],
            lines=[("quote", "ERROR", "connection pool exhausted: timed out waiting for connection", 6)],
            spans=[("shop", "quote", True), ("quote", "quotedb", False)],
        ),
        decoy=LARGER_POOL,
        decoy_on="quote",
    ),
    "cert_with_rotation": case(
        Story(
            "gate",
            "tls_handshake_error_ratio",
            "gate TLS handshakes failing",
            series=[("gate", "tls_handshake_error_ratio", 0.001, 0.99), ("gate", "cert_expiry_days_remaining", 1, -1)],
            lines=[
                (
                    "gate",
                    "ERROR",
                    "tls: failed to verify certificate: x509: certificate has expired: NotAfter 2026-03-03T09:30:00Z",
                    8,
                )
            ],
        ),
        decoy=(
            84,
            "chore: log certificate subject at startup",
            ["services/gate/tls.go"],
            '@@ services/gate/tls.go @@\n+\tlog.Printf("serving certificate subject=%s", cert.Subject)',
        ),
    ),
    "cloud_outage": case(
        Story(
            "media",
            "upload_error_ratio",
            "media uploads failing",
            series=[
                ("media", "upload_error_ratio", 0.003, 0.9),
                ("thumbs", "object_store_error_ratio", 0.002, 0.88),
                ("backup", "object_store_error_ratio", 0.001, 0.9),
            ],
            lines=[
                ("media", "ERROR", "PutObject: 503 SlowDown ServiceUnavailable from storage.cloudprovider.com", 7),
                ("thumbs", "ERROR", "GetObject: 503 ServiceUnavailable from storage.cloudprovider.com", 5),
                ("backup", "ERROR", "ListObjects: 503 ServiceUnavailable from storage.cloudprovider.com", 3),
            ],
            status="2026-03-03T09:30:00Z object storage: degraded, elevated 5xx in eu-1",
        ),
        decoy=(
            85,
            "chore: tune upload retries",
            ["services/media/upload.go"],
            "@@ services/media/upload.go @@\n-\tMaxRetries: 3,\n+\tMaxRetries: 4,",
        ),
    ),
    "noisy_neighbor": case(
        Story(
            "quotedb",
            "db_query_duration_p99_ms",
            "quotedb slow",
            series=[
                ("quotedb", "db_query_duration_p99_ms", 9, 1800),
                ("quotedb", "disk_read_await_ms", 1, 300),
                ("quotedb", "burst_balance_percent", 90, 0),
            ],
            lines=[
                ("quotedb", "WARN", "slow query: waiting on disk read", 5),
                ("quotedb", "WARN", "volume burst balance exhausted, throughput throttled", 2),
            ],
        ),
        decoy=(
            84,
            "chore: add index concurrently",
            ["db/migrations/5.sql"],
            "@@ db/migrations/5.sql @@\n+CREATE INDEX CONCURRENTLY idx_q ON quotes (at);",
        ),
    ),
    "quota": case(
        Story(
            "geo",
            "geocode_error_ratio",
            "geo lookups failing",
            series=[("geo", "geocode_error_ratio", 0.002, 1.0)],
            lines=[("geo", "ERROR", "maps provider: 403 daily quota exceeded for project acme", 8)],
        ),
        decoy=REFACTOR,
        decoy_on="geo",
    ),
    "poison": case(
        Story(
            "import",
            "row_validation_error_ratio",
            "import stuck",
            series=[
                ("import", "row_validation_error_ratio", 0.001, 0.97),
                ("import", "rows_imported_per_min", 900, 0),
                ("queue", "oldest_message_age_seconds", 5, 1500),
            ],
            lines=[
                ("import", "ERROR", "malformed row in partner feed: price='--' record_id=77 offset=4411 partition=2", 6)
            ],
        ),
        decoy=(
            85,
            "refactor: row parser",
            ["services/import/row.go"],
            '@@ services/import/row.go @@\n-\tvar r Row\n-\tif err := json.Unmarshal(b, &r); err != nil {\n-\t\treturn nil, err\n-\t}\n-\treturn &r, nil\n+\tr := &Row{}\n+\tif err := json.Unmarshal(b, r); err != nil {\n+\t\treturn nil, fmt.Errorf("parse row: %w", err)\n+\t}\n+\treturn r, nil',
        ),
    ),
    "az_network": case(
        Story(
            "quote",
            "upstream_error_ratio",
            "quote cannot reach several services",
            series=[
                ("quote", "upstream_error_ratio", 0.002, 0.4),
                ("rates", "upstream_error_ratio", 0.002, 0.35),
                ("mail", "upstream_error_ratio", 0.003, 0.4),
                ("net", "cross_az_packet_loss_ratio", 0.0, 0.4),
            ],
            lines=[
                ("quote", "ERROR", "connection reset by peer", 4),
                ("rates", "ERROR", "read tcp: i/o timeout", 4),
                ("mail", "ERROR", "no route to host", 3),
                ("net", "ERROR", "packet loss between az-a and az-b above 30%", 1),
            ],
        ),
        decoy=(
            85,
            "chore: shorter dial timeout logging",
            ["services/quote/dial.go"],
            '@@ services/quote/dial.go @@\n-\tlog.Printf("dial %s", addr)\n+\tlog.Printf("dial %s timeout=%s", addr, timeout)',
        ),
    ),
    "upstream_vendor_timeout": case(
        Story(
            "ship",
            "rate_lookup_error_ratio",
            "carrier rates failing",
            series=[
                ("ship", "rate_lookup_error_ratio", 0.003, 0.9),
                ("ship", "carrier_api_latency_p99_ms", 200, 30000),
            ],
            lines=[("ship", "ERROR", "carrier api.fastship.com timed out after 30000ms", 7)],
            status="2026-03-03T09:29:00Z fastship: investigating API timeouts",
        ),
        decoy=(
            84,
            "refactor: carrier client struct",
            ["services/ship/carrier.go"],
            "@@ services/ship/carrier.go @@\n-\tc := Client{URL: u, Timeout: 30 * time.Second}\n-\treturn &c\n+\treturn &Client{URL: u, Timeout: 30 * time.Second}",
        ),
    ),
    "expired_token": case(
        Story(
            "sync",
            "sync_error_ratio",
            "sync failing",
            series=[("sync", "sync_error_ratio", 0.001, 1.0)],
            lines=[("sync", "ERROR", "invalid_grant: refresh token has expired or been revoked", 6)],
        ),
        decoy=LARGER_POOL,
        decoy_on="sync",
    ),
    "spot": case(
        Story(
            "quote",
            "http_5xx_ratio",
            "quote 5xx",
            series=[("quote", "http_5xx_ratio", 0.002, 0.4), ("cluster", "nodes_ready", 8, 5)],
            lines=[
                ("cluster", "WARN", "spot instance interruption notice: node terminated, pods rescheduling", 3),
                ("quote", "ERROR", "connection refused", 4),
            ],
        ),
        decoy=SORTING,
        decoy_on="quote",
    ),
    "bot": case(
        Story(
            "web",
            "http_server_duration_p99_ms",
            "web slow",
            series=[
                ("web", "http_requests_per_sec", 200, 2400),
                ("web", "cpu_utilization", 40, 99),
                ("web", "http_server_duration_p99_ms", 50, 2600),
            ],
            lines=[("web", "WARN", "load shedding: dropping request from crawler", 8)],
        ),
        decoy=REFACTOR,
        decoy_on="web",
    ),
    "memory_node": case(
        Story(
            "quote",
            "http_5xx_ratio",
            "quote and mail failing",
            series=[
                ("quote", "http_5xx_ratio", 0.002, 0.5),
                ("mail", "http_5xx_ratio", 0.002, 0.4),
                ("node", "node_memory_pressure", 0, 1),
            ],
            lines=[
                ("node", "ERROR", "MemoryPressure on node worker-3, evicting pods", 2),
                ("quote", "ERROR", "upstream connect error", 3),
                ("mail", "ERROR", "upstream connect error", 3),
            ],
        ),
        decoy=(
            85,
            "chore: raise limits",
            ["deploy/prod/mail/values.yaml"],
            "@@ deploy/prod/mail/values.yaml @@\n-  memory: 256Mi\n+  memory: 512Mi",
        ),
        decoy_on="mail",
    ),
}


@pytest.mark.parametrize("kind", GUILTY)
async def test_the_guilty_commit_is_named(kind: str, tmp_path: Path) -> None:
    ranking, _ = await investigated(GUILTY[kind].write(tmp_path / "bundle"))
    assert ranking.causes[0].cause.ref == CULPRIT, [(c.cause.ref[:4], c.reason, c.score) for c in ranking.causes[:4]]


@pytest.mark.parametrize("kind", INNOCENT)
async def test_no_commit_is_blamed_for_what_none_did(kind: str, tmp_path: Path) -> None:
    ranking, _ = await investigated(INNOCENT[kind].write(tmp_path / "bundle"))
    assert ranking.causes[0].cause.kind == "none", [(c.cause.ref[:4], c.reason, c.score) for c in ranking.causes[:4]]
