"""RCAEval (RE1, RE2, RE3), in the layout of its archives: SERVICE_FAULT/RUN/ with metrics, logs, traces, inject time.

Traps of the format that are met here: the folder's name is the truth; `data.csv`, `simple_metrics.csv` and
`metrics.csv` are the same measurements in more or less detail, so one of them is read; columns may be infinite or
empty; a database is scored as its service (`-db` is dropped); times are in microseconds in traces, nanoseconds in logs.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from ...contracts.errors import DatasetError
from ...contracts.incident import Alert, AnswerSpace, Incident
from ..expected import Expected, ExpectedCause
from .base import CaseDraft, ImportSummary, case_name, new_case
from .fault_words import in_our_terms

METRIC_FILES = ("simple_metrics.csv", "data.csv", "metrics.csv")
LEVEL = r"(?i)\b(trace|debug|info|warn|warning|error|fatal)\b"
QUESTION = "Which service is the root cause of the degradation that began at the alert?"


class Run(NamedTuple):
    folder: Path
    metrics: Path
    injected: datetime
    service: str
    fault: str


class RcaEval:
    name = "rcaeval"
    describes = "RCAEval: a folder of SERVICE_FAULT/RUN/ with inject_time.txt"

    def import_all(self, src: Path, out: Path, *, limit: int | None = None) -> ImportSummary:
        runs = [_run(path) for path in sorted(src.rglob("inject_time.txt"))]
        if not runs:
            raise DatasetError(f"no RCAEval run below {str(src)!r}", why="no SERVICE_FAULT/RUN/inject_time.txt")
        for number, run in enumerate(runs[:limit], start=1):
            _case(out, case_name(self.name, number), run)
        return ImportSummary(self.name, len(runs[:limit]))


def _run(stamp: Path) -> Run:
    folder = stamp.parent
    service, _, fault = folder.parent.name.rpartition("_")
    metrics = next((folder / name for name in METRIC_FILES if (folder / name).is_file()), None)
    if metrics is None or not service:
        raise DatasetError(
            f"RCAEval run {str(folder)!r} cannot be read", why="it needs metrics, and a parent named SERVICE_FAULT"
        )
    seconds = float(stamp.read_text(encoding="utf-8").split()[0])
    return Run(folder, metrics, datetime.fromtimestamp(seconds, tz=UTC), service, fault)


def _case(out: Path, name: str, run: Run) -> None:
    with new_case(out, name) as case:
        services = _metrics(case, run.metrics)
        if (run.folder / "logs.csv").is_file():
            case.tables.query("logs", _logs(run.folder / "logs.csv"))
        if (run.folder / "traces.csv").is_file():
            case.tables.query("traces", _traces(run.folder / "traces.csv"))
        case.incident(
            Incident(
                id=name,
                title="Requests degrade",
                alerts=(Alert(fired_at=run.injected, summary="anomalies since this time"),),
                question=QUESTION,
                answer_space=AnswerSpace(kinds=("service",)),
            )
        )
        case.expect(_expected(run, services))


def _metrics(case: CaseDraft, source: Path) -> int:
    """Columns are `service_metric`; returns how many services there are, a database counted as its service."""
    table = f"read_csv('{source}', all_varchar=true)"
    sql = f"""
        SELECT to_timestamp(try_cast(time AS DOUBLE)) AS ts, split_part(name, '_', 1) AS service,
               substr(name, length(split_part(name, '_', 1)) + 2) AS metric, try_cast(cell AS DOUBLE) AS value
        FROM (UNPIVOT (SELECT * FROM {table}) ON COLUMNS(* EXCLUDE time) INTO NAME name VALUE cell)
        WHERE contains(name, '_') AND isfinite(try_cast(cell AS DOUBLE))
    """  # noqa: S608 - our own path
    case.tables.query("metrics", sql)
    counted = f"SELECT count(DISTINCT replace(service, '-db', '')) FROM '{case.bundle}/metrics.parquet'"  # noqa: S608 - our own path
    return int(case.tables.fetch(counted)[0][0])


def _logs(source: Path) -> str:
    return f"""
        SELECT make_timestamptz(try_cast(timestamp AS BIGINT) // 1000) AS ts, container_name AS service,
               message AS body, upper(regexp_extract(message, '{LEVEL}', 1)) AS severity
        FROM read_csv('{source}', all_varchar=true, ignore_errors=true)
        WHERE try_cast(timestamp AS BIGINT) IS NOT NULL
    """  # noqa: S608 - our own path


def _traces(source: Path) -> str:
    return f"""
        SELECT traceID AS trace_id, spanID AS span_id, nullif(parentSpanID, '') AS parent_id, serviceName AS service,
               coalesce(nullif(operationName, ''), methodName) AS name, statusCode AS status,
               make_timestamptz(try_cast(startTime AS BIGINT)) AS start,
               try_cast(duration AS DOUBLE) / 1000 AS duration_ms
        FROM read_csv('{source}', all_varchar=true, ignore_errors=true)
        WHERE try_cast(startTime AS BIGINT) IS NOT NULL
    """  # noqa: S608 - our own path


def _expected(run: Run, services: int) -> Expected:
    plain = run.service.replace("-db", "")
    aliases = tuple(sorted({f"{plain}-db", run.service, plain} - {run.service}))
    return Expected(
        outcome="cause_found",
        causes=(
            ExpectedCause(
                kind="service",
                ref=run.service,
                service=run.service,
                reason=run.fault,
                aliases=aliases,
                reason_aliases=in_our_terms("rcaeval", run.fault),
            ),
        ),
        judged_by=("service",),
        required_evidence=("metrics",),
        candidates=services,
        tags={
            "source": "rcaeval",
            "system": run.folder.parents[1].name,
            "fault": run.fault,
            "run": run.folder.name,
        },
    )


IMPORTER = RcaEval()
