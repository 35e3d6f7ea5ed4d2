"""Which numbers inside familiar log lines drifted: durations, sizes, counts?

Method: for lines of the same masked text (templates.py) that were logged before and after, the numbers at each place:
their median before and after, held against the usual distance from median to 90th percentile with a floor of 10 %.
What drifts all along, as ids and sequence numbers do, is left out: the halves of the time before must agree.
Strength: x / (x + 3) for a move of x usual distances, times 0.5 to 1 by how large it is. Cost: two passes over the
logs, the 200 most frequent texts.
"""

from datetime import datetime
from typing import NamedTuple

from ...contracts.claim import Fact
from ...contracts.evidence import Answer
from ..subjects import subject_for
from ..tables import Tables, utc
from ..templates import MASKED_SQL
from .base import Params, Probe, ServiceNames, answered, cut, in_list, rounded, saturating, strength, undated

MIN_BEFORE, MIN_AFTER = 8, 5
MAX_TEXTS = 200
MAX_PLACES = 6
MAX_LINES = 20_000
"""Of a text with more lines, as many are taken, by their digest."""
MIN_STRENGTH = 0.3
_NUMBER = r"(?:^|[ =:(\[,])(-?[0-9]{1,15}(?:\.[0-9]{1,9})?)(?:ms|us|ns|s|m|%|B|[KMGT]i?B)?(?:[^0-9A-Za-z.:/-]|$)"


class LogParameters(Params):
    services: tuple[str, ...] = ServiceNames
    """Only these; empty means all."""
    split_at: datetime | None = None


class _Place(NamedTuple):
    service: str
    masked: str
    place: int
    usual: list[float]
    """Median and 90th percentile, before."""
    mid_early: float
    mid_late: float
    mid_after: float
    first: datetime
    sample: str


def answer(tables: Tables, params: LogParameters) -> Answer:
    periods = tables.periods(params.split_at)
    if periods is None:
        return undated("logs")
    at = periods.sql
    middle = at["b0"] + (at["b1"] - at["b0"]) / 2
    values: list[object] = [_NUMBER, at["b0"], at["b1"], at["a0"], at["a1"]]
    chosen = in_list("service", params.services, values)
    rows = tables.rows(
        f"""WITH lines AS (
            SELECT service, ts, left(body, 300) AS line, {MASKED_SQL} AS masked,
                   regexp_extract_all(left(body, 500), ?, 1)[:{MAX_PLACES}] AS numbers,
                   ts >= ? AND ts < ? AS b, ts >= ? AND ts <= ? AS a
            FROM logs WHERE ts IS NOT NULL{chosen}),
        kept AS (
            SELECT service, masked, greatest(count(*) // {MAX_LINES}, 1) AS each
            FROM lines WHERE len(numbers) > 0 AND (a OR b) GROUP BY service, masked
            HAVING count(*) FILTER (b) >= {MIN_BEFORE} AND count(*) FILTER (a) >= {MIN_AFTER}
            ORDER BY count(*) DESC, service, masked LIMIT {MAX_TEXTS}),
        places AS (
            SELECT service, masked, ts, line, a, b, unnest(numbers) AS written,
                   generate_subscripts(numbers, 1) AS place
            FROM lines JOIN kept USING (service, masked)
            WHERE (a OR b) AND (each = 1 OR md5_number_lower(line) % each = 0)),
        numbers AS (SELECT *, try_cast(written AS DOUBLE) AS v FROM places)
        SELECT service, masked, place, quantile_cont(v, [0.5, 0.9]) FILTER (b),
               median(v) FILTER (b AND ts < ?), median(v) FILTER (b AND ts >= ?), median(v) FILTER (a),
               min(ts) FILTER (a), min(line) FILTER (a)
        FROM numbers WHERE v IS NOT NULL GROUP BY service, masked, place
        HAVING count(*) FILTER (b) >= {MIN_BEFORE} AND count(*) FILTER (a) >= {MIN_AFTER}
        ORDER BY service, masked, place""",  # noqa: S608  # placeholders, and constants of ours
        [*values, middle, middle],
    )
    facts = [fact for row in rows if None not in row and (fact := _fact(tables, _Place(*row)))]
    return answered(tables, "logs", facts, window=periods.whole, rows_read=len(rows))


def _fact(tables: Tables, row: _Place) -> Fact | None:
    mid, high = row.usual
    distance = max(high - mid, 0.1 * abs(mid), 1e-9)
    moved = row.mid_after - mid
    if abs(row.mid_late - row.mid_early) * 3 > abs(moved):
        return None
    size = abs(moved) / max(abs(row.mid_after), abs(mid), 1e-9)
    strong = strength(saturating(abs(moved) / distance, 3) * (0.5 + min(size, 0.5)))
    if strong < MIN_STRENGTH:
        return None
    return Fact(
        subject=subject_for(tables.incident, row.service), signal="log:parameter",
        relation="rises" if moved > 0 else "falls", object=cut(f"number {row.place} of {row.masked}", 240),
        value=rounded(row.mid_after), baseline=rounded(mid), at=utc(row.first), strength=strong,
        quote=cut(row.sample),
    )  # fmt: skip


PROBE = Probe(
    name="log_parameters",
    question="Which numbers inside familiar log lines drifted?",
    sources=("logs",),
    cost="heavy",
    params=LogParameters,
    answer=answer,
)
