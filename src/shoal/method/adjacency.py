"""k-anonymity by the adjacency matrix: the tightest star of nearest rows becomes a class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field

from shoal.errors import Problem
from shoal.method.base import Method, Task
from shoal.model import AlphaK, IRk, IRkl, KAnonymity, Model
from shoal.partition import SUPPRESSED, Partition
from shoal.space import RANGE, form_of, metric_of, packed_codes
from shoal.table import Domain, Table

_UNLIKE = 100.0


class GraphMethod(Method):
    """A method on the weighted graph of rows, whose edges are distances of quasi-identifiers."""

    order_matters: ClassVar[bool] = True

    normalise: bool = Field(
        False, description="whether differences are divided by the domain, levels by the height"
    )

    def unsuited(self, models: Sequence[Model]) -> list[Problem]:
        sizes = [m.k for m in models if isinstance(m, (KAnonymity, AlphaK, IRk, IRkl))]
        if not sizes or max(sizes) > 1:
            return []
        return [
            Problem(
                f"{self.name} makes groups of at least k, and the plan asks for k = 1.",
                hint="Ask for a k of at least 2.",
            )
        ]

    def cautions(self, table: Table) -> list[str]:
        lengths = {d.attribute.name: _longest(d) for d in table.quasi}
        most, least = max(lengths, key=lengths.__getitem__), min(lengths, key=lengths.__getitem__)
        if self.normalise or lengths[most] <= _UNLIKE * lengths[least]:
            return []
        return [
            f"{self.name} adds raw distances, and {most!r} reaches "
            f"{lengths[most] / lengths[least]:,.0f} times as far as {least!r}: it decides almost "
            "alone. 'normalise: true' weighs them alike."
        ]


class Adjacency(GraphMethod):
    """The row that is nearest to its k - 1 nearest rows makes a class with them, again and again.

    Section 3.4.1 of the graph paper: of all rows left, the star with the smallest sum of distances
    from its centre wins (ties: table order). Rows that are as near to a row of the star as the
    star's own are to its centre join, up to 2k - 1 rows and while k stay left. The last fewer than
    2k rows are one class. A star that does not hold what else is asked goes on with its centre's
    nearest rows; where that never helps, each row left joins the class whose error grows least.
    """

    name: ClassVar[str] = "adjacency"
    source: ClassVar[str] = "k-anonymity by graphs, section 3.4.1"
    limits: ClassVar[str] = (
        "Greedy: the last classes are made of what is left over, however far apart. Distances are "
        "raw unless `normalise`, so that the column with the largest numbers decides."
    )

    def partition(self, task: Task) -> Partition:
        from shoal.kernels.element import boxes_of_people
        from shoal.kernels.index import room_for_index
        from shoal.kernels.stars import join_stars

        table, asked = task.table, task.requirements
        codes = packed_codes(table)
        boxes = boxes_of_people(codes, np.ones(len(codes), dtype=np.int64))
        summary = asked.bounds, asked.members, asked.facts, asked.people, asked.summary_room()
        unit_class = np.full(table.n_units, SUPPRESSED, dtype=np.int32)
        join_stars(
            metric_of(table.quasi, self.normalise), boxes, room_for_index(*codes.shape),
            max(asked.least, 2), asked.beyond_size, summary, unit_class,
        )  # fmt: skip
        return Partition(unit_class, int(unit_class.max(initial=-1)) + 1)


def _longest(domain: Domain) -> float:
    """The largest distance that two values can have."""
    if form_of(domain) == RANGE:
        return domain.span or 1.0
    return 1.0 if domain.tree is None else float(max(domain.tree.height - 1, 1))
