"""Elements: what people, classes and the class that is growing publish, and what unions lose.

An element has for every attribute the least and the largest of its codes; where it is published as
a set, also the codes themselves. A person is an element with one code of each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.box.space import SET, lose_union
from shoal.kernels.jit import callee, inline, jit

# No code is as large.
LAST = np.iinfo(np.int64).max


class Boxes(NamedTuple):
    """Elements by number: ends of their codes, what they lose, and their rows.

    `ends[e]` are the least codes of the d attributes, then the largest; `loss[e]` the losses, then
    the number of rows.
    """

    ends: NDArray[np.int32]
    loss: NDArray[np.float64]


class Growing(NamedTuple):
    """The class that grows.

    `ends`: least codes, largest codes, and sizes of its sets. `loss`: losses, their sum, and the
    number of rows. `inside` marks the codes of its sets, `listed` lists them (attribute j from
    space.start[j] on), `mask` sums them up in 64 bits. The list is there so that a class can be
    emptied, and kept, in time that grows with its sets and not with the domain.
    """

    ends: NDArray[np.int64]
    loss: NDArray[np.float64]
    mask: NDArray[np.uint64]
    inside: NDArray[np.bool_]
    listed: NDArray[np.int32]


def boxes_of_people(codes: NDArray[np.int32], rows: NDArray[np.int64]) -> Boxes:
    """People as elements."""
    loss = np.zeros((len(codes), codes.shape[1] + 1))
    loss[:, -1] = rows
    return Boxes(np.hstack([codes, codes]), loss)


def room_for_boxes(n: int, d: int) -> Boxes:
    """Room for n elements; what is not used takes no memory."""
    return Boxes(np.empty((n, 2 * d), np.int32), np.empty((n, d + 1)))


def room_to_grow(n_codes: int, d: int) -> Growing:
    """Room for a class that grows."""
    return Growing(
        np.zeros(3 * d, np.int64), np.zeros(d + 2), np.zeros(d, np.uint64),
        np.zeros(n_codes, np.bool_), np.zeros(n_codes, np.int32),
    )  # fmt: skip


@inline
def bit_of(code, n_codes):
    """The place of a code in 64 bits; several codes share one where there are more."""
    # Neighbouring codes share a bit, so that the codes under a node of the index are a run of bits.
    return code if n_codes <= 64 else code * 64 // n_codes


@callee
def empty_class(growing, space):
    """The growing class is nobody."""
    d = len(growing.mask)
    for j in range(d):
        start = space.start[j]
        for i in range(growing.ends[2 * d + j]):
            growing.inside[start + growing.listed[start + i]] = False
        growing.ends[j], growing.ends[d + j] = LAST, -1
        growing.ends[2 * d + j], growing.mask[j] = 0, np.uint64(0)
    for i in range(d + 2):
        growing.loss[i] = 0.0


@callee
def take_in(growing, space, boxes, e, sets, codes):
    """The growing class takes an element in: its sets are codes[sets[e, j] : sets[e, d + j]].

    Without sets (no rows in `sets`) an element has one code of each attribute.
    """
    d = len(growing.mask)
    growing.loss[d] = 0.0
    for j in range(d):
        growing.ends[j] = min(growing.ends[j], boxes.ends[e, j])
        growing.ends[d + j] = max(growing.ends[d + j], boxes.ends[e, d + j])
        if space.form[j] == SET:
            if len(sets) == 0:
                add_code(growing, space, j, boxes.ends[e, j])
            else:
                for i in range(sets[e, j], sets[e, d + j]):
                    add_code(growing, space, j, codes[i])
        low, high, m = growing.ends[j], growing.ends[d + j], growing.ends[2 * d + j]
        # Anew for each, not added up: sums of rounded differences would drift.
        growing.loss[j] = lose_union(space, j, low, high, m)
        growing.loss[d] += growing.loss[j]
    growing.loss[d + 1] += boxes.loss[e, d]


@callee
def add_code(growing, space, j, code):
    """Take a code into the set of attribute j."""
    start, size = space.start[j], 2 * len(growing.mask) + j
    if not growing.inside[start + code]:
        growing.inside[start + code] = True
        growing.listed[start + growing.ends[size]] = code
        growing.ends[size] += 1
        bit = np.uint64(bit_of(np.int64(code), space.start[j + 1] - start))
        growing.mask[j] |= np.uint64(1) << bit


@callee
def keep_class(growing, space, boxes, e, sets, codes, used):
    """The growing class becomes element e; returns the room for codes, and how much is used."""
    d = len(growing.mask)
    n = 0
    for j in range(d):
        n += growing.ends[2 * d + j]
    # Classes form one after the other and their sets are of any size, so nothing better than
    # doubling is known beforehand. Sets of classes that were taken into others stay where they are.
    if used + n > len(codes):
        larger = np.empty(2 * (used + n), np.int32)
        for i in range(used):
            larger[i] = codes[i]
        codes = larger
    for j in range(d):
        boxes.ends[e, j], boxes.ends[e, d + j] = growing.ends[j], growing.ends[d + j]
        boxes.loss[e, j] = growing.loss[j]
        sets[e, j] = used
        for i in range(growing.ends[2 * d + j]):
            codes[used] = growing.listed[space.start[j] + i]
            used += 1
        sets[e, d + j] = used
    boxes.loss[e, d] = growing.loss[d + 1]
    return codes, used


@callee
def distance(growing, space, boxes, e, sets, codes):
    """What the rows of an element and of the growing class lose by their union.

    Each side's rows times what they lose more than before: Definitions 4.5 to 4.7 of
    identity-reserved anonymity (eq. 16 of two people, eq. 17 of a person and a class, eq. 18 of two
    classes), which are one formula since people and classes are elements alike.
    """
    d = len(growing.mask)
    theirs, own = 0.0, 0.0
    for j in range(d):
        low, high, m = boxes.ends[e, j], boxes.ends[e, d + j], growing.ends[2 * d + j]
        if space.form[j] == SET:
            start = space.start[j]
            if len(sets) == 0:
                m += 0 if growing.inside[start + low] else 1
            else:
                for i in range(sets[e, j], sets[e, d + j]):
                    m += 0 if growing.inside[start + codes[i]] else 1
        low, high = min(growing.ends[j], low), max(growing.ends[d + j], high)
        union = lose_union(space, j, low, high, m)
        theirs += union - boxes.loss[e, j]
        own += union - growing.loss[j]
    return boxes.loss[e, d] * theirs + growing.loss[d + 1] * own


@jit
def list_distances(space, persons, group, growing, no_sets, codes, out):
    """The distance of every person to the group of some, into `out`; no person has sets."""
    empty_class(growing, space)
    for i in range(len(group)):
        take_in(growing, space, persons, np.int64(group[i]), no_sets, codes)
    for e in range(len(out)):
        out[e] = distance(growing, space, persons, np.int64(e), no_sets, codes)
