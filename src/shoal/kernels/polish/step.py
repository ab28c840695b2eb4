"""Improve classes: a few near ones are dissolved and made again, and kept if that loses less.

A large neighbourhood search (Shaw 1998). Each step takes a class and some of the nearest, pools
their members, and divides the pool greedily several times: a class grows by whoever adds least
until it holds what is required, and beyond that as long as others fit in for nothing. Whoever is
left over joins where that adds least; then members move while that gains. The best division
replaces the old one if it loses less and each of its classes holds. So what is required holds after
every step, and the loss never rises.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import callee, jit
from shoal.kernels.polish.group import (
    NOBODY,
    all_hold,
    clear_group,
    copy_group,
    cost_of,
    fill_groups,
    join,
    lose_group,
    rid,
)
from shoal.kernels.polish.search import POOL, draw, find_home, list_near, pick_next
from shoal.kernels.requirement import add_unit, clear_summary, holds

# A step dissolves fewer than this many near classes: on Adult seven gained no more than two or
# three, and the time to divide a pool grows with its square.
NEAR = 8
TRIES = 3
# Less than this is rounding.
GAIN = 1e-9


@callee
def divide(
    metric,
    units,
    groups,
    first,
    pool,
    n,
    least,
    squares,
    farthest,
    state,
    used,
    asked,
    place,
    known,
):
    """Divide a pool into new classes from number `first` on; returns how many, 0: it failed.

    `place` is then the class of everybody in it; `known` is room for what `pick_next` knows.
    """
    codes = units.codes
    left, c, growth, last = n, first, np.zeros(1), NOBODY
    for i in range(n):
        used[i] = False
    if asked is not None:
        bounds, members, facts, people = asked.bounds, asked.members, asked.facts, asked.people
        counts, chosen = asked.counts, asked.units
    while left >= least:
        if c >= len(groups.size):
            return 0
        clear_group(metric, groups, c)
        if farthest and last != NOBODY:
            i = pick_next(metric, groups, last, pool, n, used, codes, True, growth, known)
        else:
            i = draw(state) % n
            while used[i]:
                i = (i + 1) % n
        need, n_rows, growth[0], held = least, np.int64(0), 0.0, False
        for p in range(n):
            # What was known is about the class before.
            known[p] = 0.0
        while i != NOBODY:
            u = np.int64(pool[i])
            used[i] = True
            left -= 1
            join(metric, groups, c, units, u)
            place[u] = c
            groups.lost[c] = growth[0]
            need = max(need, units.asked[u])
            if asked is not None:
                n_rows += add_unit(u, np.int64(1), members, facts, people, counts)
                chosen[groups.size[c] - 1] = u
            i = pick_next(metric, groups, c, pool, n, used, codes, False, growth, known)
            held = groups.size[c] >= need
            if held and asked is not None:
                own = chosen[: groups.size[c]]
                held = holds(bounds, n_rows, counts, facts, people, own)
            # By squares (dm) every further member costs, even one that fits in for nothing.
            if held and i != NOBODY and (squares or growth[0] > groups.lost[c] + GAIN):
                break
            # Whoever fits in for nothing may require a larger class than this would become.
            if held and i != NOBODY and units.asked[pool[i]] > groups.size[c] + 1:
                break
        if asked is not None:
            clear_summary(chosen[: groups.size[c]], members, facts, people, counts)
        if not held:
            # What did not become a class goes to the others.
            u = groups.head[c]
            while u != NOBODY:
                for p in range(n):
                    if pool[p] == u:
                        used[p] = False
                u = groups.following[u]
            break
        last = c
        c += 1
    if c == first:
        return 0
    for i in range(n):
        if not used[i]:
            u = np.int64(pool[i])
            where = find_home(metric, units, groups, first, c, NOBODY, u, squares, growth)
            if where == NOBODY:
                return 0
            join(metric, groups, np.int64(where), units, u)
            place[u] = where
            groups.lost[where] = lose_group(metric, groups, np.int64(where))
    return c - first


@callee
def move_members(metric, units, groups, first, n_new, pool, n, least, squares, place):
    """Members move to another of the new classes while that gains, and sizes allow it."""
    spare, added = first + n_new, np.zeros(1)
    for i in range(n):
        u = np.int64(pool[i])
        c = place[u]
        # Nobody gains by leaving a class more than all that it costs.
        most = cost_of(groups, np.int64(c), squares)
        if groups.size[c] <= least or most <= GAIN:
            continue
        where = find_home(metric, units, groups, first, spare, c, u, squares, added)
        best = added[0]
        if best >= most - GAIN:
            continue
        need = rid(metric, groups, c, units, u, spare)
        if groups.size[spare] < need or best >= most - cost_of(groups, spare, squares) - GAIN:
            continue
        x, before = groups.head[c], NOBODY
        while x != u:
            before, x = x, groups.following[x]
        if before == NOBODY:
            groups.head[c] = groups.following[u]
        else:
            groups.following[before] = groups.following[u]
        groups.size[c], groups.rows[c] = groups.size[spare], groups.rows[spare]
        groups.lost[c] = groups.lost[spare]
        groups.low[c], groups.high[c] = groups.low[spare], groups.high[spare]
        groups.words[c] = groups.words[spare]
        join(metric, groups, np.int64(where), units, u)
        place[u] = where
        groups.lost[where] = lose_group(metric, groups, np.int64(where))


@callee
def rebuild(
    metric,
    units,
    groups,
    taken,
    n_taken,
    least,
    squares,
    asked,
    state,
    pool,
    used,
    out,
    place,
    known,
):
    """Dissolve some classes and make new ones if that loses less; returns by how much.

    New classes come after all others until they are kept. `out` is the class of each of the
    pool in the best division.
    """
    n, before, first = 0, 0.0, groups.number[0]
    for i in range(n_taken):
        before += cost_of(groups, taken[i], squares)
        u = groups.head[taken[i]]
        while u != NOBODY:
            pool[n] = u
            n += 1
            u = groups.following[u]
    best, n_best = before - GAIN, 0
    for attempt in range(TRIES):
        farthest = attempt % 2 == 1
        n_new = divide(
            metric, units, groups, first, pool, n, least, squares, farthest, state, used, asked,
            place, known,
        )  # fmt: skip
        if n_new == 0:
            continue
        # Moves look at sizes alone, so they are made only where sizes decide; and they need one
        # spare class to try things in.
        if asked is None and first + n_new < len(groups.size):
            move_members(metric, units, groups, first, n_new, pool, n, least, squares, place)
        total = 0.0
        for c in range(first, first + n_new):
            total += cost_of(groups, np.int64(c), squares)
        # Judged once more: others may have joined or moved since each class was made.
        if total < best and all_hold(groups, first, n_new, units, least, asked):
            best, n_best = total, n_new
            for c in range(first, first + n_new):
                u = groups.head[c]
                while u != NOBODY:
                    out[u] = c - first
                    u = groups.following[u]
    # The chains of the pool are those of the last division: they are made again in any case.
    if n_best == 0:
        begin = 0
        for i in range(n_taken):
            end = begin + groups.size[taken[i]]
            groups.head[taken[i]] = pool[begin]
            for p in range(begin, end):
                groups.following[pool[p]] = pool[p + 1] if p + 1 < end else NOBODY
            begin = end
        return 0.0
    for c in range(n_best):
        where = taken[c] if c < n_taken else first + c - n_taken
        clear_group(metric, groups, np.int64(where))
        for i in range(n):
            if out[pool[i]] == c:
                join(metric, groups, np.int64(where), units, np.int64(pool[i]))
        groups.lost[where] = lose_group(metric, groups, np.int64(where))
    if n_best > n_taken:
        groups.number[0] = first + n_best - n_taken
    for i in range(n_taken - 1, n_best - 1, -1):
        # The last class takes the number of one that is gone; larger numbers go first.
        largest = n_best
        for other in range(n_best, i + 1):
            if taken[other] > taken[largest]:
                largest = other
        gone = taken[largest]
        taken[largest] = taken[i]
        groups.number[0] -= 1
        if gone != groups.number[0]:
            copy_group(groups, groups.number[0], gone)
    return before - best


@jit
def polish_groups(metric, units, groups, chosen, steps, least, squares, asked, state, unit_class):
    """Take this many steps with the classes of the chosen units; returns how much was gained.

    unit_class[u] is the class of a chosen unit, before and after, by its number among these.
    """
    n = len(units.rows)
    pool, used, out = np.empty(n, np.int64), np.zeros(n, np.bool_), np.zeros(n, np.int64)
    near, score = np.empty(NEAR, np.int64), np.empty(NEAR)
    place, known = np.empty(n, np.int64), np.empty(n)
    taken, gained = np.empty(NEAR + 1, np.int64), 0.0
    fill_groups(metric, units, chosen, unit_class, groups)
    for _ in range(steps):
        c = draw(state) % groups.number[0]
        # A class that loses nothing has little to gain from its neighbours: they come to it.
        for _ in range(3):
            if groups.lost[c] == 0.0 and not squares:
                c = draw(state) % groups.number[0]
        # Of some classes the one that loses most: there is more to gain.
        for _ in range(2):
            rival = draw(state) % groups.number[0]
            if cost_of(groups, rival, squares) > cost_of(groups, c, squares):
                c = rival
        # Few neighbours more often than many: they gain as much in far less time.
        wanted = 1 + min(draw(state) % (NEAR - 1), draw(state) % (NEAR - 1))
        n_near = list_near(metric, groups, c, wanted, state, near, score)
        taken[0], n_taken, size = c, 1, groups.size[c]
        for i in range(n_near):
            if size + groups.size[near[i]] <= POOL:
                taken[n_taken] = near[i]
                size += groups.size[near[i]]
                n_taken += 1
        if size > POOL or size < 2 * least:
            continue
        gained += rebuild(
            metric, units, groups, taken, n_taken, least, squares, asked, state, pool, used, out,
            place, known,
        )  # fmt: skip
    for c in range(groups.number[0]):
        u = groups.head[c]
        while u != NOBODY:
            unit_class[u] = c
            u = groups.following[u]
    return gained
