"""Ranges with round ends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.recode.snap import snap_dates, snap_numbers

finite = st.floats(allow_nan=False, allow_infinity=False, width=64).map(lambda x: x + 0.0)


@given(finite, finite, st.booleans())
def test_a_round_range_contains_the_real_one(a: float, b: float, bounded: bool) -> None:
    low, high = min(a, b), max(a, b)
    if not low < high or not np.isfinite(high - low):
        return
    domain = (low, high) if bounded else None
    [first], [last] = snap_numbers(np.array([low]), np.array([high]), domain)
    assert first <= low < high <= last
    if bounded:
        assert (first, last) == (low, high)


@given(st.integers(-20_000, 40_000), st.integers(0, 4000))
def test_round_dates_contain_the_real_ones(start: int, days: int) -> None:
    low, high = np.array([float(start)]), np.array([float(start + days)])
    [first], [last] = snap_dates(low, high, None)
    assert first <= low[0] <= high[0] <= last
    months = np.array([first, last + 1]).astype("datetime64[D]").astype("datetime64[M]")
    assert months.astype("datetime64[D]").astype(int).tolist() == [first, last + 1]


@pytest.mark.parametrize(
    ("low", "high", "first", "last"),
    [
        (23, 41, 20, 50),
        (20, 40, 20, 40),
        (-7, -3, -8, -2),
        (0.11, 0.14, 0.1, 0.14),
        (99, 101, 98, 102),
        (1, 6, 0, 10),
        (1, 5.9, 0, 6),
    ],
)
def test_the_step_is_the_largest_round_one_within_the_range(
    low: float, high: float, first: float, last: float
) -> None:
    found = snap_numbers(np.array([low]), np.array([high]), None)
    assert [ends.tolist() for ends in found] == [[first], [last]]


@pytest.mark.parametrize(
    ("low", "high", "first", "last"),
    [
        ("2020-02-10", "2020-02-12", "2020-02-01", "2020-02-29"),
        ("2020-01-01", "2020-02-01", "2020-01-01", "2020-02-29"),
        ("2020-01-01", "2020-02-02", "2020-01-01", "2020-12-31"),
        ("1969-12-31", "1970-01-01", "1969-12-01", "1970-01-31"),
    ],
)
def test_dates_widen_to_months_and_beyond_31_days_to_years(
    low: str, high: str, first: str, last: str
) -> None:
    days = [np.array([np.datetime64(day).astype(int)], dtype=float) for day in (low, high)]
    found = snap_dates(days[0], days[1], None)
    assert [str(np.datetime64(int(ends[0]), "D")) for ends in found] == [first, last]
