"""(alpha, k)-anonymity."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from shoal import papers
from shoal.errors import Problem
from shoal.model.base import Bound, Reach, SensitiveModel
from shoal.model.evenness import share_bounds, uneven
from shoal.schema import Schema
from shoal.schema.specification import Count, Share
from shoal.table import Table


class AlphaK(SensitiveModel):
    """Every class has at least k people, and no sensitive value has more than a share alpha of it.

    Wong, Li, Fu and Wang 2006, with every value of the attribute taken as sensitive.
    """

    name: ClassVar[str] = "alpha-k"
    cite: ClassVar[papers.Citations] = (papers.cite("wong"),)
    limits: ClassVar[str] = (
        "Limits the share of each value in a class, not how far that share is from the table's."
    )

    alpha: Share = Field(description="the largest share of one sensitive value in a class")
    k: Count = Field(description="the least number of people in a class")

    def bounds(self, schema: Schema) -> list[Bound]:
        return [Bound(Reach.SIZE, self.k), *share_bounds(self, "alpha", schema)]

    def infeasible(self, table: Table, spare: int | None = None) -> list[Problem]:
        return [*self.too_few_units(self.k, table), *uneven(self, "alpha", table, spare)]
