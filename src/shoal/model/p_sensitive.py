"""p-sensitive k-anonymity."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from shoal import papers
from shoal.errors import Problem
from shoal.model.base import Bound, Reach, SensitiveModel
from shoal.schema import Schema
from shoal.schema.specification import Count
from shoal.schema.wording import counted
from shoal.table import Table


class PSensitive(SensitiveModel):
    """Every class shows at least p different values of each sensitive attribute.

    The p of p-sensitive k-anonymity (Truta and Vinay 2006); the k is a separate k-anonymity
    requirement in the plan. It is distinct l-diversity under another name.
    """

    name: ClassVar[str] = "p-sensitive"
    cite: ClassVar[papers.Citations] = (papers.cite("truta"),)
    limits: ClassVar[str] = (
        "Does not limit how common one value is, nor take into account that different values can "
        "have similar meanings. By itself it requires no more than p people in a class."
    )

    p: Count = Field(description="the least number of different values in a class")

    def bounds(self, schema: Schema) -> list[Bound]:
        return [Bound(Reach.DISTINCT, self.p, name) for name in self.targets(schema)]

    def infeasible(self, table: Table, spare: int | None = None) -> list[Problem]:
        distinct = {n: int(np.count_nonzero(table.counts(n))) for n in self.targets(table.schema)}
        return [
            self.out_of_reach("p", f"the table has {counted(n, 'distinct value')}", n, name)
            for name, n in distinct.items()
            if n < self.p
        ]
