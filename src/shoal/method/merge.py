"""Merge classes with their nearest, by what the quasi-identifiers lose (infoloss)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.method.workshop import Workshop
from shoal.model.requirement import Requirements
from shoal.table import Table
from shoal.table.distinct import by_appearance
from shoal.table.partition import SUPPRESSED, Partition


class Merging:
    """Classes in their order (see `by_first_unit`); a merged class has the place of the earlier.

    Nearest is what adds least infoloss over the quasi-identifiers, ties the earlier: sensitive
    cells get their symbols only when the classes are made.
    """

    def __init__(self, table: Table, requirements: Requirements, partition: Partition) -> None:
        self.partition = partition
        self.workshop = Workshop(table, requirements, self.partition, "infoloss")
        self.requirements = requirements

    @property
    def n_classes(self) -> int:
        return int(np.count_nonzero(self.workshop.alive))

    def take_in_nearest(self, number: int) -> int | None:
        """A class and its nearest become one, whose number is returned; None: it is the last."""
        other, _, _ = self.workshop.nearest(number)
        if other < 0:
            return None
        keep, gone = min(number, other), max(number, other)
        self.workshop.merge(keep, gone)
        return keep

    def mend(self) -> None:
        """Merge each failing class with its nearest until it passes."""
        for start in np.flatnonzero(self.requirements.failing(self.partition)).tolist():
            number: int | None = start
            # Before its turn comes, a failing class may have been taken in by another.
            if not self.workshop.alive[start]:
                continue
            while number is not None and not self.workshop.holds(number):
                number = self.take_in_nearest(number)

    def unit_class(self) -> NDArray[np.int32]:
        """The class of every unit by its number here, SUPPRESSED where it has none."""
        unit_class = np.full(len(self.partition.unit_class), SUPPRESSED, dtype=np.int32)
        for number in np.flatnonzero(self.workshop.alive).tolist():
            unit_class[self.workshop.units(number)] = number
        return unit_class

    def finished(self) -> Partition:
        return self.workshop.finished()


def by_first_unit(partition: Partition, units: NDArray[np.int64] | None = None) -> Partition:
    """The same with classes numbered by their first units in table order (None: as they are)."""
    classes = partition.unit_class if units is None else partition.unit_class[units]
    number = by_appearance(classes[classes != SUPPRESSED], partition.n_classes)
    unit_class = np.append(number, np.int32(SUPPRESSED))[partition.unit_class]
    return Partition(unit_class, partition.n_classes)
