"""Classes made better: a few near ones are dissolved and made anew, and kept where that loses less.

A large neighbourhood search (Shaw 1998). Each step takes a class and some of the nearest, pools
their members, and divides the pool greedily several times: a class grows by whoever adds least
until it holds what is required, and beyond that as long as others fit in for nothing. Whoever is
left over joins where that adds least; then members move while that gains. The best division
replaces the old one if it loses less and each of its classes holds. So what is required holds after
every step, and the loss never rises.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.box.space import RANGE, SET, Space
from shoal.kernels.jit import callee, inline, jit
from shoal.kernels.requirement import add_unit, clear_summary, holds

# Larger pools are not divided: that takes time of the square of their size.
POOL = 300
NEAR = 8
TRIES = 3
GAIN = 1e-9
NOBODY = -1


class Units(NamedTuple):
    """Units by number: codes, rows, and the class size that each requires."""

    codes: NDArray[np.int32]
    rows: NDArray[np.float64]
    asked: NDArray[np.int64]


class Groups(NamedTuple):
    """Classes: ends of their codes, sets as bits, what a row loses, and members as chains.

    `rows` has the rows of a class, and `number[0]` how many classes there are.
    """

    low: NDArray[np.int32]
    high: NDArray[np.int32]
    words: NDArray[np.uint64]
    lost: NDArray[np.float64]
    size: NDArray[np.int64]
    rows: NDArray[np.float64]
    head: NDArray[np.int64]
    following: NDArray[np.int64]
    number: NDArray[np.int64]


class Metric(NamedTuple):
    """The space, and tables of what covering codes a … b of a small tree loses.

    That is pair[at[j] + a * width[j] + b] where the width is not 0. A set has the bits from
    word[j] on.
    """

    space: Space
    word: NDArray[np.int64]
    at: NDArray[np.int64]
    width: NDArray[np.int64]
    pair: NDArray[np.float64]


@inline
def draw(state):
    """The next of a sequence of random numbers (xorshift); below 2**53."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    return np.int64(x >> np.uint64(11))


@callee
def count_bits(word):
    """How many bits are set."""
    n = 0
    while word != np.uint64(0):
        word &= word - np.uint64(1)
        n += 1
    return n


@callee
def lose_group(metric, groups, c):
    """What a row of a class loses. The metric is written out: see `list_near`."""
    space, word, at, width, pair = metric
    form, start, missing, place, gap, many, loss_start, node, loss, _ = space
    low, high, words = groups.low, groups.high, groups.words
    total = 0.0
    for j in range(len(form)):
        if form[j] == SET:
            m = 0
            for w in range(word[j], word[j + 1]):
                m += count_bits(words[c, w])
            total += many[start[j] + m - 1]
            continue
        a, b = low[c, j], high[c, j]
        if a == b:
            continue
        if width[j] > 0:
            total += pair[at[j] + a * width[j] + b]
        elif form[j] == RANGE:
            total += gap[j] if b == missing[j] else place[start[j] + b] - place[start[j] + a]
        else:
            n_codes, p = start[j + 1] - start[j], loss_start[j]
            while node[p + a] != node[p + b]:
                p += n_codes
            total += loss[p + a]
    return total


@callee
def clear_group(metric, groups, c):
    """An empty class."""
    groups.size[c], groups.rows[c], groups.head[c], groups.lost[c] = 0, 0.0, NOBODY, 0.0
    for j in range(len(metric.space.form)):
        groups.low[c, j], groups.high[c, j] = np.iinfo(np.int32).max, -1
    for w in range(groups.words.shape[1]):
        groups.words[c, w] = 0


@callee
def join(metric, groups, c, units, u):
    """A unit joins a class; its loss is counted by the caller."""
    groups.following[u] = groups.head[c]
    groups.head[c] = u
    groups.size[c] += 1
    groups.rows[c] += units.rows[u]
    for j in range(len(metric.space.form)):
        code = units.codes[u, j]
        groups.low[c, j] = min(groups.low[c, j], code)
        groups.high[c, j] = max(groups.high[c, j], code)
        if metric.space.form[j] == SET:
            place = metric.word[j] + (code >> 6)
            groups.words[c, place] |= np.uint64(1) << np.uint64(code & 63)


@callee
def fill_groups(metric, units, chosen, unit_class, groups):
    """Fill classes with the chosen units; unit_class[u] is the number of the class here."""
    for c in range(groups.number[0]):
        clear_group(metric, groups, np.int64(c))
    for i in range(len(chosen) - 1, -1, -1):
        u = np.int64(chosen[i])
        join(metric, groups, np.int64(unit_class[u]), units, u)
    for c in range(groups.number[0]):
        groups.lost[c] = lose_group(metric, groups, np.int64(c))


@callee
def list_near(metric, groups, c, wanted, state, near, score):
    """The classes whose union with class c loses least, nearly: chance shifts each a little.

    The metric is written out wherever it is needed here, as in other innermost loops
    (box/space.py).
    """
    space, word, at, width, pair = metric
    form, start, missing, place, gap, many, loss_start, node, loss, _ = space
    low, high, words, lost = groups.low, groups.high, groups.words, groups.lost
    n, d = 0, len(form)
    for other in range(groups.number[0]):
        if other == c or groups.size[other] > POOL // 2:
            continue
        total = -0.5 * lost[other]
        worst = score[n - 1] if n == wanted else np.inf
        # Chance takes off a fifth at the most.
        for j in range(d):
            if 0.8 * total >= worst:
                break
            if form[j] == SET:
                m = 0
                for w in range(word[j], word[j + 1]):
                    m += count_bits(words[c, w] | words[other, w])
                total += many[start[j] + m - 1]
                continue
            a, b = min(low[c, j], low[other, j]), max(high[c, j], high[other, j])
            if a == b:
                continue
            if width[j] > 0:
                total += pair[at[j] + a * width[j] + b]
            elif form[j] == RANGE:
                total += gap[j] if b == missing[j] else place[start[j] + b] - place[start[j] + a]
            else:
                n_codes, p = start[j + 1] - start[j], loss_start[j]
                while node[p + a] != node[p + b]:
                    p += n_codes
                total += loss[p + a]
        if 0.8 * total >= worst:
            continue
        total *= 0.8 + 0.4 * (draw(state) / 2.0**53)
        if total >= worst:
            continue
        i = n if n < wanted else n - 1
        n = i + 1
        while i > 0 and score[i - 1] > total:
            near[i], score[i] = near[i - 1], score[i - 1]
            i -= 1
        near[i], score[i] = other, total
    return n


@callee
def pick_next(metric, groups, c, pool, n, used, codes, farthest, growth, least):
    """Of a pool, whoever is nearest to class c, or farthest; NOBODY: all are used.

    growth[0] is what a row of the class loses together with them. least[i] is what it loses at
    least with i: what was found before, since a class that grows never loses less.
    """
    space, word, at, width, pair = metric
    form, start, missing, place, gap, many, loss_start, node, loss, _ = space
    low, high, words = groups.low, groups.high, groups.words
    best, found_at, d = np.inf, NOBODY, len(form)
    for i in range(n):
        if used[i] or (least[i] >= best and not farthest):
            continue
        u, total = pool[i], 0.0
        for j in range(d):
            code = codes[u, j]
            if form[j] == SET:
                m = 0
                for w in range(word[j], word[j + 1]):
                    m += count_bits(words[c, w])
                inside = words[c, word[j] + (code >> 6)] >> np.uint64(code & 63) & np.uint64(1)
                total += many[start[j] + m - np.int64(inside)]
                continue
            a, b = min(low[c, j], code), max(high[c, j], code)
            if a == b:
                continue
            if width[j] > 0:
                total += pair[at[j] + a * width[j] + b]
            elif form[j] == RANGE:
                total += gap[j] if b == missing[j] else place[start[j] + b] - place[start[j] + a]
            else:
                n_codes, p = start[j + 1] - start[j], loss_start[j]
                while node[p + a] != node[p + b]:
                    p += n_codes
                total += loss[p + a]
            if total >= best and not farthest:
                break
        if farthest:
            total = -total
        else:
            least[i] = total
        if total < best:
            best, found_at = total, i
    growth[0] = best
    return found_at


@callee
def cost_of(groups, c, squares):
    """What all rows of a class lose; with `squares`, the square of its rows (dm)."""
    return groups.rows[c] ** 2 if squares else groups.lost[c] * groups.rows[c]


@callee
def find_home(metric, units, groups, first, last, besides, u, squares, added):
    """Of the classes first … last - 1, but one, that where a unit adds least; NOBODY: none will do.

    added[0] is how much that is. The metric is written out: see `list_near`.
    """
    space, word, at, width, pair = metric
    form, start, missing, place, gap, many, loss_start, node, loss, _ = space
    low, high, words, lost = groups.low, groups.high, groups.words, groups.lost
    size, rows, codes, d = groups.size, groups.rows, units.codes, len(form)
    best, where, own_rows, own_size = np.inf, NOBODY, units.rows[u], units.asked[u]
    for c in range(first, last):
        if c == besides or size[c] + 1 < own_size:
            continue
        more = rows[c] + own_rows
        if squares:
            growth = more * more - rows[c] ** 2
        else:
            total = 0.0
            for j in range(d):
                code = codes[u, j]
                if form[j] == SET:
                    m = 0
                    for w in range(word[j], word[j + 1]):
                        m += count_bits(words[c, w])
                    inside = words[c, word[j] + (code >> 6)] >> np.uint64(code & 63) & np.uint64(1)
                    total += many[start[j] + m - np.int64(inside)]
                    continue
                a, b = min(low[c, j], code), max(high[c, j], code)
                if a == b:
                    continue
                if width[j] > 0:
                    total += pair[at[j] + a * width[j] + b]
                elif form[j] == RANGE:
                    total += (
                        gap[j] if b == missing[j] else place[start[j] + b] - place[start[j] + a]
                    )
                else:
                    n_codes, p = start[j + 1] - start[j], loss_start[j]
                    while node[p + a] != node[p + b]:
                        p += n_codes
                    total += loss[p + a]
            growth = total * more - lost[c] * rows[c]
        if growth < best:
            best, where = growth, c
    added[0] = best
    return where


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
def rid(metric, groups, c, units, gone, spare):
    """Class `spare` becomes class c without one of its members; the chains stay as they are."""
    clear_group(metric, groups, spare)
    need, u = np.int64(0), groups.head[c]
    while u != NOBODY:
        if u != gone:
            groups.size[spare] += 1
            groups.rows[spare] += units.rows[u]
            need = max(need, units.asked[u])
            for j in range(len(metric.space.form)):
                code = units.codes[u, j]
                groups.low[spare, j] = min(groups.low[spare, j], code)
                groups.high[spare, j] = max(groups.high[spare, j], code)
                if metric.space.form[j] == SET:
                    place = metric.word[j] + (code >> 6)
                    groups.words[spare, place] |= np.uint64(1) << np.uint64(code & 63)
        u = groups.following[u]
    groups.lost[spare] = lose_group(metric, groups, spare)
    return need


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
def all_hold(groups, first, n_new, units, least, asked):
    """Whether each of the new classes holds what is required."""
    for c in range(first, first + n_new):
        need, n, u = least, 0, groups.head[c]
        while u != NOBODY:
            need = max(need, units.asked[u])
            if asked is not None:
                asked.units[n] = u
            n += 1
            u = groups.following[u]
        if n < need:
            return False
        if asked is not None:
            bounds, members, facts, people = asked.bounds, asked.members, asked.facts, asked.people
            counts, own, n_rows = asked.counts, asked.units[:n], np.int64(0)
            for i in range(n):
                unit = np.int64(own[i])
                n_rows += add_unit(unit, np.int64(1), members, facts, people, counts)
            held = holds(bounds, n_rows, counts, facts, people, own)
            clear_summary(own, members, facts, people, counts)
            if not held:
                return False
    return True


@callee
def copy_group(groups, source, target):
    """Class `target` becomes what class `source` is, members too."""
    groups.low[target], groups.high[target] = groups.low[source], groups.high[source]
    groups.words[target] = groups.words[source]
    groups.lost[target], groups.size[target] = groups.lost[source], groups.size[source]
    groups.rows[target], groups.head[target] = groups.rows[source], groups.head[source]


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

    New classes stand behind all others until they are kept. `out` is the class of each of the
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
        if asked is None and first + n_new < len(groups.size):
            move_members(metric, units, groups, first, n_new, pool, n, least, squares, place)
        total = 0.0
        for c in range(first, first + n_new):
            total += cost_of(groups, np.int64(c), squares)
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
    """Take so many steps with the classes of the chosen units; returns how much was gained.

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
