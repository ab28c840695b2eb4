"""Units of several groups, or of one that is too large, regrouped."""

from __future__ import annotations

import numpy as np

from shoal.kernels.box.index import NOBODY
from shoal.kernels.graph.weight import join_group, leave_group, new_group, weigh
from shoal.kernels.jit import callee

# Larger groups are left as they are: a look at one would cost too much.
LARGE = 256


@callee
def divide_pool(pool, n, k, start, weights, total, part):
    """Part n units into groups of k, the last of up to 2k - 1; returns how many groups.

    The first grows from unit `start` of the pool by the unit that adds least, each other one from
    the unit that is farthest from the group before it. O(n^2) edges, for pools of some hundred.
    """
    codes, kind, at, width, price, numbers = weights
    # Whoever is done stands in front; total[i] is the sum of edges from i to the group that grows.
    done, n_parts, taken = 0, 0, 0
    pool[0], pool[start] = pool[start], pool[0]
    while done < n:
        rest = n - done
        wanted = rest if rest < 2 * k else k
        for i in range(done, n):
            total[i] = 0.0
        taken = 0
        while taken < wanted:
            part[done] = n_parts
            done += 1
            taken += 1
            best = done
            for i in range(done, n):
                # Only the edge to whoever joined last is new.
                u, v = np.int64(pool[done - 1]), np.int64(pool[i])
                total[i] += weigh(codes, kind, at, width, price, numbers, u, v)
                nearer = total[i] < total[best]
                if nearer if taken < wanted else total[i] > total[best]:
                    best = i
            if done < n:
                pool[done], pool[best] = pool[best], pool[done]
                total[done], total[best] = total[best], total[done]
        n_parts += 1
    return n_parts


@callee
def regroup(pool, n, k, start, weights, groups, total, part, free):
    """Make new groups of a pool of units, which are taken out of theirs; returns how many.

    `free` gets the numbers of the groups that became empty, and then of the new ones.
    """
    n_free = 0
    for i in range(n):
        g = np.int64(groups.group[pool[i]])
        leave_group(groups, np.int64(pool[i]))
        if groups.size[g] == 0:
            free[n_free] = g
            n_free += 1
    n_parts = divide_pool(pool, n, k, start, weights, total, part)
    for i in range(n_free, n_parts):
        free[i] = new_group(groups)
    for i in range(n):
        join_group(groups, np.int64(pool[i]), np.int64(free[part[i]]))
    return n_parts


@callee
def cut_large(k, cap, weights, groups):
    """Cut groups of more than `cap` units to groups of k to 2k - 1.

    Very large ones are first cut along the order of units, which is that of the tree of points.
    """
    most = max(LARGE, 4 * k)
    n = len(groups.group)
    room = np.empty(n, np.int32), np.empty(n), np.empty(n, np.int64), np.empty(n, np.int64)
    pool, total, part, free = room
    units, starts, at = np.empty(n, np.int32), np.zeros(groups.used[0] + 1, np.int64), 0
    for g in range(groups.used[0]):
        starts[g + 1] = starts[g] + groups.size[g]
    place = starts[:-1].copy()
    for u in range(n):
        units[place[groups.group[u]]] = u
        place[groups.group[u]] += 1
    for g in range(len(starts) - 1):
        size, at = starts[g + 1] - starts[g], starts[g]
        n_chunks = -(-size // most) if size > cap else 0
        for c in range(n_chunks):
            m = size * (c + 1) // n_chunks - size * c // n_chunks
            for i in range(m):
                pool[i] = units[at + i]
            at += m
            regroup(pool, m, k, np.int64(0), weights, groups, total, part, free)


@callee
def renumber(groups):
    """Close the gaps that empty groups left."""
    m = 0
    for g in range(groups.used[0]):
        if groups.size[g] > 0:
            u = groups.head[g]
            groups.head[m], groups.size[m] = u, groups.size[g]
            while u != NOBODY:
                groups.group[u] = m
                u = groups.following[u]
            m += 1
    groups.head[m:] = NOBODY
    groups.size[m:] = 0
    groups.used[0] = m
