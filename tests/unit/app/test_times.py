from datetime import UTC, datetime, timedelta, timezone

import pytest

from leadline.app.times import between, offset, span, utc

NOON = datetime(2026, 7, 11, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (0.44, "0.4 s"),
        (9.96, "10 s"),
        (59.6, "1 min"),
        (185, "3 min 05 s"),
        (7800, "2 h 10 min"),
        (86_400, "1 d"),
        (273_600, "3 d 4 h"),
    ],
)
def test_spans_have_two_units_at_most(seconds, told):
    assert span(seconds) == told


def test_times_are_told_in_utc_with_their_zone():
    assert utc(datetime(2026, 7, 11, 21, 0, tzinfo=timezone(timedelta(hours=9)))) == "2026-07-11 12:00:00 UTC"


def test_offsets_have_a_sign():
    assert offset(NOON + timedelta(seconds=12), NOON) == "+12 s"
    assert offset(NOON - timedelta(seconds=190), NOON) == "-3 min 10 s"
    assert offset(NOON, NOON) == "0 s"


def test_a_window_names_its_day_again_only_where_it_changes():
    assert between(NOON, NOON + timedelta(hours=2)) == "2026-07-11 12:00:00 to 14:00:00 UTC"
    assert between(NOON, NOON + timedelta(days=1)) == "2026-07-11 12:00:00 to 2026-07-12 12:00:00 UTC"
