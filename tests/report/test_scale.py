from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.report.scale import Scale, round_step, round_ticks


def test_ticks_are_round() -> None:
    assert round_ticks(0.07) == [0.02, 0.04, 0.06]
    assert round_ticks(1) == [0.5, 1]


@pytest.mark.parametrize(
    ("values", "top"), [([], 1), ([0], 1), ([1e-10], 1), ([2e-9], 2e-9), ([3, 7], 7)]
)
def test_what_cannot_be_told_from_nought_sets_no_top(values: list[float], top: float) -> None:
    assert Scale.over(values).top == top


def test_labels_are_numbers_or_percent() -> None:
    assert [t.label for t in Scale(4000).ticks()] == ["1,000", "2,000", "3,000", "4,000"]
    assert [t.label for t in Scale(0.4).ticks(percent=True, most=2)] == ["20%", "40%"]


@given(st.floats(1e-8, 1e12), st.integers(1, 9))
def test_at_most_so_many_ticks_and_all_in_the_box(top: float, most: int) -> None:
    ticks = Scale(top).ticks(most=most)
    assert len(ticks) <= most
    assert all(0 < tick.at <= 92 * (1 + 1e-6) for tick in ticks)


@given(st.floats(1e-8, 1e12))
def test_a_round_step_is_near(least: float) -> None:
    assert least * (1 - 1e-8) <= round_step(least) <= least * 2.5 * (1 + 1e-8)
