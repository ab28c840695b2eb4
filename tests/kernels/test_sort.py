"""The short sorts, and the choice of the lowest."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.sort import front_lowest, front_marked, order_short, sort_pairs, sort_short


@given(st.lists(st.integers(-5, 50), max_size=120), st.integers(0, 20))
def test_the_first_n_are_sorted_and_the_rest_is_left(numbers: list[int], beyond: int) -> None:
    n = max(len(numbers) - beyond, 0)
    values = np.array(numbers, dtype=np.int64)
    sort_short(values, n)
    assert values.tolist() == sorted(numbers[:n]) + numbers[n:]


@given(st.lists(st.integers(-5, 20), max_size=120), st.integers(0, 20))
def test_numbers_by_their_keys(keys: list[int], beyond: int) -> None:
    n = max(len(keys) - beyond, 0)
    order = np.random.default_rng(len(keys)).permutation(len(keys)).astype(np.int32)
    before = order.tolist()
    order_short(np.array(keys, dtype=np.float64), order, n)
    assert order.tolist() == sorted(before[:n], key=lambda i: (keys[i], i)) + before[n:]


@given(st.lists(st.integers(-5, 20), max_size=120), st.integers(0, 20))
def test_others_go_with_their_values(numbers: list[int], beyond: int) -> None:
    n = max(len(numbers) - beyond, 0)
    values, others = np.array(numbers, dtype=np.int64), 2 * np.array(numbers, dtype=np.int64)
    sort_pairs(values, others, n)
    assert values.tolist() == sorted(numbers[:n]) + numbers[n:]
    assert (others == 2 * values).all()


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=120), st.data())
def test_the_lowest_come_to_the_front(keys: list[int], data: st.DataObject) -> None:
    n = data.draw(st.integers(1, len(keys)))
    m = data.draw(st.integers(0, n))
    ties = np.random.default_rng(n).permutation(len(keys)).astype(np.int32)
    order = np.arange(len(keys), dtype=np.int32)
    front_lowest(np.array(keys, dtype=np.int64), ties, order, n, m)
    lowest = sorted(range(n), key=lambda i: (keys[i], ties[i]))[:m]
    assert sorted(order[:m].tolist()) == sorted(lowest)
    assert sorted(order[:n].tolist()) == list(range(n))
    assert order[n:].tolist() == list(range(n, len(keys)))


def test_the_marked_and_the_others_keep_the_order_they_had() -> None:
    some = np.array([5, 3, 9, 1, 7], dtype=np.int32)
    marked = np.array([False, True, False, True, True])
    assert front_marked(some, marked, np.empty(5, np.int32)) == 3
    assert some.tolist() == [3, 1, 7, 5, 9]
