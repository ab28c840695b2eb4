"""(k, e)-anonymity."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from shoal import papers
from shoal.errors import Problem
from shoal.model.base import Bound, Reach, SensitiveModel
from shoal.schema import Kind, Schema
from shoal.schema.specification import Count
from shoal.schema.wording import counted
from shoal.table import Table


class KE(SensitiveModel):
    """Every class has at least k different numbers, the largest at least e above the smallest.

    Zhang, Koudas, Srivastava and Yu 2007, for a numeric sensitive attribute. Missing values do
    not count.
    """

    name: ClassVar[str] = "k-e"
    cite: ClassVar[papers.Citations] = (papers.cite("zhang"),)
    limits: ClassVar[str] = (
        "Limits how narrow a class's numbers are as a whole; most of them may still lie "
        "close together."
    )
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.NUMERIC,)

    k: Count = Field(description="the least number of different values in a class")
    e: Annotated[int | float, Field(ge=0, allow_inf_nan=False)] = Field(
        description="the least range of the values in a class"
    )

    def bounds(self, schema: Schema) -> list[Bound]:
        limits = ((Reach.DISTINCT_PRESENT, self.k), (Reach.SPREAD, self.e))
        return [Bound(*limit, name) for name in self.targets(schema) for limit in limits]

    def infeasible(self, table: Table, spare: int | None = None) -> list[Problem]:
        problems = []
        for name in self.targets(table.schema):
            numbers = table.present_numbers(name)
            # There are numbers where there are k of them.
            if len(numbers) < self.k or numbers.max() - numbers.min() < self.e:
                problems.append(
                    Problem(
                        f"{self.name} with k = {self.k} and e = {self.e:g} cannot be achieved for "
                        f"{name!r}: the table has {counted(len(numbers), 'distinct number')}.",
                        hint=f"The largest possible k is {len(numbers)}, the largest possible e "
                        "the range of the column.",
                    )
                )
        return problems
