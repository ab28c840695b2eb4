"""New people join the class whose loss grows least (graph paper, section 3.4, Table 12).

Only what is new is compared: with every class, or, where there are too many, with those whose
middles are nearest. All arrivals are compared with the classes as they were, so that the order in
which they arrive does not matter.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.method.workshop import class_boxes
from shoal.table import Table
from shoal.table.partition import COVER, Partition
from shoal.table.space import packed_rows, space_of

# This many pairs of arrivals and classes are compared at once, and in all.
_BATCH, _MOST_PAIRS = 500_000, 200_000
_NEAREST = 24


def join_nearest(
    table: Table,
    partition: Partition,
    units: NDArray[np.int64],
    objective: str = "glm",
    threads: int = 1,
) -> Partition:
    """The same classes with these units, which are in none, each in the class that grows least.

    Ties: the earlier class. `threads` is how many the engine allows.
    """
    if not len(units) or not partition.n_classes:
        return partition
    boxes = class_boxes(table, partition)
    points = packed_rows(table)[units].astype(np.int64)
    # Neighbours one after the other look at the same classes, which are still in the cache then.
    order = np.lexsort(points.T[::-1])
    units, points = units[order], points[order]
    near = _candidates(table, boxes.low, boxes.high, points, threads)
    unit_class = partition.unit_class.copy()
    step = max(_BATCH // near.shape[1], 1)
    space, sizes = space_of(table.quasi, objective), partition.sizes()
    lost = boxes.lost(space)
    for first in range(0, len(units), step):
        some = slice(first, first + step)
        added = _added((*boxes, space, sizes, lost), points[some], near[some])
        # What is a tie on paper must be one here: the earlier class wins it.
        best = np.argmin(np.round(added, 9), axis=1)
        unit_class[units[some]] = near[some][np.arange(len(best)), best]
    heights = partition.heights
    if heights is not None:
        heights = heights.copy()
        # With somebody new in it, a class is published as what covers it: its level need not.
        heights[unit_class[units]] = COVER
    return replace(partition, unit_class=unit_class, heights=heights)


def _added(
    classes: tuple[Any, ...], points: NDArray[np.int64], near: NDArray[np.int64]
) -> NDArray[np.float64]:
    """What each unit, as a point, adds to the loss of the classes near it."""
    from shoal.kernels.box.union import add_units

    added = np.empty(near.shape)
    add_units(*classes, points, np.ascontiguousarray(near), added)
    return added


def _candidates(
    table: Table,
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    points: NDArray[np.int64],
    threads: int,
) -> NDArray[np.int64]:
    """The classes that each arrival is compared with, in their order."""
    n_classes = len(low)
    if len(points) * n_classes <= _MOST_PAIRS or n_classes <= _NEAREST:
        return np.broadcast_to(np.arange(n_classes), (len(points), n_classes))
    from scipy.spatial import cKDTree

    scale = np.array([1 / max(len(d) - 1, 1) for d in table.quasi])
    # Many middles are the same in some column: halving by number instead would keep them together
    # and take three times as long to look up.
    tree = cKDTree((low + high) / 2 * scale, balanced_tree=False)
    # Nearly the nearest will do, since what they lose is compared afterwards; it is twice as quick.
    _, found = tree.query(points * scale, k=_NEAREST, p=1, eps=1.0, workers=threads)
    return np.sort(found, axis=1).astype(np.int64)
