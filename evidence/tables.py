"""What a probe is handed: SQL over the bundle's tables, the incident, and the periods to compare."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import duckdb

from ..contracts.evidence import Source, SourceCoverage
from ..contracts.incident import Incident, TimeWindow

ALERT_LAG = timedelta(minutes=5)
"""An alert fires after what it tells of: so much before it, the incident may have begun."""
NEAR_ALERT = timedelta(minutes=15)
"""So close before the split, an incident with a baseline elsewhere may have begun anywhere in its window."""
LONGER = 4
"""So many times longer than a stated baseline, the time before the split tells more of what has few points."""


MIN_ROWS = 20
"""Fewer do not show how long a source was recorded."""
_TIMED: Mapping[Source, tuple[str, str]] = {"logs": ("logs", "ts"), "traces": ("spans", "start")}


class Periods(NamedTuple):
    """Before and after; `before` ends where `after` begins unless the incident names a baseline elsewhere."""

    before: TimeWindow
    after: TimeWindow
    told: bool = True
    """Whether the incident or the asker said where to split; else the middle was taken."""

    @property
    def split(self) -> datetime:
        return self.after.start

    @property
    def whole(self) -> TimeWindow:
        return TimeWindow(start=min(self.before.start, self.after.start), end=max(self.before.end, self.after.end))

    @property
    def minutes(self) -> tuple[float, float]:
        """How long before and after last, at least a second each."""
        before, after = (max((w.end - w.start).total_seconds(), 1.0) / 60 for w in (self.before, self.after))
        return before, after

    @property
    def sql(self) -> dict[str, datetime]:
        """Named parameters `$b0`, `$b1`, `$a0`, `$a1`; the baseline ends before `$b1`, the rest includes `$a1`."""
        return {"b0": naive(self.before.start), "b1": naive(self.before.end), "a0": naive(self.after.start),
                "a1": naive(self.after.end)}  # fmt: skip


class Tables:
    """Tables of docs/bundle-format.md: metrics, logs, spans, changes, edges, resources, documents.

    Times in them are TIMESTAMP in UTC; `utc()` and `naive()` convert. One object serves one question, in one thread.
    """

    def __init__(
        self,
        cursor: duckdb.DuckDBPyConnection,
        incident: Incident,
        coverage: Mapping[Source, SourceCoverage],
        default_split: datetime | None,
    ) -> None:
        self._cursor = cursor
        self.incident = incident
        self._coverage = coverage
        self._default_split = default_split

    def rows(self, sql: str, params: Sequence[Any] | Mapping[str, Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query. For an answer that is equal everywhere: a total ORDER BY, no avg, sum, first or mode."""
        return self._cursor.execute(sql, dict(params) if isinstance(params, Mapping) else list(params)).fetchall()

    def arrays(self, sql: str, params: Sequence[Any] | Mapping[str, Any] = ()) -> dict[str, Any]:
        """The same as one numpy array per column."""
        asked = dict(params) if isinstance(params, Mapping) else list(params)
        return dict(self._cursor.execute(sql, asked).fetchnumpy())

    def interrupt(self) -> None:
        """Stop the query that runs in another thread."""
        self._cursor.interrupt()

    def has(self, source: Source) -> bool:
        return self._coverage[source].rows > 0

    def complete(self, source: Source) -> bool:
        """Whether nothing of the source is known to be lost; only then can it show that something is absent."""
        return self._coverage[source].status == "ok"

    def coverage(self, source: Source) -> SourceCoverage:
        return self._coverage[source]

    def minutes(self, source: Source, periods: Periods) -> tuple[float, float]:
        """How long before and after were recorded, for rates.

        Where a normal stretch lies elsewhere, bundles are stitched from pieces: the time that the source's rows span
        counts then, not the time that was asked for.
        """
        if periods.before.end == periods.after.start:
            return periods.minutes
        table, column = _TIMED[source]
        rows = self.rows(
            f"""WITH marked AS (
                SELECT {column} AS t, {column} >= $b0 AND {column} < $b1 AS b, {column} >= $a0 AND {column} <= $a1 AS a
                FROM {table})
            SELECT count(*) FILTER (b), min(t) FILTER (b), max(t) FILTER (b),
                   count(*) FILTER (a), min(t) FILTER (a), max(t) FILTER (a)
            FROM marked WHERE a OR b""",  # noqa: S608  # names of ours
            periods.sql,
        )
        asked = periods.minutes
        found = [
            max((last - first).total_seconds() / 60, 1 / 60) if count >= MIN_ROWS else full
            for (count, first, last), full in zip((rows[0][:3], rows[0][3:]), asked, strict=True)
        ]
        return min(found[0], asked[0]), min(found[1], asked[1])

    @property
    def window(self) -> TimeWindow | None:
        """The incident's, else what its metrics, logs and traces span."""
        if self.incident.window is not None:
            return self.incident.window
        return span_of(self._coverage)

    @property
    def split(self) -> datetime | None:
        """Where the incident may have begun, as its alert tells; None where nothing does."""
        return self._default_split

    def periods(self, split_at: datetime | None = None, *, sparse: bool = False) -> Periods | None:
        """What to compare; None where nothing is dated.

        Without `split_at`: before is the incident's baseline where it names one; the split is the first alert less five
        minutes, else where the alert's metric changes, else the middle of the window. A baseline outside the window is
        held against all of the window, where the window begins less than `NEAR_ALERT` before the split. `sparse` is for
        what has a point a minute at most: a baseline gives way to the window's own time before the split where that is
        much longer.
        """
        window = self.window
        if window is None:
            return None
        baseline = self.incident.baseline
        split = split_at or self._default_split
        told = split is not None and window.start < split <= window.end
        if baseline is not None and split_at is None:
            return self._with_baseline(window, baseline, split if told else None, sparse=sparse)
        if split is None or not told:
            split = window.start + (window.end - window.start) / 2
        before = baseline or TimeWindow(start=window.start, end=split)
        return Periods(before, TimeWindow(start=split, end=window.end), told)

    @staticmethod
    def _with_baseline(window: TimeWindow, baseline: TimeWindow, split: datetime | None, *, sparse: bool) -> Periods:
        begin = baseline.end if window.start < baseline.end < window.end else window.start
        if split is not None and split - begin > NEAR_ALERT:
            begin = split
        after = TimeWindow(start=begin, end=window.end)
        if sparse and begin - window.start > LONGER * (baseline.end - baseline.start):
            return Periods(TimeWindow(start=window.start, end=begin), after)
        return Periods(baseline, after)


def span_of(coverage: Mapping[Source, SourceCoverage]) -> TimeWindow | None:
    sources: tuple[Source, ...] = ("metrics", "logs", "traces")
    spans = [coverage[s] for s in sources if coverage[s].start] or [c for c in coverage.values() if c.start]
    starts, ends = [c.start for c in spans if c.start], [c.end for c in spans if c.end]
    return TimeWindow(start=min(starts), end=max(ends)) if starts and ends else None


def utc(time: datetime) -> datetime:
    """A time of a table, as contracts want it."""
    return time.replace(tzinfo=UTC)


def naive(time: datetime) -> datetime:
    """A time of a contract, as tables hold it."""
    return time.astimezone(UTC).replace(tzinfo=None)
