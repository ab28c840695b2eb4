"""Rows into classes: what every method returns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

SUPPRESSED = -1
COVER = -1
PUBLIC, SECRET, WITHHELD = 0, 1, 2


@dataclass(frozen=True)
class Partition:
    """A class for every unit (person or row), or SUPPRESSED.

    Classes are numbered from 0 without gaps. `heights[class, quasi]` is the hierarchy level (0 =
    original) at which a class is published; COVER (-1), or no `heights` at all, means the least
    range, node or set that covers the class. `pattern[class, quasi]` is PUBLIC, SECRET or
    WITHHELD for all units of a class; None if everything is public. `level`, `k` and `region` are
    set by methods that climb ladders, one number for each unit.
    """

    unit_class: NDArray[np.int32]
    n_classes: int
    heights: NDArray[np.int16] | None = None
    level: NDArray[np.int16] | None = None
    k: NDArray[np.int32] | None = None
    region: NDArray[Any] | None = None
    pattern: NDArray[np.int8] | None = None

    @property
    def n_suppressed(self) -> int:
        return int(np.count_nonzero(self.unit_class == SUPPRESSED))

    def sizes(self) -> NDArray[np.int64]:
        """How many units each class has."""
        kept = self.unit_class[self.unit_class != SUPPRESSED]
        return np.bincount(kept, minlength=self.n_classes)

    def renumbered(self, unit_class: NDArray[np.int32]) -> Partition:
        """The same with other classes, numbered without gaps; heights and patterns follow them."""
        kept = np.unique(unit_class[unit_class != SUPPRESSED])
        # SUPPRESSED is -1: it points at the one place more at the end, and stays what it is.
        place = np.full(self.n_classes + 1, SUPPRESSED, dtype=np.int32)
        place[kept] = np.arange(len(kept), dtype=np.int32)
        return replace(
            self,
            unit_class=place[unit_class],
            n_classes=len(kept),
            heights=None if self.heights is None else self.heights[kept],
            pattern=None if self.pattern is None else self.pattern[kept],
        )

    def heights_of(self, n_quasi: int) -> NDArray[np.int16]:
        """The heights of the classes, which cover their units where there are none."""
        if self.heights is not None:
            return self.heights
        return np.full((self.n_classes, n_quasi), COVER, dtype=np.int16)

    def withheld(self) -> tuple[int, int]:
        """How many cells are published nowhere, and in how many units."""
        if self.pattern is None:
            return 0, 0
        cells, sizes = np.count_nonzero(self.pattern == WITHHELD, axis=1), self.sizes()
        return int((cells * sizes).sum()), int(sizes[cells > 0].sum())


def class_members(partition: Partition) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The units of class c are units[starts[c] : starts[c + 1]]."""
    from shoal.kernels.group import list_members

    starts = np.zeros(partition.n_classes + 1, dtype=np.int64)
    units = np.empty(len(partition.unit_class) - partition.n_suppressed, dtype=np.int32)
    list_members(partition.unit_class, partition.n_classes, starts, units)
    return starts, units


def join(partitions: list[Partition], units: list[NDArray[np.int64]], n_units: int) -> Partition:
    """One partition of n_units from those of its shards; shard i has the units `units[i]`."""
    unit_class = np.full(n_units, SUPPRESSED, dtype=np.int32)
    n_classes = 0
    for part, where in zip(partitions, units, strict=True):
        kept = part.unit_class != SUPPRESSED
        unit_class[where[kept]] = part.unit_class[kept] + n_classes
        n_classes += part.n_classes
    return Partition(
        unit_class,
        n_classes,
        _stack([_heights(p, partitions) for p in partitions]),
        _scatter([p.level for p in partitions], units, n_units),
        _scatter([p.k for p in partitions], units, n_units),
        _scatter([p.region for p in partitions], units, n_units),
        _stack([p.pattern for p in partitions]),
    )


def _heights(part: Partition, others: list[Partition]) -> NDArray[np.int16] | None:
    """The heights of a part; where only others have some, its classes are covered."""
    known = [p.heights for p in others if p.heights is not None]
    return part.heights_of(known[0].shape[1]) if known else None


def _stack(parts: list[NDArray[Any] | None]) -> NDArray[Any] | None:
    present = [p for p in parts if p is not None]
    return np.concatenate(present) if len(present) == len(parts) and parts else None


def _scatter(
    parts: list[NDArray[Any] | None], units: list[NDArray[np.int64]], n_units: int
) -> NDArray[Any] | None:
    present = [p for p in parts if p is not None]
    if not present or len(present) < len(parts):
        return None
    out = np.zeros(n_units, dtype=present[0].dtype)
    for part, where in zip(present, units, strict=True):
        out[where] = part
    return out
