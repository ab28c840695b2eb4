"""Rows that are sorted by one key, brought into the order of a second one among equals."""

from __future__ import annotations

from shoal.kernels.jit import jit

# Longer runs of equal keys are left to a sort that does not grow with their square.
LONGEST = 48


@jit
def settle_ties(order, first, second, long_starts):
    """Sort runs of equal `first` by `second`, then by place; returns how many are too long for it.

    `order` lists rows by `first`, runs in any order; where those that are too long begin is written
    to `long_starts`.
    """
    n, n_long, start = len(order), 0, 0
    while start < n:
        stop = start + 1
        while stop < n and first[order[stop]] == first[order[start]]:
            stop += 1
        if stop - start > LONGEST:
            long_starts[n_long] = start
            n_long += 1
        else:
            for i in range(start + 1, stop):
                row = order[i]
                j = i - 1
                while j >= start and (
                    second[order[j]] > second[row]
                    or (second[order[j]] == second[row] and order[j] > row)
                ):
                    order[j + 1] = order[j]
                    j -= 1
                order[j + 1] = row
        start = stop
    return n_long
