"""Counting the codes of rows by the node of a tree of cuts in which they are."""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import inline, jit


@inline
def find_leaf(row, column, code, left, right):
    """The leaf of a row: codes up to that of a cut are on its left."""
    node = 0
    while column[node] >= 0:
        node = left[node] if row[column[node]] <= code[node] else right[node]
    return node


@jit
def find_leaves(rows, column, code, left, right, out):
    """The leaf of every row."""
    for i in range(len(rows)):
        out[i] = find_leaf(rows[i], column, code, left, right)


@jit
def count_leaves(rows, column, code, left, right, slot, start, bins, out):
    """Add rows to the histograms of their leaves.

    Leaf n has the row slot[n] of `out`, none where that is negative. Code c of column j is in the
    bin bins[start[j] + c] of that row.
    """
    for i in range(len(rows)):
        place = slot[find_leaf(rows[i], column, code, left, right)]
        if place >= 0:
            for j in range(rows.shape[1]):
                out[place, bins[start[j] + np.int64(rows[i, j])]] += 1
