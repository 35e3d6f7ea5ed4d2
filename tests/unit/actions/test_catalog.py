"""The catalog's file: what is shipped, and every fault with its line."""

from pathlib import Path

import pytest

from leadline.contracts.errors import CatalogError
from leadline.runtime.action_catalog import load_catalog, parse_catalog

HEAD = """schema: 1
name: t
targets:
  none: {type: dry-run}
  run: {type: command}
  web: {type: http, url: "https://deploys.example.com/api"}
  kube: {type: kubernetes, url: "https://10.0.0.1:6443", networks: [10.0.0.0/8]}
kinds:
"""
GOOD = "  - {kind: a, title: A, effect: read, risk: low, target: none}\n"
BASE = "kind: b, title: B, effect: reversible_write, risk: low"


def test_the_shipped_catalog_changes_nothing() -> None:
    catalog = load_catalog()
    assert {t.type for t in catalog.targets.values()} == {"dry-run"}
    assert catalog.limits.irreversible == 0
    assert all(s.compensation is None or catalog.spec(s.compensation.kind) for s in catalog.kinds)


def test_every_byte_of_content_is_part_of_the_version() -> None:
    one, two = parse_catalog(HEAD + GOOD, "t"), parse_catalog(HEAD + GOOD.replace("low", "high"), "t")
    assert one.version != two.version
    assert one.version == parse_catalog("# a comment\n" + HEAD + GOOD, "t").version


FAULTS = {
    "no YAML": ("a: [", "is no YAML"),
    "no mapping": ("- a", "its top level is not a mapping"),
    "another schema": ("schema: 2\nname: t\nkinds: []", "line 1: schema"),
    "no kinds": ("name: t\nkinds: []", "line 2: kinds"),
    "unknown field": (HEAD + "  - {kind: a, title: A, effect: read, risk: low, effekt: x}", "line 9: kinds.0.effekt"),
    "unknown effect": (HEAD + GOOD + f"  - {{{BASE.replace('reversible_write', 'none')}}}", "line 10: kinds.1.effect"),
    "kind with blanks": (HEAD + "  - {kind: a b, title: A, effect: read, risk: low}", "line 9: kinds.0.kind"),
    "two of a name": (HEAD + GOOD + GOOD, "line 10: kinds.1.kind: two kinds are called 'a'"),
    "unknown target": (HEAD + f"  - {{{BASE}, target: nowhere}}", "line 9: kinds.0.target: no target 'nowhere'"),
    "no operation": (HEAD + f"  - {{{BASE}, target: run}}", "needs an operation of type 'command'"),
    "wrong operation": (HEAD + f"  - {{{BASE}, target: run, via: {{type: http}}}}", "line 9: kinds.0.via"),
    "unknown placeholder": (
        HEAD + f"  - {{{BASE}, target: run, via: {{type: command, argv: [sh, '{{oops}}']}}}}", "no argument 'oops'"
    ),
    "value as program": (
        HEAD + f"  - {{{BASE}, target: run, via: {{type: command, argv: ['{{target}}', x]}}}}", "no place for a value"
    ),
    "patch without dry run": (
        HEAD + f"  - {{{BASE}, target: kube, via: {{type: kubernetes, path: /x, patch: {{}}}}}}", "dry_run must be required"
    ),
    "reserved argument": (HEAD + f"  - {{{BASE}, target: none, arguments: {{target: {{}}}}}}", "cannot be the name"),
    "bad pattern": (HEAD + f"  - {{{BASE}, target: none, arguments: {{x: {{pattern: '['}}}}}}", "no RE2 expression"),
    "default that does not fit": (
        HEAD + f"  - {{{BASE}, target: none, arguments: {{x: {{type: integer, maximum: 5, default: 9}}}}}}", "is above 5"
    ),
    "unknown undo": (HEAD + f"  - {{{BASE}, target: none, compensation: {{kind: zap}}}}", "compensation.kind: no kind 'zap'"),
    "undo with unknown argument": (
        HEAD + GOOD + f"  - {{{BASE}, target: none, compensation: {{kind: a, arguments: {{x: 1}}}}}}", "a takes no argument 'x'"
    ),
    "secret in the URL": (HEAD.replace("//deploys", "//me:pw@deploys") + GOOD, "line 6: targets.web.url"),
    "no URL": (HEAD.replace("https://deploys.example.com/api", "file:///etc") + GOOD, "no http or https URL"),
    "no network": (HEAD.replace("10.0.0.0/8", "ten") + GOOD, "line 7: targets.kube.networks.0"),
    "unknown type": (HEAD.replace("type: command", "type: shell") + GOOD, "line 5: targets.run"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_with_its_line(name: str) -> None:
    text, says = FAULTS[name]
    with pytest.raises(CatalogError) as refused:
        parse_catalog(text, "actions.yaml")
    assert says in str(refused.value)
    assert refused.value.hint


def test_a_file_that_is_not_there_or_too_large(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="cannot be read"):
        load_catalog(tmp_path / "none.yaml")
    large = tmp_path / "large.yaml"
    large.write_text("#" * 300_000)
    with pytest.raises(CatalogError, match="is larger"):
        load_catalog(large)
