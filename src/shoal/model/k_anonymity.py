"""k-anonymity."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal import papers
from shoal.errors import Problem
from shoal.model.base import Bound, Model, Reach
from shoal.schema import Schema
from shoal.schema.specification import Count
from shoal.table import Table


class KAnonymity(Model):
    """Every class holds at least k people.

    Samarati and Sweeney 1998. Rows with equal published quasi-identifiers are one class; if the
    plan names an `individual`, people are counted, not rows.

    >>> KAnonymity(k=5).requirement()
    Requirement(model='k-anonymity', parameters={'k': 5})
    """

    name: ClassVar[str] = "k-anonymity"
    cite: ClassVar[papers.Citations] = (papers.cite("samarati"),)
    limits: ClassVar[str] = (
        "Ignores sensitive values: everybody in a class may share one. Two k-anonymous releases "
        "of the same people may together single somebody out."
    )

    k: Count = Field(description="the least number of people in a class")

    def asked_k(self, table: Table) -> NDArray[np.int32]:
        return np.full(table.n_units, self.k, dtype=np.int32)

    def bounds(self, schema: Schema) -> list[Bound]:
        return [Bound(Reach.SIZE, self.k)]

    def infeasible(self, table: Table, spare: int | None = None) -> list[Problem]:
        return self.too_few_units(self.k, table)
