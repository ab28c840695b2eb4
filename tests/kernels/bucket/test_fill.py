"""Buckets by their definition, and what the assignment counts against a look at everything."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.bucket.fill import (
    Heap,
    fill_buckets,
    how_many,
    is_eligible,
    pop,
    push,
    split_at,
)

few = st.lists(st.integers(0, 9), min_size=1, max_size=12)


@given(few, st.integers(1, 5))
def test_buckets_hold_at_least_l_different_values(counts: list[int], least: int) -> None:
    """The condition of m-invariance: possible if and only if no value has more than 1/l."""
    total = sum(counts)
    if total == 0 or max(counts) * least > total:
        return
    out = np.full(total, -1, dtype=np.int32)
    n_buckets = fill_buckets(np.array(counts, dtype=np.int64), np.int64(least), out)
    values = np.repeat(np.arange(len(counts)), counts)
    assert set(out.tolist()) == set(range(n_buckets))
    for b in range(n_buckets):
        held = values[out == b].tolist()
        assert len(held) == len(set(held)) >= least


def test_values_that_are_eligible_apart_share_no_bucket() -> None:
    out = np.empty(8, dtype=np.int32)
    assert fill_buckets(np.array([2, 2, 2, 2]), np.int64(2), out) == 4
    assert set(out[:4].tolist()).isdisjoint(out[4:].tolist())


@given(few)
def test_the_heap_gives_the_commonest_first(counts: list[int]) -> None:
    heap = Heap(np.empty(len(counts), np.int64), np.array(counts, dtype=np.int64))
    n = np.int64(0)
    for value in range(len(counts)):
        n = push(heap, n, np.int64(value))
    found = [int(pop(heap, np.int64(size))) for size in range(n, 0, -1)]
    assert found == sorted(range(len(counts)), key=lambda v: (-counts[v], v))


@given(few, st.integers(1, 4), st.data())
def test_eligible_and_the_lower_median(counts: list[int], least: int, data: st.DataObject) -> None:
    low = data.draw(st.integers(0, len(counts) - 1))
    high = data.draw(st.integers(low + 1, len(counts)))
    rows = [v for v in range(low, high) for _ in range(counts[v])]
    found = np.array(counts, dtype=np.int64)
    fine = bool(rows) and all(rows.count(v) / len(rows) <= 1 / least for v in rows)
    assert bool(is_eligible(found, low, high, least)) == fine
    if rows:
        assert split_at(found, low, high) == rows[(len(rows) - 1) // 2] + 1


@given(st.lists(st.integers(1, 12), min_size=1, max_size=6), st.integers(1, 6), st.data())
def test_as_many_buckets_as_leave_an_eligible_rest(
    counts: list[int], least: int, data: st.DataObject
) -> None:
    counts = sorted(counts, reverse=True)
    beta = data.draw(st.integers(1, len(counts)))
    total = sum(counts)
    if beta < least or counts[0] * least > total:
        return
    following = counts[beta] if beta < len(counts) else 0

    def remains_eligible(alpha: int) -> bool:
        rest = [c - alpha for c in counts[:beta]] + counts[beta:]
        return min(rest) >= 0 and max(rest) * least <= sum(rest)

    found = how_many(counts[0], counts[beta - 1], following, beta, least, total)
    possible = [a for a in range(1, counts[beta - 1] + 1) if remains_eligible(a)]
    assert max(int(found), 0) == max(possible, default=0)
