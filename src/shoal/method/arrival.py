"""Who arrives joins the class whose loss grows least (graph paper, section 3.4, Table 12).

Only what is new is compared: with every class, or, where there are too many, with those whose
middles are nearest. All arrivals are compared with the classes as they were, so that the order in
which they arrive does not matter.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.method.workshop import class_boxes
from shoal.table import Table
from shoal.table.partition import COVER, Partition
from shoal.table.space import space_of

# So many pairs of arrivals and classes are compared at once, and in all.
_BATCH, _MOST_PAIRS = 500_000, 200_000
_NEAREST = 24


def join_nearest(
    table: Table, partition: Partition, units: NDArray[np.int64], objective: str = "glm"
) -> Partition:
    """The same classes with these units, which are in none, each in the class that grows least.

    Ties: the earlier class.
    """
    if not len(units) or not partition.n_classes:
        return partition
    codes = [table.unit_codes(d.attribute.name)[units] for d in table.quasi]
    boxes = class_boxes(table, partition)
    own = _own_words(codes, boxes.word_start, boxes.words.shape[1])
    points = np.stack(codes, axis=1).astype(np.int64)
    near = _candidates(table, boxes.low, boxes.high, points)
    unit_class = partition.unit_class.copy()
    step = max(_BATCH // near.shape[1], 1)
    space, sizes = space_of(table.quasi, objective), partition.sizes()
    before = _lost(boxes.low, boxes.high, boxes.words, boxes.word_start, space)
    for first in range(0, len(units), step):
        some = slice(first, first + step)
        chosen = near[some].ravel()
        again = np.repeat(np.arange(len(units))[some], near.shape[1])
        after = _lost(
            np.minimum(boxes.low[chosen], points[again]),
            np.maximum(boxes.high[chosen], points[again]),
            boxes.words[chosen] | own[again],
            boxes.word_start,
            space,
        )
        added = (sizes[chosen] + 1) * after - sizes[chosen] * before[chosen]
        # What is a tie on paper must be one here: the earlier class wins it.
        best = np.argmin(np.round(added.reshape(-1, near.shape[1]), 9), axis=1)
        unit_class[units[some]] = near[some][np.arange(len(best)), best]
    heights = partition.heights
    if heights is not None:
        heights = heights.copy()
        heights[unit_class[units]] = COVER
    return replace(partition, unit_class=unit_class, heights=heights)


def _candidates(
    table: Table, low: NDArray[np.int64], high: NDArray[np.int64], points: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The classes that each arrival is compared with, in their order."""
    n_classes = len(low)
    if len(points) * n_classes <= _MOST_PAIRS or n_classes <= _NEAREST:
        return np.broadcast_to(np.arange(n_classes), (len(points), n_classes))
    from scipy.spatial import cKDTree

    scale = np.array([1 / max(len(d) - 1, 1) for d in table.quasi])
    tree = cKDTree((low + high) / 2 * scale)
    # Nearly the nearest will do, since what they lose is compared afterwards; it is twice as quick.
    _, found = tree.query(points * scale, k=_NEAREST, p=1, eps=1.0, workers=-1)
    return np.sort(found, axis=1).astype(np.int64)


def _own_words(
    codes: list[NDArray[np.int64]], word_start: NDArray[np.int64], n_words: int
) -> NDArray[np.uint64]:
    """The sets of single units as bits."""
    from shoal.kernels.box.union import fill_words

    words = np.zeros((len(codes[0]), n_words), dtype=np.uint64)
    alone = np.arange(len(words), dtype=np.int32)
    for j, own in enumerate(codes):
        if word_start[j + 1] > word_start[j]:
            fill_words(own, alone, int(word_start[j]), words)
    return words


def _lost(
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    words: NDArray[np.uint64],
    word_start: NDArray[np.int64],
    space: object,
) -> NDArray[np.float64]:
    """What a unit of each box loses."""
    from shoal.kernels.box.union import lose_classes

    out = np.empty(len(low))
    lose_classes(low, high, words, word_start, space, np.arange(len(low)), out)
    return out
