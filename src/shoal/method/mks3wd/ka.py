"""KA: the ladder, k-anonymity by climbing hierarchies."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal import papers
from shoal.method.base import Task
from shoal.method.mks3wd.base import Climbing
from shoal.table.partition import Partition


class KA(Climbing):
    """Climb the hierarchies and release every group as soon as it meets the requirements.

    The paper's k-anonymity (MKS3WD, section 4.1) is `climb: together`: for every level, group the
    rows not yet released by their values at that level and release the groups of at least k. Rows
    left at the top are suppressed. Here a group is released when it meets every requirement of the
    plan. A hierarchy that is shorter than the tallest repeats its top. By default each hierarchy
    climbs by itself (`climb: lattice`): groups at all vectors of levels, those that lose least
    first.
    """

    name: ClassVar[str] = "ka"
    cite: ClassVar[papers.Citations] = (papers.cite("mks3wd", "section 4.1"),)
    limits: ClassVar[str] = (
        "`climb: together` loses several times more than needed where climbing one hierarchy "
        "would be enough; the lattice takes longer. Needs a hierarchy for every quasi-identifier."
    )

    def partition(self, task: Task) -> Partition:
        way = self.way_up(task.table)
        everyone = np.arange(task.table.n_units)
        # 1, because the k of the plan is one of the requirements.
        return way.partition(way.climb(everyone, 1, task.requirements))
