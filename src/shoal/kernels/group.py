"""Grouping equal keys, the common step of ladders, checks and shards."""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import jit
from shoal.kernels.sort import sort_short


@jit
def group_keys(keys, out):
    """Number equal keys alike, from 0 in order of first appearance; returns how many there are."""
    # An open hash table at most half full; numbers go by first appearance, so that the result does
    # not depend on the hash.
    size = 16
    while size < 2 * len(keys):
        size *= 2
    table = np.full(size, -1, dtype=np.int32)
    first = np.empty(len(keys), dtype=np.int64)
    n = 0
    for i in range(len(keys)):
        # The low bits of a product know nothing of the high bits of a key: the high half is folded
        # in before the low bits choose the slot.
        mixed = np.uint64(keys[i]) * np.uint64(0x9E3779B97F4A7C15)
        slot = np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(size - 1))
        while table[slot] >= 0 and first[table[slot]] != keys[i]:
            slot = (slot + 1) & (size - 1)
        if table[slot] < 0:
            table[slot] = n
            first[n] = keys[i]
            n += 1
        out[i] = table[slot]
    return n


@jit
def add_keys(keys, codes, nodes, which, base):
    """keys[i] = keys[i] * base + nodes[codes[which[i]]]: one more column of a mixed-radix key."""
    for i in range(len(which)):
        keys[i] = keys[i] * base + nodes[codes[which[i]]]


@jit
def find_bounds(codes, unit_class, low, high):
    """The least and the largest code of each class; units without a class are passed over."""
    for u in range(len(unit_class)):
        c = unit_class[u]
        if c >= 0:
            code = np.int64(codes[u])
            if code < low[c]:
                low[c] = code
            if code > high[c]:
                high[c] = code


@jit
def find_masks(codes, unit_class, masks):
    """Set bit `code` of the word of each class for the codes, below 64, of its units."""
    for u in range(len(unit_class)):
        c = unit_class[u]
        if c >= 0:
            masks[c] |= np.uint64(1) << np.uint64(codes[u])


@jit
def list_sets(starts, units, codes, n_codes, set_starts, members, digests):
    """The different codes of each class, ascending, end to end, with a digest of each set."""
    seen = np.zeros(n_codes, dtype=np.uint8)
    place = 0
    for c in range(len(starts) - 1):
        begin = place
        for i in range(starts[c], starts[c + 1]):
            code = codes[units[i]]
            if seen[code] == 0:
                seen[code] = 1
                members[place] = code
                place += 1
        sort_short(members[begin:place], place - begin)
        digest = np.uint64(0x243F6A8885A308D3)
        for i in range(begin, place):
            # Only these are cleared: most classes have few of all codes.
            seen[members[i]] = 0
            digest = (digest ^ np.uint64(members[i] + 1)) * np.uint64(0xD6E8FEB86659FD93)
            digest ^= digest >> np.uint64(32)
        digests[c] = digest
        set_starts[c + 1] = place


@jit
def list_members(unit_class, n_classes, starts, units):
    """The units of each class, by counting sort: class c gets units[starts[c] : starts[c+1]]."""
    starts[:] = 0
    for u in range(len(unit_class)):
        if unit_class[u] >= 0:
            starts[unit_class[u] + 1] += 1
    for c in range(n_classes):
        starts[c + 1] += starts[c]
    place = starts[:-1].copy()
    for u in range(len(unit_class)):
        c = unit_class[u]
        if c >= 0:
            units[place[c]] = u
            place[c] += 1
