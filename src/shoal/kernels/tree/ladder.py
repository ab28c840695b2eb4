"""Ladders: groups that nest from level to level, and who is released at which of them.

Groups of all levels are numbered end to end, the finest level first; up[g] is the group of the next
level that holds group g, or -1 at the top. A unit's finest group is base[unit].

The three schemes of MKS3WD (section 4) meet in these three loops: climbing is common to all of them
and to KA, taking rows singly is SE (Algorithm 2), taking whole classes is ECE (Algorithm 3).
"""

from __future__ import annotations

from shoal.kernels.jit import jit


@jit
def climb_ladder(members, k, base, up, counts, out):
    """Release every group as soon as it has k of the members that are left; out: the group, or -1.

    `counts` is scratch of one zero for each group, and is left so.
    """
    for i in range(len(members)):
        counts[base[members[i]]] += 1
    # Finer groups have smaller numbers, so one pass hands what is left of each up to the next
    # level. -1 marks a group that is released; what it held no longer counts above it.
    for g in range(len(up)):
        if counts[g] > 0:
            if counts[g] >= k:
                counts[g] = -1
            elif up[g] >= 0:
                counts[up[g]] += counts[g]
                counts[g] = 0
            else:
                counts[g] = 0
    for i in range(len(members)):
        g = base[members[i]]
        while g >= 0 and counts[g] == 0:
            g = up[g]
        out[i] = g
    for g in range(len(up)):
        counts[g] = 0


@jit
def take_singly(unsafe, offered, k, base, up, counts, head, chain, released, taken):
    """Offer rows one by one to the unsafe ones until nobody is unsafe (scheme SE).

    A row completes at most the groups that hold it, so the lowest one that then has k members
    is released. released[unit] = that group; taken[i] = 1 for every row of `offered` taken.
    counts (zeros) and head (-1) have one entry for each group; chain[level, unit] links the members
    of a group at each level. Returns how many are still unsafe.
    """
    n_unsafe = 0
    for i in range(len(unsafe) + len(offered)):
        if i >= len(unsafe):
            if n_unsafe == 0:
                break
            taken[i - len(unsafe)] = 1
        unit = unsafe[i] if i < len(unsafe) else offered[i - len(unsafe)]
        n_unsafe += 1
        # The unsafe come first and complete nothing: they were left over at every level.
        g, level, full, full_level = base[unit], 0, -1, -1
        while g >= 0:
            counts[g] += 1
            chain[level, unit] = head[g]
            head[g] = unit
            if full < 0 and counts[g] >= k and i >= len(unsafe):
                full, full_level = g, level
            g, level = up[g], level + 1
        if full < 0:
            continue
        # Chains keep those who were released lower down meanwhile; they are passed over.
        member = head[full]
        while member >= 0:
            if released[member] < 0:
                released[member] = full
                n_unsafe -= 1
                g = base[member]
                while g >= 0:
                    counts[g] -= 1
                    g = up[g]
            member = chain[full_level, member]
        head[full] = -1
    return n_unsafe


@jit
def take_classes(unsafe, offered, rank, k, groups, need, released, taken):
    """Fill the groups of one level from those offered, sort by sort (scheme ECE).

    groups[unit] is a unit's group at this level, rank[i] the sort of offered[i] (0, 1, …), which
    come in ascending order; `need` is scratch of zeros, four for each group: unsafe members, all
    offered, offered up to now, and the last sort needed (plus one). Releases a group when unsafe
    and offered together reach k, with all offered ones of the sorts needed: released[unit] = group.
    """
    for i in range(len(unsafe)):
        if released[unsafe[i]] < 0:
            need[groups[unsafe[i]], 0] += 1
    for i in range(len(offered)):
        if taken[i] == 0:
            need[groups[offered[i]], 1] += 1
    for i in range(len(offered)):
        g = groups[offered[i]]
        # Nobody is taken for a group that has no unsafe members, or that would still fall short.
        if taken[i] == 1 or need[g, 0] == 0 or need[g, 0] + need[g, 1] < k:
            continue
        # Still short, or of a sort that was begun: those of a sort are alike, so all come or none.
        if need[g, 0] + need[g, 2] < k or need[g, 3] == rank[i] + 1:
            need[g, 2] += 1
            need[g, 3] = rank[i] + 1
    for i in range(len(offered)):
        g = groups[offered[i]]
        if taken[i] == 0 and need[g, 3] > rank[i]:
            taken[i] = 1
            released[offered[i]] = g
    for i in range(len(unsafe)):
        g = groups[unsafe[i]]
        if released[unsafe[i]] < 0 and need[g, 3] > 0:
            released[unsafe[i]] = g
    for i in range(len(unsafe)):
        need[groups[unsafe[i]], :] = 0
    for i in range(len(offered)):
        need[groups[offered[i]], :] = 0
