from datetime import UTC, datetime, timedelta

import pytest

from leadline.app.report import pictures
from leadline.app.report.scale import number, time_scale, value_scale
from leadline.contracts.report import ChartSeries

NOON = datetime(2026, 7, 11, 12, 0, tzinfo=UTC)


def test_time_ticks_are_round_and_few():
    scale = time_scale([NOON + timedelta(minutes=3), NOON + timedelta(minutes=93)], 0, 100)
    assert [t.label for t in scale.ticks()] == ["12:15", "12:30", "12:45", "13:00", "13:15", "13:30"]
    assert scale.x(NOON + timedelta(minutes=48)) == 50.0


@pytest.mark.parametrize("days", [0, 1 / 86_400, 0.01, 3, 400, 20_000])
def test_any_span_has_a_scale(days):
    scale = time_scale([NOON, NOON + timedelta(days=days)], 0, 700)
    assert 1 <= len(scale.ticks()) <= 8
    assert all(0 <= t.at <= 700 for t in scale.ticks())


@pytest.mark.parametrize(
    "values", [[0.0], [5.0, 5.0], [-1e-12, 1e12], [98, 1410], [0.95, 0.97], [-3, -1], [1e300, 2e300]]
)
def test_any_values_have_a_scale_within_the_picture(values):
    scale = value_scale(values, 20, 146)
    assert all(20 <= scale.y(v) <= 146 for v in values)
    assert 1 <= len(scale.ticks()) <= 6


def test_numbers_have_three_telling_digits():
    assert [number(v) for v in (0, 0.01234, 38, 1410, 12_500, 3.2e6, -2400)] == [
        "0", "0.0123", "38", "1,410", "12.5k", "3.2M", "-2,400",
    ]  # fmt: skip


def test_charts_share_one_axis_and_carry_the_marks(rich):
    first, second, third = pictures.charts(rich)
    assert first.x_ticks == second.x_ticks == third.x_ticks
    kinds = [mark.kind for mark in first.marks]
    assert kinds == ["change", "blamed", "alert", "onset"]
    onset_of = {chart.title: next(m.x for m in chart.marks if m.kind == "onset") for chart in (first, third)}
    assert onset_of["productdb duration p95"] > onset_of["productdb requests"]
    assert first.span == "92.1 to 1,416 1/s"


def test_far_marks_are_left_out_of_a_chart(rich):
    far = rich.timeline[0].model_copy(update={"at": rich.timeline[0].at - timedelta(days=3)})
    marks = pictures.charts(rich.model_copy(update={"timeline": (far, *rich.timeline[1:])}))[0].marks
    assert [mark.kind for mark in marks] == ["blamed", "alert", "onset"]


def test_a_series_of_one_point_is_drawn_as_a_dot(rich):
    one = ChartSeries(label="x", unit="", onset=None, points=((NOON, 3.0),))
    (chart,) = pictures.charts(rich.model_copy(update={"charts": (one,), "timeline": ()}))
    assert len(chart.dots) == 1


def test_lanes_without_entries_are_left_out(rich, empty):
    lanes = pictures.lanes(rich)
    assert [row.lane for row in lanes.rows] == ["alert", "change", "metric", "log", "trace"]
    assert [len(row.dots) for row in lanes.rows] == [1, 2, 2, 1, 1]
    assert pictures.lanes(empty) is None
