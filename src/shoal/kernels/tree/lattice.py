"""The lattice: cells in order of what they lose, and who is released in which of them.

A cell is a group at a level vector. The key of a tuple at a vector is a sum of look-ups, one for
each attribute: parts[row[j] + codes[tuple, j]] with row = the vector's entries; what it loses there
is the sum of the same look-ups in losses. Groups are counted in a hash table whose slots are
stamped, so that it need not be cleared between vectors.

Cells go by steps of loss. When a vector is due for the first time, those who may be in a group of k
there are listed in order of their steps. Groups only shrink, so nobody joins the list later: a
visit takes those of its own step off the front and counts only them, and the next in the list says
when to come back. A vector of which nobody is listed is never visited again.

Most vectors have few such groups, and the work goes into finding that out cheaply. A group at a
vector lies within the group at every vector above it: who is in a group of fewer than k at the
probe above a few vectors is in none of k at each of them. So lists are sifted: by a probe above
many vectors, by one above a few of them, by the vector itself. A sieve counts people in places, not
groups by their keys: groups that share a place count as one, so some pass in vain, but nobody
is missed. Sieves stay right while tuples are released, since groups only shrink.

Where more than sizes is required, a group of k is judged. One that fails mostly comes back
unchanged at the next vectors, so groups are named by a sum over their tuples, and what failed last
under a name is not judged again. A group that lacks different values lacks them at every vector
below, so probes drop these too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import callee, inline, jit
from shoal.kernels.requirement import Bounds, units_hold

# Vectors are handled in blocks; this many of them share a probe, the widest first.
BLOCK = 256
RUNS = (16, 4)
LEFT, STAMP, KEPT = 0, 1, 2
KEY, SEEN, SIZE, FIRST = 0, 1, 2, 3
NOBODY = -1
# No further step of a vector is kept once this many tuples are: most are released before it comes.
ENOUGH = 256
# Losses from 0 to 1 are divided into this many steps; NEVER is beyond all of them.
STEPS = 1000
NEVER = STEPS + 1
# Sums that fall short of a step by so little are rounding.
TINY = 1e-9
# Names of groups that failed, the latest of those that share a place: a power of two, of 2 MiB.
FAILED = 1 << 18


class Vectors(NamedTuple):
    """The vectors in order, as entries into parts and losses, the latter in steps.

    `wide`: keys of different groups may agree, so groups must be compared.
    """

    rows: NDArray[np.uint32]
    parts: NDArray[np.uint64]
    losses: NDArray[np.float64]
    wide: bool


class Block(NamedTuple):
    """At most BLOCK vectors to visit, in ascending order, and at which step of loss.

    `fresh` are those of which nothing is kept, the most alike next to each other: the run of
    RUNS[depth] of them from `r * RUNS[depth]` on lies below probes[depth][r].
    """

    places: NDArray[np.int64]
    fresh: NDArray[np.int64]
    probes: tuple[NDArray[np.uint32], ...]
    step: int


class Agenda(NamedTuple):
    """Of each vector: the next step at which to visit it, and who may be in a large group then.

    These are kept[begin : end], in order of their steps; once they are used up, the vector is due
    `later`, and fresh. begin is NOBODY where a vector is fresh: nothing is kept of it, since it was
    never visited, or its list is used up, or room ran out.
    """

    step: NDArray[np.int64]
    later: NDArray[np.int64]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    kept: NDArray[np.int32]


class Tuples(NamedTuple):
    """The tuples: their codes, and how many people each stands for; left[:state[LEFT]] are left.

    sifted[depth] are those whom the probe of a depth lets pass, `tally` the people in each place of
    a sieve. `chosen` are the tuples looked at, `step` their steps of loss, `slot` their slots in
    the table, whose columns are KEY, SEEN (stamp of the count that used it last), SIZE and FIRST
    (its first tuple): one line of memory a slot. `n_of_step` has room to count them by these; state
    holds LEFT, STAMP and KEPT, how much of the agenda's room is used.
    """

    codes: NDArray[np.int32]
    weight: NDArray[np.int32]
    left: NDArray[np.int32]
    sifted: NDArray[np.int32]
    tally: NDArray[np.int32]
    chosen: NDArray[np.int32]
    step: NDArray[np.int16]
    slot: NDArray[np.uint32]
    table: NDArray[np.int64]
    n_of_step: NDArray[np.int64]
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
def room_for(n_tuples):
    """The number of places to count these tuples in: a power of two, at least twice as many."""
    room = np.uint64(64)
    while room < np.uint64(2 * n_tuples):
        room = room + room
    return room


@inline
def key_of(crowd, row, vectors, i):
    """What tells the group of a tuple at a vector from others."""
    key = np.uint64(0)
    for j in range(np.uint32(len(row))):
        key += vectors.parts[row[j] + np.uint32(crowd.codes[i, j])]
    return key


@inline
def place_of(key, last):
    """Fibonacci hashing: the high bits of the product depend on all bits of the key."""
    return ((key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) & last


@inline
def step_of(crowd, row, vectors, i):
    """The step of loss of a tuple at a vector."""
    lost = TINY
    for j in range(np.uint32(len(row))):
        lost += vectors.losses[row[j] + np.uint32(crowd.codes[i, j])]
    return np.int64(lost)


@callee
def sift_tuples(crowd, tuples, row, vectors, k, out):
    """List those tuples whose group at a vector may have k people; returns how many."""
    room = room_for(len(tuples))
    crowd.tally[:room] = 0
    for x in range(np.uint32(len(tuples))):
        i = np.uint32(tuples[x])
        place = place_of(key_of(crowd, row, vectors, i), room - np.uint64(1))
        crowd.slot[x] = place
        crowd.tally[place] += crowd.weight[i]
    n = np.uint32(0)
    for x in range(np.uint32(len(tuples))):
        # Without a branch, since a processor could not foretell where it goes.
        out[n] = tuples[x]
        n += np.uint32(crowd.tally[crowd.slot[x]] >= k)
    return np.int64(n)


@callee
def count_groups(crowd, row, vectors, n_chosen, k):
    """Sizes of the groups of the chosen tuples at a vector; returns how many have at least k."""
    last, one = room_for(n_chosen) - np.uint64(1), np.uint64(1)
    state, table, q = crowd.state, crowd.table, np.uint32(len(row))
    state[STAMP] += 1
    now, n_large = state[STAMP], 0
    for x in range(np.uint32(n_chosen)):
        i = np.uint32(crowd.chosen[x])
        key = key_of(crowd, row, vectors, i)
        place, same = place_of(key, last), False
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
            # What an earlier count left here has another stamp, and is overwritten.
            slot[KEY], slot[SEEN], slot[SIZE], slot[FIRST] = np.int64(key), now, 0, i
        n_large += slot[SIZE] < k <= slot[SIZE] + crowd.weight[i]
        slot[SIZE] += crowd.weight[i]
        crowd.slot[x] = place
    return n_large


@callee
def close_up(crowd, out):
    """Drop the tuples that are released."""
    n = 0
    for x in range(crowd.state[LEFT]):
        i = crowd.left[x]
        if out[i] < 0:
            crowd.left[n] = i
            n += 1
    crowd.state[LEFT] = n


@callee
def keep_tuples(vectors, crowd, n_chosen, place, step, agenda):
    """Keep the chosen of this step and the next ones, in order, and say when a vector is due.

    Where there is no room, all that is kept of other vectors is forgotten.
    """
    row, n_of = vectors.rows[place], crowd.n_of_step
    agenda.step[place], agenda.later[place] = NEVER, NEVER
    if n_chosen == 0:
        return
    n_of[:] = 0
    for x in range(n_chosen):
        crowd.step[x] = step_of(crowd, row, vectors, crowd.chosen[x])
        n_of[crowd.step[x]] += 1
    last, n = step, n_of[step]
    while last < STEPS and n < ENOUGH:
        last += 1
        n += n_of[last]
    # Forgetting costs time, not the result: a vector of which nothing is kept is sifted again.
    if crowd.state[KEPT] + n > len(agenda.kept):
        crowd.state[KEPT] = 0
        agenda.begin[:] = NOBODY
    end = crowd.state[KEPT]
    agenda.begin[place], agenda.end[place], crowd.state[KEPT] = end, end + n, end + n
    # From the last step down: what is assigned last is the first step that anybody has.
    for c in range(STEPS, step - 1, -1):
        if n_of[c] > 0:
            if c > last:
                agenda.later[place] = c
            agenda.step[place] = c
    for c in range(step, last + 1):
        n, n_of[c] = n_of[c], end
        end += n
    for x in range(n_chosen):
        c = crowd.step[x]
        if step <= c <= last:
            agenda.kept[n_of[c]] = crowd.chosen[x]
            n_of[c] += 1


@callee
def keep_fresh(vectors, block, crowd, k, judge, asked, agenda):
    """Keep for each fresh vector of a block who may be in a large group there."""
    n_fresh, n_sifted = len(block.fresh), np.zeros(len(RUNS), np.int64)
    for i in range(n_fresh):
        tuples = crowd.left[: crowd.state[LEFT]]
        for depth in range(len(RUNS)):
            first = i - i % RUNS[depth]
            # A probe above one vector, or above as many as the next, would do the same twice.
            fewer = RUNS[depth + 1] if depth + 1 < len(RUNS) else 1
            if n_fresh - first <= fewer:
                continue
            if i == first:
                row, sifted = block.probes[depth][i // RUNS[depth]], crowd.sifted[depth]
                n = sift_tuples(crowd, tuples, row, vectors, k, sifted)
                if judge is not None and fewer == 1:
                    n = give_up_groups(crowd, row, vectors, sifted[:n], k, judge, asked)
                n_sifted[depth] = n
            tuples = crowd.sifted[depth, : n_sifted[depth]]
        place = block.fresh[i]
        n = sift_tuples(crowd, tuples, vectors.rows[place], vectors, k, crowd.chosen)
        keep_tuples(vectors, crowd, n, place, block.step, agenda)


@callee
def choose_due(vectors, crowd, place, step, k, agenda, out):
    """Choose who is left of those of a step; returns how many, 0 where they stand for too few."""
    n, people, row = np.uint32(0), 0, vectors.rows[place]
    x, end = agenda.begin[place], agenda.end[place]
    agenda.step[place] = agenda.later[place]
    while x < end:
        i = np.uint32(agenda.kept[x])
        own = step_of(crowd, row, vectors, i)
        if own > step:
            agenda.step[place] = own
            break
        if out[i] < 0:
            crowd.chosen[n] = i
            n += np.uint32(1)
            people += crowd.weight[i]
        x += 1
    agenda.begin[place] = NOBODY if x == end else x
    return np.int64(n) if people >= k else 0


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
def give_up_groups(crowd, row, vectors, tuples, k, judge, asked):
    """Drop who is in a group at a probe that lacks what larger groups have; returns who is left."""
    if len(judge.needed.what) == 0:
        return len(tuples)
    n_chosen, n_left = len(tuples), 0
    crowd.chosen[:n_chosen] = tuples
    count_groups(crowd, row, vectors, n_chosen, k)
    chain_groups(crowd, n_chosen, k, judge)
    members, facts, people = asked.members, asked.facts, asked.people
    counts, units = asked.counts, asked.units
    for x in range(n_chosen):
        slot = crowd.slot[x]
        if crowd.table[slot, SIZE] < k or crowd.table[slot, FIRST] != crowd.chosen[x]:
            continue
        n = list_units(crowd, judge, slot, units)
        if not units_hold(units[:n], judge.needed, members, facts, people, counts):
            # Of no size: whoever is in it is dropped below.
            crowd.table[slot, SIZE] = 0
    for x in range(n_chosen):
        if crowd.table[crowd.slot[x], SIZE] >= k:
            tuples[n_left] = crowd.chosen[x]
            n_left += 1
    return n_left


@callee
def begin_search(people):
    """Each group is judged by itself, not as a part of one that grows."""
    if people is not None:
        people.undecided[1] = 0


@callee
def release_groups(crowd, n_chosen, k, place, judge, asked, out):
    """Release the groups of k that hold what is required; returns how many tuples."""
    bounds, members, facts, people = asked.bounds, asked.members, asked.facts, asked.people
    counts, units = asked.counts, asked.units
    chain_groups(crowd, n_chosen, k, judge)
    n_gone = 0
    for x in range(n_chosen):
        slot = crowd.slot[x]
        if crowd.table[slot, SIZE] < k or crowd.table[slot, FIRST] != crowd.chosen[x]:
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

    `judge` and `asked` are None where sizes alone decide; else a group must hold that too. The
    agenda says when to come back.
    """
    n_gone = 0
    keep_fresh(vectors, block, crowd, k, judge, asked, agenda)
    for place in block.places:
        # What was kept of a vector of this block is gone if room ran out since.
        if agenda.begin[place] == NOBODY and agenda.step[place] == block.step:
            left = crowd.left[: crowd.state[LEFT]]
            n = sift_tuples(crowd, left, vectors.rows[place], vectors, k, crowd.chosen)
            keep_tuples(vectors, crowd, n, place, block.step, agenda)
        if agenda.step[place] != block.step:
            continue
        n = choose_due(vectors, crowd, place, block.step, k, agenda, out)
        if count_groups(crowd, vectors.rows[place], vectors, n, k) == 0:
            continue
        if judge is not None:
            n_gone += release_groups(crowd, n, k, place, judge, asked, out)
            continue
        for x in range(n):
            if crowd.table[crowd.slot[x], SIZE] >= k:
                out[crowd.chosen[x]] = place
                n_gone += 1
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
