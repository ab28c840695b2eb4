"""Hitting sets of bounded size: first disjoint sets, then a search by bits.

To decide whether `most` elements hit all sets is NP-complete, but l is small: the search tree has
depth l - 1, and disjoint sets, each of which needs a hit of its own, settle nearly every class at
once. The paper enumerates all minimal hitting sets instead (Algorithm 3, BHS), which there may be
exponentially many of.
"""

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
        # Branching on the smallest set that is not hit makes the fewest branches.
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
            # Hitting sets with this element have all been tried: what follows goes without it.
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


@callee
def order_by_size(own_start, units, out):
    """The members of a class, those with the fewest values first; returns the largest number."""
    most = 0
    for i in range(len(units)):
        most = max(most, own_start[units[i] + 1] - own_start[units[i]])
    place = np.zeros(most + 2, dtype=np.int64)
    for i in range(len(units)):
        place[own_start[units[i] + 1] - own_start[units[i]] + 1] += 1
    for size in range(1, most + 2):
        place[size] += place[size - 1]
    for i in range(len(units)):
        size = own_start[units[i] + 1] - own_start[units[i]]
        out[place[size]] = units[i]
        place[size] += 1
    return most


@callee
def count_disjoint(own_start, own, order, limit, seen):
    """How many people in this order share no value with one before; stops at the limit."""
    disjoint = 0
    for i in range(len(order)):
        first, last = own_start[order[i]], own_start[order[i] + 1]
        free = True
        for j in range(first, last):
            free = free and not seen[own[j]]
        if free:
            disjoint += 1
            if disjoint >= limit:
                break
            for j in range(first, last):
                seen[own[j]] = True
    return disjoint


@callee
def without_forced(own_start, own, order, seen, place, n_forced):
    """Sets as bits, smallest first, of those whom no forced value hits.

    A person with one value forces it. `place` numbers the values that are left, densely. Returns
    the bits, how many values are left, and how many are forced.
    """
    seen[:] = False
    n_left, n_values = 0, 0
    for i in range(len(order)):
        first, last = own_start[order[i]], own_start[order[i] + 1]
        if last - first == 1 and not seen[own[first]]:
            seen[own[first]] = True
            n_forced += 1
        hit = False
        for j in range(first, last):
            hit = hit or seen[own[j]]
        if hit:
            continue
        order[n_left] = order[i]
        n_left += 1
        for j in range(first, last):
            if place[own[j]] < 0:
                place[own[j]] = n_values
                n_values += 1
    bits = np.zeros((n_left, max((n_values + 63) >> 6, 1)), dtype=np.uint64)
    for i in range(n_left):
        for j in range(own_start[order[i]], own_start[order[i] + 1]):
            value = place[own[j]]
            bits[i, value >> 6] |= np.uint64(1) << np.uint64(value & 63)
    return bits, n_values, n_forced


@callee
def reach_hitting(own_start, own, units, n_codes, limit):
    """The size of a minimum hitting set of the people's values, counted up to the limit.

    Person u has the values own[own_start[u] : own_start[u + 1]]. As many disjoint sets as the limit
    prove it at once; else a search decides (Theorem 3.1 of identity-reserved anonymity).
    """
    order = np.empty(len(units), dtype=np.int64)
    order_by_size(own_start, units, order)
    seen = np.zeros(n_codes, dtype=np.bool_)
    least = count_disjoint(own_start, own, order, limit, seen)
    if least >= limit:
        return float(limit)
    place = np.full(n_codes, -1, dtype=np.int64)
    bits, n_values, n_forced = without_forced(own_start, own, order, seen, place, 0)
    size = max(least, n_forced)
    while size < limit and not can_hit(bits, n_values, size - n_forced):
        size += 1
    return float(size)
