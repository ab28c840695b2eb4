"""Prices on people that sum to as much as they can, and are too high in no cell.

To find them is a linear programme: maximise the sum of all prices, while in every cell of at least
k people the k highest excesses sum to at most zero. `climb_prices` goes towards its solution by
primal-dual steps, `press_prices` lowers whatever is too high wherever it stopped.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.bound.cell import SLACK, highest
from shoal.kernels.jit import jit

# So often the excess of a cell is pressed out by one factor; then all that is above is cut off.
_TRIES = 50


@jit
def press_prices(cells, order, kinds, k, price):
    """Lower prices, cell by cell in this order, until they are too high in none of them.

    What is above the loss of the cell, among the k highest, comes nearer to it by one factor.
    A price that is lowered makes room in other cells, and is too high in none because of that.
    Returns in how many cells there was something to lower.
    """
    n_pressed, n = 0, len(price) + 1
    value, used, kind = np.empty(n), np.empty(n, np.int64), np.empty(n, np.int64)
    for place in range(len(order)):
        c = order[place]
        loss, members = cells.loss[c], cells.members[cells.start[c] : cells.start[c + 1]]
        excess = SLACK + 1.0
        for attempt in range(_TRIES):
            m = highest(members, kinds, price, loss, k[c], value, used, kind)
            excess, above = 0.0, 0.0
            for i in range(m):
                excess += value[i] * used[i]
                above += max(value[i], 0.0) * used[i]
            if excess <= SLACK:
                break
            n_pressed += attempt == 0
            # Lowering what is above by this factor removes just the excess, if the ranks stay.
            left = max(0.0, 1.0 - excess / above)
            for i in range(m):
                if value[i] > 0.0:
                    price[kind[i]] = loss + (price[kind[i]] - loss) * left
        # Others may rank among the k highest after each attempt: in the end nobody is above.
        if excess > SLACK:
            for i in range(len(members)):
                price[members[i]] = min(price[members[i]], loss)
    return n_pressed


@jit
def find_rows(cells, kinds, k, price, least, starts, columns, parts, limits, digests, names):
    """The k highest of every cell in which they are too high by more than `least` a person.

    They become rows of a linear programme: the sum of parts times prices is at most a limit.
    Each has room for as many columns as there are members. Returns how many there are.
    """
    n_rows, place, n = 0, 0, len(price) + 1
    value, used, kind = np.empty(n), np.empty(n, np.int64), np.empty(n, np.int64)
    for c in range(len(cells.loss)):
        members = cells.members[cells.start[c] : cells.start[c + 1]]
        m = highest(members, kinds, price, cells.loss[c], k[c], value, used, kind)
        excess = 0.0
        for i in range(m):
            excess += value[i] * used[i]
        if excess <= least * k[c]:
            continue
        # The digest tells rows that were found before: it does not depend on the order of kinds.
        limit, digest = 0.0, np.uint64(cells.loss[c] * 1e12) ^ (np.uint64(k[c]) << np.uint64(48))
        for i in range(m):
            part = used[i] * kinds.rows[kind[i]] / k[c]
            columns[place], parts[place] = kind[i], part
            limit += part * cells.loss[c]
            turn, name = np.uint64(1 + used[i] % 63), names[kind[i]]
            digest ^= (name << turn) | (name >> (np.uint64(64) - turn))
            place += 1
        limits[n_rows], digests[n_rows] = limit, digest
        n_rows += 1
        starts[n_rows] = place
    return n_rows


@jit
def climb_prices(rows, turns, pace, gain, cap, price, ahead, weight, mean):
    """Primal-dual steps (Chambolle and Pock 2011) towards the prices that sum to most.

    weight[r] is how much row r binds, `ahead` the price extrapolated. A price moves by what it
    adds to the sum less what the rows that it binds in weigh, over how many these are. `mean` is
    the mean price of all turns.
    """
    starts, columns, parts, limits = rows
    pull, binds = np.zeros(len(price)), np.zeros(len(price))
    mean[:] = 0.0
    for _ in range(turns):
        pull[:] = 0.0
        binds[:] = 0.0
        for r in range(len(limits)):
            excess = -limits[r]
            for i in range(starts[r], starts[r + 1]):
                excess += parts[i] * ahead[columns[i]]
            # A row is an inequality, so its dual variable is never negative.
            weight[r] = max(0.0, weight[r] + pace * excess)
            if weight[r] > 0.0:
                for i in range(starts[r], starts[r + 1]):
                    pull[columns[i]] += weight[r] * parts[i]
                    binds[columns[i]] += parts[i]
        for u in range(len(price)):
            if cap[u] > 0.0:
                # Steps by the rows that bind (Pock and Chambolle 2011), not by one norm of them
                # all: a price in few rows moves far, one in many moves little.
                moved = price[u] + (gain[u] - pull[u]) / (pace * max(binds[u], 0.5))
                moved = min(max(moved, 0.0), cap[u])
                # Extrapolated by the step just made; without it the two sides circle each other.
                ahead[u] = 2 * moved - price[u]
                price[u] = moved
                mean[u] += moved / turns
