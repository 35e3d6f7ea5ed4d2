"""OpenRCA (Bank, Market, Telecom), in its published layout: query.csv, record.csv and telemetry by day.

Traps of the format that are met here: `record.csv` and the scoring points are the truth; times in the questions and
answers are in UTC+8 while telemetry has epochs, in seconds or milliseconds by file; one half hour may hold several
failures, and then the whole set is asked for; a question may ask for the time, the component, the reason or a mix.
"""

import csv
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import NamedTuple

from ruamel.yaml import YAML

from ...contracts.errors import DatasetError
from ...contracts.incident import AnswerSpace, Incident, TimeWindow
from ..expected import Expected, ExpectedCause, Judged
from .base import ImportSummary, case_name, need, new_case
from .openrca_tables import write_tables

LOCAL = timezone(timedelta(hours=8))
HALF_HOUR = 1800
BEFORE = timedelta(minutes=30)
REASONS = "openrca_reasons.yaml"
TIERS = {1: "easy", 2: "easy", 3: "easy", 4: "middle", 5: "middle", 6: "middle", 7: "hard"}


class Query(NamedTuple):
    system: Path
    task: int
    instruction: str
    scoring_points: str
    records: tuple[dict[str, str], ...]
    """Every failure of its half hour."""
    start: datetime


class OpenRca:
    name = "openrca"
    describes = "OpenRCA: the folder of one or several systems, each with query.csv, record.csv and telemetry/"

    def import_all(self, src: Path, out: Path, *, limit: int | None = None) -> ImportSummary:
        systems = sorted(path.parent for path in src.rglob("query.csv"))
        if not systems:
            raise DatasetError(f"no OpenRCA system below {str(src)!r}", why="no query.csv was found")
        queries = [query for system in systems for query in _queries(system)]
        notes: list[str] = []
        for number, query in enumerate(queries[:limit], start=1):
            name = case_name(self.name, number)
            days = sorted({_day(query.start - BEFORE), _day(query.start)})
            with new_case(out, name) as case:
                window = TimeWindow(start=query.start - BEFORE, end=query.start + timedelta(seconds=HALF_HOUR))
                folders = [query.system / "telemetry" / day for day in days]
                if not write_tables(case.tables, [path for path in folders if path.is_dir()], window):
                    notes.append(f"{name}: no telemetry for {', '.join(days)}")
                case.incident(_incident(name, query))
                case.expect(_expected(query))
        return ImportSummary(self.name, len(queries[:limit]), tuple(notes))


def _queries(system: Path) -> list[Query]:
    """Row by row, a question belongs to the record of the same row."""
    records = _csv(need(system / "record.csv", "OpenRCA", "each system has its records beside query.csv"))
    asked = _csv(system / "query.csv")
    if len(records) != len(asked):
        raise DatasetError(
            f"OpenRCA system {system.name!r} is not whole", why=f"{len(asked)} questions but {len(records)} records"
        )
    slots = [int(float(record["timestamp"])) // HALF_HOUR for record in records]
    return [
        Query(
            system=system,
            task=int(question["task_index"].rpartition("_")[2]),
            instruction=question["instruction"],
            scoring_points=question["scoring_points"],
            records=tuple(record for record, other in zip(records, slots, strict=True) if other == slot),
            start=datetime.fromtimestamp(slot * HALF_HOUR, tz=UTC),
        )
        for question, slot in zip(asked, slots, strict=True)
    ]


def _incident(name: str, query: Query) -> Incident:
    end = query.start + timedelta(seconds=HALF_HOUR)
    return Incident(
        id=name,
        title=f"{len(query.records)} failure{'s' * (len(query.records) > 1)} within half an hour",
        window=TimeWindow(start=query.start, end=end),
        baseline=TimeWindow(start=query.start - BEFORE, end=query.start),
        question=query.instruction,
        answer_space=AnswerSpace(reasons=_reasons(query.system)),
    )


def _expected(query: Query) -> Expected:
    causes = tuple(
        ExpectedCause(kind="component", ref=record["component"], service=record["component"], reason=record["reason"])
        for record in query.records
    )
    return Expected(
        outcome="cause_found",
        causes=causes,
        all_of=len(causes) > 1,
        judged_by=_judged(query.task),
        official={"scorer": "openrca", "scoring_points": query.scoring_points, "failures": len(causes)},
        tags={
            "source": "openrca",
            "system": _system(query.system),
            "tier": TIERS.get(query.task, ""),
            "fault": query.records[0]["reason"],
            "task": str(query.task),
        },
    )


def _judged(task: int) -> tuple[Judged, ...]:
    """Tasks that ask for the time alone are judged by the component too: the official score says the rest."""
    by_task: dict[int, tuple[Judged, ...]] = {
        2: ("reason",),
        4: ("reason",),
        6: ("ref", "reason"),
        7: ("ref", "reason"),
    }
    return by_task.get(task, ("ref",))


def _reasons(system: Path) -> tuple[str, ...]:
    listed = YAML(typ="safe").load(Path(__file__).with_name(REASONS).read_text(encoding="utf-8"))
    return tuple(listed.get(_system(system), ()))


def _system(system: Path) -> str:
    """`Market` also for one of its halves."""
    return system.parent.name if system.name.startswith("cloudbed") else system.name


def _day(at: datetime) -> str:
    return f"{at.astimezone(LOCAL):%Y_%m_%d}"


def _csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


IMPORTER = OpenRca()
