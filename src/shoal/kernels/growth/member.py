"""Classes that grow one unit at a time from seeds that are far apart (k-member).

Byun, Kamra, Bertino and Li 2007. Exact: what the index leaves out would increase the loss more than
what it found.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.box.element import (
    boxes_of_people,
    empty_class,
    keep_class,
    room_for_boxes,
    room_to_grow,
    take_in,
)
from shoal.kernels.box.index import NOBODY, build, find_nearest, remove, room_for_index
from shoal.kernels.box.neighbour import find_farthest
from shoal.kernels.growth.greedy import TIE, join_residual, number_members
from shoal.kernels.jit import callee, jit
from shoal.kernels.requirement import add_unit, clear_summary, holds


def make_room(codes: NDArray[np.int32], n_codes: int, least: int) -> tuple[Any, ...]:
    """Units with an index, classes of `least` units or more, and the class that grows.

    Every unit weighs as much as any other.
    """
    n, d = codes.shape
    persons = boxes_of_people(codes, np.ones(n, dtype=np.int64))
    units = np.arange(n, dtype=np.int32), persons, room_for_index(n, d)
    most = n // max(least, 1)
    classes = room_for_boxes(most, d), np.empty((most, 2 * d), np.int64)
    return units, classes, room_to_grow(n_codes, d)


@callee
def grow_member(index, growing, space, persons, no_sets, codes, search, p, left, least, asked, own):
    """Grow a class from unit p, of `left` that are left, until it holds or takes in all of them.

    It goes into `own`; returns how many units it has, and whether it holds.
    """
    bounds, members, facts, people, counts = asked
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
        if then <= away + TIE:
            _, p, _ = find_nearest(
                index, growing, space, persons, no_sets, codes, search, away + TIE, first
            )
    clear_summary(own[:n], members, facts, people, counts)
    return n, satisfied


@jit
def grow_members(space, metric, begins, least, asked, room, out):
    """k-member: the class of every unit into `out`, in the order of forming; -1: suppressed.

    Units are in table order; the first class begins with unit `begins`, a later one with the unit
    left that is farthest, by the metric, from where the one before it began. A class is judged from
    `least` members on. `room` is from make_room.
    """
    (order, persons, index), (classes, sets), growing = room
    n, n_left, n_classes, used = len(persons.ends), len(persons.ends), np.int64(0), np.int64(0)
    no_sets, codes = sets[:0], np.empty(64, np.int32)
    search = np.empty(2 * n + 2, np.int64), np.empty(2 * n + 2)
    own, head, following = np.empty(n + 1, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    build(index, order, space, persons)
    while n_left > 0:
        n_members, satisfied = grow_member(
            index, growing, space, persons, no_sets, codes, search, begins, n_left, least, asked,
            own,
        )  # fmt: skip
        n_left -= n_members
        if not satisfied:
            n_left = n_members
            break
        codes, used = keep_class(growing, space, classes, n_classes, sets, codes, used)
        head[n_classes] = own[0]
        for i in range(n_members):
            following[own[i]] = own[i + 1] if i + 1 < n_members else NOBODY
        n_classes += 1
        begins = find_farthest(index, metric, persons.ends, begins, search)
    # The last who do not hold together join whatever holds with them, at any cost.
    everybody = np.ones(n_classes, np.bool_)
    join_residual(
        space, persons, (classes, sets), n_classes, everybody, growing, codes, used,
        own[:n_left].copy(), np.inf, asked, head, following, own,
    )  # fmt: skip
    number_members(n_classes, everybody, head, following, own, out)
