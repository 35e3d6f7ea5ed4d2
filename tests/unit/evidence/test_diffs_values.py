"""Numbers of code and configuration on one scale."""

import pytest

from leadline.evidence.diffs import parse_diff, profile_of
from leadline.evidence.diffs.effects import Effect
from leadline.evidence.diffs.text import bare, terms, words
from leadline.evidence.diffs.values import quantities


@pytest.mark.parametrize(
    ("text", "key", "value", "unit"),
    [
        ("15m", "ttl", 900.0, "s"), ("15s", "ttl", 15.0, "s"), ("300ms", "", 0.3, "s"), ("5 * time.Second", "", 5.0, "s"),
        ("time.Millisecond * 300", "", 0.3, "s"), ("Duration.ofSeconds(5)", "", 5.0, "s"), ("timedelta(minutes=5)", "", 300.0, "s"),
        ("5_000", "timeout_ms", 5.0, "s"), ("30", "idleSeconds", 30.0, "s"), ("512Mi", "memory", 512 * 2**20, "By"), ("2Gi", "memory", 2 * 2**30, "By"),
        ("250m", "cpu", 0.25, "core"), ("250m", "ttl", 15000.0, "s"), ("10%", "", 10.0, "%"), ("1 << 20", "buf", 2.0**20, "1"),
        ("64 * 1024", "size", 65536.0, "1"), ("50", "max_conns", 50.0, "1"), ("-90", "lat", -90.0, "1"),
    ],
)  # fmt: skip
def test_a_quantity_is_read_in_its_base_unit(text: str, key: str, value: float, unit: str) -> None:
    found = quantities(text, key)[0]
    assert (found.value, found.unit) == (pytest.approx(value), unit)


def test_comments_go_and_strings_stay() -> None:
    assert bare('x := "http://a" // why') == 'x := "http://a"'
    assert bare("ttl: 15s  # why", "a.yaml") == "ttl: 15s"
    assert bare("SELECT 1 -- why", "a.sql") == "SELECT 1"
    assert bare("   * a line of a block") == ""


def test_identifiers_split_alike() -> None:
    assert words("MaxIdleConns") == words("max_idle_conns") == words("max-idle-conns") == ("max", "idle", "conns")
    assert terms("registerPredefinedAgents") & terms("predefined agent lookup failed") == {"predefin", "agent"}


def only(diff: str, kind: str) -> Effect:
    found = [e for e in profile_of(parse_diff(diff)).effects if e.kind == kind]
    assert len(found) == 1, found
    return found[0]


def test_a_constant_that_moves_is_told_once_over_two_files() -> None:
    effect = only(
        "@@ pkg/cache/config.go @@\n-\tDefaultTTL: 15 * time.Minute,\n+\tDefaultTTL: 15 * time.Second,\n"
        "@@ pkg/cache/redis.yaml @@\n-  default_ttl: 15m\n+  default_ttl: 15s\n",
        "constant_changed",
    )
    assert (effect.key, effect.old_value, effect.new_value, effect.unit) == ("DefaultTTL", 900.0, 15.0, "s")
    assert (effect.direction, effect.factor) == ("lowered", 60.0)


@pytest.mark.parametrize(
    ("old", "new", "key", "before", "after"),
    [
        ("const defaultMaxConns = 50", "const defaultMaxConns = 10", "defaultMaxConns", 50.0, 10.0),
        ("ctx, cancel := context.WithTimeout(ctx, 5*time.Second)", "c, cancel := context.WithTimeout(ctx, 300*time.Millisecond)", "context.WithTimeout", 5.0, 0.3),
        ("    retries = 2", "    retries = 8", "retries", 2.0, 8.0),
        ("max.poll.records=500", "max.poll.records=50000", "max.poll.records", 500.0, 50000.0),
        ("private int poolSize = 20;", "private int poolSize = 5;", "poolSize", 20.0, 5.0),
        ("sailings_seconds = 60", "sailings_seconds = 90", "sailings_seconds", 60.0, 90.0),
    ],
)  # fmt: skip
def test_the_name_of_a_number_is_found(old: str, new: str, key: str, before: float, after: float) -> None:
    effect = only(f"@@ svc/a.go @@\n-{old}\n+{new}\n", "constant_changed")
    assert (effect.key, effect.old_value, effect.new_value) == (key, before, after)


def test_nested_keys_carry_their_parents() -> None:
    effect = only(
        "@@ deploy/prod/values.yaml @@\n resources:\n   limits:\n-    memory: 512Mi\n+    memory: 128Mi\n",
        "constant_changed",
    )
    assert effect.key == "resources.limits.memory"


def test_switches_and_texts() -> None:
    assert only("@@ a.yaml @@\n-cache_enabled: true\n+cache_enabled: false\n", "switch_changed").direction == "lowered"
    text = only("@@ a.yaml @@\n-tax_url: http://taxes:80\n+tax_url: http://taxes-v2:80\n", "text_changed")
    assert (text.key, text.new) == ("tax_url", "http://taxes-v2:80")
    version = only('@@ v.go @@\n-const Version = "v1.2.3"\n+const Version = "v1.2.4"\n', "text_changed")
    assert version.clear < 0.1
