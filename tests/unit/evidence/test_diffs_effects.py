"""What a change does is named; what cannot do harm is named too."""

import pytest

from leadline.evidence.diffs import parse_diff, profile_of

DOES = {
    "a removed nil check whose operand is still used": (
        '@@ s/charge.go @@\n-\tif resp.ThreeDS == nil {\n-\t\treturn ""\n-\t}\n-\treturn resp.ThreeDS.Status\n+\treturn resp.ThreeDS.Status',
        "guard_removed", "resp.ThreeDS"),
    "a removed None check": (
        "@@ s/m.py @@\n-    if customer.tier is None:\n-        return 0\n-    return customer.tier.rate\n+    return customer.tier.rate",
        "guard_removed", "customer.tier"),
    "a removed registration": (
        "@@ ai/boot.ts @@\n   await load(reg);\n-  registerPlugins(reg);\n   await reg.warm();", "registration_removed", "registerPlugins"),
    "a call named only in a new comment is gone": (
        "@@ ai/boot.ts @@\n-  registerPlugins(reg);\n+  // registerPlugins(reg) runs elsewhere", "registration_removed", "registerPlugins"),
    "a removed deferred close": (
        "@@ s/r.go @@\n \tresp, err := c.Do(req)\n-\tdefer resp.Body.Close()\n \treturn decode(resp.Body)", "release_removed", "resp.Body.Close"),
    "a scope given up for calls by hand": (
        "@@ s/h.py @@\n-    with pool.connection() as conn:\n-        conn.execute(Q)\n+    conn = pool.getconn()\n+    conn.execute(Q)\n+    pool.putconn(conn)",
        "release_removed", "pool.connection"),
    "a removed breaker": (
        "@@ s/r.go @@\n-\treturn s.breaker.Execute(func() (any, error) { return s.get(k) })\n+\treturn s.get(k)", "protection_removed", "s.breaker.Execute"),
    "a query without its limit": (
        "@@ s/q.go @@\n-\treturn `SELECT id FROM events\n-\t\tWHERE t = $1\n-\t\tLIMIT 50`\n+\treturn `SELECT id FROM events\n+\t\tWHERE t = $1`",
        "limit_removed", "events"),
    "a query without a condition": (
        '@@ s/q.py @@\n-q = "SELECT id FROM events WHERE tenant = :t AND day = :d"\n+q = "SELECT id FROM events WHERE tenant = :t"',
        "predicate_removed", "events.day"),
    "a query on a table": ('@@ s/dao.py @@\n+    rows = db.execute("SELECT a FROM seat_notes WHERE u = :u")', "query_added", "seat_notes"),
    "a locking read": (
        '@@ s/q.go @@\n-\tq := "SELECT n FROM stock WHERE s = $1"\n+\tq := "SELECT n FROM stock WHERE s = $1 FOR UPDATE"', "lock_added", "stock"),
    "a remote call in a loop": (
        "@@ s/l.py @@\n+    for line in basket.lines:\n+        line.x = db.query(D).get(line.sku)", "loop_call_added", "db.query"),
    "a dropped index": ("@@ db/migrations/7.sql @@\n+DROP INDEX IF EXISTS idx_lines_basket;", "index_dropped", "idx_lines_basket"),
    "an index that locks": ("@@ db/migrations/7.sql @@\n+CREATE INDEX idx_a ON lines (a);", "migration_blocking", "lines.idx_a"),
    "an index that does not": ("@@ db/migrations/7.sql @@\n+CREATE INDEX CONCURRENTLY idx_a ON lines (a);", "migration_safe", "lines.idx_a"),
    "a renamed wire field": (
        '@@ e.go @@\n-\tMeta map[string]string `json:"meta"`\n+\tMetadata map[string]string `json:"metadata"`', "field_renamed", "meta"),
    "a narrowed wire field": ("@@ p/l.proto @@\n-  int64 entry_id = 4;\n+  int32 entry_id = 4;", "type_changed", "entry_id"),
    "a turned comparison": ("@@ s/a.go @@\n-\tif age >= limit {\n+\tif age > limit {", "operator_changed", "age"),
    "debug logging": ("@@ s/config.yaml @@\n-log_level: info\n+log_level: debug", "log_level_lowered", "log level"),
    "a store that only grows": ("@@ s/p.go @@\n+\ts.seenBaskets[b.ID] = b", "unbounded_added", "s.seenBaskets"),
    "a major bump": ("@@ go.mod @@\n-\tgithub.com/acme/x v1.9.0\n+\tgithub.com/acme/x v2.0.0", "dependency_bumped", "github.com/acme/x"),
}  # fmt: skip

CANNOT = {
    "docs_only": "@@ docs/a.md @@\n-old\n+new",
    "tests_only": "@@ pkg/a_test.go @@\n+func TestA(t *testing.T) { retry(5) }",
    "ci_only": "@@ .github/workflows/b.yml @@\n-timeout: 10\n+timeout: 20",
    "ui_only": "@@ web/card.css @@\n-.a { padding: 1px; }\n+.a { padding: 2px; }",
    "not_production": "@@ deploy/staging/tls.yaml @@\n-cert: a\n+cert: b",
    "comment_only": "@@ s/a.go @@\n-// timeout is 5\n+// timeout is 6",
    "formatting_only": "@@ s/a.yaml @@\n-pay_url: http://pay:80\n+# grouped\n+pay_url:   http://pay:80",
    "text_only": '@@ s/m.go @@\n-\tErrX = "resouce not found"\n+\tErrX = "resource not found"',
    "observability_only": '@@ pkg/cache/metrics.go @@\n+\thits = prometheus.NewCounter(prometheus.CounterOpts{Name: "hits"})',
    "hardening_only": "@@ pkg/page.go @@\n+\tif len(items) == 0 { return nil, nil }",
    "dependency_patch": "@@ go.mod @@\n-\tgithub.com/acme/x v1.4.1\n+\tgithub.com/acme/x v1.4.2",
    "refactor": (
        '@@ pkg/v.go @@\n-\tif r.Lat < -90 || r.Lat > 90 {\n-\t\treturn errRange("lat", r.Lat)\n-\t}\n'
        '+\tif err := check("lat", r.Lat, -90, 90); err != nil {\n+\t\treturn err\n+\t}'
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DOES)
def test_an_effect_is_named(name: str) -> None:
    diff, kind, key = DOES[name]
    assert (kind, key) in [(e.kind, e.key) for e in profile_of(parse_diff(diff)).effects]


@pytest.mark.parametrize("kind", CANNOT)
def test_an_innocent_change_is_named(kind: str) -> None:
    assert profile_of(parse_diff(CANNOT[kind])).innocence == kind


@pytest.mark.parametrize("name", DOES)
def test_no_harmful_change_is_called_innocent(name: str) -> None:
    assert profile_of(parse_diff(DOES[name][0])).innocence is None


def test_a_handed_on_error_is_no_lost_check() -> None:
    diff = "@@ s/a.go @@\n-\titem, err := s.load(k)\n-\tif err != nil { return nil, err }\n-\treturn item, nil\n+\treturn s.load(k)"
    assert profile_of(parse_diff(diff)).innocence == "refactor"
    assert profile_of(parse_diff(diff)).effects == ()


def test_a_query_on_a_table_that_the_change_creates_is_none() -> None:
    diff = '@@ s/dao.py @@\n+    q = "SELECT a FROM seat_notes"\n@@ db/migrations/3.sql @@\n+CREATE TABLE seat_notes (a int);'
    assert [e.kind for e in profile_of(parse_diff(diff)).effects] == ["table_created"]


def test_a_file_of_unknown_content_is_said_to_be_unknown() -> None:
    assert profile_of(parse_diff("", ["services/pay/charge.go"])).innocence == "unknown_content"


def test_one_risky_file_takes_the_innocence_of_the_rest() -> None:
    diff = CANNOT["docs_only"] + "\n@@ s/pool.go @@\n-\tMaxConns: 50,\n+\tMaxConns: 5,"
    assert profile_of(parse_diff(diff)).innocence is None
