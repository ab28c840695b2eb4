"""Secret values into buckets (Algorithm 2 of LGB): over counts of values, never over rows.

`divide_buckets` of the paper is the assignment of m-invariance (Xiao and Tao 2007): buckets of beta
different values, alpha of them at a time, as long as what remains can still be assigned. Values are
drawn by how many rows are left, from a heap, so that the work grows with values and buckets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import callee, jit


class Heap(NamedTuple):
    """Values by how many rows are left of them, the most first, then in the order of values."""

    value: NDArray[np.int64]
    left: NDArray[np.int64]


@callee
def comes_first(heap, a, b):
    """Whether place a of the heap goes before place b."""
    one, other = heap.value[a], heap.value[b]
    if heap.left[one] != heap.left[other]:
        return heap.left[one] > heap.left[other]
    return one < other


@callee
def push(heap, n, value):
    """Add a value to a heap of n; returns its new size."""
    heap.value[n] = value
    at = n
    while at > 0:
        above = (at - 1) // 2
        if not comes_first(heap, at, above):
            break
        heap.value[at], heap.value[above] = heap.value[above], heap.value[at]
        at = above
    return n + 1


@callee
def pop(heap, n):
    """Take the first value off a heap of n."""
    top = heap.value[0]
    n -= 1
    heap.value[0] = heap.value[n]
    at = 0
    while True:
        best = at
        for below in (2 * at + 1, 2 * at + 2):
            if below < n and comes_first(heap, below, best):
                best = below
        if best == at:
            break
        heap.value[at], heap.value[best] = heap.value[best], heap.value[at]
        at = best
    return top


@callee
def is_eligible(counts, low, high, least):
    """Whether no value of low … high has more than one in `least` of all."""
    total, most = np.int64(0), np.int64(0)
    for v in range(low, high):
        total += counts[v]
        most = max(most, counts[v])
    # A side without rows is not eligible, so that a range of one value is not halved for ever.
    return total > 0 and most * least <= total


@callee
def split_at(counts, low, high):
    """The value after the lower median."""
    total, seen = np.int64(0), np.int64(0)
    for v in range(low, high):
        total += counts[v]
    for v in range(low, high):
        seen += counts[v]
        if seen > (total - 1) // 2:
            return v + 1
    return high


@callee
def how_many(n_first, n_last, n_next, beta, least, total):
    """The largest alpha so that what remains after alpha buckets of beta values is eligible.

    max(n_first - alpha, n_next) * least <= total - alpha * beta, and alpha <= n_last: eligibility
    means that no value has more than one in `least` of the rows, and either the commonest of those
    taken or the next in the heap is the commonest afterwards. Solved for alpha in whole numbers.
    """
    alpha = min(n_last, (total - n_next * least) // beta)
    if beta > least:
        alpha = min(alpha, (total - n_first * least) // (beta - least))
    return alpha


@callee
def assign(start, heap, low, high, least, taken, chosen, bucket, n_buckets):
    """The assignment of m-invariance over the values low … high; returns how many buckets.

    Value v has the slots start[v] … start[v + 1]; `taken` of them have a bucket already.
    """
    n, total = np.int64(0), np.int64(0)
    for v in range(low, high):
        if heap.left[v] > 0:
            n = push(heap, n, v)
            total += heap.left[v]
    while total > 0:
        beta, alpha, most = np.int64(0), np.int64(0), heap.left[heap.value[0]]
        # Some beta gives a bucket as long as what is left is eligible (Xiao and Tao 2007).
        while alpha < 1:
            chosen[beta] = pop(heap, n)
            n -= 1
            beta += 1
            # A bucket of fewer than `least` different values would be no l-diverse one.
            if beta >= least:
                following = heap.left[heap.value[0]] if n > 0 else np.int64(0)
                last = heap.left[chosen[beta - 1]]
                alpha = how_many(most, last, following, beta, least, total)
        for i in range(beta):
            v = chosen[i]
            for j in range(alpha):
                bucket[start[v] + taken[v] + j] = n_buckets + j
            taken[v] += alpha
            heap.left[v] -= alpha
            if heap.left[v] > 0:
                n = push(heap, n, v)
        total -= alpha * beta
        n_buckets += alpha
    return n_buckets


@jit
def fill_buckets(counts, least, bucket):
    """A bucket for every slot; value v has counts[v] slots, values one after the other.

    Splits at the median value while both sides are eligible, then assigns. The whole must be
    eligible. Returns how many buckets there are.
    """
    m = len(counts)
    start = np.zeros(m + 1, np.int64)
    for v in range(m):
        start[v + 1] = start[v] + counts[v]
    heap = Heap(np.empty(m + 1, np.int64), counts.copy())
    taken, chosen = np.zeros(m, np.int64), np.empty(m, np.int64)
    open_ranges, n_open, n_buckets = np.empty((m + 1, 2), np.int64), 1, np.int64(0)
    open_ranges[0, 0], open_ranges[0, 1] = 0, m
    while n_open > 0:
        n_open -= 1
        low, high = open_ranges[n_open, 0], open_ranges[n_open, 1]
        # Halves first, since a bucket of neighbouring values says more than one of distant ones.
        middle = split_at(counts, low, high)
        if is_eligible(counts, low, middle, least) and is_eligible(counts, middle, high, least):
            # The lower half lies on top, so that buckets are numbered in the order of values.
            open_ranges[n_open, 0], open_ranges[n_open, 1] = middle, high
            open_ranges[n_open + 1, 0], open_ranges[n_open + 1, 1] = low, middle
            n_open += 2
        else:
            n_buckets = assign(start, heap, low, high, least, taken, chosen, bucket, n_buckets)
    return n_buckets
