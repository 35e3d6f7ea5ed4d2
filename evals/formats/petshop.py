"""PetShop (Amazon Science): five-minute metrics of one application, injected issues, a normal stretch per scenario.

Traps of the format that are met here: `target.json` holds the alert and the truth side by side, with the command that
injected the issue; three header rows; the normal stretch lies months away from the issues, so it is named as the
baseline; two scenarios lack theirs; nodes of an issue may be missing from the normal stretch.
"""

import csv
import json
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from ...contracts.errors import DatasetError
from ...contracts.incident import Alert, AnswerSpace, Incident, TimeWindow
from ..expected import Expected, ExpectedCause
from .base import ImportSummary, case_name, need, new_case
from .tables import TableWriter

UNITS = {"latency": "s", "availability": "%", "requests": "1"}
QUESTION = "Which component is the root cause of the alert? Name components as the data does."


class _Normal(NamedTuple):
    """A scenario's normal stretch, converted once."""

    table: Path | None
    window: TimeWindow | None


class PetShop:
    name = "petshop"
    describes = "PetShop: the folder that holds dataset/, or dataset/ itself"

    def import_all(self, src: Path, out: Path, *, limit: int | None = None) -> ImportSummary:
        root = src / "dataset" if (src / "dataset").is_dir() else src
        issues = sorted(root.glob("*/t*/issue_*/target.json"), key=_order)
        if not issues:
            raise DatasetError(f"no PetShop issue below {str(src)!r}", why="no SCENARIO/test|train/issue_N/target.json")
        notes: list[str] = []
        with tempfile.TemporaryDirectory() as scratch:
            normals: dict[str, _Normal] = {}
            for number, target in enumerate(issues[:limit], start=1):
                scenario = target.parents[2]
                if scenario.name not in normals:
                    normals[scenario.name] = _normal(scenario, Path(scratch))
                name = case_name(self.name, number)
                if normals[scenario.name].table is None:
                    notes.append(f"{name}: scenario {scenario.name!r} has no normal stretch")
                _case(out, name, target, normals[scenario.name])
        return ImportSummary(self.name, len(issues[:limit]), tuple(notes))


def _order(target: Path) -> tuple[str, str, int]:
    issue = target.parent
    return issue.parents[1].name, issue.parent.name, int(issue.name.rpartition("_")[2])


def _case(out: Path, name: str, target: Path, normal: _Normal) -> None:
    issue, scenario = target.parent, target.parents[2]
    about = json.loads(target.read_text(encoding="utf-8"))
    rows = list(_long(need(issue / "metrics.csv", "PetShop", "each issue has its metrics")))
    edges = list(_edges(need(scenario / "graph.csv", "PetShop", "each scenario has its call graph")))
    with new_case(out, name) as case:
        issue_only = case.tables.rows("metrics", rows)
        if normal.table is not None and issue_only:
            both = f"SELECT * FROM '{case.bundle}/metrics.parquet' UNION ALL SELECT * FROM '{normal.table}'"  # noqa: S608 - our own files
            case.tables.query("metrics", both)
        case.tables.rows("topology", edges)
        case.incident(_incident(name, about["target"], rows, normal.window))
        case.expect(_expected(about, scenario, issue, edges))


def _incident(name: str, target: dict[str, Any], rows: list[dict[str, Any]], baseline: TimeWindow | None) -> Incident:
    metric = _metric(target["metric"], target["agg"])
    times = [row["ts"] for row in rows]
    return Incident(
        id=name,
        title=f"{metric} of {target['node']} is out of its range",
        window=TimeWindow(start=min(times), end=max(times)),
        baseline=baseline,
        alerts=(Alert(service=target["node"], metric=metric, fired_at=_time(target["timestamp"])),),
        question=QUESTION,
        answer_space=AnswerSpace(kinds=("service",)),
    )


def _expected(about: dict[str, Any], scenario: Path, issue: Path, edges: list[dict[str, Any]]) -> Expected:
    node, metric = about["root_cause"]["node"], about["root_cause"]["metric"]
    nodes = {end for edge in edges for end in (edge["caller"], edge["callee"])} | {node}
    return Expected(
        outcome="cause_found",
        causes=(ExpectedCause(kind="service", ref=node, service=node, reason=metric or ""),),
        judged_by=("ref",),
        required_evidence=("metrics",),
        candidates=len(nodes),
        tags={
            "source": "petshop",
            "system": "petshop",
            "scenario": scenario.name,
            "split": issue.parent.name,
            "fault": about["target"]["metric"],
            "origin": f"{scenario.name}/{issue.parent.name}/{issue.name}",
        },
    )


def _normal(scenario: Path, scratch: Path) -> _Normal:
    source = scenario / "noissue" / "metrics.csv"
    if not source.is_file():
        return _Normal(None, None)
    folder = scratch / scenario.name
    with TableWriter(folder) as tables:
        tables.rows("metrics", _long(source))
        (first, last) = tables.fetch(f"SELECT min(ts), max(ts) FROM '{folder}/metrics.parquet'")[0]  # noqa: S608 - our own file
    return _Normal(folder / "metrics.parquet", TimeWindow(start=first, end=last))


def _long(source: Path) -> Iterator[dict[str, Any]]:
    """One row per filled cell."""
    with source.open(encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        nodes, metrics, statistics = next(lines), next(lines), next(lines)
        names = [_metric(metric, statistic) for metric, statistic in zip(metrics, statistics, strict=True)]
        for line in lines:
            if line[0] == "unix_timestamp" or not line[0]:
                continue
            ts = _time(float(line[0])).isoformat()
            for column, cell in enumerate(line[1:], start=1):
                if cell:
                    yield {
                        "ts": ts,
                        "service": nodes[column],
                        "metric": names[column],
                        "value": float(cell),
                        "unit": UNITS.get(metrics[column], ""),
                    }


def _edges(graph: Path) -> Iterator[dict[str, Any]]:
    """The adjacency matrix as edges: a row calls the columns that it marks."""
    with graph.open(encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        callees = next(lines)[1:]
        for caller, *marks in lines:
            for callee, mark in zip(callees, marks, strict=True):
                if mark and float(mark):
                    yield {"caller": caller, "callee": callee, "kind": "calls", "weight": float(mark)}


def _metric(metric: str, statistic: str) -> str:
    return f"{metric}_{statistic.lower()}"


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, tz=UTC)


IMPORTER = PetShop()
