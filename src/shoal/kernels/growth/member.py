"""Classes that grow one unit at a time from seeds that are far apart (k-member).

Byun, Kamra, Bertino and Li 2007. Exact: what the index leaves out would increase the loss more than
what it found.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.ahead import compile_ahead
from shoal.kernels.box.element import (
    Boxes,
    Growing,
    boxes_of_people,
    empty_class,
    keep_class,
    room_for_boxes,
    room_to_grow,
    take_in,
)
from shoal.kernels.box.index import (
    NOBODY,
    Index,
    build_tree,
    find_nearest,
    remove,
    room_for_index,
)
from shoal.kernels.box.neighbour import find_farthest
from shoal.kernels.box.space import Space
from shoal.kernels.growth.greedy import (
    TIE,
    Chains,
    join_residual,
    residual_of,
    room_for_chains,
    room_to_search,
)
from shoal.kernels.jit import callee, jit
from shoal.kernels.requirement import Required, add_unit, clear_summary, holds


class Room(NamedTuple):
    """Units as elements with an index, classes, and buffers for the class that grows.

    `sets` and `codes` are the sets of classes; `search` is from room_to_search.
    """

    persons: Boxes
    index_of_persons: Index
    classes: Boxes
    sets: NDArray[np.int64]
    codes: NDArray[np.int32]
    growing: Growing
    search: tuple[NDArray[np.int64], NDArray[np.float64]]
    chains: Chains


def make_room(codes: NDArray[np.int32], n_codes: int, least: int) -> Room:
    """The buffers to grow classes of `least` units or more.

    Every unit weighs as much as any other.
    """
    n, d = codes.shape
    # No more classes can form, since each takes `least` units or more.
    most = n // max(least, 1)
    return Room(
        persons=boxes_of_people(codes, np.ones(n, dtype=np.int64)),
        index_of_persons=room_for_index(n, d),
        classes=room_for_boxes(most, d),
        sets=np.empty((most, 2 * d), np.int64),
        codes=np.empty(64, np.int32),
        growing=room_to_grow(n_codes, d),
        search=room_to_search(n),
        chains=room_for_chains(n),
    )


@callee
def grow_member(index, growing, space, persons, no_sets, codes, search, p, left, least, asked, own):
    """Grow a class from unit p, of `left` that are left, until it holds or takes in all of them.

    It goes into `own`; returns how many units it has, and whether it holds.
    """
    bounds, members, facts, people = asked.bounds, asked.members, asked.facts, asked.people
    counts = asked.counts
    one, nearest, first = np.int64(1), np.bool_(False), np.bool_(True)
    n, n_rows, satisfied = np.int64(0), np.int64(0), False
    empty_class(growing, space)
    while True:
        remove(index, p, persons)
        take_in(growing, space, persons, p, no_sets, codes)
        n_rows += add_unit(p, one, members, facts, people, counts)
        own[n] = p
        n += 1
        if n >= least:
            satisfied = holds(bounds, n_rows, counts, facts, people, own[:n])
        if satisfied or n == left:
            break
        away, p, then = find_nearest(
            index, growing, space, persons, no_sets, codes, search, np.inf, nearest
        )
        # Where the next nearest is as near, the first of all ties in table order joins: the
        # search above ends at whichever it happens to meet.
        if then <= away + TIE:
            _, p, _ = find_nearest(
                index, growing, space, persons, no_sets, codes, search, away + TIE, first
            )
    clear_summary(own[:n], members, facts, people, counts)
    return n, satisfied


@jit
def grow_members(space, metric, begins, least, asked, room):
    """k-member: classes as chains of units, in the order of forming, but for a last one.

    Units are in table order; the first class begins with unit `begins`, a later one with the unit
    left that is farthest, by the metric, from where the one before it began. A class is judged from
    `least` members on. `room` is from make_room, with the tree of units. Returns how many classes
    have formed, how many units are left (the first of `units`), and the sets.
    """
    persons, index, growing = room.persons, room.index_of_persons, room.growing
    classes, sets, codes, search = room.classes, room.sets, room.codes, room.search
    own, head, following = room.chains.units, room.chains.head, room.chains.following
    n_left, n_classes, used, no_sets = len(persons.ends), np.int64(0), np.int64(0), sets[:0]
    while n_left > 0:
        n_members, satisfied = grow_member(
            index, growing, space, persons, no_sets, codes, search, begins, n_left, least, asked,
            own,
        )  # fmt: skip
        n_left -= n_members
        # Whoever is left does not hold even as one class; they are handed out to others later.
        if not satisfied:
            n_left = n_members
            break
        codes, used = keep_class(growing, space, classes, n_classes, sets, codes, used)
        head[n_classes] = own[0]
        for i in range(n_members):
            following[own[i]] = own[i + 1] if i + 1 < n_members else NOBODY
        n_classes += 1
        begins = find_farthest(index, metric, persons.ends, begins, search)
    return n_classes, n_left, codes, used


def form_members(
    space: Space,
    metric: Space,
    begins: int,
    least: int,
    asked: Required,
    room: Room,
    out: NDArray[np.int32],
) -> None:
    """k-member: the class of every unit into `out`, -1: suppressed (see grow_members).

    The last who do not hold together join whatever holds with them, at any cost.
    """
    persons, index, growing = room.persons, room.index_of_persons, room.growing
    classes, chains = (room.classes, room.sets), room.chains
    order = np.arange(len(out), dtype=np.int32)
    compile_ahead(
        (grow_members, (space, metric, begins, least, asked, room)),
        residual_of(space, persons, classes, growing, room.codes, asked, chains, out),
        (build_tree, (index, order, space, persons)),
    )
    build_tree(index, order, space, persons)
    n_classes, n_rest, codes, used = grow_members(space, metric, begins, least, asked, room)
    formed, rest = (n_classes, np.ones(n_classes, np.bool_), codes, used), chains.units[:n_rest]
    join_residual(space, persons, classes, formed, growing, rest.copy(), np.inf, asked, chains, out)
