"""Bisecting by seeds that are far apart (Algorithm 4 of LGB).

A set is open until it is halved or is a class. A level of halvings looks at every unit a fixed
number of times; `balanced` keeps the levels to O(log n), where the printed algorithm may peel off
one unit at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.box.element import (
    Boxes,
    Growing,
    boxes_of_people,
    distance,
    empty_class,
    room_to_grow,
    take_in,
)
from shoal.kernels.box.neighbour import distance_of
from shoal.kernels.box.space import BILLIONTH
from shoal.kernels.jit import callee, jit
from shoal.kernels.sort import front_lowest, front_marked

# The search for far seeds stops after this many steps: the paper leaves it open, and later steps
# hardly ever find a pair that is farther apart.
ROUNDS = 6
# A side of less than one in this many of its set is filled up, or units could be peeled off one at
# a time and the levels would not stay logarithmic.
SHARE = 8
# Farther than any distance: keeps units on the side that they are on when all are sorted.
CERTAIN = np.int64(2**62)


class Room(NamedTuple):
    """Units as elements, the two sides that grow, and buffers for the set at hand.

    `first` marks who of the set is on the first side, `keys` and `other` are for its order. Units
    are no sets: `no_sets` and `no_codes` are empty. `open_sets` are the sets still to be looked at.
    """

    points: Boxes
    sides: tuple[Growing, Growing]
    no_sets: NDArray[np.int64]
    no_codes: NDArray[np.int32]
    first: NDArray[np.bool_]
    keys: NDArray[np.int64]
    other: NDArray[np.int32]
    open_sets: NDArray[np.int64]


def make_room(codes: NDArray[np.int32], n_codes: int) -> Room:
    """The buffers to halve units of these codes."""
    n, d = codes.shape
    return Room(
        points=boxes_of_people(codes, np.ones(n, dtype=np.int64)),
        sides=(room_to_grow(n_codes, d), room_to_grow(n_codes, d)),
        no_sets=np.empty((0, 2 * d), np.int64),
        no_codes=np.empty(0, np.int32),
        first=np.empty(n, np.bool_),
        keys=np.empty(n, np.int64),
        other=np.empty(n, np.int32),
        open_sets=np.empty((n + 1, 2), np.int64),
    )


@callee
def find_seeds(space, ends, some):
    """From unit to the unit farthest from it (ties: table order), while that is farther yet.

    Begins with the first; returns the last pair and how far apart it is.
    """
    one, other, apart = np.int64(some[0]), np.int64(some[0]), np.int64(-1)
    for _ in range(ROUNDS):
        tip, far, most = other, np.int64(-1), np.int64(-1)
        for i in range(len(some)):
            p = np.int64(some[i])
            # A set needs two seeds, even if all of it is equal.
            if p == tip:
                continue
            away = distance_of(space, ends, tip, p)
            # Units are in random order here, so table order must be asked for.
            if away > most or (away == most and p < far):
                far, most = p, away
        if most <= apart:
            break
        one, other, apart = tip, far, most
    return one, other, apart


@callee
def hand_out(space, some, one, other, room):
    """Each unit to the side whose loss it raises less (ties: the first); returns their sizes."""
    points, sides, first = room.points, room.sides, room.first
    no_sets, no_codes = room.no_sets, room.no_codes
    for g in range(2):
        empty_class(sides[g], space)
    take_in(sides[0], space, points, one, no_sets, no_codes)
    take_in(sides[1], space, points, other, no_sets, no_codes)
    n_first = 0
    for i in range(len(some)):
        p = np.int64(some[i])
        if p in (one, other):
            first[i] = p == one
        else:
            left = distance(sides[0], space, points, p, no_sets, no_codes)
            right = distance(sides[1], space, points, p, no_sets, no_codes)
            # In whole billionths: sides that tie on paper tie here, and the first one wins.
            first[i] = np.rint(left * BILLIONTH) <= np.rint(right * BILLIONTH)
            if first[i]:
                take_in(sides[0], space, points, p, no_sets, no_codes)
            else:
                take_in(sides[1], space, points, p, no_sets, no_codes)
        n_first += first[i]
    return n_first


@callee
def move_over(space, ends, some, seeds, first, short, keys, order):
    """Units go to the short side until it has half: those nearest to its seed, as against the
    other's, first (ties: table order)."""
    n = len(some)
    near, away = (seeds[0], seeds[1]) if short else (seeds[1], seeds[0])
    for i in range(n):
        p = np.int64(some[i])
        if first[i] == short:
            keys[i] = -CERTAIN
        elif p == away:
            keys[i] = CERTAIN
        else:
            keys[i] = distance_of(space, ends, p, near) - distance_of(space, ends, p, away)
        order[i] = i
    front_lowest(keys, some, order, n, n // 2)
    for rank in range(n):
        first[order[rank]] = short if rank < n // 2 else not short


@jit
def halve(space, units, least, balanced, room, out):
    """Halve the units, which are in random order, until no set has 2 * least; marks beginnings.

    A side must have `least` units, else the set is a class. Balanced, a side of fewer than that, or
    than an eighth of the set, is filled up to half (so that no unit is handed out more often than
    a multiple of the logarithm), and only a set without loss is a class before it is small.
    """
    ends, first, other, open_sets = room.points.ends, room.first, room.other, room.open_sets
    open_sets[0, 0], open_sets[0, 1], n_open = 0, len(units), 1
    while n_open > 0:
        n_open -= 1
        low, high = open_sets[n_open, 0], open_sets[n_open, 1]
        some, middle = units[low:high], low
        if high - low >= 2 * least:
            seeds = find_seeds(space, ends, some)
            # A set without loss gains nothing by being split; as printed, Algorithm 4 goes on.
            if seeds[2] > 0 or not balanced:
                n_first = hand_out(space, some, seeds[0], seeds[1], room)
                short = n_first <= high - low - n_first
                fewest = min(n_first, high - low - n_first)
                if balanced and fewest < max(least, (high - low) // SHARE):
                    move_over(space, ends, some, seeds, first, short, room.keys, other)
                    fewest = (high - low) // 2
                if fewest >= least:
                    middle = low + front_marked(some, first, other)
        if middle == low:
            out[low] = 1
            continue
        open_sets[n_open, 0], open_sets[n_open, 1] = low, middle
        open_sets[n_open + 1, 0], open_sets[n_open + 1, 1] = middle, high
        n_open += 2
