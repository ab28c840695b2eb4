"""The places of units on a Hilbert curve, and the best cut of a line of units into classes."""

from __future__ import annotations

import numpy as np

from shoal.kernels.box.space import RANGE, SET
from shoal.kernels.jit import jit
from shoal.kernels.requirement import add_unit, clear_summary, holds

# A class that does not hold costs so much a unit: it is made only where nothing else can be.
FAILS = 1e6


@jit
def place_on_curve(points, bits, out):
    """The place of every point on a Hilbert curve through all points of this many bits each.

    Skilling 2004 ("Programming the Hilbert curve"): axes are transformed in place, then their bits
    are interleaved, those of the first attribute first. `points` is overwritten.
    """
    n, d = points.shape
    for i in range(n):
        own = points[i]
        bit = np.uint64(1) << np.uint64(bits - 1)
        # Skilling's "inverse undo": each axis inverts the lower bits of the first axis, or
        # exchanges them with its own.
        while bit > np.uint64(1):
            below = bit - np.uint64(1)
            for j in range(d):
                if own[j] & bit:
                    own[0] ^= below
                else:
                    swap = (own[0] ^ own[j]) & below
                    own[0] ^= swap
                    own[j] ^= swap
            bit >>= np.uint64(1)
        # His Gray code: each axis is changed by the one before it, then all of them by the last.
        for j in range(1, d):
            own[j] ^= own[j - 1]
        turn = np.uint64(0)
        bit = np.uint64(1) << np.uint64(bits - 1)
        while bit > np.uint64(1):
            if own[d - 1] & bit:
                turn ^= bit - np.uint64(1)
            bit >>= np.uint64(1)
        key = np.uint64(0)
        for b in range(bits - 1, -1, -1):
            for j in range(d):
                key = (key << np.uint64(1)) | (((own[j] ^ turn) >> np.uint64(b)) & np.uint64(1))
        out[i] = key


@jit
def cut_line(codes, units, rows, sizes, ready, space, word_start, least, most, asked, cost, before):
    """Cut a line of units into classes of `least` to `most` units whose losses sum to least.

    codes[i], rows[i] and sizes[i] are those of the unit at place i, units[i]; sizes are the class
    sizes that units require. By dynamic programming: cost[i] is what the first i units lose,
    before[i] where their last class begins. A class that does not hold is allowed at a prohibitive
    price. Where ready[i] is not 0, a class of the ready[i] units up to place i may be made too,
    however many they are.
    """
    form, start, missing, place, gap, many, loss_start, node, loss, _ = space
    n, d = len(units), len(form)
    low, high, values = np.empty(d, np.int64), np.empty(d, np.int64), np.empty(d, np.int64)
    words, lost = np.zeros(max(word_start[-1], 1), np.uint64), np.zeros(d)
    if asked is not None:
        bounds, members, facts, people = asked.bounds, asked.members, asked.facts, asked.people
        counts, chosen = asked.counts, asked.units
    cost[0], before[0] = 0.0, 0
    for i in range(1, n + 1):
        cost[i], before[i] = np.inf, 0
        total, n_rows, need, judged = 0.0, 0.0, least, np.int64(0)
        words[:] = 0
        longest = max(min(most, i), ready[i - 1])
        # Backwards from the end of the class: it grows by a unit at a time, and nothing is counted
        # again.
        for size in range(1, longest + 1):
            at_unit = i - size
            n_rows += rows[at_unit]
            need = max(need, sizes[at_unit])
            for j in range(d):
                code = np.int64(codes[at_unit, j])
                if form[j] == SET:
                    at, bit = word_start[j] + (code >> 6), np.uint64(1) << np.uint64(code & 63)
                    values[j] = 0 if size == 1 else values[j]
                    if words[at] & bit == np.uint64(0):
                        words[at] |= bit
                        values[j] += 1
                        total += many[start[j] + values[j] - 1] - (lost[j] if size > 1 else 0.0)
                        lost[j] = many[start[j] + values[j] - 1]
                    continue
                if size == 1:
                    low[j], high[j], lost[j] = code, code, 0.0
                    continue
                if low[j] <= code <= high[j]:
                    continue
                low[j], high[j] = min(low[j], code), max(high[j], code)
                a, b = low[j], high[j]
                # `lose_union`, written out (why: see there).
                total -= lost[j]
                if form[j] == RANGE:
                    lost[j] = place[start[j] + b] - place[start[j] + a]
                    if b == missing[j]:
                        lost[j] = gap[j]
                else:
                    n_codes, at = start[j + 1] - start[j], loss_start[j]
                    while node[at + a] != node[at + b]:
                        at += n_codes
                    lost[j] = loss[at + a]
                total += lost[j]
            if asked is not None:
                unit = np.int64(units[at_unit])
                judged += add_unit(unit, np.int64(1), members, facts, people, counts)
                chosen[size - 1] = unit
            # The cost is inf where those before are too few for a class.
            if size < least or (size > most and size != ready[i - 1]) or cost[at_unit] == np.inf:
                continue
            own = total * n_rows
            held = size >= need
            # Judging a class costs most, so it comes last: a class that is no better than what is
            # known is not judged at all.
            if cost[at_unit] + own >= cost[i]:
                continue
            if held and asked is not None:
                held = holds(bounds, judged, counts, facts, people, chosen[:size])
            if not held:
                own += FAILS * size
            if cost[at_unit] + own < cost[i]:
                cost[i], before[i] = cost[at_unit] + own, at_unit
        if asked is not None:
            clear_summary(chosen[:longest], members, facts, people, counts)


@jit
def number_classes(units, before, first, out):
    """Number the classes of a line from its end; returns the next number."""
    i, number = len(units), first
    while i > 0:
        for place in range(before[i], i):
            out[units[place]] = number
        i = before[i]
        number += 1
    return number
