"""The sums that some numbers of a crowd can have, by trying them all."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal._command.query.crowd import (
    UncertainNumber,
    at_least,
    at_most,
    greatest_sum,
    in_order,
    least_sum,
    per_crowd,
)

CROWD = st.lists(st.integers(-9, 9), min_size=1, max_size=6)


@given(st.lists(CROWD, min_size=1, max_size=3), st.data())
def test_the_least_and_the_greatest_sum(crowds: list[list[int]], data: st.DataObject) -> None:
    limits = [
        sorted(data.draw(st.tuples(st.integers(0, len(c)), st.integers(0, len(c))))) for c in crowds
    ]
    owner = np.repeat(np.arange(len(crowds)), [len(c) for c in crowds])
    ordered = in_order(owner, np.array([float(x) for crowd in crowds for x in crowd]))
    fewest, most = np.array(limits, dtype=np.float64).T
    sums = [
        [sum(some) for n in range(low, high + 1) for some in combinations(crowd, n)]
        for crowd, (low, high) in zip(crowds, limits, strict=True)
    ]
    assert least_sum(*ordered, fewest, most) == sum(map(min, sums))
    assert greatest_sum(*ordered, fewest, most) == sum(map(max, sums))


@pytest.mark.parametrize(
    ("hits", "least", "most"),
    [(0.0, 0, 0), (1.2, 1, 2), (2.0, 2, 2), (0.1 + 0.2 + 0.7, 1, 1), (1 - 1e-12, 1, 1),
     (1 - 1e-6, 0, 1), (1 + 1e-12, 1, 1), (1 + 1e-6, 1, 2), (-1e-12, 0, 0)],
)  # fmt: skip
def test_rounding_forgives_a_hair(hits: float, least: float, most: float) -> None:
    assert (at_least(hits), at_most(hits)) == (least, most)


def test_crowds_without_rows_have_nothing() -> None:
    assert per_crowd(np.array([2]), np.array([0.5]), 4).tolist() == [0, 0, 0.5, 0]
    nothing = np.empty(0, dtype=np.int32)
    assert least_sum(nothing, np.empty(0), np.zeros(2), np.zeros(2)) == 0
    assert UncertainNumber(1, 2, 3) + UncertainNumber() == UncertainNumber(1, 2, 3)
