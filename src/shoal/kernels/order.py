"""The order of rows by two keys whose bits are even, as those of hashes: spread, then settled."""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import callee, jit
from shoal.kernels.sort import first_gap

# Longer runs are left to a sort that does not grow with a power of their length.
LONGEST = 4096
# Bits by which the rows of a bucket are spread once more.
FINE = 10


@callee
def spread(keys, rows, shift, bits, starts, out_keys, out_rows):
    """A stable counting sort by `bits` of the keys, from bit `shift` on."""
    mask = np.uint64((1 << bits) - 1)
    starts[:] = 0
    for i in range(len(keys)):
        starts[np.int64((keys[i] >> shift) & mask) + 1] += 1
    for b in range(len(starts) - 1):
        starts[b + 1] += starts[b]
    # A copy, since the caller needs to know where the buckets begin.
    place = starts.copy()
    for i in range(len(keys)):
        bucket = np.int64((keys[i] >> shift) & mask)
        out_keys[place[bucket]] = keys[i]
        out_rows[place[bucket]] = rows[i]
        place[bucket] += 1


@callee
def settle(keys, rows, second, start, stop):
    """Sort a run by key, by `second`, then by row: Shell sort with gaps that shrink by 9/4."""
    gap = first_gap(stop - start)
    while gap > 0:
        for i in range(start + gap, stop):
            key, row, k = keys[i], rows[i], i
            while k >= start + gap:
                other, o = keys[k - gap], rows[k - gap]
                # `second` is scattered, as it is read by row, and is needed only for equal keys.
                if other < key:
                    break
                if other == key and (
                    second[o] < second[row] or (second[o] == second[row] and o < row)
                ):
                    break
                keys[k], rows[k] = other, o
                k -= gap
            keys[k], rows[k] = key, row
        gap = gap * 4 // 9


@jit
def spread_rows(first, bits, starts, keys, rows):
    """List rows by the highest bits of their first key, with these `keys`.

    The rows of bucket b are rows[starts[b] : starts[b + 1]], in their order.
    """
    everyone = np.arange(len(first)).astype(np.int32)
    spread(first, everyone, np.uint64(64 - bits), bits, starts, keys, rows)


@jit
def settle_rows(keys, rows, second, bits, starts, begin, end, out_keys, order, long_runs):
    """Sort the rows of buckets begin … end-1 by key, then by `second`, then by number.

    Where runs begin and end that are too long for it is written to `long_runs`; their rows are in
    `order`, unsorted, and their keys in `out_keys`. Returns how many there are.
    """
    # The bits that follow those by which the buckets were made.
    shift, n_long = np.uint64(64 - bits - FINE), 0
    fine = np.empty((1 << FINE) + 1, dtype=np.int64)
    for b in range(begin, end):
        low, high = starts[b], starts[b + 1]
        its, listed = slice(low, high), order[low:high]
        spread(keys[its], rows[its], shift, FINE, fine, out_keys[its], listed)
        for f in range(len(fine) - 1):
            start, stop = low + fine[f], low + fine[f + 1]
            if stop - start > LONGEST:
                long_runs[n_long, 0], long_runs[n_long, 1] = start, stop
                n_long += 1
            elif stop - start > 1:
                settle(out_keys, order, second, start, stop)
    return n_long
