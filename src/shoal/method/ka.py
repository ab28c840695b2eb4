"""KA: the ladder, k-anonymity by climbing all hierarchies together."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.method.base import Method, Task
from shoal.model.requirement import Requirements
from shoal.partition import SUPPRESSED, Partition
from shoal.table import Table


class KA(Method):
    """Climb all hierarchies together and release every group as soon as it holds what is asked.

    The paper's k-anonymity (MKS3WD, section 2.2): for every level, group the rows not yet released
    by their values at that level and release the groups of at least k. What is left at the top is
    suppressed. Here a group is released when it holds everything that the plan asks. A hierarchy
    that is shorter than the tallest repeats its top.
    """

    name: ClassVar[str] = "ka"
    source: ClassVar[str] = "MKS3WD, section 2.2"
    limits: ClassVar[str] = (
        "All hierarchies climb together, which loses more than needed where one of them "
        "would do. Needs a hierarchy for every quasi-identifier."
    )
    needs_hierarchy: ClassVar[bool] = True

    def partition(self, task: Task) -> Partition:
        return climb(task.table, task.requirements)


def climb(table: Table, requirements: Requirements) -> Partition:
    """One ladder over all units; levels are counted from 1, the original values."""
    n_levels = max(d.tree.height for d in table.quasi if d.tree is not None)
    unit_class = np.full(table.n_units, SUPPRESSED, dtype=np.int32)
    level = np.zeros(table.n_units, dtype=np.int16)
    left = np.arange(table.n_units, dtype=np.int64)
    heights: list[NDArray[np.int8]] = []
    n_classes = 0
    for step in range(n_levels):
        if not len(left):
            break
        group, n_groups = _group(table, left, step)
        released = _holding(requirements, table, left, group, n_groups)
        number = np.where(released, np.cumsum(released) - 1 + n_classes, SUPPRESSED)
        unit_class[left] = number[group]
        level[left[released[group]]] = step + 1
        n_new = int(np.count_nonzero(released))
        heights.append(np.tile(_heights(table, step), (n_new, 1)))
        n_classes += n_new
        left = left[~released[group]]
    return Partition(unit_class, n_classes, np.concatenate(heights), level=level)


def _heights(table: Table, step: int) -> NDArray[np.int8]:
    """The level of each quasi-identifier at a step of the ladder: its top where it is shorter."""
    return np.array(
        [min(step, d.tree.height - 1) for d in table.quasi if d.tree is not None], dtype=np.int8
    )


def _group(table: Table, left: NDArray[np.int64], step: int) -> tuple[NDArray[np.int32], int]:
    """Number the level vectors of the units that are left."""
    from shoal.kernels.group import add_keys, group_keys

    keys = np.zeros(len(left), dtype=np.int64)
    out = np.empty(len(left), dtype=np.int32)
    room, n_groups = 1, 1
    for attribute, domain, height in zip(
        table.schema.quasi, table.quasi, _heights(table, step), strict=True
    ):
        assert domain.tree is not None
        nodes = domain.tree.node[height]
        nodes = (nodes - nodes.min()).astype(np.int64)
        base = int(nodes.max()) + 1
        if room * base >= 2**62:
            n_groups = group_keys(keys, out)
            keys[:] = out
            room = n_groups
        add_keys(keys, table.unit_codes(attribute.name), nodes, left, base)
        room *= base
    n_groups = group_keys(keys, out)
    return out, n_groups


def _holding(
    requirements: Requirements,
    table: Table,
    left: NDArray[np.int64],
    group: NDArray[np.int32],
    n_groups: int,
) -> NDArray[np.bool_]:
    """Which groups hold everything that is asked."""
    if not requirements.beyond_size:
        return np.bincount(group, minlength=n_groups) >= requirements.least
    unit_class = np.full(table.n_units, SUPPRESSED, dtype=np.int32)
    unit_class[left] = group
    return ~requirements.failing(Partition(unit_class, n_groups))
