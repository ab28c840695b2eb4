"""What it costs to publish two classes as one."""

from __future__ import annotations

import numpy as np

from shoal.kernels.box.space import RANGE, SET
from shoal.kernels.jit import callee, inline, jit

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
def find_nearest(f, first, last, alive, sizes, low, high, words, word_start, space, lost, out):
    """The class among first … last whose union with class f adds the least loss.

    `lost[c]` is what a unit of class c loses. out[0] is the class (-1: none), out[1] what the union
    adds, out[2] what suppressing f adds. Written out in one piece, with arrays taken out of their
    tuple first: a call for every attribute would count references longer than it computes.
    """
    form, start, missing, place, gap = (
        space.form, space.start, space.missing, space.place, space.gap,
    )  # fmt: skip
    node, tree_loss, loss_start = space.node, space.loss, space.loss_start
    less, whole, d = space.less, space.whole, low.shape[1]
    best, least = -1, np.inf
    own, own_lost = sizes[f], sizes[f] * lost[f]
    for c in range(first, last):
        if c == f or not alive[c]:
            continue
        both, n = 0.0, own + sizes[c]
        before = own_lost + sizes[c] * lost[c]
        for j in range(d):
            a, b = min(low[f, j], low[c, j]), max(high[f, j], high[c, j])
            if a == b:
                continue
            if form[j] == RANGE:
                both += gap[j] if b == missing[j] else place[start[j] + b] - place[start[j] + a]
            elif form[j] == SET:
                m = 0
                for w in range(word_start[j], word_start[j + 1]):
                    x = words[f, w] | words[c, w]
                    while x != 0:
                        x &= x - np.uint64(1)
                        m += 1
                both += (m - less[j]) / whole[j]
            else:
                n_codes, at = start[j + 1] - start[j], loss_start[j]
                while node[at + a] != node[at + b]:
                    at += n_codes
                both += tree_loss[at + a]
            if n * both - before >= least:
                break
        # What is a tie on paper must be one here: the earlier class wins it.
        if n * both - before < least - TIE:
            best, least = c, n * both - before
    out[0], out[1], out[2] = best, least, own * d - own_lost


@jit
def lose_classes(low, high, words, word_start, space, chosen, out):
    """What a unit of each chosen class loses, into `out`."""
    for i in range(len(chosen)):
        c = chosen[i]
        out[c] = 0.0
        for j in range(low.shape[1]):
            n_set = count_union(words, c, c, word_start[j], word_start[j + 1])
            out[c] += lose_union(space, j, low[c, j], high[c, j], n_set)


@jit
def fill_words(codes, unit_class, first, words):
    """Set the bit of every code in the words of its class, from word `first` on."""
    for u in range(len(unit_class)):
        if unit_class[u] >= 0:
            code = np.int64(codes[u])
            words[unit_class[u], first + (code >> 6)] |= np.uint64(1) << np.uint64(code & 63)
