"""Between contracts and rows."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from leadline.adapters.store.rows import dump_update, from_micros, load_update, seal, to_micros
from leadline.contracts.errors import CorruptStore


def test_a_seal_tells_types_and_borders_apart() -> None:
    parts = [("ab", "c"), ("a", "bc"), ("abc",), (b"abc",), ("1",), (1,), (True,), (None,), ("",), ("None",), ()]
    assert len({seal(*given) for given in parts}) == len(parts)
    assert seal("run-1", 1, b"x", None) == seal("run-1", 1, b"x", None)


@pytest.mark.parametrize("at", ["1970-01-01T00:00:00.000001", "2026-11-30T12:00:00.999999", "2099-12-31T23:59:59"])
def test_a_time_keeps_its_microseconds(at: str) -> None:
    utc = datetime.fromisoformat(at).replace(tzinfo=UTC)
    assert from_micros(to_micros(utc)) == utc
    assert to_micros(utc.astimezone(timezone(timedelta(hours=9, minutes=30)))) == to_micros(utc)


def test_an_update_is_plain_json() -> None:
    update = {"text": "\ud800 lone, \x00 nul", "deep": [{"n": 0.1}, None]}
    assert load_update(dump_update(update), "s") == update  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not JSON compliant"):
        dump_update({"n": float("nan")})


@pytest.mark.parametrize("body", ["", "[1]", "nul", "{"])
def test_what_is_no_update_is_refused(body: str) -> None:
    with pytest.raises(CorruptStore, match="table 'step'"):
        load_update(body, "run-1 s")
