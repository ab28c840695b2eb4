"""What it costs to publish two classes as one."""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import callee, inline, jit
from shoal.kernels.space import RANGE, SET

TIE = 1e-9


@inline
def lose_between(space, j, low, high):
    """What a range, or the node over a range of leaves, loses: attribute j, codes low … high."""
    lost = 0.0
    if low != high:
        start = space.start[j]
        if space.form[j] == RANGE:
            lost = space.place[start + high] - space.place[start + low]
            if high == space.missing[j]:
                lost = space.gap[j]
        else:
            n_codes, at = space.start[j + 1] - start, space.loss_start[j]
            while space.node[at + low] != space.node[at + high]:
                at += n_codes
            lost = space.loss[at + low]
    return lost


@callee
def lose_union(space, j, low, high, n_set):
    """What a class loses of attribute j: the codes low … high, or n_set values of a set."""
    if low == high:
        return 0.0
    if space.form[j] != SET:
        return lose_between(space, j, low, high)
    return (n_set - space.less[j]) / space.whole[j]


@callee
def count_union(words, a, b, first, last):
    """How many values two sets hold together; sets are bits in words."""
    n = 0
    for w in range(first, last):
        x = words[a, w] | words[b, w]
        while x != 0:
            x &= x - np.uint64(1)
            n += 1
    return n


@jit
def find_nearest(f, first, last, alive, sizes, low, high, words, word_start, space, out):
    """The class among first … last whose union with class f adds the least loss.

    out[0] is the class (-1: none), out[1] what the union adds, out[2] what suppressing f adds.
    """
    out[0], out[1], out[2] = -1.0, np.inf, 0.0
    for j in range(low.shape[1]):
        own = count_union(words, f, f, word_start[j], word_start[j + 1])
        out[2] += sizes[f] * (1.0 - lose_union(space, j, low[f, j], high[f, j], own))
    for c in range(first, last):
        if c == f or not alive[c]:
            continue
        added = 0.0
        for j in range(low.shape[1]):
            a, b = word_start[j], word_start[j + 1]
            both = lose_union(
                space, j, min(low[f, j], low[c, j]), max(high[f, j], high[c, j]),
                count_union(words, f, c, a, b),
            )  # fmt: skip
            lose_f = lose_union(space, j, low[f, j], high[f, j], count_union(words, f, f, a, b))
            lose_c = lose_union(space, j, low[c, j], high[c, j], count_union(words, c, c, a, b))
            added += sizes[f] * (both - lose_f) + sizes[c] * (both - lose_c)
            if added >= out[1]:
                break
        # What is a tie on paper must be one here: the earlier class wins it.
        if added < out[1] - TIE:
            out[0], out[1] = c, added


@jit
def fill_words(codes, unit_class, first, words):
    """Set the bit of every code in the words of its class, from word `first` on."""
    for u in range(len(unit_class)):
        if unit_class[u] >= 0:
            code = np.int64(codes[u])
            words[unit_class[u], first + (code >> 6)] |= np.uint64(1) << np.uint64(code & 63)
