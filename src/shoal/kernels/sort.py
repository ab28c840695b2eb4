"""A short sort that compiles quickly; numba's own takes two seconds of compile time."""

from __future__ import annotations

from shoal.kernels.jit import callee


@callee
def sort_short(values, n):
    """Sort the first n values in place: Shell sort with gaps that shrink by 9/4."""
    gap = 1
    while gap < n // 3:
        gap = gap * 9 // 4 + 1
    while gap > 0:
        for i in range(gap, n):
            value, k = values[i], i
            while k >= gap and values[k - gap] > value:
                values[k] = values[k - gap]
                k -= gap
            values[k] = value
        gap = gap * 4 // 9
