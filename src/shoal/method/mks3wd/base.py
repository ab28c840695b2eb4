"""Methods that climb hierarchies, and the two ways to do so."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from shoal.method.base import Method
from shoal.method.mks3wd.climb import Climb
from shoal.method.mks3wd.ladder import Ladder, group_units
from shoal.method.mks3wd.lattice import Lattice
from shoal.method.mks3wd.vector import count_vectors, most_vectors
from shoal.model.requirement import Requirements
from shoal.schema.advice import Advice, advise
from shoal.schema.specification import Count
from shoal.table import Table

MILLION = 1_000_000


class Climbing(Method):
    """A method that releases groups at levels of the hierarchies."""

    needs_hierarchy: ClassVar[bool] = True

    climb: Literal["together", "lattice"] = Field(
        "lattice",
        description="climb each hierarchy separately, taking the cells of the lattice in order of "
        "loss; or all together, one level at a time, as in the paper",
    )
    budget: Count = Field(
        4_000,
        description="how much work to spend on a lattice, in millions of look-ups (distinct rows "
        "times level vectors); in a larger one, only the cheapest vectors of every "
        "height are visited",
    )

    def way_up(self, table: Table) -> Climb:
        """The way up the hierarchies of a table."""
        if self.climb == "together":
            return Ladder.of(table)
        return Lattice.of(table, self.budget * MILLION)

    def takes_counts(self, table: Table, requirements: Requirements) -> bool:
        if self.climb == "together":
            return True
        # The lattice judges values row by row; what it leaves over to mondrian is rows, too.
        if requirements.beyond_size:
            return False
        return Lattice.of(table, self.budget * MILLION).rest is None

    def advice(self, table: Table) -> list[Advice]:
        if self.climb == "together":
            return []
        n_vectors = count_vectors(table)
        # Vectors are compared with all rows first, since counting the different ones takes longer.
        if n_vectors <= most_vectors(self.budget * MILLION, table.n_units):
            return []
        everyone = np.arange(table.n_units)
        n_tuples = group_units(table, everyone, [0] * len(table.quasi))[1]
        visited = most_vectors(self.budget * MILLION, n_tuples)
        if n_vectors <= visited:
            return []
        return [
            advise(
                "lattice-budget",
                f"The lattice has {n_vectors:,} level vectors. {self.name} visited {visited:,}, "
                "the cheapest of every height, and left the rows that lose less with mondrian to "
                "it. A larger 'budget', or hierarchies with fewer levels, may lose less.",
            )
        ]
