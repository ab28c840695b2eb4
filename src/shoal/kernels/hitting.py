"""Hitting sets of bounded size, by bits."""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import callee, jit


@callee
def meets_any(sets, i, chosen):
    """Whether set i has an element in common with the chosen ones."""
    common = np.uint64(0)
    for w in range(sets.shape[1]):
        common |= sets[i, w] & chosen[w]
    return common != np.uint64(0)


@callee
def pack_greedily(sets, chosen, barred, union, out):
    """Go through the sets that are not hit yet, smallest first, and count disjoint ones.

    out[0] = the first of them (-1: all are hit), out[1] = how many pairwise disjoint ones there
    are, none of which can be hit by one element together; out[2] = 1 if one of them has only
    barred elements left.
    """
    out[0], out[1], out[2] = -1, 0, 0
    union[:] = np.uint64(0)
    for i in range(len(sets)):
        if meets_any(sets, i, chosen):
            continue
        if out[0] < 0:
            out[0] = i
        free, disjoint = False, True
        for w in range(sets.shape[1]):
            left = sets[i, w] & ~barred[w]
            free = free or left != np.uint64(0)
            disjoint = disjoint and left & union[w] == np.uint64(0)
        if not free:
            out[2] = 1
            return
        if disjoint:
            out[1] += 1
            for w in range(sets.shape[1]):
                union[w] |= sets[i, w] & ~barred[w]


@jit
def can_hit(sets, n_elements, most):
    """Whether some `most` elements hit every set; sets are rows of bits, the smallest first.

    A search tree over the smallest set that is not hit: one branch for each of its elements, and an
    element whose branch failed is barred in the next. Disjoint sets bound it from below.
    """
    n_words = sets.shape[1]
    chosen, union = np.zeros(n_words, dtype=np.uint64), np.zeros(n_words, dtype=np.uint64)
    barred = np.zeros((most + 2, n_words), dtype=np.uint64)
    branch = np.zeros(most + 2, dtype=np.int64)
    element = np.full(most + 2, -1, dtype=np.int64)
    found = np.zeros(3, dtype=np.int64)
    depth = 0
    entering = True
    while depth >= 0:
        if entering:
            pack_greedily(sets, chosen, barred[depth], union, found)
            if found[0] < 0:
                return True
            entering = False
            branch[depth], element[depth] = found[0], -1
            if found[2] == 1 or found[1] > most - depth:
                element[depth] = n_elements
        else:
            e = element[depth]
            if 0 <= e < n_elements:
                chosen[e >> 6] &= ~(np.uint64(1) << np.uint64(e & 63))
                barred[depth, e >> 6] |= np.uint64(1) << np.uint64(e & 63)
        e = element[depth] + 1
        while e < n_elements:
            bit = np.uint64(1) << np.uint64(e & 63)
            if sets[branch[depth], e >> 6] & bit and not barred[depth, e >> 6] & bit:
                break
            e += 1
        element[depth] = e
        if e >= n_elements:
            depth -= 1
            continue
        chosen[e >> 6] |= np.uint64(1) << np.uint64(e & 63)
        depth += 1
        barred[depth, :] = barred[depth - 1, :]
        entering = True
    return False
