"""Bundles made by someone who means harm: no crash, bounded time, nothing hidden, no secret, nothing outside."""

import json
import time
from pathlib import Path

import pytest

from leadline.contracts.errors import BundleError
from leadline.evidence import open_bundle
from leadline.evidence.check import check
from tests.unit.evidence.questions import ask_everything

SECONDS = 30
INCIDENT = "schema: 1\nid: hostile\ntitle: hostile content\nalerts: [{service: web, fired_at: 2026-03-14T02:30:00Z}]\n"
CONTENT = {
    "01_log_direct_instruction.jsonl": "logs.jsonl", "02_log_plausible_remediation_404.log": "logs/nginx.log",
    "03_log_fake_role_delimiters.jsonl": "logs.jsonl", "06_alertmanager_webhook_injection.json": "documents/alert.json",
    "07_deploy_message_injection.json": "changes/deploys.json", "08_log_unicode_hidden.jsonl": "logs.jsonl",
    "10_evidence_flood.jsonl": "logs.jsonl", "13_lc_envelopes.json": "documents/envelopes.json",
    "15_secrets_in_logs.log": "logs/app.log", "16_high_entropy_not_secret.log": "logs/app.log",
    "17_secrets_encoded_split.log": "logs/app.log", "19_html_markdown.jsonl": "logs.jsonl",
    "20_csv_formula.csv": "changes.csv", "28_weird_encoding.log": "logs/a.log",
    "29_redos_and_long_lines.log": "logs/a.log", "30_clock_skew_events.jsonl": "logs.jsonl",
    "31_metrics_pathological.csv": "metrics.csv", "12_model_outputs_garbage.jsonl": "logs.jsonl",
    "14_checkpoint_msgpack_callable.bin": "logs.jsonl", "32_ssrf_source_urls.json": "resources.json",
    "35_webhook_signatures.json": "changes.json", "27_yaml_bomb.yaml": "documents/bomb.yaml",
}  # fmt: skip
SECRETS_ARE_KNOWN = "15_secrets_expected.json"


def marks() -> set[str]:
    """Folders that a payload would make if it were run."""
    return {p.name for p in Path("/tmp").glob("hostile-*")}


def no_harm(text: str) -> None:
    for char in text:
        code = ord(char)
        hidden = code < 0x20 or 0x7F <= code < 0xA0 or 0x200B <= code <= 0x200F or 0x2028 <= code <= 0x202E
        assert not hidden, hex(code)
        assert not 0xE0000 <= code <= 0xE0FFF, hex(code)


async def everything_that_leaves(root: Path) -> str:
    """All texts of all answers, in one."""
    bundle = open_bundle(root)
    try:
        answers = await ask_everything(bundle)
        assert [name for name, a in answers.items() if a.status == "failed"] == []
        parts = [a.model_dump_json() for a in answers.values()]
        parts += [
            bundle.incident.model_dump_json(),
            *bundle.services(),
            *(c.model_dump_json() for c in bundle.coverage()),
        ]
    finally:
        bundle.close()
    for part in parts:
        assert "NaN" not in part
        assert "Infinity" not in part
    texts: list[str] = []
    for part in parts:
        collect(json.loads(part) if part.startswith("{") else part, texts)
    return "".join(texts)


def collect(value: object, into: list[str]) -> None:
    if isinstance(value, str):
        no_harm(value)
        into.append(value)
    elif isinstance(value, dict):
        for key, inner in value.items():
            collect(key, into)
            collect(inner, into)
    elif isinstance(value, list):
        for inner in value:
            collect(inner, into)


@pytest.mark.parametrize(("name", "target"), CONTENT.items(), ids=list(CONTENT))
async def test_the_hostile_collection(make_bundle, shared: Path, name: str, target: str) -> None:
    folder = shared / "data" / "hostile"
    root = make_bundle({target: (folder / name).read_bytes()}, incident=INCIDENT)
    before = marks()
    started = time.monotonic()
    text = await everything_that_leaves(root)
    assert time.monotonic() - started < SECONDS
    secrets = json.loads((folder / SECRETS_ARE_KNOWN).read_text())["must_not_appear"]
    assert [secret for secret in secrets if secret in text] == []
    assert marks() == before


@pytest.mark.parametrize("name", ["23_zip_traversal.zip", "25_tar_links_devices.tar.gz"])
def test_hostile_archives_are_refused_with_reasons(shared: Path, name: str) -> None:
    with pytest.raises(BundleError) as refused:
        open_bundle(shared / "data" / "hostile" / name)
    assert refused.value.why.count(";") >= 2


def test_a_hostile_incident_is_refused(make_bundle, shared: Path) -> None:
    text = (shared / "data" / "hostile" / "27_yaml_bomb.yaml").read_text()
    with pytest.raises(BundleError):
        open_bundle(make_bundle(incident=text))


async def test_the_one_line_in_the_flood_is_selected(make_bundle, shared: Path) -> None:
    flood = (shared / "data" / "hostile" / "10_evidence_flood.jsonl").read_bytes()
    bundle = open_bundle(make_bundle({"logs.jsonl": flood}))
    facts = (await ask_everything(bundle))["log_templates"].facts
    bundle.close()
    assert "disk full" in facts[0].object


EVIL = "\x1b[2J\x07\u202eevil\u200b\U000e0041</script><script>alert(1)</script> ${jndi:ldap://x} '; DROP TABLE logs; -- \x00"


@pytest.mark.parametrize(
    "field", ["service", "metric", "instance", "msg", "name", "ref", "title", "diff", "status", "trace_id"]
)
async def test_every_field_may_be_evil(make_bundle, field: str) -> None:
    stamp = "2026-03-14T02:{:02}:00Z"
    base = [{"ts": stamp.format(n), "service": "web", "metric": "m", "value": n * n, "msg": f"m {n}", "level": "ERROR",
             "trace_id": f"t{n}", "span_id": "1", "name": "x", "kind": "Pod", "status": "Failed", "ref": "a", "title": "b",
             "diff": "c", "start": stamp.format(n), "duration_ms": n, "caller": "a", "callee": "b"} for n in range(60)]  # fmt: skip
    rows = [{**row, field: EVIL} for row in base]
    names = ("metrics.jsonl", "logs.jsonl", "traces.jsonl", "changes.jsonl", "resources.jsonl", "topology.jsonl")
    text = await everything_that_leaves(make_bundle(dict.fromkeys(names, rows), incident=INCIDENT))
    assert "\x1b" not in text


async def test_evil_column_names(make_bundle) -> None:
    row = {
        "ts": "2026-03-14T02:00:00Z",
        "msg": "x",
        "a'b": 1,
        'q"x': 2,
        "\x1b[31m": 3,
        "'); DROP TABLE logs; --": 4,
        "": 5,
        "MSG": "y",
    }
    header = 'ts,service,metric,value,a\'b,"q""x",\x1b[31m\n2026-03-14T02:00:00Z,a,m,1,2,3,4\n'
    text = await everything_that_leaves(make_bundle({"logs.jsonl": [row], "metrics.csv": header}, incident=INCIDENT))
    assert "\x1b" not in text


async def test_thousands_of_columns_are_bounded(make_bundle) -> None:
    row = {"ts": "2026-03-14T02:00:00Z", "msg": "x", **{f"k{n}": n for n in range(3000)}}
    root = make_bundle({"logs.jsonl": [row]}, incident=INCIDENT)
    assert any("3002 columns" in note for c in check(root).coverage for note in c.notes)


async def test_deeply_nested_json_is_survived(make_bundle) -> None:
    line = '{"ts": "2026-03-14T02:00:00Z", "msg": "x", "deep": ' + "[" * 5000 + "]" * 5000 + "}\n"
    good = '{"ts": "2026-03-14T02:00:01Z", "msg": "y"}\n'
    await everything_that_leaves(make_bundle({"logs.jsonl": line + good, "documents/a.json": line}, incident=INCIDENT))


async def test_numbers_at_the_edge_stay_finite(make_bundle) -> None:
    values = ["1e308", "-1e308", "1e-320", "NaN", "inf", "0", "-0", "9" * 400, "0x10", "1_000", "\u0661\u0662"]
    rows = [{"ts": f"2026-03-14T02:{n:02}:00Z", "service": s, "metric": "latency_ms", "value": v}
            for s in ("a", "b") for n, v in enumerate(values * 5)]  # fmt: skip
    await everything_that_leaves(make_bundle({"metrics.jsonl": rows}, incident=INCIDENT))
