"""The nearest and the farthest of the elements that are left, from one of them.

Elements are points (one code of each attribute), and the distance of two is what their union loses
in the space at hand. Distances are compared in whole billionths, so that a tie on paper is a tie
here; ties go to the element with the least number.

Both searches go depth first through the tree of the index, the more promising child first. They
take arrays out of their tuples at the head, and stand in one piece each. `lose_union` is written
out in all three functions here (why: see there); a test holds them equal to it.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.box.index import (
    BELOW,
    COUNT,
    ENDS,
    FIRST,
    HEAD,
    LEFT,
    MAX_HIGH,
    NOBODY,
    SPLIT,
    UNIFORM,
)
from shoal.kernels.box.space import BILLIONTH, RANGE, SET
from shoal.kernels.jit import callee, inline, jit

_LAST = np.iinfo(np.int64).max


@inline
def spread_of(space, one, p, other, q):
    """What a class loses whose codes lie between row p of `one` and row q of `other`.

    Of a set as if it had two values: for two points that is all there is, and of a class it is
    f_DIS of the graph paper (section 3.3), where values without an order or a hierarchy are either
    different or not.
    """
    total = 0.0
    for j in range(len(space.form)):
        low, high = min(one[p, j], other[q, j]), max(one[p, j], other[q, j])
        at = space.start[j]
        if low == high:
            continue
        if space.form[j] == SET:
            total += space.many[at + 1]
        elif space.form[j] == RANGE:
            if high == space.missing[j]:
                total += space.gap[j]
            else:
                total += space.place[at + high] - space.place[at + low]
        else:
            n_codes, at = space.start[j + 1] - at, space.loss_start[j]
            while space.node[at + low] != space.node[at + high]:
                at += n_codes
            total += space.loss[at + low]
    return total


@callee
def distance_of(space, ends, p, q):
    """The distance of two elements, in billionths."""
    return np.int64(np.rint(spread_of(space, ends, p, ends, q) * BILLIONTH))


@jit
def fill_distances(space, points, out):
    """The distances of all pairs of points, each a row of codes."""
    for p in range(len(points)):
        for q in range(p):
            out[p, q] = out[q, p] = spread_of(space, points, p, points, q)


@jit
def list_spreads(space, low, high, out):
    """f_DIS of classes with these ends, a row of codes each."""
    for c in range(len(out)):
        out[c] = spread_of(space, low, c, high, c)


@callee
def list_nearest(index, space, ends, q, wanted, farthest, room, near, far):
    """The `wanted` elements nearest to q (itself left out) that are at most `farthest` away.

    They go into `near`, with their distances in `far`, the nearest first; returns how many. `room`
    is for nodes to look at and their bounds.
    """
    nodes, chain, todo, bounds = index.nodes, index.chain, room[0], room[1]
    form, start, missing, place, gap, many, loss_start, tree_node, tree_loss, _ = space
    d, found, worst, last = len(form), np.int64(0), farthest, np.int64(_LAST)
    todo[0], bounds[0], n = 0, 0.0, 1
    while n > 0 and wanted > 0:
        n -= 1
        node = todo[n]
        bound = np.int64(bounds[n])
        if nodes[node, COUNT] == 0 or bound > worst:
            continue
        # As near as the worst of the list, and nobody here has a smaller number than it.
        if bound == worst and nodes[node, FIRST] > last:
            continue
        is_leaf = nodes[node, SPLIT] < 0
        e = np.int64(nodes[node, HEAD]) if is_leaf else np.int64(nodes[node, LEFT])
        before, turn = n, 0
        while e != NOBODY:
            total = 0.0
            if is_leaf or nodes[e, COUNT] > 0:
                for j in range(d):
                    own = ends[q, j]
                    low = ends[e, j] if is_leaf else nodes[e, ENDS + 4 * j]
                    high = low if is_leaf else nodes[e, ENDS + 4 * j + MAX_HIGH]
                    if low <= own <= high:
                        continue
                    # The nearest code under a node is the one next to the own.
                    code = low if own < low else high
                    low, high = (own, code) if own < code else (code, own)
                    at = start[j]
                    if form[j] == SET:
                        total += many[at + 1]
                    elif form[j] == RANGE:
                        if high == missing[j]:
                            total += gap[j]
                        else:
                            total += place[at + high] - place[at + low]
                    else:
                        n_codes, at = start[j + 1] - at, loss_start[j]
                        while tree_node[at + low] != tree_node[at + high]:
                            at += n_codes
                        total += tree_loss[at + low]
            away = np.int64(np.rint(total * BILLIONTH))
            if is_leaf:
                # An insertion sort: the lists are short, and most elements fail the first test.
                if e != q and (away < worst or (away == worst and e < last)):
                    if found < wanted:
                        found += 1
                    i = found - 1
                    while i > 0 and (far[i - 1] > away or (far[i - 1] == away and near[i - 1] > e)):
                        near[i], far[i] = near[i - 1], far[i - 1]
                        i -= 1
                    near[i], far[i] = e, away
                    if found == wanted:
                        worst, last = far[found - 1], np.int64(near[found - 1])
                e = np.int64(chain[e, BELOW])
                continue
            if nodes[e, COUNT] > 0 and away <= worst:
                todo[n], bounds[n] = e, away
                n += 1
            turn += 1
            e = e + 1 if turn < 2 else np.int64(NOBODY)
        if n == before + 2 and bounds[before] < bounds[before + 1]:
            todo[before], todo[before + 1] = todo[before + 1], todo[before]
            bounds[before], bounds[before + 1] = bounds[before + 1], bounds[before]
    return found


@callee
def find_farthest(index, space, ends, q, room):
    """The element farthest from q, ties to the least number (NOBODY: none is left)."""
    nodes, chain, todo, bounds = index.nodes, index.chain, room[0], room[1]
    form, start, missing, place, gap, many, loss_start, tree_node, tree_loss, _ = space
    d, best, found = len(form), np.int64(-1), np.int64(NOBODY)
    todo[0], bounds[0], n = 0, np.inf, 1
    while n > 0:
        n -= 1
        node = todo[n]
        if nodes[node, COUNT] == 0 or bounds[n] < best:
            continue
        if bounds[n] == best and nodes[node, FIRST] > found:
            continue
        is_leaf = nodes[node, SPLIT] < 0
        e = np.int64(nodes[node, HEAD]) if is_leaf else np.int64(nodes[node, LEFT])
        before, turn = n, 0
        while e != NOBODY:
            total = 0.0
            if is_leaf or nodes[e, COUNT] > 0:
                for j in range(d):
                    own, most = ends[q, j], 0.0
                    # Along the codes distances grow on either side: one of the ends is farthest.
                    for side in range(2):
                        code = ends[e, j] if is_leaf else nodes[e, ENDS + 4 * j + side * MAX_HIGH]
                        low, high = (own, code) if own < code else (code, own)
                        away_j, at = 0.0, start[j]
                        if low == high:
                            away_j = 0.0
                        elif form[j] == SET:
                            away_j = many[at + 1]
                        elif form[j] == RANGE:
                            away_j = place[at + high] - place[at + low]
                            if high == missing[j]:
                                # Under a node with missing a number may be farther than the gap.
                                away_j = max(gap[j], place[at + high - 1] - place[at + low])
                                if is_leaf:
                                    away_j = gap[j]
                        else:
                            n_codes, at = start[j + 1] - at, loss_start[j]
                            while tree_node[at + low] != tree_node[at + high]:
                                at += n_codes
                            away_j = tree_loss[at + low]
                        most = away_j if away_j > most else most
                    total += most
            away = np.int64(np.rint(total * BILLIONTH))
            if is_leaf:
                if away > best or (away == best and e < found):
                    best, found = away, e
                # Equal elements are equally far, and the first of them has the least number.
                e = np.int64(NOBODY if nodes[node, UNIFORM] else chain[e, BELOW])
                continue
            if nodes[e, COUNT] > 0 and away >= best:
                todo[n], bounds[n] = e, away
                n += 1
            turn += 1
            e = e + 1 if turn < 2 else np.int64(NOBODY)
        if n == before + 2 and bounds[before] > bounds[before + 1]:
            todo[before], todo[before + 1] = todo[before + 1], todo[before]
            bounds[before], bounds[before + 1] = bounds[before + 1], bounds[before]
    return found
