"""Which members of a class to leave out so that the rest holds what is required."""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import inline, jit
from shoal.kernels.requirement import (
    BESIDES,
    EMD_EQUAL,
    EMD_ORDERED,
    EMD_TREE,
    ENTROPY,
    FREQUENCY,
    HITTING,
    PERSON_SHARE,
    RECURSIVE,
    SHARE,
    VALUE_PEOPLE,
    VALUE_ROWS,
    add_unit,
    meets,
    order_counts,
    reach,
)


@inline
def overflow(counts, start, stop, cap, total, absent):
    """How far all values together are above a cap, as a share; the absent one does not count."""
    over = 0.0
    for code in range(start, stop):
        if code != absent:
            over += max(counts[code] - cap, 0.0)
    return over / total


@inline
def short_tail(counts, start, stop, l, c, n_rows, absent):  # noqa: E741
    """How far the commonest value is above c times the rows from the l-th commonest on."""
    ordered, n, tail = order_counts(counts, start, stop, absent), stop - start, 0
    for i in range(n - l + 1):
        tail += ordered[i]
    # The inequality is strict: a class at its edge is still a hair above.
    return max(ordered[n - 1] - c * tail + 1e-6, 0.0) / n_rows


@inline
def shortfall(bounds, n_units, n_rows, counts, facts, people, units):
    """How far a class is from all bounds together, 0 where it holds; inf where it has no way back.

    Shares count by all values that are above the limit, not by the commonest alone: leaving out one
    of two equally frequent values is progress. Hitting sets are left to the final check.
    """
    total, n_codes = 0.0, facts.start[-1]
    for b in range(len(bounds.what)):
        what, a, limit, absent = (
            bounds.what[b], bounds.attribute[b], bounds.limit[b], bounds.absent[b]
        )  # fmt: skip
        if what == HITTING:
            continue
        value = reach(
            what, a, limit, bounds.extra[b], absent, n_units, n_rows, counts, facts, people, units
        )
        if meets(what, limit, value):
            continue
        start, stop = facts.start[max(a, 0)], facts.start[max(a, 0) + 1]
        # The rows that count for this bound.
        n = n_rows if absent < 0 else n_rows - counts[absent]
        if n == 0:
            return np.inf
        if what == SHARE:
            total += overflow(counts, start, stop, limit * n, n, absent)
        elif what == FREQUENCY:
            total += overflow(counts, start, stop, n / limit, n, absent)
        elif what == VALUE_ROWS:
            total += overflow(counts, n_codes + start, n_codes + stop, limit * n, n, -1)
        elif what == VALUE_PEOPLE:
            total += overflow(counts, n_codes + start, n_codes + stop, limit * n_units, n_units, -1)
        elif what == RECURSIVE:
            if limit > stop - start:
                return np.inf
            total += short_tail(counts, start, stop, np.int64(limit), bounds.extra[b], n, absent)
        elif what == ENTROPY:
            total += (limit - value) / limit
        elif what in (PERSON_SHARE, EMD_EQUAL, EMD_ORDERED, EMD_TREE):
            total += value - limit
        else:
            return np.inf
        # Rounding must not make a bound that is missed look met.
        total += 1e-12
    return total


@jit
def omit_greedily(units, profile, n_profiles, least, most, bounds, members, facts, people, out):
    """Leave out one unit after the other, each time the one without whom the rest is nearest.

    Units of one `profile` are interchangeable: the first of them goes first. Ties go to the profile
    that comes first. At least `least` units stay, at most `most` steps of work are done. Marks in
    `out` who is left out; returns how many, or -1 where the rest never holds.
    """
    counts = np.zeros(2 * facts.start[-1] + BESIDES, dtype=np.int64)
    largest, asked = 2 * facts.start[-1], 2 * facts.start[-1] + 1
    n, n_rows, work = len(units), np.int64(0), 0
    rows = np.empty(n, dtype=np.int64)
    next_of = np.full(n_profiles, -1, dtype=np.int64)
    after = np.full(n, -1, dtype=np.int64)
    # Backwards, so that the chain of a profile begins with its first unit.
    for i in range(n - 1, -1, -1):
        rows[i] = add_unit(np.int64(units[i]), np.int64(1), members, facts, people, counts)
        n_rows += rows[i]
        after[i], next_of[profile[i]] = next_of[profile[i]], i
    for gone in range(n - least + 1):
        first, second, greatest = np.int64(0), np.int64(0), np.int64(0)
        for i in range(n):
            if not out[i]:
                first, second = max(first, rows[i]), max(second, min(first, rows[i]))
                greatest = max(greatest, np.int64(members.asked[units[i]]))
        counts[largest], counts[asked] = first, greatest
        if shortfall(bounds, n - gone, n_rows, counts, facts, people, units) == 0.0:
            return gone
        work += n + n_profiles * (facts.start[-1] + 1) * len(bounds.what)
        if gone == n - least or work > most:
            return -1
        best, lowest = -1, np.inf
        for p in range(n_profiles):
            i = next_of[p]
            if i < 0:
                continue
            unit = np.int64(units[i])
            # A summary does not know who is second where its largest leaves (see `add_unit`), so
            # that is put in by hand.
            add_unit(unit, np.int64(-1), members, facts, people, counts)
            counts[largest], counts[asked] = second if rows[i] == first else first, greatest
            left = shortfall(bounds, n - gone - 1, n_rows - rows[i], counts, facts, people, units)
            add_unit(unit, np.int64(1), members, facts, people, counts)
            # Less than this is rounding: a tie goes to the profile that comes first.
            if left < lowest - 1e-12:
                best, lowest = p, left
        if best < 0:
            return -1
        i = next_of[best]
        out[i], next_of[best] = True, after[i]
        n_rows -= rows[i]
        add_unit(np.int64(units[i]), np.int64(-1), members, facts, people, counts)
    return -1
