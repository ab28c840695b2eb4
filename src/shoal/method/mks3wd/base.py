"""Methods that climb hierarchies, and the two ways to do so."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from shoal.method.base import Method
from shoal.method.mks3wd.climb import Climb
from shoal.method.mks3wd.ladder import Ladder
from shoal.method.mks3wd.lattice import Lattice
from shoal.schema.specification import Count
from shoal.table import Table


class Climbing(Method):
    """A method that releases groups at levels of the hierarchies."""

    needs_hierarchy: ClassVar[bool] = True

    climb: Literal["together", "lattice"] = Field(
        "together",
        description="all hierarchies one level up at a time, or each apart: the level vectors of "
        "the lattice in order of mean loss",
    )
    budget: Count = Field(
        100_000, description="how many level vectors of a lattice are visited at the most"
    )

    def way_up(self, table: Table) -> Climb:
        """The way up the hierarchies of a table."""
        return Ladder.of(table) if self.climb == "together" else Lattice.of(table, self.budget)
