"""Weights of edges, lists of nearest points, and groups to start from (weighted graph).

Units are numbered along the tree of their points, so that units near each other in space are near
in memory too; the units of point p are first[p] … first[p + 1]. A group is a chain of units.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.box.index import NOBODY, remove
from shoal.kernels.box.neighbour import list_nearest
from shoal.kernels.growth.greedy import list_class
from shoal.kernels.jit import callee, jit
from shoal.kernels.requirement import class_holds

TABLE, DIFFERENCE, PRICE = 0, 1, 2
FAR = np.iinfo(np.int64).max
# The average over this many units of either group tells near groups from far ones well enough.
_MOST_LINKED = 16


class Weights(NamedTuple):
    """What two units differ by, in columns.

    TABLE: numbers[at + code * width + other code]. DIFFERENCE: of numbers[at + code], or the price
    if one of them is missing (code `width`). PRICE: the price where codes differ.
    """

    codes: NDArray[np.int32]
    kind: NDArray[np.int64]
    at: NDArray[np.int64]
    width: NDArray[np.int64]
    price: NDArray[np.float64]
    numbers: NDArray[np.float64]


class Links(NamedTuple):
    """The point of every unit, the first unit of every point, and the nearest points of each."""

    point: NDArray[np.int32]
    first: NDArray[np.int64]
    near: NDArray[np.int32]


class Groups(NamedTuple):
    """The group of every unit; the chain and the size of every group.

    `own` is the sum of a unit's edges inside its group, `used[0]` how many numbers are in use.
    """

    group: NDArray[np.int32]
    head: NDArray[np.int32]
    following: NDArray[np.int32]
    size: NDArray[np.int32]
    own: NDArray[np.float64]
    used: NDArray[np.int64]


def room_for_groups(n: int) -> Groups:
    """Room for groups of n units, none of which is in a group."""
    return Groups(
        np.full(n, NOBODY, np.int32), np.full(n + 1, NOBODY, np.int32), np.empty(n, np.int32),
        np.zeros(n + 1, np.int32), np.zeros(n), np.zeros(1, np.int64),
    )  # fmt: skip


@callee
def weigh(codes, kind, at, width, price, numbers, u, v):
    """The weight of the edge between two units: what their union loses (`lose_union`), tabled.

    The search weighs the same few units again and again, so the metric is laid out for it
    beforehand (method/graph/edge.py): small domains as tables of all pairs, large trees as a price
    for each step. A test holds it equal to the metric.
    """
    total = 0.0
    for j in range(len(kind)):
        a, b = np.int64(codes[u, j]), np.int64(codes[v, j])
        if kind[j] == TABLE:
            total += numbers[at[j] + a * width[j] + b]
        elif a != b:
            if kind[j] == PRICE or a == width[j] or b == width[j]:
                total += price[j]
            else:
                total += abs(numbers[at[j] + a] - numbers[at[j] + b])
    return total


@jit
def list_neighbours(index, space, ends, low, high, room, near, far):
    """The nearest points of the points low … high, as many as a row of `near` holds."""
    wanted, row, away = np.int64(near.shape[1]), np.empty(near.shape[1], np.int64), far[0].copy()
    for q in range(low, high):
        n = list_nearest(index, space, ends, np.int64(q), wanted, FAR, room, row, away)
        for i in range(wanted):
            near[q, i], far[q, i] = row[i] if i < n else NOBODY, away[i] if i < n else FAR


@callee
def join_group(groups, u, g):
    """Chain a unit to a group."""
    groups.group[u], groups.following[u], groups.head[g] = g, groups.head[g], u
    groups.size[g] += 1


@callee
def leave_group(groups, u):
    """Take a unit out of the chain of its group."""
    g, following = groups.group[u], groups.following
    other = groups.head[g]
    if other == u:
        groups.head[g] = following[u]
    else:
        while following[other] != u:
            other = following[other]
        following[other] = following[u]
    groups.size[g] -= 1
    groups.group[u] = NOBODY


@callee
def new_group(groups):
    """The number of an empty group."""
    g = groups.used[0]
    groups.used[0] += 1
    return g


@callee
def list_group(groups, g, out):
    """The units of a group; returns how many."""
    return list_class(groups.head, groups.following, g, out, np.int64(0))


@jit
def fill_groups(labels, groups):
    """Groups from the label of every unit, NOBODY: none; labels are numbered from 0."""
    groups.head[:] = NOBODY
    groups.size[:] = 0
    groups.used[0] = 0
    for i in range(len(labels)):
        # Backwards: whoever joins goes to the front, and chains are to be in the order of units.
        u = len(labels) - 1 - i
        groups.group[u] = NOBODY
        if labels[u] != NOBODY:
            join_group(groups, u, np.int64(labels[u]))
            groups.used[0] = max(groups.used[0], labels[u] + 1)


@callee
def group_holds(units, n, order, asked, own):
    """Whether n units together hold what is required beyond their number."""
    if asked is None:
        return True
    for i in range(n):
        own[i] = order[units[i]]
    return class_holds(own[:n], asked)


@callee
def grow_stars(index, space, boxes, starters, first, k, most, weights, order, asked, groups):
    """Groups that grow from the first starter left by the unit that adds least, until they hold.

    Only the nearest units left of a starter, `most` of them, are looked at; who does not hold with
    them stays in no group.
    """
    codes, kind, at, width, price, numbers = weights
    n_left, left, end = len(order), first[1:] - first[:-1], first[1:].copy()
    depth = len(space.place) + 8
    room, near = (np.empty(depth, np.int64), np.empty(depth)), np.empty(most, np.int64)
    far, some, total = np.empty(most, np.int64), np.empty(most + 1, np.int64), np.empty(most + 1)
    point, own = np.empty(most + 1, np.int64), np.empty(most + 1, np.int32)
    for s in range(len(starters)):
        p = np.int64(starters[s])
        while left[p] > 0 and n_left >= k:
            n_near = list_nearest(index, space, boxes.ends, p, np.int64(most), FAR, room, near, far)
            m = 0
            for i in range(-1, n_near):
                q = p if i < 0 else near[i]
                u = end[q]
                while u > first[q] and m <= most:
                    u -= 1
                    if groups.group[u] == NOBODY:
                        some[m], total[m], point[m] = u, 0.0, q
                        m += 1
                    # Units at the end of a point are taken for good, and need not be passed again.
                    elif u == end[q] - 1:
                        end[q] = u
            taken, held = 1, k <= 1 and group_holds(some, 1, order, asked, own)
            while taken < m and not held:
                last, best = some[taken - 1], taken
                for i in range(taken, m):
                    total[i] += weigh(codes, kind, at, width, price, numbers, last, some[i])
                    if total[i] < total[best]:
                        best = i
                some[taken], some[best] = some[best], some[taken]
                point[taken], point[best] = point[best], point[taken]
                # The sum of the unit that was in the way; that of the one that joins is not needed.
                total[best] = total[taken]
                taken += 1
                # Judged anew with each unit from k on: requirements beyond size may need more.
                held = taken >= k and group_holds(some, taken, order, asked, own)
            if not held:
                break
            g = new_group(groups)
            for i in range(taken):
                q = point[i]
                join_group(groups, some[i], g)
                left[q] -= 1
                n_left -= 1
                if left[q] == 0:
                    remove(index, q, boxes)


@jit
def grow_forest(edges, first, k, piece):
    """Pieces of the forest: the points of each edge are joined while one side has fewer than k.

    Edges are in order of their weights; `piece` becomes the first point of each point's piece.
    """
    size = first[1:] - first[:-1]
    # Kruskal's algorithm with union-find (paths are halved), which stops to join what is large
    # enough: the pieces of a minimum spanning forest of at least k.
    for p in range(len(piece)):
        piece[p] = p
    for e in range(len(edges)):
        a, b = edges[e, 0], edges[e, 1]
        while piece[a] != a:
            piece[a] = piece[piece[a]]
            a = piece[a]
        while piece[b] != b:
            piece[b] = piece[piece[b]]
            b = piece[b]
        if a != b and (size[a] < k or size[b] < k):
            a, b = min(a, b), max(a, b)
            piece[b] = a
            size[a] += size[b]
    for p in range(len(piece)):
        # A piece has the number of its first point, so that is settled before.
        piece[p] = piece[piece[p]]


@callee
def nearest_group(g, point, first, near, weights, groups):
    """The group whose units are nearest to those of g on average, NOBODY where all is one group.

    Groups of neighbours are looked at, a few units of each; else the next unit that is elsewhere.
    """
    codes, kind, at, width, price, numbers = weights
    group, head, following = groups.group, groups.head, groups.following
    best, least, last = np.int64(NOBODY), np.inf, np.int64(NOBODY)
    u, seen = head[g], 0
    while u != NOBODY and seen < _MOST_LINKED:
        seen += 1
        for i in range(near.shape[1]):
            q = near[point[u], i]
            h = np.int64(NOBODY) if q < 0 else np.int64(group[first[q]])
            # Neighbours of one unit are often of one group: it is not weighed twice in a row.
            if h < 0 or h in (g, last):
                continue
            last = h
            total, pairs, v = 0.0, 0, head[g]
            for _ in range(_MOST_LINKED):
                w = head[h]
                for _ in range(_MOST_LINKED):
                    if v >= 0 and w >= 0:
                        total += weigh(
                            codes, kind, at, width, price, numbers, np.int64(v), np.int64(w)
                        )
                        pairs += 1
                        w = following[w]
                v = following[v] if v >= 0 else v
            if total / pairs < least:
                best, least = h, total / pairs
        u = following[u]
    if best < 0:
        for way in (1, -1):
            u = head[g]
            while 0 <= u < len(group) and group[u] in (g, NOBODY):
                u += way
            if 0 <= u < len(group):
                return np.int64(group[u])
    return best


@callee
def merge_failing(k, graph, weights, order, asked, budget, groups):
    """Merge groups that do not hold with their nearest until they do; False: too much work.

    Units in no group become groups of their own first.
    """
    point, first, near = graph.point, graph.first, graph.near
    units, own = np.empty(len(order), np.int32), np.empty(len(order), np.int32)
    for u in range(len(order)):
        if groups.group[u] == NOBODY:
            join_group(groups, u, new_group(groups))
    work = 0
    for one in range(groups.used[0]):
        g = np.int64(one)
        while groups.size[g] > 0:
            n = list_group(groups, g, units)
            work += n
            if n >= k and group_holds(units, n, order, asked, own):
                break
            h = nearest_group(g, point, first, near, weights, groups)
            if h < 0:
                break
            if work > budget:
                return False
            # The smaller moves, so that nobody moves more than log n times.
            a, b = (g, h) if groups.size[g] >= groups.size[h] else (h, g)
            for _ in range(list_group(groups, b, units)):
                u = np.int64(groups.head[b])
                leave_group(groups, u)
                join_group(groups, u, a)
            g = a
    return True
