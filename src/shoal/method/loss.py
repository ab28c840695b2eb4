"""What a partition loses, so that partitions by different methods can be compared."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.table import Domain, Table
from shoal.table.distinct import distinct_pairs
from shoal.table.partition import SUPPRESSED, Partition
from shoal.table.space import SET, form_of, space_of


def lost_by(table: Table, partition: Partition, objective: str = "glm") -> float:
    """The mean loss of a cell by an objective (`glm` or `ncp`); a suppressed one loses 1.

    Of the quasi-identifiers of all rows, as if everything were published as classes: what patterns
    and symbols hide is not counted.
    """
    from shoal.kernels.box.union import lose_bounds

    rows = table.unit_rows()
    kept = partition.unit_class != SUPPRESSED
    of_class = np.bincount(partition.unit_class[kept], rows[kept], partition.n_classes)
    shape = (partition.n_classes, len(table.quasi))
    low, high, many = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    for j, domain in enumerate(table.quasi):
        codes = table.unit_codes(domain.attribute.name)
        low[:, j], high[:, j] = class_bounds(codes, partition, len(domain))
        if form_of(domain) == SET:
            many[:, j] = _n_values(codes[kept], partition.unit_class[kept], domain)
        elif domain.tree is not None and partition.heights is not None:
            # A class that was released at a level shows the node of that level, even where a lower
            # one would cover it. Top-Down begins at the root that closes several tops.
            heights, tree = partition.heights[:, j], domain.tree.closed()
            nodes = tree.node[np.maximum(heights, 0), low[:, j]]
            low[:, j] = np.where(heights < 0, low[:, j], tree.first[nodes])
            high[:, j] = np.where(heights < 0, high[:, j], tree.last[nodes])
    lost = np.empty(partition.n_classes)
    lose_bounds(low, high, many, space_of(table.quasi, objective), lost)
    suppressed = float(rows[~kept].sum()) * len(table.quasi)
    total = float((lost * of_class).sum()) + suppressed
    return total / max(table.n_rows * len(table.quasi), 1)


def class_bounds(
    codes: NDArray[np.integer], partition: Partition, n_codes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The least and the largest code of every class."""
    from shoal.kernels.group import find_bounds

    low = np.full(partition.n_classes, n_codes, dtype=np.int64)
    high = np.full(partition.n_classes, -1, dtype=np.int64)
    find_bounds(codes, partition.unit_class, low, high)
    return low, high


def _n_values(
    codes: NDArray[np.integer], unit_class: NDArray[np.int32], domain: Domain
) -> NDArray[np.int64]:
    """How many different values each class has."""
    return np.bincount(distinct_pairs(unit_class, codes, len(domain))[0])
