"""The benchmark of losses, on the shipped incidents: what must lose nothing, and what cannot but lose."""

from pathlib import Path

import pytest

from benchmarks.robustness import late_alert, measured, shuffled, thinned, without
from leadline import examples
from leadline.evals.dataset import load_dataset

CASES = [c for c in load_dataset(Path(examples.__path__[0]) / "incidents") if c.expected.outcome == "cause_found"]


@pytest.mark.parametrize(
    "change", [None, shuffled, thinned, late_alert], ids=["as it is", "shuffled", "thinned", "late"]
)
async def test_order_and_a_tenth_of_the_points_cost_nothing(change: object) -> None:
    assert await measured(CASES, change) == 1.0  # type: ignore[arg-type]


async def test_a_change_cannot_be_found_without_changes() -> None:
    assert await measured(CASES, without("changes")) == 0.0
