"""Local search on groups: moves, swaps, dissolved groups, and kicks that let it go on.

A unit looks at the groups of its neighbours. Whatever it does must gain, and the groups must hold.

The sum to lower is that of the edges inside groups (section 3.4.2 of the graph paper), which is
NP-hard: the paper gives no algorithm. A move or swap changes the sums of two groups only, and
`own` has the sum of each unit's edges inside its own, so a step costs the sizes of the groups
that are looked at, never the table.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.box.index import NOBODY
from shoal.kernels.copy import copy_into
from shoal.kernels.graph.pool import LARGE, cut_large, regroup, renumber
from shoal.kernels.graph.weight import (
    group_holds,
    grow_stars,
    join_group,
    leave_group,
    list_group,
    merge_failing,
    weigh,
)
from shoal.kernels.jit import callee, jit

# Less than this is rounding; without it two units could swap for ever.
LEAST_GAIN = 1e-9
# Of the units at one point this many are looked at: their groups are mostly the same few. Which of
# them it is turns with the pass, so that none is passed over for good.
COPIES = 2


@callee
def sum_edges(groups, weights, u, g):
    """The sum of edges between a unit and a group."""
    codes, kind, at, width, price, numbers = weights
    following, total = groups.following, 0.0
    v = groups.head[g]
    while v != NOBODY:
        total += weigh(codes, kind, at, width, price, numbers, u, np.int64(v))
        v = following[v]
    return total


@callee
def sum_groups(weights, groups):
    """Sum up the edges of every unit inside its group; returns how much all groups have.

    Units of large groups count nothing: they stay where they are.
    """
    total = 0.0
    for u in range(len(groups.group)):
        g = groups.group[u]
        if groups.size[g] <= LARGE:
            groups.own[u] = sum_edges(groups, weights, np.int64(u), np.int64(g))
            total += groups.own[u]
    # Each edge is in the sums of both its ends.
    return total / 2


@callee
def both_hold(groups, u, g, v, h, order, asked, room):
    """Whether group g holds with v instead of u, and h with u instead of v; NOBODY: none."""
    units, own = room[0], room[1]
    for turn in range(2):
        goes, comes, here = (u, v, g) if turn == 0 else (v, u, h)
        if here == NOBODY:
            continue
        n, w = 0, np.int64(groups.head[here])
        while w != NOBODY:
            if w != goes:
                units[n] = w
                n += 1
            w = np.int64(groups.following[w])
        if comes != NOBODY:
            units[n] = comes
            n += 1
        if not group_holds(units, n, order, asked, own):
            return False
    return True


@callee
def relocate(groups, weights, u, h, active):
    """Move a unit to group h, and let everyone of both groups look around again."""
    codes, kind, at, width, price, numbers = weights
    own, following, g = groups.own, groups.following, np.int64(groups.group[u])
    leave_group(groups, u)
    v = groups.head[g]
    while v != NOBODY:
        own[v] -= weigh(codes, kind, at, width, price, numbers, u, np.int64(v))
        active[v] = True
        v = following[v]
    total, v = 0.0, groups.head[h]
    while v != NOBODY:
        away = weigh(codes, kind, at, width, price, numbers, u, np.int64(v))
        own[v] += away
        total += away
        active[v] = True
        v = following[v]
    own[u], active[u] = total, True
    join_group(groups, u, h)


@callee
def find_step(u, k, cap, turn, graph, weights, order, asked, sort, groups, marks, room):
    """The best move or swap of a unit: its gain, the other group, and the unit to swap with.

    Units of one sort are alike to the requirements: if a swap with one fails, so it does with the
    others of the group. Where nearly all share a value, that is nearly all.
    """
    point, first, near = graph.point, graph.first, graph.near
    failed = room[3]
    codes, kind, at, width, price, numbers = weights
    group, head, following, size, own = (
        groups.group, groups.head, groups.following, groups.size, groups.own,
    )  # fmt: skip
    g = np.int64(group[u])
    here, may_leave, p = own[u], size[g] > k, np.int64(point[u])
    # Gains must be clear of what sums of floats lose.
    best, best_h, best_v = LEAST_GAIN + 1e-13 * here, np.int64(NOBODY), np.int64(NOBODY)
    stamp = marks[-1] + 1
    marks[-1], marks[g] = stamp, stamp
    for i in range(-1, near.shape[1]):
        q = p if i < 0 else np.int64(near[p, i])
        if q == NOBODY:
            break
        n_copies = first[q + 1] - first[q]
        for copy in range(min(n_copies, COPIES)):
            h = np.int64(group[first[q] + (u + turn + copy) % n_copies])
            if marks[h] == stamp or size[h] > LARGE:
                continue
            marks[h] = stamp
            failed[-1] += 1
            there, most, v = 0.0, 0.0, head[h]
            while v != NOBODY:
                away = weigh(codes, kind, at, width, price, numbers, u, np.int64(v))
                there += away
                if own[v] + 2 * away > most:
                    most = own[v] + 2 * away
                v = following[v]
            # A swap with v gains what u and v have now, less what they get: their own edge is in
            # both sums there and is gone afterwards, hence 2 * away. `most` bounds it from above.
            gain, v = here - there if may_leave and size[h] < cap else 0.0, np.int64(NOBODY)
            swaps = here - there + most > best
            # First the move, then swaps with one unit after the other.
            while True:
                if gain > best:
                    held = True
                    if asked is not None:
                        # A move has the place before the count, which no sort has.
                        tried = len(failed) - 2 if v == NOBODY else np.int64(sort[order[v]])
                        held = failed[tried] != failed[-1] and both_hold(
                            groups, np.int64(u), g, np.int64(v), h, order, asked, room
                        )
                        if not held:
                            failed[tried] = failed[-1]
                    if held:
                        best, best_h, best_v = gain, h, np.int64(v)
                v = np.int64(head[h] if v == NOBODY else following[v])
                if v == NOBODY or not swaps:
                    break
                away = weigh(codes, kind, at, width, price, numbers, u, np.int64(v))
                gain, w = here + own[v] - there + 2 * away, head[g]
                # The edges of v to group g are no fewer than this by the triangle inequality,
                # which every weight obeys; most swaps cannot gain for it. The slack is rounding.
                if gain - (size[g] * away - here) < best - LEAST_GAIN * (1 + here):
                    gain = 0.0
                while w != NOBODY and gain > best:
                    gain -= weigh(codes, kind, at, width, price, numbers, np.int64(v), np.int64(w))
                    w = following[w]
    return best, best_h, best_v


@callee
def cheapest_group(u, g, cap, graph, weights, order, asked, groups, room):
    """Where a unit adds least among the groups of its neighbours other than g, and how much."""
    point, first, near = graph.point, graph.first, graph.near
    least, best, nobody = np.inf, np.int64(NOBODY), np.int64(NOBODY)
    for i in range(-1, near.shape[1]):
        q = point[u] if i < 0 else near[point[u], i]
        if q == NOBODY:
            break
        n_copies = first[q + 1] - first[q]
        for copy in range(min(n_copies, COPIES)):
            h = np.int64(groups.group[first[q] + (u + copy) % n_copies])
            if h < 0 or h in (g, best) or groups.size[h] >= min(cap, LARGE):
                continue
            added = sum_edges(groups, weights, u, h)
            if added < least and (
                asked is None or both_hold(groups, u, nobody, nobody, h, order, asked, room)
            ):
                least, best = added, h
    return least, best


@callee
def place_left(cap, graph, weights, order, asked, groups):
    """Units in no group join, one after the other, the group where they add least, if one can."""
    n, nobody = len(order), np.int64(NOBODY)
    room = np.empty(n, np.int32), np.empty(n, np.int32)
    for unit in range(n):
        u = np.int64(unit)
        if groups.group[u] == NOBODY:
            _, g = cheapest_group(u, nobody, cap, graph, weights, order, asked, groups, room)
            if g != NOBODY:
                join_group(groups, u, g)


@callee
def dissolve(g, cap, graph, weights, order, asked, groups, active, room):
    """Hand the units of a group over to others if that gains; returns whether it did."""
    two, going = (room[0], room[1]), room[2]
    n, before, spent = list_group(groups, g, going), 0.0, 0.0
    for i in range(n):
        # Half, since each edge is in the sums of both its ends.
        before += groups.own[going[i]] / 2
    moved, worse = 0, False
    while moved < n and not worse:
        u = np.int64(going[moved])
        least, h = cheapest_group(u, g, cap, graph, weights, order, asked, groups, two)
        spent += least
        worse = h < 0 or spent >= before - LEAST_GAIN
        if not worse:
            relocate(groups, weights, u, h, active)
            moved += 1
    # Undone in the opposite order, which also gives the group its old chain back.
    if worse:
        for i in range(moved):
            relocate(groups, weights, np.int64(going[moved - 1 - i]), g, active)
    return not worse


@callee
def descend(k, cap, passes, graph, weights, order, asked, sort, groups, active, marks, room):
    """Let all active units take their best steps until nothing gains, or for all passes."""
    for turn in range(passes):
        steps = 0
        for unit in range(len(active)):
            u = np.int64(unit)
            if not active[u] or groups.size[groups.group[u]] > LARGE:
                continue
            active[u] = False
            _, h, v = find_step(
                u, k, cap, turn, graph, weights, order, asked, sort, groups, marks, room
            )
            if h == NOBODY:
                continue
            steps += 1
            g = np.int64(groups.group[u])
            relocate(groups, weights, u, h, active)
            if v != NOBODY:
                relocate(groups, weights, v, g, active)
        if steps == 0:
            break


@callee
def kick(draws, k, most, graph, weights, groups, marks, pool, total, part, free):
    """Regroup some neighbouring groups: how many units are in the pool, and in how many groups.

    One unit is drawn, then one neighbour after the other. The numbers are drawn beforehand, by the
    seed, so that kernels need no generator.
    """
    point, first, near = graph.point, graph.first, graph.near
    m, v = np.int64(0), draws[0] % len(point)
    marks[-1] += 1
    for i in range(2 + draws[1] % 3):
        g = np.int64(groups.group[v])
        if marks[g] != marks[-1] and m + groups.size[g] <= most:
            marks[g] = marks[-1]
            m += list_group(groups, g, pool[m:])
        q = np.int64(near[point[v], draws[2 + i] % near.shape[1]])
        if q >= 0:
            v = first[q] + draws[2 + i] % (first[q + 1] - first[q])
    if m < 2 * k:
        return 0, 0
    return m, regroup(pool, m, k, draws[6] % m, weights, groups, total, part, free)


@jit
def search(k, cap, passes, kicks, most, graph, weights, order, asked, sort, groups, draws):
    """Steps until nothing gains, groups dissolved where that gains, and steps again.

    Then kicks, each followed by steps, which are taken back where the sum is larger than before.
    """
    n, best = len(order), np.inf
    active, marks = np.ones(n, np.bool_), np.zeros(n + 2, np.int64)
    room = (
        np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32),
        np.zeros(n + 2, np.int64),
    )  # fmt: skip
    pool, total, part = np.empty(n, np.int32), np.empty(n), np.empty(n, np.int64)
    group, head, following, size, own, used = groups
    free = np.empty(n + 1, np.int64)
    sum_groups(weights, groups)
    kept = group[:0], head[:0], following[:0], size[:0], own[:0], used
    for stage in range(2 + kicks):
        fine, m, n_parts = True, 0, 0
        if stage == 1:
            for g in range(used[0]):
                if 0 < size[g] <= LARGE:
                    dissolve(np.int64(g), cap, graph, weights, order, asked, groups, active, room)
        if stage > 1:
            if used[0] + most // k >= n:
                renumber(groups)
            m, n_parts = kick(
                draws[stage % len(draws)], k, most, graph, weights, groups, marks, pool, total,
                part, free,
            )  # fmt: skip
            for i in range(n_parts):
                held = list_group(groups, free[i], room[0])
                fine = fine and group_holds(room[0], held, order, asked, room[1])
            for i in range(m if fine else 0):
                w = np.int64(pool[i])
                own[w] = sum_edges(groups, weights, w, np.int64(group[w]))
                active[w] = True
        if fine:
            descend(k, cap, passes, graph, weights, order, asked, sort, groups, active, marks, room)
        if kicks == 0 or stage == 0:
            continue
        # Iterated local search: equal sums are kept too, so that it can wander along a plateau.
        now = own.sum() / 2 if fine else np.inf
        if now < best + LEAST_GAIN:
            best = now
            kept = group.copy(), head.copy(), following.copy(), size.copy(), own.copy(), used.copy()
        else:
            copy_into(kept[0], group)
            copy_into(kept[1], head)
            copy_into(kept[2], following)
            copy_into(kept[3], size)
            copy_into(kept[4], own)
            copy_into(kept[5], used)


@jit
def start_groups(index, space, boxes, starters, k, most, cap, graph, weights, order, asked, groups):
    """Groups grown from the first starters left; leftover units join where that adds least."""
    grow_stars(index, space, boxes, starters, graph.first, k, most, weights, order, asked, groups)
    place_left(cap, graph, weights, order, asked, groups)


@jit
def complete_groups(k, cap, budget, graph, weights, order, asked, groups):
    """Merge what does not hold with what is near, and cut what is too large."""
    merge_failing(k, graph, weights, order, asked, budget, groups)
    if asked is None:
        # Merged groups left their numbers: with those that cutting adds there would be more than
        # there is room for.
        renumber(groups)
        cut_large(k, cap, weights, groups)
