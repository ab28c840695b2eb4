"""Rows by two keys, beside numpy's stable sort by both."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.kernels.order import LONGEST, settle_rows, spread_rows

BITS = 2


def _keys(n: int, n_keys: int, seed: int) -> np.ndarray:
    """Keys that differ in all their bits, each of them several times."""
    draw = np.random.default_rng(seed)
    return draw.integers(0, 2**63, n_keys).astype(np.uint64)[
        draw.integers(0, n_keys, n)
    ] * np.uint64(2)


@pytest.mark.parametrize("n_keys", [1, 3, 40, 5000])
def test_rows_are_sorted_but_for_long_runs(n_keys: int) -> None:
    n = LONGEST + 400 if n_keys < 3 else 900
    first, second = _keys(n, n_keys, 1), _keys(n, 5, 2)
    starts = np.empty((1 << BITS) + 1, dtype=np.int64)
    keys, rows = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.int32)
    spread_rows(first, BITS, starts, keys, rows)
    top = first >> np.uint64(64 - BITS)
    assert rows.tolist() == np.argsort(top, kind="stable").tolist()
    assert keys.tolist() == first[rows].tolist()
    assert np.diff(starts).tolist() == np.bincount(top.astype(np.int64), minlength=4).tolist()
    out_keys, order = np.empty_like(keys), np.full(n, -1, dtype=np.int32)
    found = np.empty((n // LONGEST, 2), dtype=np.int64)
    n_long = settle_rows(keys, rows, second, BITS, starts, 0, 1 << BITS, out_keys, order, found)
    assert n_long == (n_keys == 1)
    for start, stop in found[:n_long].tolist():
        assert (start, stop) == (0, n)
        order[start:stop] = order[start:stop][np.argsort(second[order[start:stop]], kind="stable")]
    assert order.tolist() == np.lexsort((np.arange(n), second, first)).tolist()
    assert out_keys.tolist() == np.sort(first).tolist()


def test_buckets_are_sorted_one_by_one() -> None:
    first, second = _keys(300, 100, 3), _keys(300, 5, 4)
    starts = np.empty((1 << BITS) + 1, dtype=np.int64)
    keys, rows = np.empty(300, dtype=np.uint64), np.empty(300, dtype=np.int32)
    spread_rows(first, BITS, starts, keys, rows)
    expected = np.lexsort((np.arange(300), second, first))
    for b in range(1 << BITS):
        order = np.full(300, -1, dtype=np.int32)
        nothing = np.empty((0, 2), dtype=np.int64)
        settle_rows(keys, rows, second, BITS, starts, b, b + 1, keys.copy(), order, nothing)
        its = slice(starts[b], starts[b + 1])
        assert order[its].tolist() == expected[its].tolist()
        assert np.count_nonzero(order < 0) == 300 - (its.stop - its.start)
