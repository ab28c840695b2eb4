"""The lattice: cells in order of what they lose, and who is released in which of them.

A cell is a group at a level vector. The key of a tuple at a vector is a sum of look-ups, one for
each attribute: parts[row[j] + codes[tuple, j]] with row = the vector's entries; what it loses there
is the sum of the same look-ups in losses. Groups are counted in a hash table whose slots are
stamped, so that it need not be cleared between vectors.

Cells go by steps of loss. A vector is visited at a step if it has a cell of that step with k people
left, or may have one: a visit finds out at which step the next is. Groups only shrink, so that a
vector whose groups are all too small is never visited again, and the others only for the tuples of
their large groups, which are kept as a list.

Most visits release nobody, and the work goes into finding that out cheaply. A group at a vector
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
LEFT, STAMP, KEPT = 0, 1, 2
KEY, SEEN, SIZE, FIRST = 0, 1, 2, 3
NOBODY = -1
# Into so many steps losses from 0 to 1 are divided; NEVER is beyond all of them.
STEPS = 1000
NEVER = STEPS + 1
# Released tuples are dropped once they are one in so many.
GONE = 8
# Sums that fall short of a step by so little are rounding.
TINY = 1e-9
# Names of groups that failed, the latest of those that share a place: a power of two, of 2 MiB.
FAILED = 1 << 18


class Vectors(NamedTuple):
    """The vectors in order, as entries into parts and losses, the latter in steps.

    `wide`: keys of different groups may agree, so that groups must be compared.
    """

    rows: NDArray[np.uint32]
    parts: NDArray[np.uint64]
    losses: NDArray[np.float64]
    wide: bool


class Block(NamedTuple):
    """At most BLOCK vectors to visit, in ascending order, and at which step of loss.

    Those that are most alike share a probe, the least vector above them: probes[probe_of[i]].
    Vectors that were visited before need none.
    """

    places: NDArray[np.int64]
    probes: NDArray[np.uint32]
    probe_of: NDArray[np.uint8]
    step: int


class Agenda(NamedTuple):
    """Of each vector: the next step at which to visit it, and the tuples to look at then.

    These are kept[begin : end]; begin is NOBODY before the first visit, and where room ran out.
    """

    step: NDArray[np.int64]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    kept: NDArray[np.int32]


class Crowd(NamedTuple):
    """The tuples: their codes, and how many people each stands for; left[:state[LEFT]] are left.

    Bit b of `hopeless` says that a tuple's group at probe b of this block is too small. `chosen`
    are the tuples looked at, `slot` their slots in the table, whose columns are KEY, SEEN (stamp of
    the count that used it last), SIZE and FIRST (its first tuple): one line of memory a slot.
    `large` lists the slots of at least k people, `step` is a slot's step of loss; state holds LEFT,
    STAMP and KEPT, how much of the agenda's room is used.
    """

    codes: NDArray[np.int32]
    weight: NDArray[np.int32]
    left: NDArray[np.int32]
    hopeless: NDArray[np.uint64]
    chosen: NDArray[np.int32]
    slot: NDArray[np.uint32]
    table: NDArray[np.int64]
    large: NDArray[np.uint32]
    step: NDArray[np.int16]
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
def count_groups(crowd, row, vectors, n_chosen, k):
    """Sizes of the groups of the chosen tuples at a vector; returns how many have at least k."""
    room = np.uint64(64)
    while room < np.uint64(2 * n_chosen):
        room = room + room
    last, one = room - np.uint64(1), np.uint64(1)
    state, table, q = crowd.state, crowd.table, np.uint32(len(row))
    state[STAMP] += 1
    now, n_large = state[STAMP], 0
    for x in range(np.uint32(n_chosen)):
        i, key = crowd.chosen[x], np.uint64(0)
        for j in range(q):
            key += vectors.parts[row[j] + np.uint32(crowd.codes[i, j])]
        # Fibonacci hashing: the high bits of the product depend on all bits of the key.
        place = ((key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) & last
        same = False
        while not same and table[place, SEEN] == now:
            same = table[place, KEY] == np.int64(key)
            if same and vectors.wide:
                other = table[place, FIRST]
                for j in range(q):
                    a = vectors.parts[row[j] + np.uint32(crowd.codes[i, j])]
                    same = same and a == vectors.parts[row[j] + np.uint32(crowd.codes[other, j])]
            if not same:
                place = (place + one) & last
        slot = table[place]
        if not same:
            slot[KEY], slot[SEEN], slot[SIZE], slot[FIRST] = np.int64(key), now, 0, i
        if slot[SIZE] < k <= slot[SIZE] + crowd.weight[i]:
            crowd.large[n_large] = place
            n_large += 1
        slot[SIZE] += crowd.weight[i]
        crowd.slot[x] = place
    return n_large


@inline
def close_up(crowd, out):
    """Drop the tuples that are released."""
    n = 0
    for x in range(crowd.state[LEFT]):
        i = crowd.left[x]
        if out[i] < 0:
            crowd.left[n] = i
            n += 1
    crowd.state[LEFT] = n


@inline
def choose_tuples(crowd, candidates, bit, afresh, k, out):
    """Choose who is left and not hopeless; returns how many, 0 where they stand for too few."""
    n, people = 0, 0
    for x in range(len(candidates)):
        i = candidates[x]
        if afresh:
            crowd.hopeless[i] = 0
        crowd.chosen[n] = i
        if out[i] < 0 and crowd.hopeless[i] & bit == np.uint64(0):
            n += 1
            people += crowd.weight[i]
    return n if people >= k else 0


@callee
def keep_tuples(crowd, n_chosen, k, step, place, agenda):
    """Keep those of the chosen who are in a large group of a later step."""
    begin = agenda.begin[place]
    if begin == NOBODY:
        if crowd.state[KEPT] + n_chosen > len(agenda.kept):
            crowd.state[KEPT] = 0
            agenda.begin[:] = NOBODY
        begin = crowd.state[KEPT]
    end = begin
    for x in range(n_chosen):
        slot = crowd.slot[x]
        if crowd.table[slot, SIZE] >= k and crowd.step[slot] > step:
            agenda.kept[end] = crowd.chosen[x]
            end += 1
    if agenda.begin[place] == NOBODY:
        crowd.state[KEPT] = end
    agenda.begin[place], agenda.end[place] = begin, end


@callee
def find_steps(crowd, row, vectors, n_large, step):
    """The step of every large group; returns the next after this one, and if one is of this."""
    following, some = NEVER, False
    for x in range(n_large):
        slot, lost = crowd.large[x], TINY
        i = crowd.table[slot, FIRST]
        for j in range(len(row)):
            lost += vectors.losses[row[j] + np.uint32(crowd.codes[i, j])]
        crowd.step[slot] = np.int16(lost)
        some = some or crowd.step[slot] == step
        if crowd.step[slot] > step:
            following = min(following, crowd.step[slot])
    return following, some


@callee
def list_units(crowd, judge, slot, out):
    """The units of the group in a slot; returns how many."""
    n, x = 0, judge.head[slot]
    while x != NOBODY:
        t = crowd.chosen[x]
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
        if crowd.table[slot, SIZE] >= k:
            if crowd.table[slot, FIRST] == i:
                judge.total[slot], judge.head[slot] = 0, NOBODY
            judge.total[slot] += judge.name[i]
            judge.below[x], judge.head[slot] = judge.head[slot], x


@callee
def give_up_groups(crowd, n_chosen, k, bit, judge, asked):
    """Who is in a group at a probe that lacks what larger groups have is hopeless below it."""
    if len(judge.needed.what) == 0:
        return
    members, facts, people = asked.members, asked.facts, asked.people
    counts, units = asked.counts, asked.units
    chain_groups(crowd, n_chosen, k, judge)
    for x in range(n_chosen):
        slot = crowd.slot[x]
        if crowd.table[slot, SIZE] < k or crowd.table[slot, FIRST] != crowd.chosen[x]:
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
def release_groups(crowd, n_chosen, k, place, step, judge, asked, out):
    """Release the groups of a step that hold what is asked; returns how many tuples."""
    bounds, members, facts, people = asked.bounds, asked.members, asked.facts, asked.people
    counts, units = asked.counts, asked.units
    chain_groups(crowd, n_chosen, k, judge)
    n_gone = 0
    for x in range(n_chosen):
        slot = crowd.slot[x]
        if crowd.table[slot, SIZE] < k or crowd.table[slot, FIRST] != crowd.chosen[x]:
            continue
        if crowd.step[slot] != step:
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
        y = judge.head[slot]
        while y != NOBODY:
            out[crowd.chosen[y]] = place
            n_gone += 1
            y = judge.below[y]
    return n_gone


@jit
def climb_block(vectors, block, crowd, k, judge, asked, agenda, out):
    """Release the groups of a step that have k people left; out[tuple]: the vector, or -1.

    `judge` and `asked` are None where sizes alone decide; else a group must hold that too. Probes
    are counted first: a group only shrinks further down. The agenda says when to come back.
    """
    n_probes, n_gone = len(block.probes), 0
    for turn in range(n_probes + len(block.places)):
        if GONE * n_gone > crowd.state[LEFT]:
            close_up(crowd, out)
            n_gone = 0
        probing, i = turn < n_probes, turn - n_probes
        place = 0 if probing else block.places[i]
        row = block.probes[turn] if probing else vectors.rows[place]
        candidates, bit = crowd.left[: crowd.state[LEFT]], np.uint64(0)
        if not probing:
            if agenda.begin[place] != NOBODY:
                candidates = agenda.kept[agenda.begin[place] : agenda.end[place]]
            elif n_probes > 0:
                bit = np.uint64(1) << np.uint64(block.probe_of[i])
        n = choose_tuples(crowd, candidates, bit, turn == 0 and probing, 0 if probing else k, out)
        n_large = count_groups(crowd, row, vectors, n, k)
        if probing:
            bit = np.uint64(1) << np.uint64(turn)
            for x in range(n):
                if crowd.table[crowd.slot[x], SIZE] < k:
                    crowd.hopeless[crowd.chosen[x]] |= bit
            if judge is not None:
                give_up_groups(crowd, n, k, bit, judge, asked)
            continue
        agenda.step[place] = NEVER
        if n_large == 0:
            continue
        agenda.step[place], some = find_steps(crowd, row, vectors, n_large, block.step)
        if some:
            if judge is None:
                for x in range(n):
                    slot = crowd.slot[x]
                    if crowd.table[slot, SIZE] >= k and crowd.step[slot] == block.step:
                        out[crowd.chosen[x]] = place
                        n_gone += 1
            else:
                n_gone += release_groups(crowd, n, k, place, block.step, judge, asked, out)
        if agenda.step[place] != NEVER:
            keep_tuples(crowd, n, k, block.step, place, agenda)
    if n_gone:
        close_up(crowd, out)


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
