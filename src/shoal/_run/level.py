"""Levels of multi-level-k that require more than k, in the classes as they are published.

Methods that release level by level check this class by class; but classes of different levels that
publish the same labels are one class to a reader, and to the verifier. If such a class misses
what one of its levels requires, its parts are merged and repaired together.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.method.level import LevelRequirements
from shoal.method.repair import Repair, repair
from shoal.model.requirement import Requirements
from shoal.recode import generalise
from shoal.recode.label import number_looks
from shoal.table import Table
from shoal.table.partition import COVER, SUPPRESSED, Partition


def settle_levels(
    table: Table,
    requirements: Requirements,
    repaired: Repair,
    suppression_limit: float,
    objective: str,
) -> Repair:
    """Repair what fails in classes that coincide, until none is left.

    Every round merges classes or leaves out units, so it ends.
    """
    levels = LevelRequirements.of(requirements, repaired.partition)
    if not levels.stronger:
        return repaired
    while repaired.partition.n_classes:
        partition = repaired.partition
        group = look_of_classes(table, partition)
        # SUPPRESSED is -1, and so points at the end, where it stands itself.
        together = Partition(np.append(group, SUPPRESSED)[partition.unit_class], group.max() + 1)
        failing = levels.failing(together)
        if not failing.any():
            break
        merged, of_class = _merged(partition, group, failing)
        n_merged = partition.n_classes - merged.n_classes
        found = repair(
            table, requirements, merged, failing[of_class], suppression_limit, objective, levels
        )
        repaired = replace(
            found,
            n_merged=repaired.n_merged + found.n_merged + n_merged,
            n_suppressed=repaired.n_suppressed + found.n_suppressed,
            n_single=repaired.n_single + found.n_single,
            n_undecided=repaired.n_undecided,
            tried=repaired.tried,
        )
    return repaired


def look_of_classes(table: Table, partition: Partition) -> NDArray[np.int32]:
    """A number for every class; those that publish the same labels have the same."""
    return number_looks(generalise(table, partition), partition.n_classes).astype(np.int32)


def _merged(
    partition: Partition, group: NDArray[np.int32], failing: NDArray[np.bool_]
) -> tuple[Partition, NDArray[np.int32]]:
    """The partition with the classes of each failing group as one, and the group of every class.

    They keep their labels where all are published at the same heights.
    """
    first = np.full(len(failing), partition.n_classes)
    np.minimum.at(first, group, np.arange(partition.n_classes))
    into = np.where(failing[group], first[group], np.arange(partition.n_classes))
    heights = partition.heights
    if heights is not None:
        heights = heights.copy()
        uneven = (heights != heights[into]).any(axis=1)
        heights[into[uneven]] = COVER
    unit_class = np.append(into, SUPPRESSED)[partition.unit_class].astype(np.int32)
    merged = replace(partition, heights=heights).renumbered(unit_class)
    return merged, group[np.unique(into)]
