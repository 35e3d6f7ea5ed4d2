"""Where everything stands in the report's pictures. Only numbers and labels: the markup is the template's."""

from datetime import datetime
from typing import Literal, NamedTuple

from ...contracts.report import ChartSeries, IncidentReport, TimelineEntry
from ..visible import one_line
from .scale import Tick, TimeScale, number, time_scale, value_scale

WIDTH, CHART_HEIGHT, LANE_HEIGHT = 760, 170, 26
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 748, 20, 146
_LANE_LEFT = 92
_NEAR = 0.2
"""How far outside a chart's own span, as a share of it, a mark may lie and still be drawn."""

Lane = Literal["alert", "change", "metric", "log", "trace", "resource", "external"]
LANES: tuple[Lane, ...] = ("alert", "change", "metric", "log", "trace", "resource", "external")


MarkKind = Literal["onset", "alert", "change", "blamed"]
"""`blamed` is the change that the first cause names."""


class Mark(NamedTuple):
    kind: MarkKind
    x: float
    label: str


class Chart(NamedTuple):
    title: str
    unit: str
    line: str
    """The points of a polyline."""
    dots: tuple[tuple[float, float], ...]
    """Drawn one by one where they are too few to make a line."""
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    marks: tuple[Mark, ...]
    span: str
    """Lowest and highest value, for those who cannot see the picture."""


class Dot(NamedTuple):
    x: float
    label: str


class LaneRow(NamedTuple):
    lane: Lane
    y: float
    dots: tuple[Dot, ...]


class Lanes(NamedTuple):
    rows: tuple[LaneRow, ...]
    height: float
    x_ticks: tuple[Tick, ...]
    onset: float | None


def onset_of(report: IncidentReport) -> datetime | None:
    return report.causes[0].onset if report.causes else None


def charts(report: IncidentReport) -> tuple[Chart, ...]:
    """On one time axis, so that they can be read from top to bottom."""
    drawn = [series for series in report.charts if series.points]
    if not drawn:
        return ()
    instants = [at for series in drawn for at, _ in series.points]
    marks = _marks_near(report, min(instants), max(instants))
    scale = time_scale(instants + [at for _, at, _ in marks], _LEFT, _RIGHT)
    placed = tuple(Mark(kind, scale.x(at), label) for kind, at, label in marks)
    result = []
    for series in drawn:
        own = (Mark("onset", scale.x(series.onset), "onset"),) if series.onset and scale.holds(series.onset) else ()
        result.append(_chart(series, scale, (*placed, *own)))
    return tuple(result)


def _chart(series: ChartSeries, scale: TimeScale, marks: tuple[Mark, ...]) -> Chart:
    values = [value for _, value in series.points]
    vertical = value_scale(values, _TOP, _BOTTOM)
    spots = tuple((scale.x(at), vertical.y(value)) for at, value in sorted(series.points))
    unit = f" {series.unit}" if series.unit else ""
    return Chart(
        title=one_line(series.label),
        unit=one_line(series.unit),
        line=" ".join(f"{x},{y}" for x, y in spots),
        dots=spots if len(spots) < 3 else (),
        x_ticks=scale.ticks(),
        y_ticks=vertical.ticks(),
        marks=marks,
        span=one_line(f"{number(min(values))} to {number(max(values))}{unit}"),
    )


def _marks_near(report: IncidentReport, start: datetime, end: datetime) -> list[tuple[MarkKind, datetime, str]]:
    reach = (end - start) * _NEAR
    first = report.causes[0] if report.causes else None
    blamed = frozenset(first.claims) if first and first.kind == "change" else frozenset()
    marks: list[tuple[MarkKind, datetime, str]] = []
    for entry in report.timeline:
        if not start - reach <= entry.at <= end + reach:
            continue
        if entry.lane == "alert":
            marks.append(("alert", entry.at, one_line(entry.text, 120)))
        elif entry.lane == "change":
            marks.append(("blamed" if entry.claim in blamed else "change", entry.at, one_line(entry.text, 120)))
    return marks


def lanes(report: IncidentReport) -> Lanes | None:
    """The timeline, one lane a kind; lanes without entries are left out."""
    if not report.timeline:
        return None
    onset = onset_of(report)
    instants = [entry.at for entry in report.timeline] + ([onset] if onset else [])
    scale = time_scale(instants, _LANE_LEFT + 8, _RIGHT - 4)
    used = [lane for lane in LANES if any(entry.lane == lane for entry in report.timeline)]
    rows = []
    for place, lane in enumerate(used):
        dots = tuple(Dot(scale.x(e.at), _dot_label(e)) for e in report.timeline if e.lane == lane)
        rows.append(LaneRow(lane, 14.0 + place * LANE_HEIGHT, dots))
    height = len(used) * LANE_HEIGHT + 24.0
    return Lanes(tuple(rows), height, scale.ticks(), scale.x(onset) if onset else None)


def _dot_label(entry: TimelineEntry) -> str:
    return f"{entry.at:%H:%M:%S} UTC {one_line(entry.text, 160)}"
