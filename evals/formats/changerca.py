"""ChangeRCA: canary releases of several services at once, exactly one of them defective.

Traps of the format that are met here: the defective service is the first key of `plan` in every file, so releases are
sorted; the case file also names the fault, the innocent services and other methods' answers; the header of the pod
files is one name off (`Latency` holds the CPU rate and the last column the latency in seconds); a rollout step's own
key is not when it happened, its completion is; pods without traffic have NaN.
"""

import csv
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from ...contracts.errors import DatasetError
from ...contracts.incident import Alert, AnswerSpace, CauseRef, Incident
from ..expected import Expected, ExpectedCause
from .base import ImportSummary, case_name, new_case
from .fault_words import in_our_terms
from .mesh import number, topology

Rows = Iterator[dict[str, Any]]
POD = re.compile(r"^(?P<service>.+)-(?P<version>v\d+)-[0-9a-f]{6,10}-[a-z0-9]{5}$")
MISNAMED = [
    "SuccessRate", "Latency", "CPUUsageRate(%)", "MemoryUsageRate(%)", "NodeCpuUsageRate(%)", "NodeMemoryUsageRate(%)",
]  # fmt: skip
"""The header as published; what stands below it, in this order, is COLUMNS."""
COLUMNS = (
    "success_rate", "cpu_usage_rate", "memory_usage_rate", "node_cpu_usage_rate", "node_memory_usage_rate", "latency",
)  # fmt: skip
OF_EDGE = ("success_rate", "latency")
EDGE_FILES = {"source_success.csv": "success_rate_source", "destination_success.csv": "success_rate_destination"}
QUESTION = "Several services are being released step by step. Which release is defective?"


class PodFile(NamedTuple):
    path: Path
    pod: str
    service: str
    version: str
    caller: str
    callee: str


class ChangeRca:
    name = "changerca"
    describes = "ChangeRCA: the folder that holds DAY/CASE/CASE.json"

    def import_all(self, src: Path, out: Path, *, limit: int | None = None) -> ImportSummary:
        found = sorted(path for path in src.rglob("*.json") if path.stem == path.parent.name)
        if not found:
            raise DatasetError(f"no ChangeRCA case below {str(src)!r}", why="no CASE/CASE.json was found")
        for number_, path in enumerate(found[:limit], start=1):
            _case(out, case_name(self.name, number_), path)
        return ImportSummary(self.name, len(found[:limit]))


def _case(out: Path, name: str, path: Path) -> None:
    about = json.loads(path.read_text(encoding="utf-8"))
    releases = sorted(about["plan"])
    with new_case(out, name) as case:
        case.tables.rows("metrics", _pod_metrics(path.parent), name="pods")
        case.tables.rows("metrics", _edge_metrics(path.parent), name="edges")
        topology(case.tables, path.parent / "dependency.csv")
        case.tables.rows("changes", _steps(about["plan"]))
        case.incident(
            Incident(
                id=name,
                title="Requests degrade while releases are under way",
                alerts=(
                    Alert(
                        fired_at=datetime.fromtimestamp(about["detect_timestamp"], tz=UTC),
                        summary="request success rate or latency out of its range",
                    ),
                ),
                question=QUESTION,
                answer_space=AnswerSpace(
                    causes=tuple(CauseRef(kind="change", ref=_ref(service), service=service) for service in releases),
                    kinds=("change",),
                ),
            )
        )
        case.expect(_expected(about, path, len(releases)))


def _expected(about: dict[str, Any], path: Path, releases: int) -> Expected:
    service = about["fault_release_service"]
    return Expected(
        outcome="cause_found",
        causes=(
            ExpectedCause(
                kind="change",
                ref=_ref(service),
                service=service,
                reason=about["fault"],
                reason_aliases=in_our_terms("changerca", about["fault"]),
            ),
        ),
        judged_by=("ref",),
        remediation="rollback",
        required_evidence=("metrics", "changes"),
        candidates=releases,
        tags={
            "source": "changerca",
            "system": "online-boutique",
            "day": path.parents[1].name,
            "fault": about["fault"],
            "releases": str(releases),
        },
    )


def _ref(service: str) -> str:
    return f"{service}-v2"


def _steps(plan: dict[str, Any]) -> Rows:
    """One row per completed rollout step."""
    for service, release in plan.items():
        steps = sorted(release["process"].values(), key=lambda step: int(step["release_complete_timestamp"]))
        for place, step in enumerate(steps, start=1):
            yield {
                "ts": datetime.fromtimestamp(int(step["release_complete_timestamp"]), tz=UTC).isoformat(),
                "kind": "rollout",
                "service": service,
                "ref": _ref(service),
                "title": f"step {place}: {step['v1']} stable, {step['v2']} canary of {release['target_replica']} pods",
                "step": str(place),
                "stable": str(step["v1"]),
                "canary": str(step["v2"]),
                "released": ",".join(step["release_pod"]),
                "deleted": ",".join(step["delete_pod"]),
                "requested_at": datetime.fromtimestamp(int(release["release_time"]), tz=UTC).isoformat(),
            }


def _pod_files(folder: Path) -> Iterator[PodFile]:
    for path in sorted(folder.glob("*.csv")):
        pod, _, edge = path.stem.partition("_")
        caller, joined, callee = edge.partition("_")
        found = POD.match(pod)
        if joined and found:
            yield PodFile(path, pod, found["service"], found["version"], caller, callee)


def _pod_metrics(folder: Path) -> Rows:
    """A pod's own metrics once, and its success rate and latency per edge as `metric@caller->callee`."""
    seen: set[tuple[str, str]] = set()
    for file in _pod_files(folder):
        edge = f"{file.caller}->{file.callee}"
        for ts, values in _lines(file.path):
            first = (file.pod, ts) not in seen
            seen.add((file.pod, ts))
            for metric, value in values.items():
                if value is None or (metric not in OF_EDGE and not first):
                    continue
                yield {
                    "ts": ts,
                    "service": file.service,
                    "instance": file.pod,
                    "metric": f"{metric}@{edge}" if metric in OF_EDGE else metric,
                    "value": value,
                    "unit": "s" if metric == "latency" else "%",
                    "version": file.version,
                    "caller": file.caller if metric in OF_EDGE else None,
                    "callee": file.callee if metric in OF_EDGE else None,
                }


def _lines(path: Path) -> Iterator[tuple[str, dict[str, float | None]]]:
    with path.open(encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        header = next(lines)[2:]
        names = COLUMNS if header == MISNAMED else tuple(header)
        for line in lines:
            ts = datetime.fromtimestamp(int(line[1]), tz=UTC).isoformat()
            yield ts, {name: number(cell) for name, cell in zip(names, line[2:], strict=False)}


def _edge_metrics(folder: Path) -> Rows:
    for file_name, metric in EDGE_FILES.items():
        path = folder / file_name
        if not path.is_file():
            continue
        with path.open(encoding="utf-8", newline="") as file:
            for line in csv.DictReader(file):
                ts = datetime.fromtimestamp(int(line["timestamp"]), tz=UTC).isoformat()
                for column, cell in line.items():
                    caller, joined, callee = column.partition("_")
                    value = number(cell)
                    if joined and value is not None:
                        edge = {"service": callee, "instance": f"{caller}->{callee}"}
                        yield {"ts": ts, **edge, "metric": metric, "value": value, "unit": "%"}


IMPORTER = ChangeRca()
