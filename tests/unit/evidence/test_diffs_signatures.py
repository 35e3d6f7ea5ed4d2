"""Signatures of faults in diffs that look like tidying, each beside a like diff that is none."""

import pytest

from leadline.evidence.diffs import parse_diff, profile_of
from leadline.evidence.diffs.patterns import nested


def effects(text: str) -> set[tuple[str, str]]:
    return {(effect.kind, effect.key) for effect in profile_of(parse_diff(text)).effects}


def kinds(text: str) -> set[str]:
    return {kind for kind, _ in effects(text)}


DEFERRED = (
    "@@ yard/shelf.go @@ func (s *Shelf) Move(ctx context.Context, id string) error {\n \ts.mu.Lock()\n"
    "+\tdefer s.mu.Unlock()\n \titem, ok := s.items[id]\n-\ts.mu.Unlock()\n \tif !ok { return ErrGone }\n"
    " \treturn s.store.Save(ctx, item)"
)
DEFERRED_OVER_NOTHING = (
    "@@ yard/shelf.go @@ func (s *Shelf) Size() int {\n \ts.mu.Lock()\n-\tn := len(s.items)\n-\ts.mu.Unlock()\n"
    "-\treturn n\n+\tdefer s.mu.Unlock()\n+\treturn len(s.items)"
)


def test_an_unlock_that_moved_behind_a_call_widens_the_lock() -> None:
    profile = profile_of(parse_diff(DEFERRED))
    assert [(e.kind, e.key) for e in profile.effects] == [("lock_widened", "s.mu.Unlock")]
    assert profile.innocence is None


def test_an_unlock_deferred_over_nothing_that_waits_is_tidying() -> None:
    assert "lock_widened" not in kinds(DEFERRED_OVER_NOTHING)


def test_a_lock_taken_around_a_remote_call_widens_it() -> None:
    text = "@@ yard/rates.py @@\n+    with self._lock:\n+        rate = self.client.fetch(day)\n-    rate = self.client.fetch(day)"
    assert "lock_widened" in kinds(text)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("@@ yard/a.ts @@\n-const seen = new LRUCache<string, Tray>({ max: 500 });\n+const seen = new Map<string, Tray>();", "seen"),
        ("@@ yard/a.py @@\n-    self.recent = deque(maxlen=100)\n+    self.recent = deque()", "recent"),
        ("@@ yard/a.py @@\n-@lru_cache(maxsize=512)\n+@cache\n def tray(id): ...", "maxsize"),
    ],
)  # fmt: skip
def test_a_container_that_forgets_no_more(text: str, key: str) -> None:
    found = [e for e in profile_of(parse_diff(text)).effects if e.kind == "bound_removed"]
    assert [e.key.rpartition(".")[2] for e in found] == [key]


def test_a_container_that_stays_bounded_lost_nothing() -> None:
    text = "@@ yard/a.ts @@\n-const seen = new LRUCache<string, Tray>({ max: 500 });\n+const seen = new TTLCache<string, Tray>({ max: 500, ttl: 60_000 });"
    assert "bound_removed" not in kinds(text)


@pytest.mark.parametrize("pattern", [r"^([a-z0-9]+[.-]?)+$", r"^(\w+)*$", r"(?:\d+|x+)+y"])
def test_a_repeat_inside_a_repeat_is_costly(pattern: str) -> None:
    assert nested(pattern)


@pytest.mark.parametrize("pattern", [r"^[a-z0-9]+([.-][a-z0-9]+)*$", r"^[a-z]+$", r"(abc)+"])
def test_a_separator_between_the_rounds_keeps_it_cheap(pattern: str) -> None:
    assert not nested(pattern)


def test_a_setting_with_the_same_value_under_another_name_is_renamed() -> None:
    text = "@@ charts/yard/values.yaml @@ env:\n-  TRAY_QUEUE_URL: amqp://q.prod\n+  TRAY_BROKER_URL: amqp://q.prod"
    assert ("key_renamed", "TRAY_QUEUE_URL") in effects(text)


def test_a_named_entry_of_an_environment_is_a_setting_too() -> None:
    text = "@@ charts/yard/deploy.yaml @@\n-        - name: TRAY_HOST\n-          value: trays.prod\n+        - name: YARD_TRAYS\n+          value: trays.prod"
    assert ("key_renamed", "TRAY_HOST") in effects(text)


def test_another_value_under_another_name_is_no_rename() -> None:
    text = "@@ charts/yard/values.yaml @@ env:\n-  TRAY_QUEUE_URL: amqp://q.prod\n+  TRAY_LIMIT: forty"
    assert "key_renamed" not in kinds(text)


def test_a_default_that_is_turned_round_is_a_switch_whatever_the_call_is_called() -> None:
    text = '@@ yard/flags.ts @@\n-export const shadow = () => ld.variation("tray_shadow", CTX, true);\n+export const shadow = () => flags.getBoolean("tray_shadow", false);'
    found = next(e for e in profile_of(parse_diff(text)).effects if e.kind == "switch_changed")
    assert (found.key, found.old_value, found.new_value) == ("tray_shadow", 1.0, 0.0)


def test_the_text_of_an_enumeration_is_a_value_on_the_wire() -> None:
    text = '@@ yard/Phase.java @@ public enum Phase {\n-  COOLING("cooling"),\n+  COOLING("cooling_down"),'
    assert ("wire_value_changed", "COOLING cooling") in effects(text)


def test_what_is_read_elsewhere_in_the_same_diff_is_not_removed() -> None:
    text = '@@ yard/h.py @@\n-    phase = Phase(event["phase"])\n+    phase = read(event)\n@@ yard/read.py @@\n+    return Phase(event["phase"])'
    assert not kinds(text) & {"field_removed", "field_renamed"}
    assert ("call_removed", "Phase") not in effects(text)


def test_a_number_a_thousand_times_smaller_is_no_refactoring() -> None:
    profile = profile_of(parse_diff("@@ yard/c.ts @@\n-  const signal = AbortSignal.timeout(o.ms ?? 30_000);\n+  const signal = AbortSignal.timeout(o.s ?? 30);"))  # fmt: skip
    assert profile.innocence is None
    assert [(e.old_value, e.new_value) for e in profile.effects if e.kind == "constant_changed"] == [(30000.0, 30.0)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("@@ yard/p.ts @@\n-  for (const p of pages) out.push(await thumb(p));\n+  const out = await Promise.all(pages.map((p) => thumb(p)));", "fanout_added"),
        ("@@ yard/p.py @@ async def label(req):\n-    resp = await http.post(URL, json=req)\n+    resp = requests.post(URL, json=req)", "blocking_added"),
        ("@@ yard/t.py @@\n-    exp = datetime.utcnow() + TTL\n+    exp = datetime.now() + TTL", "clock_changed"),
        ('@@ yard/o.py @@\n-    tags = data.get("tags", [])\n+    tags = data.get("tags")', "guard_removed"),
        ('@@ yard/l.go @@\n-\tfor page := 1; page <= total; page++ {\n+\tfor cursor != "" {', "bound_removed"),
    ],
)  # fmt: skip
def test_further_signatures(text: str, kind: str) -> None:
    assert kind in kinds(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("@@ yard/p.ts @@\n-  const out = await Promise.all(pages.map(thumb));\n+  const out = await Promise.all(pages.map((p) => thumb(p)));", "fanout_added"),
        ("@@ yard/p.py @@ def label(req):\n-    resp = client.post(URL, json=req)\n+    resp = requests.post(URL, json=req)", "blocking_added"),
        ("@@ yard/t.py @@\n-    exp = datetime.now(UTC) + TTL\n+    exp = datetime.now(UTC) + TTL_SHORT", "clock_changed"),
        ('@@ yard/o.py @@\n-    tags = data.get("tags", [])\n+    tags = data.get("tags", ())', "guard_removed"),
    ],
)  # fmt: skip
def test_their_harmless_neighbours(text: str, kind: str) -> None:
    assert kind not in kinds(text)
