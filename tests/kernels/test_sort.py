"""The short sort."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.sort import sort_short


@given(st.lists(st.integers(-5, 50), max_size=120), st.integers(0, 20))
def test_the_first_n_are_sorted_and_the_rest_is_left(numbers: list[int], beyond: int) -> None:
    n = max(len(numbers) - beyond, 0)
    values = np.array(numbers, dtype=np.int64)
    sort_short(values, n)
    assert values.tolist() == sorted(numbers[:n]) + numbers[n:]
