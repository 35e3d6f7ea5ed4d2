"""Where the fault sits, from invented services and how much speaks for each."""

import pytest

from leadline.evidence.ranking.localization import seats
from leadline.evidence.ranking.signals import is_demand, is_outgoing


def nothing(_: str) -> dict[str, float]:
    return {}


def test_a_kind_in_which_one_stands_out_counts_more_than_one_that_all_show() -> None:
    families = {
        "alder": {"metric": 0.8},
        "birch": {"metric": 0.8},
        "cedar": {"metric": 0.75},
        "dogwood": {"log": 0.6, "metric": 0.2},
    }
    found = seats(families, nothing)
    assert max(found, key=lambda name: found[name]) == "dogwood"


def test_a_caller_gives_way_to_its_callee() -> None:
    found = seats({"front": {"trace": 0.7}, "store": {"trace": 0.65}}, lambda n: {"store": 1.0} if n == "front" else {})
    assert found["store"] > 2 * found["front"]


def test_what_is_done_outweighs_how_fast() -> None:
    """A service that skips a step stands before a much clearer but lonely spike of a metric elsewhere."""
    found = seats({"quiet": {"course": 0.4}, "busy": {"metric": 0.9}}, nothing)
    assert found["quiet"] > found["busy"]


def test_without_a_changed_course_the_spike_stands_first() -> None:
    found = seats({"quiet": {"log": 0.4}, "busy": {"metric": 0.9}}, nothing)
    assert found["busy"] > found["quiet"]


def test_the_best_keeps_its_weight() -> None:
    found = seats({"one": {"metric": 0.8}, "two": {"metric": 0.8}}, nothing)
    assert found == pytest.approx({"one": 0.8, "two": 0.8})


def test_nothing_gives_nothing() -> None:
    assert seats({}, nothing) == {}
    assert seats({"one": {}}, nothing) == {"one": 0.0}


@pytest.mark.parametrize(
    ("metric", "of"),
    [
        ("PodClientLatencyP95", "callees"),
        ("http.client.duration", "callees"),
        ("http.server.duration", "itself"),
        ("NetworkTransmitBytes", "demand"),
        ("cpu_usage", "itself"),
    ],
)
def test_measures_of_what_others_do(metric: str, of: str) -> None:
    """How long a service's own calls take tells of its callees; bytes on the wire follow what is asked of it."""
    assert ("callees" if is_outgoing(metric) else "demand" if is_demand(metric) else "itself") == of
