"""Rows by the leaf of a tree of cuts, beside a slow and obvious count."""

from __future__ import annotations

import numpy as np

from shoal.kernels.shard import count_leaves, find_leaves

# Column 0 up to 2 goes left; there, column 1 up to 0.
_TREE = [np.array(x) for x in ([0, 1, -1, -1, -1], [2, 0, -1, -1, -1], [1, 3, -1, -1, -1],
                               [2, 4, -1, -1, -1])]  # fmt: skip


def _rows() -> np.ndarray:
    return np.random.default_rng(1).integers(0, 5, (50, 2)).astype(np.uint8)


def _leaf(row: np.ndarray) -> int:
    if row[0] > 2:
        return 2
    return 3 if row[1] <= 0 else 4


def test_every_row_has_its_leaf() -> None:
    rows, out = _rows(), np.empty(50, dtype=np.int64)
    find_leaves(rows, *_TREE, out)
    assert out.tolist() == [_leaf(row) for row in rows]


def test_codes_are_counted_by_leaf_and_bin() -> None:
    rows = _rows()
    slot = np.array([-1, -1, 0, -1, 1])
    start, bins = np.array([0, 5]), np.array([0, 0, 0, 1, 1, 2, 3, 4, 5, 6])
    out = np.zeros((2, 7), dtype=np.int64)
    count_leaves(rows, *_TREE, slot, start, bins, out)
    expected = np.zeros((2, 7), dtype=np.int64)
    for row in rows:
        place = slot[_leaf(row)]
        if place >= 0:
            expected[place, bins[row[0]]] += 1
            expected[place, bins[5 + row[1]]] += 1
    assert (out == expected).all()
