"""With which part of the table one joins that is too small for a class (LGB)."""

from __future__ import annotations

import numpy as np

from shoal.kernels.box.element import empty_class, take_in
from shoal.kernels.box.space import BILLIONTH, SET, lose_union
from shoal.kernels.copy import copy_into
from shoal.kernels.jit import callee, jit

# As in `table/partition.py`, where 1 is secret.
PUBLIC, WITHHELD = 0, 2


@callee
def lose_with(growing, space, ends, p, one, other):
    """What the growing class and unit p lose over the attributes that are public in both parts."""
    own_ends, inside, d, lost = growing.ends, growing.inside, len(growing.mask), 0.0
    for j in range(d):
        # What is secret goes into buckets, and what is withheld is lost already: neither depends on
        # who joins.
        if one[j] != PUBLIC or other[j] != PUBLIC:
            continue
        code, m = ends[p, j], own_ends[2 * d + j]
        low, high = min(own_ends[j], code), max(own_ends[d + j], code)
        if space.form[j] == SET and not inside[space.start[j] + code]:
            m += 1
        lost += lose_union(space, j, low, high, m)
    return np.int64(np.rint(lost * BILLIONTH))


@callee
def lose_joined(growing, one, other):
    """What a row of the joined part loses: 1 for a withheld cell, 0 for a secret one (NCP)."""
    lost = 0.0
    for j in range(len(growing.mask)):
        if one[j] != other[j] or one[j] == WITHHELD:
            lost += 1.0
        elif one[j] == PUBLIC:
            lost += growing.loss[j]
    return lost


@callee
def count_withheld(one, other):
    """How many cells of a row would be withheld."""
    n = 0
    for j in range(len(one)):
        n += one[j] != other[j] or one[j] == WITHHELD
    return n


@callee
def list_cheapest(growing, space, ends, candidates, wanted, one, other, cost, taken):
    """The `wanted` candidates that cost least (ties: table order) into `taken`."""
    n = 0
    for i in range(len(candidates)):
        p = np.int64(candidates[i])
        price = lose_with(growing, space, ends, p, one, other)
        if n == wanted and price >= cost[n - 1]:
            continue
        place = min(n, wanted - 1)
        while place > 0 and cost[place - 1] > price:
            cost[place], taken[place] = cost[place - 1], taken[place - 1]
            place -= 1
        cost[place], taken[place] = price, p
        n = min(n + 1, wanted)


@jit
def find_partner(space, points, x, least, starts, members, patterns, growing, nothing, room):
    """The part that the small part x joins at the least loss (ties: the earlier), and that loss.

    It gives the least - |x| rows that cost least if `least` of its own stay, else all: those that
    it gives are left in room[1], their number is returned last. -1: there is no other part.
    """
    cost, best_rows, taken = room
    small = members[starts[x] : starts[x + 1]]
    best, best_loss, best_n = -1, np.int64(0), 0
    for y in range(len(starts) - 1):
        if y == x:
            continue
        theirs = members[starts[y] : starts[y + 1]]
        wanted = least - len(small)
        whole = len(theirs) - wanted < least
        n = len(theirs) if whole else wanted
        # Withheld cells alone bound the loss from below: most parts need no look at their rows.
        withheld = count_withheld(patterns[x], patterns[y])
        if best >= 0 and np.int64((len(small) + n) * withheld * BILLIONTH) > best_loss:
            continue
        empty_class(growing, space)
        for i in range(len(small)):
            take_in(growing, space, points, np.int64(small[i]), nothing[0], nothing[1])
        if whole:
            for i in range(n):
                taken[i] = theirs[i]
        else:
            list_cheapest(
                growing, space, points.ends, theirs, wanted, patterns[x], patterns[y], cost, taken
            )
        for i in range(n):
            take_in(growing, space, points, np.int64(taken[i]), nothing[0], nothing[1])
        lost = (len(small) + n) * lose_joined(growing, patterns[x], patterns[y])
        loss = np.int64(np.rint(lost * BILLIONTH))
        if best < 0 or loss < best_loss:
            best, best_loss, best_n = y, loss, n
            copy_into(taken[:n], best_rows)
    return best, best_loss / BILLIONTH, best_n
