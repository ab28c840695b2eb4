"""Who is near: classes of a class, units of a class, and a class for a unit."""

from __future__ import annotations

import numpy as np

from shoal.kernels.box.space import RANGE, SET
from shoal.kernels.hitting import count_bits
from shoal.kernels.jit import callee, inline
from shoal.kernels.polish.group import NOBODY

# Larger pools are not divided: that takes time of the square of their size.
POOL = 300


@inline
def draw(state):
    """The next of a sequence of random numbers (xorshift); below 2**53."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    # 53 bits, which a float holds exactly: divided by 2**53 it stays below 1.
    return np.int64(x >> np.uint64(11))


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
        # Chance takes off at most a fifth.
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
    least with i: what was found before, since a class that grows never loses less. The metric is
    written out, as in `find_home`: see `list_near`.
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
