"""k-anonymity by the adjacency matrix: the tightest star of nearest rows becomes a class."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal import papers
from shoal.method.base import Task
from shoal.method.graph.base import GraphMethod
from shoal.table.partition import SUPPRESSED, Partition
from shoal.table.space import metric_of, packed_codes


class Adjacency(GraphMethod):
    """Repeatedly make a class of the tightest star: a row and its k - 1 nearest rows.

    Section 3.4.1 of the graph paper: of all rows left, the star with the smallest sum of distances
    from its centre wins (ties: table order). Rows that are as near to a row of the star as the
    star's own are to its centre join it, up to 2k - 1 rows and as long as k rows are left. The last
    fewer than 2k rows are one class. A star that fails another requirement takes in the rows next
    nearest to its centre; if that never helps, each row left joins the class whose error grows
    least.
    """

    name: ClassVar[str] = "adjacency"
    cite: ClassVar[papers.Citations] = (papers.cite("graph", "section 3.4.1"),)
    limits: ClassVar[str] = (
        "Greedy: the last classes are made of the rows left over, however far apart these are. "
        "Distances are raw unless `normalise` is set, so the column with the largest numbers "
        "decides."
    )

    def partition(self, task: Task) -> Partition:
        from shoal.kernels.ahead import compile_ahead
        from shoal.kernels.box.element import boxes_of_people
        from shoal.kernels.box.index import build_tree, room_for_index
        from shoal.kernels.graph.star import join_stars

        table, asked = task.table, task.requirements
        codes = packed_codes(table)
        boxes = boxes_of_people(codes, np.ones(len(codes), dtype=np.int64))
        required = asked.required_beyond_size()
        unit_class = np.full(table.n_units, SUPPRESSED, dtype=np.int32)
        # Even where no k is required, a star is a row and at least one other.
        order, k = np.arange(len(codes), dtype=np.int32), max(asked.least, 2)
        space = metric_of(table.quasi, self.normalise, n_added=k)
        index = room_for_index(*codes.shape)
        stars = space, boxes, index, k, asked.beyond_size, required, unit_class
        compile_ahead((join_stars, stars), (build_tree, (index, order, space, boxes)))
        build_tree(index, order, space, boxes)
        join_stars(*stars)
        return Partition(unit_class, int(unit_class.max(initial=-1)) + 1)
