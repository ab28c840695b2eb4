"""Ties of a first key in the order of a second one, beside a stable sort by both."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.kernels.order import LONGEST, settle_ties


@pytest.mark.parametrize("n_keys", [1, 3, 40, 2000])
def test_short_runs_are_sorted_and_long_ones_named(n_keys: int) -> None:
    draw = np.random.default_rng(n_keys)
    n = 400
    first = draw.integers(0, n_keys, n).astype(np.uint64)
    second = draw.integers(0, 5, n).astype(np.uint64)
    order = np.lexsort((draw.random(n), first))
    expected = np.lexsort((np.arange(n), second, first))
    starts = np.empty(n, dtype=np.int64)
    n_long = settle_ties(order, first, second, starts)
    counts = np.bincount(first.astype(np.int64))
    assert n_long == np.count_nonzero(counts > LONGEST)
    short = np.isin(first[order].astype(np.int64), np.flatnonzero(counts <= LONGEST))
    assert (order[short] == expected[short]).all()
    for start in starts[:n_long]:
        assert counts[int(first[order[start]])] > LONGEST
        assert start == 0 or first[order[start - 1]] != first[order[start]]
