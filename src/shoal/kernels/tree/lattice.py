"""The lattice: level vectors visited in a given order, and who is released at which of them.

The key of a tuple at a vector is a sum of look-ups, one for each attribute:
parts[row[j] + codes[tuple, j]] with row = the vector's entries. Groups are counted in a hash table
whose slots are stamped, so that it need not be cleared between vectors.

Most vectors release nobody, and the work goes into finding that out cheaply. A group at a vector
lies within the group at every vector above it: who is in a group of fewer than k at the probe above
a few vectors is hopeless at each of them, and is not even hashed there. Probes are counted once for
each block; they stay right while tuples are released, since groups only shrink.

Where more than sizes is asked, a group of k is judged. One that fails mostly comes back at the next
vectors as it is, so groups are named by a sum over their tuples, and what failed last under a name
is not judged again. A group that lacks different values lacks them at every vector below, so that
probes tell of these too who is hopeless.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import callee, inline, jit
from shoal.kernels.requirement import Bounds, units_hold

# PROBES of a block must be 64: who is hopeless at which of them is one word of bits.
BLOCK, RUN = 256, 4
PROBES = BLOCK // RUN
PLACE, LEFT, STAMP, PROBE = 0, 1, 2, 3
NOBODY = -1
# Names of groups that failed, the latest of those that share a place: a power of two, of 2 MiB.
FAILED = 1 << 18


class Vectors(NamedTuple):
    """The vectors in order, as entries into parts.

    Vectors come in blocks of BLOCK; those of a block that are most alike share a probe, the least
    vector above them: `probes[block * PROBES + probe_of[vector]]`. `wide`: keys of different
    groups may agree, so that groups must be compared.
    """

    rows: NDArray[np.uint32]
    probes: NDArray[np.uint32]
    probe_of: NDArray[np.uint8]
    parts: NDArray[np.uint64]
    wide: bool


class Crowd(NamedTuple):
    """The tuples that are left, closed up: codes, how many people each stands for, its number.

    Bit b of `hopeless` says that a tuple's group at probe b of this block is too small. `chosen`
    are the tuples looked at, `slot` their slots; state holds PLACE (the next vector), LEFT (tuples
    left), STAMP and PROBE (the next probe; the first block does without).
    """

    codes: NDArray[np.int32]
    weight: NDArray[np.int32]
    number: NDArray[np.int32]
    hopeless: NDArray[np.uint64]
    chosen: NDArray[np.uint32]
    slot: NDArray[np.uint32]
    key: NDArray[np.uint64]
    stamp: NDArray[np.int64]
    size: NDArray[np.int32]
    first: NDArray[np.uint32]
    state: NDArray[np.int64]


class Judge(NamedTuple):
    """Whom the tuples stand for, and groups while they are judged.

    Tuple t has the units[starts[t] : starts[t + 1]] and the random number name[t]; `total` sums
    these up for each slot, `head` is its last tuple among those chosen and `below` the one before.
    `needed` are bounds that a group must meet which every larger one meets too.
    """

    starts: NDArray[np.int64]
    units: NDArray[np.int32]
    name: NDArray[np.uint64]
    total: NDArray[np.uint64]
    head: NDArray[np.int32]
    below: NDArray[np.int32]
    failed: NDArray[np.uint64]
    needed: Bounds


@inline
def count_groups(crowd, row, vectors, n_chosen):
    """Sizes of the groups of the chosen tuples at a vector; returns the largest."""
    room = np.uint64(64)
    while room < np.uint64(2 * n_chosen):
        room = room + room
    last, one = room - np.uint64(1), np.uint64(1)
    state, stamp, q = crowd.state, crowd.stamp, np.uint32(len(row))
    state[STAMP] += 1
    now, largest = state[STAMP], 0
    for x in range(np.uint32(n_chosen)):
        i, key = crowd.chosen[x], np.uint64(0)
        for j in range(q):
            key += vectors.parts[row[j] + np.uint32(crowd.codes[i, j])]
        # Fibonacci hashing: the high bits of the product depend on all bits of the key.
        place = ((key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) & last
        while stamp[place] == now:
            same = crowd.key[place] == key
            if same and vectors.wide:
                other = crowd.first[place]
                for j in range(q):
                    a = vectors.parts[row[j] + np.uint32(crowd.codes[i, j])]
                    same = same and a == vectors.parts[row[j] + np.uint32(crowd.codes[other, j])]
            if same:
                break
            place = (place + one) & last
        if stamp[place] != now:
            stamp[place] = now
            crowd.key[place] = key
            crowd.size[place] = 0
            crowd.first[place] = i
        crowd.size[place] += crowd.weight[i]
        largest = max(largest, crowd.size[place])
        crowd.slot[x] = place
    return largest


@inline
def close_up(crowd, out):
    """Drop the tuples that are released."""
    n = 0
    for i in range(crowd.state[LEFT]):
        if out[crowd.number[i]] < 0:
            for j in range(crowd.codes.shape[1]):
                crowd.codes[n, j] = crowd.codes[i, j]
            crowd.weight[n] = crowd.weight[i]
            crowd.number[n] = crowd.number[i]
            crowd.hopeless[n] = crowd.hopeless[i]
            n += 1
    crowd.state[LEFT] = n


@inline
def choose_tuples(crowd, bit, afresh, everyone, k):
    """Choose who is not hopeless, or everyone; returns how many, 0 where they stand for too few."""
    n, people = 0, 0
    for i in range(crowd.state[LEFT]):
        if afresh:
            crowd.hopeless[i] = 0
        crowd.chosen[n] = i
        if everyone or crowd.hopeless[i] & bit == np.uint64(0):
            n += 1
            people += crowd.weight[i]
    return n if people >= k else 0


@callee
def list_units(crowd, judge, slot, out):
    """The units of the group in a slot; returns how many."""
    n, x = 0, judge.head[slot]
    while x != NOBODY:
        t = crowd.number[crowd.chosen[x]]
        for i in range(judge.starts[t], judge.starts[t + 1]):
            out[n] = judge.units[i]
            n += 1
        x = judge.below[x]
    return n


@callee
def chain_groups(crowd, n_chosen, k, judge):
    """Chain the tuples of each group of at least k, and name it."""
    for x in range(n_chosen):
        i, slot = crowd.chosen[x], crowd.slot[x]
        if crowd.size[slot] >= k:
            if crowd.first[slot] == i:
                judge.total[slot], judge.head[slot] = 0, NOBODY
            judge.total[slot] += judge.name[crowd.number[i]]
            judge.below[x], judge.head[slot] = judge.head[slot], x


@callee
def give_up_groups(crowd, n_chosen, k, bit, judge, asked):
    """Who is in a group at a probe that lacks what larger groups have is hopeless below it."""
    if len(judge.needed.what) == 0:
        return
    _, members, facts, people, counts, _, units = asked
    chain_groups(crowd, n_chosen, k, judge)
    for x in range(n_chosen):
        slot = crowd.slot[x]
        if crowd.size[slot] < k or crowd.first[slot] != crowd.chosen[x]:
            continue
        n = list_units(crowd, judge, slot, units)
        if not units_hold(units[:n], judge.needed, members, facts, people, counts):
            y = judge.head[slot]
            while y != NOBODY:
                crowd.hopeless[crowd.chosen[y]] |= bit
                y = judge.below[y]


@callee
def begin_search(people):
    """Each group is judged by itself, not as a part of one that grows."""
    if people is not None:
        people.undecided[1] = 0


@callee
def release_groups(crowd, n_chosen, k, place, judge, asked, out):
    """Release the groups of at least k that hold what is asked; returns whether one does."""
    bounds, members, facts, people, counts, _, units = asked
    chain_groups(crowd, n_chosen, k, judge)
    released = False
    for x in range(n_chosen):
        slot = crowd.slot[x]
        if crowd.size[slot] < k or crowd.first[slot] != crowd.chosen[x]:
            continue
        name = judge.total[slot]
        kept = name & np.uint64(FAILED - 1)
        # Two groups of one name are as good as impossible, and the second would only climb on.
        if judge.failed[kept] == name:
            continue
        begin_search(people)
        n = list_units(crowd, judge, slot, units)
        if not units_hold(units[:n], bounds, members, facts, people, counts):
            judge.failed[kept] = name
            continue
        released = True
        y = judge.head[slot]
        while y != NOBODY:
            out[crowd.number[crowd.chosen[y]]] = place
            y = judge.below[y]
    return released


@jit
def climb_lattice(vectors, crowd, k, judge, asked, out):
    """Release every group as soon as it has k people left; out[number]: the vector, or -1.

    `judge` and `asked` are None where sizes alone decide; else a group must hold that too. Before a
    block its probes are counted: a group only shrinks further down.
    """
    state, released = crowd.state, True
    while state[PLACE] < len(vectors.rows):
        if released:
            close_up(crowd, out)
            released = False
        p, b = state[PLACE], state[PROBE]
        probing = b < min((p // BLOCK + 1) * PROBES, len(vectors.probes))
        bit = np.uint64(1) << np.uint64(b % PROBES if probing else vectors.probe_of[p])
        row = vectors.probes[b] if probing else vectors.rows[p]
        n = choose_tuples(crowd, bit, probing and b % PROBES == 0, probing, 0 if probing else k)
        largest = count_groups(crowd, row, vectors, n)
        state[PROBE if probing else PLACE] += 1
        if probing:
            for i in range(n):
                if crowd.size[crowd.slot[i]] < k:
                    crowd.hopeless[i] |= bit
            if judge is not None:
                give_up_groups(crowd, n, k, bit, judge, asked)
        elif largest >= k:
            if judge is None:
                for x in range(n):
                    if crowd.size[crowd.slot[x]] >= k:
                        out[crowd.number[crowd.chosen[x]]] = p
                released = True
            else:
                released = release_groups(crowd, n, k, p, judge, asked, out)
        if state[LEFT] == 0:
            break


@jit
def find_reach(needs, weights, allowed, k, start):
    """The first vector from `start` on that allows what k people need, or -1.

    needs[i] and allowed[vector] are sets of bits; everyone whose needs are allowed is counted.
    """
    for p in range(start, len(allowed)):
        people = 0
        for i in range(len(needs)):
            fits = True
            for w in range(needs.shape[1]):
                fits = fits and needs[i, w] & ~allowed[p, w] == np.uint64(0)
            if fits:
                people += weights[i]
        if people >= k:
            return p
    return -1
