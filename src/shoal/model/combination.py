"""Adversaries who know few quasi-identifiers: LKC-privacy and k^m-anonymity.

Rows that agree on some quasi-identifiers are a union of classes. So if every class has k people and
no value in more than a share c of its rows, the same is true of all rows with any combination of
published values, however many. That is how methods get there, and it may cost more than necessary;
the check is by definition.
"""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from shoal import papers
from shoal.errors import Problem
from shoal.model.base import Bound, Model, Reach, Scope, SensitiveModel
from shoal.model.evenness import share_bounds, uneven
from shoal.schema import Schema
from shoal.schema.specification import Count, Share
from shoal.table import Table


class LKC(SensitiveModel):
    """Any l published quasi-identifiers fit k people or none, and no value is likelier than c.

    Mohammed, Fung, Hung and Lee 2009: at least k rows share any l (or fewer) published values of
    quasi-identifiers, and no sensitive value has more than a share c of them. Methods aim at
    classes that meet k and c, which is enough for every l.
    """

    name: ClassVar[str] = "lkc"
    cite: ClassVar[papers.Citations] = (papers.cite("mohammed"),)
    scope: ClassVar[Scope] = "table"
    limits: ClassVar[str] = (
        "Anybody who knows more than l quasi-identifiers of a person may single them out in a "
        "table that was made elsewhere and is only checked here."
    )

    l: Count = Field(description="how many quasi-identifiers an adversary may know")  # noqa: E741
    k: Count = Field(description="the least number of people who share them")
    c: Share = Field(description="the largest share of one sensitive value among them")

    def bounds(self, schema: Schema) -> list[Bound]:
        return [Bound(Reach.SIZE, self.k), *share_bounds(self, "c", schema)]

    def infeasible(self, table: Table, spare: int | None = None) -> list[Problem]:
        return [*self.too_few_units(self.k, table), *uneven(self, "c", table, spare)]


class KM(Model):
    """Any m published quasi-identifiers fit at least k people or nobody.

    k^m-anonymity (Terrovitis, Mamoulis and Kalnis 2008), for quasi-identifiers instead of items: an
    adversary who knows m of them finds no fewer than k people. Methods aim at classes of k people,
    which is enough for every m.
    """

    name: ClassVar[str] = "km"
    cite: ClassVar[papers.Citations] = (papers.cite("terrovitis"),)
    scope: ClassVar[Scope] = "table"
    limits: ClassVar[str] = (
        "Ignores sensitive values. Anybody who knows more than m quasi-identifiers of a person "
        "may single them out in a table that was made elsewhere and is only checked here."
    )

    k: Count = Field(description="the least number of people who share them")
    m: Count = Field(description="how many quasi-identifiers an adversary may know")

    def bounds(self, schema: Schema) -> list[Bound]:
        return [Bound(Reach.SIZE, self.k)]

    def infeasible(self, table: Table, spare: int | None = None) -> list[Problem]:
        return self.too_few_units(self.k, table)
