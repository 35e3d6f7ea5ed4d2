"""Estimates are on the safe side; a cut prompt is told from a cached one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.adapters.models.window import Prefixes, common_prefix, cut_reason, fits, size_of, tokens_for

CTX = 8192


@pytest.mark.parametrize(
    ("counted", "expected", "reusable", "partial", "is_cut"),
    [
        (3900, 4000, 0, False, False),
        (3000, 4000, 0, False, False),
        (5200, 4000, 0, False, False),
        (None, 4000, 0, False, False),
        (0, 4000, 0, False, False),
        (7500, 6500, 0, False, True),
        (4098, 6500, 0, False, True),
        (4096, 6500, 0, False, True),
        (4098, 6500, 6000, True, True),
        (4098, 4200, 0, False, False),
        (4098, 1900, 0, False, True),
        (2050, 6500, 0, False, True),
        (2050, 6500, 4400, False, False),
        (2050, 6500, 1000, False, True),
        (40, 4000, 4000, False, False),
        (40, 4000, 0, True, False),
        (40, 4000, 0, False, True),
    ],
    ids=[
        "as_estimated", "fewer_than_estimated", "more_than_estimated", "not_counted", "counted_nothing", "context_full",
        "half_a_context", "exactly_half", "half_despite_cache", "half_by_chance", "half_above_estimate", "other_context",
        "cached_prefix", "cache_explains_too_little", "all_cached", "server_counts_no_cache", "nothing_explains_it",
    ],
)  # fmt: skip
def test_cut_or_not(counted: int | None, expected: int, reusable: int, partial: bool, is_cut: bool) -> None:  # noqa: FBT001
    reason = cut_reason(counted=counted, expected=expected, reusable=reusable, num_ctx=CTX, partial_counts=partial)
    assert bool(reason) is is_cut
    assert not is_cut or str(counted) in reason


def test_a_prompt_must_fit_with_its_answer_and_a_margin() -> None:
    assert fits(6000, 1200, CTX)
    assert not fits(6100, 1200, CTX)
    assert not fits(7000, 200, CTX)


def test_letters_outside_ascii_cost_more() -> None:
    assert size_of("größe") == 7
    assert size_of("\ud800") == 6
    assert tokens_for(300, 3.0) == 124


@given(st.text(max_size=30), st.text(max_size=30))
def test_common_prefix(one: str, other: str) -> None:
    n = common_prefix(one, other)
    assert one[:n] == other[:n]
    assert n == min(len(one), len(other)) or one[n] != other[n]


def test_the_longest_earlier_beginning_counts() -> None:
    prefixes = Prefixes()
    assert prefixes.shared("system shared task one") == 0
    assert prefixes.shared("system other") == 7
    assert prefixes.shared("system shared task two") == 19
    for i in range(100):
        prefixes.shared(f"{i}")
    assert len(prefixes.sent) == 32
    assert prefixes.shared("system shared") == 0
