"""Nezha's files as tables of a bundle."""

import csv
import json
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from .mesh import number, open_text
from .tables import TableWriter

POD = re.compile(r"^(?P<service>.+)-[0-9a-f]{5,10}-[a-z0-9]{5}$")
LEVEL = re.compile(r"\b(TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b|\"severity\":\s*\"(\w+)\"")
NAMED = re.compile(r"^(?P<name>[^()]+)\((?P<unit>[^()]*)\)$")
FIELDS = 8
EDGE_FILES = {"source": "latency_p50_source", "destination": "latency_p50_destination"}


class Stretch(NamedTuple):
    start: datetime
    end: datetime


def service_of(pod: str) -> str:
    found = POD.match(pod)
    return found["service"] if found else pod


def pod_metrics(tables: TableWriter, folder: Path, stretches: Sequence[Stretch]) -> set[str]:
    """Per-pod metrics inside the stretches; returns the services."""
    services: set[str] = set()

    def rows() -> Iterator[dict[str, Any]]:
        for path in sorted(folder.glob("*_metric.csv*")):
            pod = path.name.partition("_metric.csv")[0]
            services.add(service_of(pod))
            for line, ts in _inside(path, stretches):
                yield from _wide(line, ts, service_of(pod), pod)

    tables.rows("metrics", rows(), name="pods")
    return services


def front_metrics(tables: TableWriter, folder: Path, stretches: Sequence[Stretch], services: set[str]) -> None:
    """What users of the whole application see; kept with the service of the same name where there is one."""
    canonical = {service.casefold(): service for service in services}

    def rows() -> Iterator[dict[str, Any]]:
        for path in sorted(folder.glob("front_service.csv*")):
            for line, ts in _inside(path, stretches):
                name = line["ServiceName"]
                front = {f"Front{key}": value for key, value in line.items()}
                yield from _wide(front, ts, canonical.get(name.casefold(), name), "")

    tables.rows("metrics", rows(), name="front")


def edge_metrics(tables: TableWriter, folder: Path, stretches: Sequence[Stretch]) -> None:
    """Latency per call edge; the instance is `caller->callee`, the service is the callee."""

    def rows() -> Iterator[dict[str, Any]]:
        for side, metric in EDGE_FILES.items():
            for path in sorted(folder.glob(f"{side}_50.csv*")):
                for line, ts in _inside(path, stretches):
                    for edge, cell in line.items():
                        caller, joined, callee = edge.partition("_")
                        if joined and number(cell) is not None:
                            yield {
                                "ts": ts.isoformat(),
                                "service": callee,
                                "instance": f"{caller}->{callee}",
                                "metric": metric,
                                "value": number(cell),
                                "unit": "s",
                            }

    tables.rows("metrics", rows(), name="edges")


def spans(tables: TableWriter, files: Sequence[Path]) -> None:
    def rows() -> Iterator[dict[str, Any]]:
        for path in files:
            with open_text(path) as file:
                for line in csv.DictReader(file):
                    start, end = int(line["StartTimeUnixNano"]), int(line["EndTimeUnixNano"])
                    yield {
                        "trace_id": line["TraceID"],
                        "span_id": line["SpanID"],
                        "parent_id": None if line["ParentID"] == "root" else line["ParentID"],
                        "service": service_of(line["PodName"]),
                        "instance": line["PodName"],
                        "name": line["OperationName"],
                        "start": _nanos(start),
                        "duration_ms": (end - start) / 1e6,
                    }

    tables.rows("traces", rows())


def span_starts(path: Path) -> list[datetime]:
    with open_text(path) as file:
        return [datetime.fromtimestamp(int(line["StartTimeUnixNano"]) / 1e9, tz=UTC) for line in csv.DictReader(file)]


def logs(tables: TableWriter, files: Sequence[Path]) -> int:
    """Returns how many rows had to be joined again."""
    broken = 0

    def rows() -> Iterator[dict[str, Any]]:
        nonlocal broken
        for path in files:
            with open_text(path) as file:
                lines = csv.reader(file)
                next(lines)
                for line in lines:
                    if len(line) < FIELDS:
                        continue
                    broken += len(line) > FIELDS
                    body = _body(",".join(line[FIELDS - 1 :]))
                    level = LEVEL.search(body)
                    yield {
                        "ts": _nanos(int(line[1])),
                        "service": service_of(line[3]),
                        "instance": line[3],
                        "severity": next((part for part in level.groups() if part), "").upper() if level else "",
                        "body": body,
                        "trace_id": line[5],
                        "span_id": line[6],
                        "node": line[2],
                        "container": line[4],
                    }

    tables.rows("logs", rows())
    return broken


def _body(text: str) -> str:
    """The line inside the container runtime's envelope; the text as it is where there is none."""
    try:
        inner = json.loads(text)
    except ValueError:
        return text
    return str(inner["log"]).rstrip("\n") if isinstance(inner, dict) and "log" in inner else text


def _inside(path: Path, stretches: Sequence[Stretch]) -> Iterator[tuple[dict[str, str], datetime]]:
    """Rows whose text time lies in a stretch; the epoch column is not read."""
    with open_text(path) as file:
        for line in csv.DictReader(file):
            ts = datetime.fromisoformat((line.get("Time") or line["time"])[:19]).replace(tzinfo=UTC)
            if any(stretch.start <= ts <= stretch.end for stretch in stretches):
                yield line, ts


def _wide(line: dict[str, str], ts: datetime, service: str, instance: str) -> Iterator[dict[str, Any]]:
    for column, cell in line.items():
        value = number(cell)
        if value is None or column.endswith(("Time", "TimeStamp", "PodName", "ServiceName")):
            continue
        named = NAMED.match(column)
        yield {
            "ts": ts.isoformat(),
            "service": service,
            "instance": instance or None,
            "metric": named["name"] if named else column,
            "value": value,
            "unit": named["unit"] if named else None,
        }


def _nanos(value: int) -> str:
    """Nanoseconds since the epoch as text with microseconds."""
    return datetime.fromtimestamp(value // 10**9, tz=UTC).replace(microsecond=value % 10**9 // 1000).isoformat()
