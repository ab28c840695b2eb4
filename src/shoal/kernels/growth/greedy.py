"""Classes that grow by what is nearest, people or classes, until they hold (DAnonyIR).

Exact: what the index leaves out is farther away than what it found. The paper's loop looks at
everybody for each person placed, O(n^2); here the people left and the classes formed are in an
index each, and a step is two searches.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.ahead import Call, compile_ahead
from shoal.kernels.box.element import (
    Boxes,
    Growing,
    boxes_of_people,
    distance,
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
    insert,
    new_leaf,
    remove,
    room_for_index,
)
from shoal.kernels.box.space import Space
from shoal.kernels.jit import callee, jit
from shoal.kernels.requirement import Required, add_unit, class_holds, clear_summary, holds
from shoal.kernels.sort import sort_short

# Distances this close are equal, and the order decides. Not whole billionths as between points: a
# distance is multiplied by rows here, and billionths of large classes would leave 64 bits.
TIE = 1e-9
_LARGEST = np.finfo(np.float64).max


class Chains(NamedTuple):
    """The members of classes: the first of each, and who follows whom; `units` is for one list."""

    units: NDArray[np.int32]
    head: NDArray[np.int32]
    following: NDArray[np.int32]


class Room(NamedTuple):
    """People and classes as elements with an index each, and buffers for the class that grows.

    `sets` and `codes` are the sets of classes; `search` is from room_to_search. `alive` marks the
    classes that are there, `left` the people who are in none.
    """

    persons: Boxes
    index_of_persons: Index
    classes: Boxes
    index_of_classes: Index
    sets: NDArray[np.int64]
    codes: NDArray[np.int32]
    growing: Growing
    search: tuple[NDArray[np.int64], NDArray[np.float64]]
    chains: Chains
    alive: NDArray[np.bool_]
    left: NDArray[np.bool_]


# Kernels get their room from Python: to compile `np.empty` for one type takes as long as a small
# kernel does.
def room_for_chains(n: int) -> Chains:
    """Room for the members of classes of n people; one more may be tried with any class."""
    return Chains(np.empty(n + 1, np.int32), np.empty(n, np.int32), np.empty(n, np.int32))


def room_to_search(n: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Room for the nodes of an index of n elements that a search has still to look at."""
    return np.empty(2 * n + 2, np.int64), np.empty(2 * n + 2)


def make_room(codes: NDArray[np.int32], rows: NDArray[np.int64], n_codes: int) -> Room:
    """The buffers to grow classes of people with these codes and this many rows."""
    n, d = codes.shape
    return Room(
        persons=boxes_of_people(codes, rows),
        index_of_persons=room_for_index(n, d),
        classes=room_for_boxes(n, d),
        index_of_classes=room_for_index(n, d),
        sets=np.empty((n, 2 * d), np.int64),
        codes=np.empty(64, np.int32),
        growing=room_to_grow(n_codes, d),
        search=room_to_search(n),
        chains=room_for_chains(n),
        alive=np.zeros(n, np.bool_),
        left=np.ones(n, np.bool_),
    )


@callee
def list_class(head, following, c, out, n):
    """Append the members of class c to the n that are there; returns how many there are then."""
    unit = head[c]
    while unit != NOBODY:
        out[n] = unit
        n += 1
        unit = following[unit]
    return n


@callee
def joins(p, c, asked, head, following, units):
    """Whether class c still holds with person p."""
    n = list_class(head, following, c, units, np.int64(0))
    units[n] = p
    return class_holds(units[: n + 1], asked)


@callee
def place_residual(p, far, limit, asked, head, following, units):
    """The class that person p joins at the least cost and still holds, or NOBODY (Algorithm 7).

    `far[c]` is the distance to class c, inf where it is no more.
    """
    best = np.int64(NOBODY)
    while best == NOBODY:
        nearest = np.int64(NOBODY)
        for c in range(len(far)):
            if far[c] <= limit and (nearest == NOBODY or far[c] < far[nearest]):
                nearest = np.int64(c)
        if nearest == NOBODY:
            return nearest
        if joins(p, nearest, asked, head, following, units):
            best = nearest
        else:
            far[nearest] = np.inf
    # An earlier class that ties comes first; those that have failed are infinitely far by now.
    for c in range(best):
        if far[c] <= far[best] + TIE and joins(p, np.int64(c), asked, head, following, units):
            return np.int64(c)
    return best


@callee
def number_members(n_classes, alive, head, following, units, out):
    """The class of every member of a class into `out`."""
    for c in range(n_classes):
        if alive[c]:
            for i in range(list_class(head, following, np.int64(c), units, np.int64(0))):
                out[units[i]] = c


@jit
def join_residual(space, persons, classes, formed, growing, residual, most, asked, chains, out):
    """Each of the residual, in table order, joins the class where that costs least, or none.

    Function Handle of identity-reserved anonymity (Algorithm 7): who would cost more than `most`
    for each cell of theirs stays out. A class that took somebody in is as it is then for the next.
    `formed` says how many classes there are, which are still there, and the codes of their sets.
    The class of every member goes into `out`.
    """
    (boxes, sets), (n_classes, alive, codes, used) = classes, formed
    units, head, following = chains.units, chains.head, chains.following
    d, no_sets, far = len(growing.mask), sets[:0], np.empty(n_classes)
    sort_short(residual, len(residual))
    for i in range(len(residual)):
        p = np.int64(residual[i])
        empty_class(growing, space)
        take_in(growing, space, persons, p, no_sets, codes)
        for c in range(n_classes):
            away = distance(growing, space, boxes, c, sets, codes)
            far[c] = away if alive[c] else np.inf
        # Never inf, which stands for classes that are no more.
        limit = min(growing.loss[d + 1] * d * most + TIE, _LARGEST)
        c = place_residual(p, far, limit, asked, head, following, units)
        if c != NOBODY:
            take_in(growing, space, boxes, c, sets, codes)
            codes, used = keep_class(growing, space, boxes, c, sets, codes, used)
            following[p] = head[c]
            head[c] = p
    number_members(n_classes, alive, head, following, units, out)


@jit
def grow_classes(space, starters, least, asked, room):
    """DAnonyIR (Algorithm 1): classes as chains of people, but for a last that does not hold.

    People are in table order; a class begins with the first of `starters` who is left, and is
    judged from `least` members on. Classes are numbered in the order in which they formed; one that
    took in another counts as new. `room` is from make_room, with the tree of people. Returns how
    many classes have formed, how many people are left (the first of `units`), and the sets.
    """
    bounds, members, facts, people = asked.bounds, asked.members, asked.facts, asked.people
    persons, index, growing = room.persons, room.index_of_persons, room.growing
    classes, index_of_classes, sets = room.classes, room.index_of_classes, room.sets
    units, head, following = room.chains.units, room.chains.head, room.chains.following
    codes, search, alive, left = room.codes, room.search, room.alive, room.left
    counts = asked.counts
    n, d, no_sets = len(persons.ends), len(growing.mask), sets[:0]
    # Typed, since a literal makes a callee compile once more.
    zero, one, nearest, first = np.int64(0), np.int64(1), np.bool_(False), np.bool_(True)
    new_leaf(index_of_classes, np.int64(NOBODY))
    n_left, n_classes, n_members, used, at, satisfied = n, zero, zero, zero, 0, True
    while n_left > 0:
        while not left[starters[at]]:
            at += 1
        p = np.int64(starters[at])
        empty_class(growing, space)
        n_members, satisfied, joined = zero, False, False
        while not satisfied and n_left > 0:
            before, joined = n_members, n_members > 0
            c, by_classes = np.int64(NOBODY), np.inf
            if joined:
                # Candidates within TIE of the least are equal: people come before classes, then the
                # least number. So the least distance is found first (of classes only what is not
                # beyond that of people), and the first within its tie in a second search, unless
                # the runner-up (`then`) is known to be farther.
                by_people, p, then = find_nearest(
                    index, growing, space, persons, no_sets, codes, search, np.inf, nearest
                )
                by_classes, c, _ = find_nearest(
                    index_of_classes, growing, space, classes, sets, codes, search, by_people,
                    nearest,
                )  # fmt: skip
                if by_classes < by_people - TIE:
                    _, c, _ = find_nearest(
                        index_of_classes, growing, space, classes, sets, codes, search,
                        by_classes + TIE, first,
                    )  # fmt: skip
                else:
                    c, limit = np.int64(NOBODY), min(by_people, by_classes) + TIE
                    if then <= limit:
                        _, p, _ = find_nearest(
                            index, growing, space, persons, no_sets, codes, search, limit, first
                        )
            if c == NOBODY:
                remove(index, p, persons)
                left[p] = False
                n_left -= 1
                take_in(growing, space, persons, p, no_sets, codes)
                units[n_members] = p
                n_members += 1
            else:
                remove(index_of_classes, c, classes)
                alive[c] = False
                take_in(growing, space, classes, c, sets, codes)
                n_members = list_class(head, following, c, units, n_members)
            # A class of one is never judged (the paper sets SatFlag = False when it begins).
            for i in range(before, n_members):
                add_unit(np.int64(units[i]), one, members, facts, people, counts)
            if joined and n_members >= least:
                n_rows = np.int64(growing.loss[d + 1])
                satisfied = holds(bounds, n_rows, counts, facts, people, units[:n_members])
        clear_summary(units[:n_members], members, facts, people, counts)
        if satisfied:
            codes, used = keep_class(growing, space, classes, n_classes, sets, codes, used)
            head[n_classes], alive[n_classes] = units[0], True
            for i in range(n_members):
                following[units[i]] = units[i + 1] if i + 1 < n_members else NOBODY
            insert(index_of_classes, n_classes, space, classes)
            n_classes += 1
    return n_classes, zero if satisfied else n_members, codes, used


def residual_of(
    space: Space,
    persons: Boxes,
    classes: tuple[Boxes, NDArray[np.int64]],
    growing: Growing,
    codes: NDArray[np.int32],
    asked: Required,
    chains: Chains,
    out: NDArray[np.int32],
) -> Call:
    """join_residual with arguments of the types that it will be called with."""
    formed = 0, np.empty(0, np.bool_), codes, 0
    rest = chains.units[:0]
    return join_residual, (space, persons, classes, formed, growing, rest, 1.0, asked, chains, out)


def form_classes(
    space: Space,
    starters: NDArray[np.int64],
    least: int,
    asked: Required,
    room: Room,
    out: NDArray[np.int32],
) -> None:
    """DAnonyIR (Algorithms 1 and 7): the class of every person into `out`, -1: suppressed.

    See grow_classes. People who are left over join a class, or are suppressed: if joining costs
    more than 1 for each of their cells, that loses less.
    """
    persons, index, growing = room.persons, room.index_of_persons, room.growing
    classes, chains = (room.classes, room.sets), room.chains
    order = np.arange(len(out), dtype=np.int32)
    compile_ahead(
        (grow_classes, (space, starters, least, asked, room)),
        residual_of(space, persons, classes, growing, room.codes, asked, chains, out),
        (build_tree, (index, order, space, persons)),
    )
    build_tree(index, order, space, persons)
    n_classes, n_rest, codes, used = grow_classes(space, starters, least, asked, room)
    formed, rest = (n_classes, room.alive, codes, used), chains.units[:n_rest].copy()
    join_residual(space, persons, classes, formed, growing, rest, 1.0, asked, chains, out)
