"""The cells of the generalisation lattice in which prices can be too high.

A cell is a node of each hierarchy; its members are the people under all of these nodes. Cells are
found attribute by attribute, depth first: a *part* has its node of the first j attributes, and is
left with all that is below it once nothing there can bind. That is so where it has fewer than k
people, or where their k highest excesses over what is lost so far sum to no more than zero: below,
there are fewer people, and more is lost. A part whose members also share a lower node of an
earlier attribute is left too, since the cell over that node has the same members and loses less.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import callee, inline, jit

# Excesses up to this are rounding. Prices are lowered by more than that in the end.
SLACK = 1e-9
# Parts of this many attributes are dealt out to the threads in turn.
DEAL = 3
# So few are sorted by insertion: a counting sort would clear a place for every code first.
_FEW = 24


class Kinds(NamedTuple):
    """People who are alike, by number: their codes, how many they are, and the rows of each."""

    codes: NDArray[np.int32]
    people: NDArray[np.int64]
    rows: NDArray[np.float64]


class Ladders(NamedTuple):
    """node[j, level, code] and what it loses, for `height[j]` levels of every attribute.

    Codes are in depth-first order, so every node is a run of codes.
    """

    node: NDArray[np.int32]
    loss: NDArray[np.float64]
    height: NDArray[np.int64]


class Cells(NamedTuple):
    """Cell c loses loss[c] a row, and has members[start[c] : start[c + 1]], kinds by number."""

    loss: NDArray[np.float64]
    start: NDArray[np.int64]
    members: NDArray[np.int32]


@callee
def highest(members, kinds, price, loss, k, value, used, kind):
    """The k people of the highest excess, rows times (price - loss): how many kinds they are of.

    `value` is the excess of one of each kind in descending order, `used` how many of it are among
    the k, `kind` its number; 0 where there are fewer than k people.
    """
    people, rows = kinds.people, kinds.rows
    n, total = 0, 0
    for i in range(len(members)):
        u = members[i]
        excess = rows[u] * (price[u] - loss)
        if total >= k and excess <= value[n - 1]:
            continue
        at = n
        n += 1
        while at > 0 and value[at - 1] < excess:
            value[at], used[at], kind[at] = value[at - 1], used[at - 1], kind[at - 1]
            at -= 1
        value[at], used[at], kind[at] = excess, people[u], u
        total += people[u]
        while n > 1 and total - used[n - 1] >= k:
            n -= 1
            total -= used[n]
    if total < k:
        return 0
    # Of the last kind only as many as make up exactly k people.
    used[n - 1] -= total - k
    return n


@inline
def sort_by_code(members, codes, j, out, places):
    """Members by their code of attribute j."""
    n = len(members)
    if n <= _FEW:
        for i in range(n):
            u, at = members[i], i
            while at > 0 and codes[out[at - 1], j] > codes[u, j]:
                out[at] = out[at - 1]
                at -= 1
            out[at] = u
    else:
        places[:] = 0
        for i in range(n):
            places[codes[members[i], j] + 1] += 1
        for c in range(1, len(places)):
            places[c] += places[c - 1]
        for i in range(n):
            code = codes[members[i], j]
            out[places[code]] = members[i]
            places[code] += 1


@callee
def shares_lower_node(members, kinds, ladders, level, n_before):
    """Whether all members are under a lower node of an attribute before this one."""
    for i in range(n_before):
        if level[i] > 0:
            low = high = kinds.codes[members[0], i]
            for q in range(1, len(members)):
                code = kinds.codes[members[q], i]
                low, high = min(low, code), max(high, code)
            if ladders.node[i, level[i] - 1, low] == ladders.node[i, level[i] - 1, high]:
                return True
    return False


@jit
def list_cells(kinds, ladders, k, price, lower, turn, turns, most, cells):
    """List the cells of at least k people whose k highest excesses sum to more than zero.

    With `lower`, lower every price to what the cheapest cell of its kind loses instead. Parts are
    dealt out to `turns` shares, of which this one is `turn`. Returns how many cells there are, -1
    where they take more than `most` steps or more room than there is, and the steps taken.
    """
    codes, node, loss = kinds.codes, ladders.node, ladders.loss
    n, d = codes.shape
    # Row j has the members of the part that is divided by attribute j - 1, by their codes.
    sorted_by = np.empty((d + 1, n), dtype=np.int32)
    first, last = np.zeros(d + 1, dtype=np.int64), np.zeros(d + 1, dtype=np.int64)
    level, place = np.zeros(d + 1, dtype=np.int64), np.zeros(d + 1, dtype=np.int64)
    lost = np.zeros(d + 1)
    places = np.zeros(node.shape[2] + 1, dtype=np.int64)
    value, used, kind = np.empty(n + 1), np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    sorted_by[0] = np.arange(n)
    last[0] = n
    n_cells, n_members, steps, j, fresh = 0, 0, 0, 0, True
    deal = min(DEAL, d)
    while j >= 0:
        if fresh:
            # Sorted once for all levels: nodes are runs of codes, so that members under the same
            # node are neighbours.
            sort_by_code(sorted_by[j, first[j] : last[j]], codes, j, sorted_by[j + 1], places)
            steps += last[j] - first[j]
            level[j], place[j], fresh = 0, 0, False
        size = last[j] - first[j]
        if place[j] >= size:
            level[j] += 1
            place[j] = 0
            if level[j] >= ladders.height[j]:
                j -= 1
                continue
        # The next run of members under one node.
        a, here, own = place[j], level[j], sorted_by[j + 1]
        over = node[j, here, codes[own[a], j]]
        b, people, most_price = a, 0, 0.0
        while b < size and node[j, here, codes[own[b], j]] == over:
            people += kinds.people[own[b]]
            most_price = max(most_price, price[own[b]])
            b += 1
        place[j] = b
        steps += b - a
        if steps > most:
            return np.int64(-1), steps
        loses = lost[j] + loss[j, here, codes[own[a], j]]
        # More is lost in every cell below, so that no excess can be above zero there.
        if people < k or most_price <= loses:
            continue
        same = here > 0 and (
            node[j, here - 1, codes[own[a], j]] == node[j, here - 1, codes[own[b - 1], j]]
        )
        # The cell over the node below has the same members and loses no more.
        if same:
            continue
        part = own[a:b]
        if not lower:
            m = highest(part, kinds, price, loses, k, value, used, kind)
            excess = 0.0
            for i in range(m):
                excess += value[i] * used[i]
            if excess <= SLACK:
                continue
        if shares_lower_node(part, kinds, ladders, level, j):
            continue
        steps += b - a
        if j + 1 == deal:
            # By its nodes, not by its number: which parts come before depends on prices, and these
            # are lowered by each share for itself.
            dealt = 0
            for i in range(deal):
                dealt = 7 * dealt + node[i, level[i], codes[own[a], i]]
            if dealt % turns != turn:
                continue
        if j == d - 1:
            if lower:
                for i in range(a, b):
                    price[own[i]] = min(price[own[i]], loses)
                continue
            if n_cells == len(cells.loss) or n_members + b - a > len(cells.members):
                return np.int64(-1), steps
            cells.loss[n_cells] = loses
            for i in range(a, b):
                cells.members[n_members] = own[i]
                n_members += 1
            n_cells += 1
            cells.start[n_cells] = n_members
            continue
        first[j + 1], last[j + 1], lost[j + 1] = a, b, loses
        j += 1
        fresh = True
    return np.int64(n_cells), steps
