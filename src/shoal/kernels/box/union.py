"""What it costs to publish two classes as one."""

from __future__ import annotations

import numpy as np

from shoal.kernels.box.space import RANGE, SET, lose_union
from shoal.kernels.jit import inline, jit

TIE = 1e-9


@inline
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
    adds, out[2] what suppressing f adds. No index: classes are merged a few times only, and every
    merge would change it; O(classes * attributes), given up for a class as soon as it adds more
    than the best. Written out in one piece, `lose_union` too (why: see there).
    """
    form, start, missing, place, gap, many, loss_start, node, loss, _ = space
    d, best, least = low.shape[1], -1, np.inf
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
                both += many[start[j] + m - 1]
            else:
                n_codes, at = start[j + 1] - start[j], loss_start[j]
                while node[at + a] != node[at + b]:
                    at += n_codes
                both += loss[at + a]
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
            a, b, m = low[c, j], high[c, j], 1
            if space.form[j] == SET:
                m = count_union(words, c, c, word_start[j], word_start[j + 1])
            out[c] += lose_union(space, j, a, b, m)


@jit
def fill_words(codes, unit_class, first, words):
    """Set the bit of every code in the words of its class, from word `first` on."""
    for u in range(len(unit_class)):
        if unit_class[u] >= 0:
            code = np.int64(codes[u])
            words[unit_class[u], first + (code >> 6)] |= np.uint64(1) << np.uint64(code & 63)
