"""Sorted secret values dealt round-robin into buckets that are all within t of the whole.

How often a bucket has a value follows from where the value begins and ends, and what a bucket is
away from the whole from the values that it has alone, by sums over the whole that are known before.
So a bucket is judged in time that grows with the values in it, and all numbers of buckets from n/2
down to 2 in n log n, where each fails at its first buckets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import callee, inline, jit
from shoal.kernels.requirement import EMD_EQUAL, EMD_ORDERED, meets
from shoal.kernels.sort import sort_pairs


class Stock(NamedTuple):
    """What is dealt: value[i] of row i in the order of values, and where each value begins.

    `rank` is the place of a value in the order of the ground distance: `before[r]` rows of the
    whole have a rank below r, and sums[r] is the sum of before[1] … before[r]. For trees ranks go
    depth-first; node[level, r] is the ancestor of a rank and under[level, r] the rows under it.
    """

    value: NDArray[np.int64]
    begins: NDArray[np.int64]
    rank: NDArray[np.int64]
    before: NDArray[np.int64]
    sums: NDArray[np.int64]
    node: NDArray[np.int32]
    under: NDArray[np.int64]


class Hand(NamedTuple):
    """One bucket, in scratch: the ranks of its values in ascending order, and how often each."""

    rank: NDArray[np.int64]
    n_rows: NDArray[np.int64]


@callee
def fill_hand(stock, hand, b, n_buckets):
    """What bucket b holds; returns how many different values."""
    n, found, rising, i = len(stock.value), 0, True, b
    while i < n:
        v = stock.value[i]
        count = (stock.begins[v + 1] - 1 - i) // n_buckets + 1
        hand.rank[found], hand.n_rows[found] = stock.rank[v], count
        rising &= found == 0 or hand.rank[found - 1] < hand.rank[found]
        found += 1
        i += count * n_buckets
    # Rows are dealt in the order of values, but distances go by rank.
    if not rising:
        sort_pairs(hand.rank, hand.n_rows, found)
    return found


@inline
def first_at_least(before, low, high, ahead, size, n):
    """The first rank r of low … high up to which at least the share ahead/size of all rows is."""
    while low < high:
        middle = (low + high) // 2
        # Two shares, compared as products of counts: exact, where quotients would be rounded.
        if before[middle + 1] * size >= ahead * n:
            high = middle
        else:
            low = middle + 1
    return low


@inline
def ordered_distance(stock, hand, found, size):
    """Sum of |Q_r - P_r| over the ranks, by m - 1 (Li et al. 2007).

    From one value of the bucket to its next the share Q below stays and P grows, so each
    stretch parts where P passes Q, and both parts are differences of sums.
    """
    n, m = len(stock.value), len(stock.before) - 1
    ahead, total = 0, stock.sums[hand.rank[0]] / n
    for i in range(found):
        low, high = hand.rank[i], hand.rank[i + 1] if i + 1 < found else m
        ahead += hand.n_rows[i]
        middle = first_at_least(stock.before, low, high, ahead, size, n)
        total += (middle - low) * (ahead / size) - (stock.sums[middle] - stock.sums[low]) / n
        total += (stock.sums[high] - stock.sums[middle]) / n - (high - middle) * (ahead / size)
    return total / (m - 1)


@inline
def tree_distance(stock, hand, found, size):
    """Sum over inner nodes of height/H * min(surplus, deficit) of their children (Li et al.).

    A node without rows of the bucket has no surplus; of the others, surplus - deficit is the excess
    of the node, so that children without rows of the bucket need not be looked at.
    """
    n, top, total = len(stock.value), len(stock.node) - 1, 0.0
    for level in range(1, top + 1):
        below, above = stock.node[level - 1], stock.node[level]
        child, inside, surplus = 0, 0, 0.0
        for i in range(found):
            r, last = hand.rank[i], i + 1 == found
            child += hand.n_rows[i]
            if last or below[r] != below[hand.rank[i + 1]]:
                surplus += max(child / size - stock.under[level - 1, r] / n, 0.0)
                inside += child
                child = 0
            if last or above[r] != above[hand.rank[i + 1]]:
                excess = inside / size - stock.under[level, r] / n
                total += level / top * max(min(surplus, surplus - excess), 0.0)
                inside, surplus = 0, 0.0
    return total


@inline
def equal_distance(stock, hand, found, size):
    """Half the sum of |q - p|: what some values have too much the others have too little."""
    total = 0.0
    for i in range(found):
        r = hand.rank[i]
        share = (stock.before[r + 1] - stock.before[r]) / len(stock.value)
        total += max(hand.n_rows[i] / size - share, 0.0)
    return total


@callee
def bucket_holds(stock, hand, b, n_buckets, what, t):
    """Whether bucket b has at least two different values and is within t of the whole."""
    n = len(stock.value)
    size = (n - 1 - b) // n_buckets + 1
    # Rows are sorted: where the first and the last are alike, all are, and the bucket is no secret.
    if stock.value[b] == stock.value[b + (size - 1) * n_buckets]:
        return False
    found = fill_hand(stock, hand, b, n_buckets)
    if what == EMD_EQUAL:
        away = equal_distance(stock, hand, found, size)
    elif what == EMD_ORDERED:
        away = ordered_distance(stock, hand, found, size)
    else:
        away = tree_distance(stock, hand, found, size)
    return meets(what, t, away)


@callee
def first_failing(stock, hand, n_buckets, what, t):
    """A row whose bucket fails where rows are dealt into this many, or -1.

    A bucket holds what the one before it does, but where a stripe of the deal comes to the next
    value or to its end: where values are few, few buckets stand for all.
    """
    n, m = len(stock.value), len(stock.rank)
    if not bucket_holds(stock, hand, n % n_buckets, n_buckets, what, t):
        return n % n_buckets
    for i in range(min(m, n_buckets)):
        row = stock.begins[i] if m < n_buckets else i
        if not bucket_holds(stock, hand, row % n_buckets, n_buckets, what, t):
            return row
    return -1


@jit
def most_dealt(stock, what, t):
    """Into how many buckets at the most the rows can be dealt so that all hold; at least one."""
    n = len(stock.value)
    hand = Hand(np.empty(len(stock.rank), np.int64), np.empty(len(stock.rank), np.int64))
    failed = 0
    # From n/2, since two different values need two rows. Downwards and not by halving: with fewer
    # buckets each is larger, but need not hold for that.
    for n_buckets in range(n // 2, 1, -1):
        # The last bucket, of fewest and largest values, is the likeliest to fail, and then the one
        # that failed last time.
        if not bucket_holds(stock, hand, n_buckets - 1, n_buckets, what, t):
            continue
        if not bucket_holds(stock, hand, failed % n_buckets, n_buckets, what, t):
            continue
        failed = first_failing(stock, hand, n_buckets, what, t)
        if failed < 0:
            return n_buckets
    return 1
