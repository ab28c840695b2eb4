"""Buckets of a later release: those that still hold stay, and only the others are made again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.method.lgb.bucket import spread

NONE = -1
Integers = NDArray[np.int64]


def keep_buckets(values: Integers, before: Integers, l: int) -> NDArray[np.int32] | None:  # noqa: E741
    """The bucket of every cell; None where all of them together cannot have l.

    `values` are numbers in the order of values, `before` are the buckets in which cells were (-1:
    none), each with all its values different. A bucket of at least l cells stays as it is. Where
    all others together are too much alike, buckets without their commonest value are taken apart
    too, as they come, until they are not; all of them where these are too few.
    """
    sizes = np.bincount(before[before != NONE], minlength=1)
    stays = np.append(sizes >= l, False)[before]
    counts = np.bincount(values[~stays], minlength=int(values.max(initial=0)) + 1)
    spare = _members(before, stays)
    while (most := int(counts.max())) * l > counts.sum():
        common = int(np.argmax(counts == most))
        taken = next((b for b, cells in spare.items() if common not in values[cells]), None)
        if taken is None:
            every = np.bincount(values)
            return spread(values, l) if int(every.max()) * l <= len(values) else None
        cells = spare.pop(taken)
        stays[cells] = False
        np.add.at(counts, values[cells], 1)
    buckets = np.full(len(values), NONE, dtype=np.int32)
    _, kept = np.unique(before[stays], return_inverse=True)
    buckets[stays] = kept
    rest = np.flatnonzero(~stays)
    if len(rest):
        buckets[rest] = spread(values[rest], l) + int(kept.max(initial=NONE)) + 1
    return buckets


def _members(before: Integers, stays: NDArray[np.bool_]) -> dict[int, Integers]:
    """The cells of every bucket that stays, buckets in the order of their first cells."""
    cells = np.flatnonzero(stays)
    order = cells[np.argsort(before[cells], kind="stable")]
    groups = np.split(order, np.flatnonzero(np.diff(before[order])) + 1)
    found = {int(before[group[0]]): group for group in groups if len(group)}
    return dict(sorted(found.items(), key=lambda item: int(item[1][0])))
