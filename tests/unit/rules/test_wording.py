"""Sentences, as a person reads them."""

from typing import Any

import pytest

from leadline.contracts.claim import Subject
from leadline.rules.wording import say
from tests.unit.rules.planted import fact

CHANGE = Subject(kind="change", ref="0123456789abcdef", service="till")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "till: latency rose from 1 to 9 s at 2026-07-01 12:00:00Z"),
        ({"relation": "unchanged", "value": None, "baseline": None, "at": None}, "till: latency did not change"),
        (
            {"signal": "log:template", "object": "no route", "relation": "appears", "unit": "per_min", "at": None},
            "till logs: “no route” appeared from 1 to 9 per min",
        ),
        ({"signal": "log:error_rate", "unit": "", "at": None}, "till: log errors rose from 1 to 9"),
        (
            {"signal": "change:time", "subject": CHANGE, "relation": "precedes", "object": "till", "value": 7.0},
            "change 0123456789ab (till) reached till 7 min before the first anomaly at 2026-07-01 12:00:00Z",
        ),
        (
            {"signal": "change:diff", "subject": CHANGE, "relation": "sets", "object": "ttl", "value": 15.0, "baseline": 900.0},
            "change 0123456789ab (till) sets “ttl” from 900 to 15 s",
        ),
        (
            {"signal": "topology:edge", "relation": "calls", "object": "door", "value": None, "baseline": None},
            "till calls door",
        ),
        (
            {"signal": "trace:self_time", "relation": "slows", "at": None, "unit": "ms"},
            "till: self time slowed down from 1 to 9 ms",
        ),
    ],
)  # fmt: skip
def test_sentences(changes: dict[str, Any], sentence: str) -> None:
    assert say(fact(**changes)) == sentence
