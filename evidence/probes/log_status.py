"""Which status codes and exceptions are new or more frequent in the logs?

Method: the first HTTP status, gRPC code or exception class that a line names, counted per service before and after by
a Poisson score on the variance-stabilised scale (counts.py). Strength: z / (z + 4) times 1 for server errors,
exceptions and gRPC failures, 0.8 for 429, 0.5 for other client errors, 0.2 for what is no error. Cost: one pass over
the logs.
"""

from datetime import datetime
from typing import NamedTuple

import re2

from ...contracts.claim import Fact, Relation
from ...contracts.evidence import Answer
from ..counts import per_minute, rate_score
from ..subjects import subject_for
from ..tables import Tables, utc
from .base import Params, Probe, ServiceNames, answered, cut, in_list, rounded, saturating, strength, undated

MIN_SCORE = 2.0
MIN_STRENGTH = 0.1
_GRPC = (
    "Canceled|Unknown|InvalidArgument|DeadlineExceeded|NotFound|AlreadyExists|PermissionDenied|ResourceExhausted|"
    "FailedPrecondition|Aborted|OutOfRange|Unimplemented|Internal|Unavailable|DataLoss|Unauthenticated"
)
_NAMED = (
    r"(?:(?i:status|status_code|code|returned|response)|HTTP/[0-9.]+\"?)[ \"=:]{1,3}[1-5][0-9]{2}(?:[^0-9]|$)"
    rf"|code = (?:{_GRPC})"
    r"|[A-Za-z_][A-Za-z0-9_.$]*(?:Exception|Error)(?:[^A-Za-z0-9_]|$)"
)
_NUMBER = re2.compile(r"[1-5][0-9]{2}")
_CLASS = re2.compile(r"[A-Za-z0-9_$]*(?:Exception|Error)")


class LogStatus(Params):
    services: tuple[str, ...] = ServiceNames
    """Only these; empty means all."""
    split_at: datetime | None = None


class _Count(NamedTuple):
    before: int
    after: int
    first: datetime | None
    sample: str


def answer(tables: Tables, params: LogStatus) -> Answer:
    periods = tables.periods(params.split_at)
    if periods is None:
        return undated("logs")
    at = periods.sql
    values: list[object] = [_NAMED, at["b0"], at["b1"], at["a0"], at["a1"]]
    chosen = in_list("service", params.services, values)
    rows = tables.rows(
        f"""WITH named AS (
            SELECT service, ts, left(body, 300) AS line, regexp_extract(left(body, 1000), ?) AS said,
                   ts >= ? AND ts < ? AS b, ts >= ? AND ts <= ? AS a
            FROM logs WHERE ts IS NOT NULL{chosen})
        SELECT service, said, count(*) FILTER (b), count(*) FILTER (a), min(ts) FILTER (a), min(line)
        FROM named WHERE said <> '' AND (a OR b) GROUP BY service, said ORDER BY service, said LIMIT 5000""",  # noqa: S608  # placeholders only
        values,
    )
    counts: dict[tuple[str, str], _Count] = {}
    for service, said, before, after, first, line in rows:
        key = (service, _name(said))
        known = counts.get(key, _Count(0, 0, None, line))
        times = [t for t in (known.first, first) if t is not None]
        counts[key] = _Count(
            known.before + before, known.after + after, min(times, default=None), min(known.sample, line)
        )
    minutes = tables.minutes("logs", periods)
    facts = [fact for key, count in counts.items() if (fact := _fact(tables, *key, count, minutes))]
    read = sum(count.before + count.after for count in counts.values())
    return answered(tables, "logs", facts, window=periods.whole, rows_read=read)


def _name(said: str) -> str:
    """`503`, `DeadlineExceeded` or `NullPointerException`."""
    if said.startswith("code = "):
        return said.removeprefix("code = ")
    number = _NUMBER.search(said)
    found = _CLASS.search(said)
    return str(found.group()) if found else (str(number.group()) if number else said)


def _fact(tables: Tables, service: str, name: str, count: _Count, minutes: tuple[float, float]) -> Fact | None:
    score = rate_score(count.before, minutes[0], count.after, minutes[1])
    strong = strength(saturating(score, 4) * _weight(name))
    if score < MIN_SCORE or strong < MIN_STRENGTH:
        return None
    relation: Relation = "rises" if count.before else "appears"
    return Fact(
        subject=subject_for(tables.incident, service), signal="log:status", relation=relation, object=cut(name, 120),
        value=rounded(per_minute(count.after, minutes[1])), baseline=rounded(per_minute(count.before, minutes[0])),
        unit="per_min", at=utc(count.first) if count.first else None, strength=strong, quote=cut(count.sample),
    )  # fmt: skip


def _weight(name: str) -> float:
    if not name.isdecimal():
        return 0.5 if name in {"Canceled", "NotFound", "AlreadyExists"} else 1.0
    if name == "429" or name >= "500":
        return 1.0 if name != "429" else 0.8
    return 0.5 if name >= "400" else 0.2


PROBE = Probe(
    name="log_status",
    question="Which status codes and exceptions are new or more frequent in the logs?",
    sources=("logs",),
    cost="moderate",
    params=LogStatus,
    answer=answer,
)
