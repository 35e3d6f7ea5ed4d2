"""Nezha (Online Boutique and Train Ticket): one case per injected fault of a day.

Traps of the format that are met here: of a fault's two times only `inject_time` can be trusted (`inject_timestamp` is
off by up to eight hours); a metric row's epoch column may be wrong, so its text time is read; the fault list, the
root-cause tables and their answer never enter a bundle; the unit of `Duration` differs, so durations come from start
and end; log rows may hold extra commas; log texts carry local times in a JSON envelope; files are compressed copies.
"""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from ...contracts.errors import DatasetError
from ...contracts.incident import Alert, AnswerSpace, Incident, TimeWindow
from ..expected import Expected, ExpectedCause
from .base import CaseDraft, ImportSummary, case_name, new_case
from .fault_words import in_our_terms
from .mesh import topology
from .nezha_tables import (
    Stretch,
    edge_metrics,
    front_metrics,
    logs,
    pod_metrics,
    service_of,
    span_starts,
    spans,
)

BEFORE = timedelta(minutes=60)
AFTER = timedelta(minutes=5)
MINUTES = 3
"""Log and trace files of a fault: its minute and the two after it."""
QUESTION = "Which service is the root cause of the degradation that began around the alert?"


class Fault(NamedTuple):
    day: str
    at: datetime
    pod: str
    kind: str
    until: datetime
    """End of what the case may show: before the next fault."""


class Nezha:
    name = "nezha"
    describes = "Nezha: the folder that holds rca_data/ and construct_data/"

    def import_all(self, src: Path, out: Path, *, limit: int | None = None) -> ImportSummary:
        faults = [fault for path in sorted((src / "rca_data").glob("*/*-fault_list.json")) for fault in _faults(path)]
        if not faults:
            raise DatasetError(f"no Nezha fault below {str(src)!r}", why="no rca_data/DAY/DAY-fault_list.json")
        notes: list[str] = []
        for number, fault in enumerate(faults[:limit], start=1):
            name = case_name(self.name, number)
            with new_case(out, name) as case:
                notes += [f"{name}: {note}" for note in _write(case, src, fault)]
        return ImportSummary(self.name, len(faults[:limit]), tuple(notes))


def _faults(path: Path) -> list[Fault]:
    listed = [entry for hour in json.loads(path.read_text(encoding="utf-8")).values() for entry in hour]
    rows = sorted((_time(entry["inject_time"]), entry["inject_pod"], entry["inject_type"]) for entry in listed)
    ends = [at for at, _, _ in rows[1:]] + [datetime.max.replace(tzinfo=UTC)]
    return [
        Fault(path.parent.name, at, pod, kind, min(at + AFTER, following - timedelta(seconds=1)))
        for (at, pod, kind), following in zip(rows, ends, strict=True)
    ]


def _write(case: CaseDraft, src: Path, fault: Fault) -> list[str]:
    day = src / "rca_data" / fault.day
    minutes = [fault.at + timedelta(minutes=step) for step in range(MINUTES)]
    normal = src / "construct_data" / fault.day
    normal_files = sorted((normal / "trace").glob("*_trace.csv*")) + sorted((normal / "log").glob("*_log.csv*"))
    baseline = _baseline(normal_files)
    stretches = [Stretch(fault.at - BEFORE, fault.until)]
    if baseline is not None:
        stretches.append(Stretch(baseline.start, baseline.end))
    pods = pod_metrics(case.tables, day / "metric", stretches)
    front_metrics(case.tables, day / "metric", stretches, pods)
    edge_metrics(case.tables, day / "metric", stretches)
    topology(case.tables, day / "metric" / "dependency.csv.gz")
    traces = [path for path in (_minute(day / "trace", at, "trace") for at in minutes) if path]
    texts = [path for path in (_minute(day / "log", at, "log") for at in minutes) if path]
    spans(case.tables, traces + [path for path in normal_files if path.parent.name == "trace"])
    broken = logs(case.tables, texts + [path for path in normal_files if path.parent.name == "log"])
    case.incident(_incident(case.name, fault, baseline))
    case.expect(_expected(fault, len(pods), traces=bool(traces), texts=bool(texts)))
    return [f"{broken} log rows had extra commas and were joined again"] if broken else []


def _baseline(files: list[Path]) -> TimeWindow | None:
    """The fault-free stretch, which may lie hours from the fault: the only normal traces and logs that there are."""
    starts = [at for path in files if path.parent.name == "trace" for at in span_starts(path)]
    if not starts:
        return None
    return TimeWindow(start=min(starts), end=max(starts))


def _incident(name: str, fault: Fault, baseline: TimeWindow | None) -> Incident:
    fired = (fault.at + timedelta(seconds=59)).replace(second=0)
    return Incident(
        id=name,
        title="Requests degrade",
        window=TimeWindow(start=fault.at - BEFORE, end=fault.until),
        baseline=baseline,
        alerts=(Alert(fired_at=fired, summary="anomalous requests since this minute"),),
        question=QUESTION,
        answer_space=AnswerSpace(kinds=("service",)),
    )


def _expected(fault: Fault, services: int, *, traces: bool, texts: bool) -> Expected:
    service = service_of(fault.pod)
    code = fault.kind in {"return", "exception"}
    return Expected(
        outcome="cause_found",
        causes=(
            ExpectedCause(
                kind="service",
                ref=service,
                service=service,
                reason=fault.kind,
                aliases=(fault.pod,),
                reason_aliases=in_our_terms("nezha", fault.kind),
            ),
        ),
        judged_by=("service",),
        first_failing_service=service,
        required_evidence=("traces",) if code and traces else ("logs",) if code and texts else ("metrics",),
        candidates=services,
        tags={
            "source": "nezha",
            "system": "train-ticket" if service.startswith("ts-") else "online-boutique",
            "day": fault.day,
            "fault": fault.kind,
        },
    )


def _minute(folder: Path, at: datetime, what: str) -> Path | None:
    return next(iter(sorted(folder.glob(f"{at:%H_%M}_{what}.csv*"))), None)


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


IMPORTER = Nezha()
