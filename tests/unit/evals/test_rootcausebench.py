"""RootCauseBench cases become bundles that hold no truth."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from leadline.contracts.errors import UsageError
from leadline.evals.expected import read_expected
from leadline.evals.formats.rootcausebench import import_all, import_case

CULPRIT, DECOY = "a1" * 20, "b2" * 20


@pytest.fixture
def source(tmp_path: Path) -> Path:
    case = tmp_path / "src" / "pool-made-small"
    data = case / "environment" / "data"
    (data / "context").mkdir(parents=True)
    (case / "tests").mkdir()
    put(
        data / "alert.json",
        {
            "service": "quote",
            "metric": "pool_wait",
            "threshold": 1,
            "fired_at": "2026-05-05T09:00:00Z",
            "severity": "high",
            "monitor": "pool-made-small",
            "summary": "pool wait above 1s",
        },
    )
    (data / "metrics.csv").write_text("timestamp,service,metric,value\n2026-05-05T08:00:00Z,quote,pool_wait,0.5\n")
    (data / "logs.ndjson").write_text(
        json.dumps(
            {"timestamp": "2026-05-05T08:00:00Z", "service": "quote", "severity_text": "ERROR", "msg": "no", "rows": 3}
        )
        + "\n"
    )
    put(
        data / "traces.json",
        [
            {
                "trace_id": "t1",
                "span_id": "a",
                "parent_id": None,
                "service": "shop",
                "name": "x",
                "start": "2026-05-05T08:00:00Z",
                "duration_ms": 5,
                "status": "OK",
            },
            {
                "trace_id": "same",
                "span_id": "b",
                "parent_id": "a",
                "service": "quote",
                "name": "y",
                "start": "2026-05-05T08:00:00Z",
                "duration_ms": 4,
                "status": "ERROR",
                "error": "late",
                "attributes": {"offset": 7},
            },
        ],
    )
    put(
        data / "context" / "commits.json",
        [
            {
                "sha": CULPRIT,
                "author": "ann",
                "timestamp": "2026-05-05T07:00:00Z",
                "message": "tidy",
                "files_changed": ["pkg/db.go"],
                "diff": "@@ pkg/db.go @@\n-a\n+b",
            },
            {
                "sha": DECOY,
                "author": "bob",
                "timestamp": "2026-05-05T07:10:00Z",
                "message": "docs",
                "files_changed": ["a.md"],
                "diff": None,
            },
        ],
    )
    put(
        data / "context" / "deploys.json",
        [{"timestamp": "2026-05-05T07:30:00Z", "service": "quote", "commit_sha": CULPRIT, "version": "v7"}],
    )
    put(
        data / "context" / "flags.json",
        [
            {
                "timestamp": "2026-05-05T07:40:00Z",
                "flag": "new_tax",
                "service": "quote",
                "change": "off->on",
                "actor": "ann",
            }
        ],
    )
    put(data / "status_feed.json", {"component": "dns", "events": []})
    put(
        case / "tests" / "ground_truth.json",
        {
            "scenario": "pool-made-small",
            "root_cause_commit": CULPRIT,
            "first_failing_service": "quote",
            "blast_radius": ["shop"],
            "remediation": "rollback",
            "decoy_deploy_commits": [DECOY],
            "notes": "the truth in words",
        },
    )
    (case / "task.toml").write_text('[metadata]\ndifficulty = "hard"\n')
    return tmp_path / "src"


def put(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value))


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_case_becomes_a_bundle_with_our_columns(source: Path, tmp_path: Path) -> None:
    (case,) = import_all(source, tmp_path / "out")
    bundle = case / "bundle"
    assert next(csv.DictReader((bundle / "metrics.csv").read_text().splitlines())) == {
        "ts": "2026-05-05T08:00:00Z",
        "service": "quote",
        "metric": "pool_wait",
        "value": "0.5",
    }
    assert lines(bundle / "logs.jsonl") == [
        {"ts": "2026-05-05T08:00:00Z", "service": "quote", "severity": "ERROR", "body": "no", "rows": 3}
    ]
    commit, docs, deploy, flag = lines(bundle / "changes.jsonl")
    assert (commit["kind"], commit["ref"], commit["title"], commit["actor"], commit["files_changed"]) == (
        "commit",
        CULPRIT,
        "tidy",
        "ann",
        ["pkg/db.go"],
    )
    assert docs["diff"] == ""
    assert (deploy["kind"], deploy["service"], deploy["commit"]) == ("deploy", "quote", CULPRIT)
    assert (flag["kind"], flag["ref"], flag["change"]) == ("flag", "new_tax", "off->on")
    assert (bundle / "documents" / "status_feed.json").is_file()


def test_the_trace_id_same_means_that_of_the_span_before(source: Path, tmp_path: Path) -> None:
    (case,) = import_all(source, tmp_path / "out")
    first, second = lines(case / "bundle" / "traces.jsonl")
    assert (first["trace_id"], second["trace_id"], second["error"], second["offset"]) == ("t1", "t1", "late", 7)


def test_the_answer_space_is_the_commits_and_none(source: Path, tmp_path: Path) -> None:
    (case,) = import_all(source, tmp_path / "out")
    incident = YAML(typ="safe").load(case / "bundle" / "incident.yaml")
    assert incident["answer_space"]["kinds"] == ["change", "none"]
    assert [cause["ref"] for cause in incident["answer_space"]["causes"]] == [CULPRIT, DECOY, "none"]
    assert incident["alerts"][0]["severity"] == "critical"


def test_the_truth_stands_beside_the_bundle_and_never_in_it(source: Path, tmp_path: Path) -> None:
    (case,) = import_all(source, tmp_path / "out")
    expected = read_expected(case / "expected.yaml")
    assert [(c.kind, c.ref) for c in expected.causes] == [("change", CULPRIT)]
    assert (expected.first_failing_service, expected.affected_services, expected.remediation) == (
        "quote",
        ("shop",),
        "rollback",
    )
    assert [c.ref for c in expected.forbidden] == [DECOY]
    assert expected.tags == {"source": "rootcausebench", "tier": "hard", "fault": "pool-made-small"}
    held = "".join(path.read_text() for path in (case / "bundle").rglob("*") if path.is_file())
    assert "the truth in words" not in held
    assert "ground_truth" not in held
    assert "pool-made-small" not in case.name


def test_none_is_a_cause_of_its_own(source: Path, tmp_path: Path) -> None:
    truth = source / "pool-made-small" / "tests" / "ground_truth.json"
    put(truth, {**json.loads(truth.read_text()), "root_cause_commit": "none"})
    expected = read_expected(import_case(source / "pool-made-small", tmp_path / "out") / "expected.yaml")
    assert [(c.kind, c.ref) for c in expected.causes] == [("none", "none")]


def test_a_folder_that_is_no_case_gets_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no RootCauseBench case"):
        import_all(tmp_path, tmp_path / "out")
    with pytest.raises(UsageError, match="is no RootCauseBench case"):
        import_case(tmp_path, tmp_path / "out")


def test_every_public_case_imports(shared: Path, tmp_path: Path) -> None:
    cases = import_all(shared / "data" / "rootcausebench", tmp_path / "out")
    assert len(cases) == 10
    assert all(read_expected(case / "expected.yaml").causes for case in cases)
