"""Sorts that compile quickly; numba's own take two seconds of compile time each."""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import callee, inline


@inline
def first_gap(n):
    """The largest gap to sort n numbers with; the next is 4/9 of it (Tokuda's, nearly)."""
    gap = 1
    while gap < n // 3:
        # Thanks to the 1, `gap * 4 // 9` goes back through the very same gaps. The last must be 1,
        # or what comes out is not in order.
        gap = gap * 9 // 4 + 1
    return gap


# What is moved differs from sort to sort, and is written out: it is all the work there is.
@callee
def sort_short(values, n):
    """Sort the first n values in place: Shell sort with gaps that shrink by 9/4."""
    gap = first_gap(n)
    while gap > 0:
        for i in range(gap, n):
            value, k = values[i], i
            while k >= gap and values[k - gap] > value:
                values[k] = values[k - gap]
                k -= gap
            values[k] = value
        gap = gap * 4 // 9


@callee
def order_short(keys, order, n):
    """Put the first n numbers in the order of their keys, then of their own, as `sort_short`."""
    gap = first_gap(n)
    while gap > 0:
        for i in range(gap, n):
            one, k = order[i], i
            key = keys[one]
            while k >= gap:
                other = order[k - gap]
                # By number too, since Shell sort does not keep the order of equal keys.
                if keys[other] < key or (keys[other] == key and other < one):
                    break
                order[k] = other
                k -= gap
            order[k] = one
        gap = gap * 4 // 9


@callee
def sort_pairs(values, others, n):
    """Sort the first n values in place, as `sort_short`, and others with them."""
    gap = first_gap(n)
    while gap > 0:
        for i in range(gap, n):
            value, other, k = values[i], others[i], i
            while k >= gap and values[k - gap] > value:
                values[k], others[k] = values[k - gap], others[k - gap]
                k -= gap
            values[k], others[k] = value, other
        gap = gap * 4 // 9


@callee
def front_marked(some, marked, room):
    """Put the marked ones in front, both in the order they had; returns how many."""
    n, m = 0, 0
    for i in range(len(some)):
        if marked[i]:
            some[n] = some[i]
            n += 1
        else:
            room[m] = some[i]
            m += 1
    for i in range(m):
        some[n + i] = room[i]
    return n


@callee
def front_lowest(keys, ties, order, n, m):
    """Put those m of the first n numbers in front that have the lowest keys, then ties.

    Hoare's selection: what is on the other side of the one in the middle is left as it is.
    """
    low, high = np.int64(0), np.int64(n - 1)
    while low < high:
        # The middle one, not the first: what is nearly in order would take quadratic time.
        middle = order[(low + high) // 2]
        key, tie = keys[middle], ties[middle]
        i, j = low, high
        while i <= j:
            while keys[order[i]] < key or (keys[order[i]] == key and ties[order[i]] < tie):
                i += 1
            while keys[order[j]] > key or (keys[order[j]] == key and ties[order[j]] > tie):
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        # Only the part with place m is parted further: the other is on the right side of it.
        if m <= j:
            high = j
        elif m > i:
            low = i
        else:
            break
