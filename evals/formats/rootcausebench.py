"""RootCauseBench (Edge Delta): one snapshot folder per incident, a culprit commit or none.

Traps of the format that are met here: the case's folder name spells the answer out; `tests/` holds the
truth; spans may carry the trace id `same`, which stands for that of the span before; a commit's diff may be null; the
flags file is context, never an answer.
"""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from ...contracts.base import derived_id
from ...contracts.errors import UsageError

Row = dict[str, Any]

QUESTION = (
    "Which single commit caused this regression, or none where the trigger was operational or external? "
    "Which service failed first, which others were dragged down, and what should be done?"
)
SEVERITIES = {"critical": "critical", "high": "critical", "medium": "warning", "warning": "warning", "low": "info"}
SPAN_FIELDS = ("trace_id", "span_id", "parent_id", "service", "name", "start", "duration_ms", "status")


def import_case(src: Path, out: Path) -> Path:
    """Write one case below `out` under a name that says nothing, and return its folder."""
    data = src / "environment" / "data"
    if not (data / "alert.json").is_file():
        raise UsageError(
            f"{src} is no RootCauseBench case",
            why=f"{data / 'alert.json'} is missing",
            hint="name a folder that holds environment/data/alert.json, or the folder of all cases",
        )
    alert = _json(data / "alert.json")
    name = derived_id("rcb", src.name, json.dumps(alert, sort_keys=True))
    case = out / name
    bundle = case / "bundle"
    bundle.mkdir(parents=True, exist_ok=True)
    commits = _json(data / "context" / "commits.json")
    _yaml(bundle / "incident.yaml", _incident(name, alert, commits))
    _metrics(data / "metrics.csv", bundle / "metrics.csv")
    _lines(bundle / "logs.jsonl", map(_log, _json_lines(data / "logs.ndjson")))
    _lines(bundle / "traces.jsonl", _spans(_json(data / "traces.json", default=[])))
    _lines(bundle / "changes.jsonl", _changes(data / "context", commits))
    _documents(data, bundle / "documents")
    truth = src / "tests" / "ground_truth.json"
    if truth.is_file():
        _yaml(case / "expected.yaml", _expected(_json(truth), src))
    return case


def import_all(src: Path, out: Path) -> list[Path]:
    """Import every case below `src`, in the order of their names."""
    cases = sorted(path.parents[2] for path in src.rglob("environment/data/alert.json"))
    if not cases:
        raise UsageError(
            f"no RootCauseBench case below {src}",
            why="no environment/data/alert.json was found",
            hint="name the folder that holds the cases",
        )
    return [import_case(case, out) for case in cases]


def _incident(name: str, alert: Row, commits: list[Row]) -> Row:
    known = {"service", "metric", "fired_at", "severity", "summary"}
    return {
        "schema": 1,
        "id": name,
        "title": f"{alert.get('metric', 'alert')} of {alert.get('service', 'a service')}",
        "alerts": [
            {
                "service": alert.get("service", ""),
                "metric": alert.get("metric", ""),
                "fired_at": alert["fired_at"],
                "severity": SEVERITIES.get(str(alert.get("severity", "")).lower(), "critical"),
                "summary": alert.get("summary", ""),
                "labels": {key: str(value) for key, value in alert.items() if key not in known},
            }
        ],
        "question": QUESTION,
        "answer_space": {
            "causes": [{"kind": "change", "ref": commit["sha"]} for commit in commits]
            + [{"kind": "none", "ref": "none"}],
            "kinds": ["change", "none"],
        },
    }


def _metrics(src: Path, out: Path) -> None:
    if not src.is_file():
        return
    with src.open(encoding="utf-8", newline="") as lines, out.open("w", encoding="utf-8", newline="") as target:
        writer = csv.writer(target)
        writer.writerow(("ts", "service", "metric", "value"))
        writer.writerows(
            (row["timestamp"], row["service"], row["metric"], row["value"]) for row in csv.DictReader(lines)
        )


def _log(row: Row) -> Row:
    renamed = {"timestamp": "ts", "severity_text": "severity", "msg": "body"}
    return {renamed.get(key, key): value for key, value in row.items()}


def _spans(spans: Iterable[Row]) -> Iterator[Row]:
    trace = ""
    for span in spans:
        trace = trace if span.get("trace_id") in (None, "same") else span["trace_id"]
        row = {field: span.get(field) for field in SPAN_FIELDS} | {"trace_id": trace}
        extra = {key: value for key, value in span.items() if key not in SPAN_FIELDS and key != "attributes"}
        yield row | extra | {k: v for k, v in (span.get("attributes") or {}).items() if k not in SPAN_FIELDS}


def _changes(context: Path, commits: list[Row]) -> Iterator[Row]:
    for commit in commits:
        yield {
            "ts": commit["timestamp"],
            "kind": "commit",
            "service": "",
            "ref": commit["sha"],
            "title": commit.get("message", ""),
            "diff": commit.get("diff") or "",
            "actor": commit.get("author", ""),
            "files_changed": commit.get("files_changed") or [],
        }
    for deploy in _json(context / "deploys.json", default=[]):
        yield {
            "ts": deploy["timestamp"],
            "kind": "deploy",
            "service": deploy.get("service", ""),
            "ref": f"{deploy.get('service', '')}@{deploy.get('version', '')}",
            "title": f"deploy {deploy.get('version', '')}",
            "diff": "",
            "actor": "",
            "commit": deploy.get("commit_sha", ""),
            "version": deploy.get("version", ""),
        }
    for flag in _json(context / "flags.json", default=[]):
        yield {
            "ts": flag["timestamp"],
            "kind": "flag",
            "service": flag.get("service", ""),
            "ref": flag.get("flag", ""),
            "title": f"{flag.get('flag', '')} {flag.get('change', '')}",
            "diff": "",
            "actor": flag.get("actor", ""),
            "change": flag.get("change", ""),
        }


def _documents(data: Path, out: Path) -> None:
    for name in ("status_feed.json", "patterns.json"):
        found = next((path for path in (data / name, data / "context" / name) if path.is_file()), None)
        if found is not None:
            out.mkdir(exist_ok=True)
            (out / name).write_bytes(found.read_bytes())


def _expected(truth: Row, src: Path) -> Row:
    culprit = truth["root_cause_commit"]
    cause = {"kind": "none", "ref": "none"} if culprit == "none" else {"kind": "change", "ref": culprit}
    decoys = [ref for ref in truth.get("decoy_deploy_commits", []) if ref != culprit]
    return {
        "schema": 1,
        "outcome": "cause_found",
        "causes": [cause],
        "first_failing_service": truth["first_failing_service"],
        "affected_services": truth.get("blast_radius", []),
        "remediation": truth.get("remediation", ""),
        "forbidden": [{"kind": "change", "ref": ref} for ref in decoys],
        "tags": {"source": "rootcausebench", "tier": _tier(src), "fault": truth.get("scenario", src.name)},
    }


def _tier(src: Path) -> str:
    task = src / "task.toml"
    lines = task.read_text(encoding="utf-8").splitlines() if task.is_file() else []
    found = (line.partition("=")[2] for line in lines if line.partition("=")[0].strip() == "difficulty")
    return next(found, "").strip().strip('"')


def _json(path: Path, *, default: Any = None) -> Any:
    if default is not None and not path.is_file():
        return default
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        raise UsageError(f"cannot read {path}", why=str(fault), hint="fetch the case again") from fault


def _json_lines(path: Path) -> Iterator[Row]:
    if path.is_file():
        with path.open(encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines if line.strip())


def _lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as target:
        target.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _yaml(path: Path, value: Row) -> None:
    yaml = YAML(typ="safe")
    yaml.default_flow_style = False
    yaml.width = 120
    with path.open("w", encoding="utf-8") as target:
        yaml.dump(value, target)
