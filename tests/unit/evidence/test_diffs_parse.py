"""Diff text of every form becomes the same files, hunks and edits."""

import pytest

from leadline.evidence.diffs import parse_diff
from leadline.evidence.diffs.model import Edit
from leadline.evidence.diffs.roles import is_production, is_shared, role_of

UNIFIED = """\
diff --git a/shop/cart.py b/shop/cart.py
index 1..2 100644
--- a/shop/cart.py
+++ b/shop/cart.py
@@ -3,4 +3,4 @@ def total(cart):
     lines = cart.lines
-    return sum(lines)
+    return sum(lines) * cart.rate
     # end
--- a/shop/rate.yaml
+++ b/shop/rate.yaml
@@ -1,1 +1,1 @@
-rate: 1
+rate: 2
"""
SHORT = """\
@@ shop/cart.py @@ def total(cart):
     lines = cart.lines
-    return sum(lines)
+    return sum(lines) * cart.rate
     # end
@@ shop/rate.yaml @@
-rate: 1
+rate: 2
"""
COLON = "@@ shop/cart.py: def total(cart):\n-    return sum(lines)\n+    return sum(lines) * cart.rate\n"


@pytest.mark.parametrize("text", [UNIFIED, SHORT], ids=["unified", "short"])
def test_both_forms_give_the_same_files_and_edits(text: str) -> None:
    cart, rate = parse_diff(text).files
    assert (cart.path, cart.role) == ("shop/cart.py", "code")
    assert cart.edits == (Edit(("    return sum(lines)",), ("    return sum(lines) * cart.rate",)),)
    assert cart.hunks[0].header == "def total(cart):"
    assert (rate.path, rate.role, rate.removed, rate.added) == ("shop/rate.yaml", "config", ("rate: 1",), ("rate: 2",))


def test_a_header_may_name_file_and_function() -> None:
    (file,) = parse_diff(COLON).files
    assert (file.path, file.hunks[0].header) == ("shop/cart.py", "def total(cart):")


def test_a_header_without_a_file_belongs_to_the_known_file() -> None:
    (file,) = parse_diff("@@ func Rank(items []Item) []Item {\n-\treturn nil\n+\treturn items\n", ["pkg/rank.go"]).files
    assert (file.path, file.hunks[0].header) == ("pkg/rank.go", "func Rank(items []Item) []Item {")


def test_files_without_lines_are_kept_by_name() -> None:
    diff = parse_diff("", ["a/b.go", "README.md"])
    assert diff.empty
    assert diff.paths == ("a/b.go", "README.md")


def test_a_removed_sql_comment_is_no_file_header() -> None:
    (file,) = parse_diff("@@ q.sql @@\n-SELECT 1;\n--- a note\n+SELECT 2;\n").files
    assert file.removed == ("SELECT 1;", "-- a note")


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("pkg/cart/cart_test.go", "tests"), ("tests/test_cart.py", "tests"), ("docs/api.md", "docs"), ("README.md", "docs"),
        (".github/workflows/build.yml", "ci"), ("go.mod", "manifest"), ("web/package-lock.json", "manifest"),
        ("Dockerfile", "image"), ("db/migrations/0042_add.sql", "migration"), ("proto/ledger.proto", "schema"),
        ("web/banner.css", "ui"), ("web/theme.ts", "ui"), ("deploy/prod/values.yaml", "config"), ("services/pay/charge.go", "code"),
    ],
)  # fmt: skip
def test_a_path_tells_what_a_file_is_for(path: str, role: str) -> None:
    assert role_of(path) == role


def test_staging_is_not_production_and_pkg_is_shared() -> None:
    assert not is_production("deploy/staging/tls.yaml")
    assert is_production("deploy/prod/tls.yaml")
    assert is_shared("pkg/db/pool.go")
    assert not is_shared("services/pay/charge.go")
