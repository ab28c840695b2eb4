"""KA: the ladder, k-anonymity by climbing all hierarchies together."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal.method.base import Method, Task
from shoal.method.ladder import Ladder
from shoal.partition import Partition


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
        "All hierarchies climb together, which loses more than needed where one of them would do. "
        "Needs a hierarchy for every quasi-identifier."
    )
    needs_hierarchy: ClassVar[bool] = True

    def partition(self, task: Task) -> Partition:
        ladder = Ladder.of(task.table)
        everyone = np.arange(task.table.n_units)
        return ladder.partition(ladder.climb(everyone, 1, task.requirements))
