"""Identity-reserved models: people with several records, who stay recognisable as one.

R(p) are the rows of a person, S(p) the different sensitive values among them, P(s) the people who
have a value; a class Q has n_Q people, |Q| rows and m_Q different values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field

from shoal import papers
from shoal.errors import Problem
from shoal.model.base import Bound, Model, Reach, SensitiveModel
from shoal.model.k_anonymity import KAnonymity
from shoal.schema import Schema
from shoal.schema.specification import Count, Share
from shoal.table import Table
from shoal.table.partition import Partition

_QUICKLY_FOUND = 10


def _without_individual(name: str, schema: Schema) -> list[Problem]:
    if schema.individual is not None:
        return []
    return [
        Problem(
            f"{name} counts people with all their rows, and the plan names no individual.",
            hint="Add 'individual: COLUMN', the column that tells whose row it is.",
        )
    ]


class IRk(Model):
    """Every class holds at least k people, however many rows they have.

    Definition 2.3 (1).
    """

    name: ClassVar[str] = "ir-k"
    cite: ClassVar[papers.Citations] = (
        papers.cite("identity", "Definition 2.3"),
        papers.cite("tong"),
    )
    limits: ClassVar[str] = "Says nothing of sensitive values: everybody in a class may share one."

    k: Count = Field(description="the least number of people in a class")

    def problems(self, schema: Schema) -> list[Problem]:
        return _without_individual(self.name, schema)

    def bounds(self, schema: Schema) -> list[Bound]:
        return [Bound(Reach.SIZE, self.k)]

    def infeasible(self, table: Table) -> list[Problem]:
        return _too_few(self.name, "k", self.k, table)


class IdentityModel(SensitiveModel):
    """A model on the sensitive values of people with several rows; none of them may be missing."""

    def problems(self, schema: Schema) -> list[Problem]:
        return [*_without_individual(self.name, schema), *super().problems(schema)]

    def unfit(self, table: Table) -> list[Problem]:
        problems = []
        for name in self.targets(table.schema):
            column = table.columns[name]
            if column.domain.missing < 0:
                continue
            rows = np.flatnonzero(column.codes == column.domain.missing)
            if len(rows):
                problems.append(
                    Problem(
                        f"{self.name} needs a sensitive value in every row, and {name!r} is "
                        f"missing in {len(rows)} rows (first: row {rows[0] + 1}).",
                        hint="Leave these rows out, or write a value of its own for 'unknown'.",
                    )
                )
        return problems


class IRkl(IdentityModel):
    """Every class holds at least k people and shows at least l different sensitive values.

    Definition 2.3 (2).
    """

    name: ClassVar[str] = "ir-kl"
    cite: ClassVar[papers.Citations] = (
        papers.cite("identity", "Definition 2.3"),
        papers.cite("tong"),
    )
    limits: ClassVar[str] = (
        "One person with many values can bring all l of them: everybody in a class may still share "
        "one value. The measure v counts such classes; eir-l rules them out."
    )

    k: Count = Field(description="the least number of people in a class")
    l: Count = Field(description="the least number of different values in a class")  # noqa: E741
    attribute: str | None = Field(
        None, description="the sensitive attribute; left out: each of them"
    )

    def bounds(self, schema: Schema) -> list[Bound]:
        values = [Bound(Reach.DISTINCT, self.l, name) for name in self.targets(schema)]
        return [Bound(Reach.SIZE, self.k), *values]

    def infeasible(self, table: Table) -> list[Problem]:
        return [
            *_too_few(self.name, "k", self.k, table),
            *_too_few_values(self.name, self.l, self.targets(table.schema), table),
        ]


class IRAlphaBeta(IdentityModel):
    """No person has more than a share alpha of a class's rows, no value people beyond beta of them.

    Definition 2.3 (3): max |R(p)|/|Q| <= alpha and max |P(s)|/|Q| <= beta.
    """

    name: ClassVar[str] = "ir-alpha-beta"
    cite: ClassVar[papers.Citations] = (
        papers.cite("identity", "Definition 2.3"),
        papers.cite("tong"),
    )
    limits: ClassVar[str] = (
        "Counts the people of a value against rows: everybody in a class may share one value when "
        "they have many rows each. The measure v counts such classes; eir-alpha-beta rules them "
        "out."
    )

    alpha: Share = Field(description="the largest share of a class's rows that one person has")
    beta: Share = Field(description="the most people of one value, as a share of a class's rows")
    attribute: str | None = Field(
        None, description="the sensitive attribute; left out: each of them"
    )

    def bounds(self, schema: Schema) -> list[Bound]:
        values = [Bound(Reach.VALUE_ROWS, self.beta, name) for name in self.targets(schema)]
        return [Bound(Reach.PERSON_SHARE, self.alpha), *values]

    def infeasible(self, table: Table) -> list[Problem]:
        return _too_few_to_share(self.name, self.alpha, table)


class EIRl(IdentityModel):
    """Whichever row of each person is the true one, a class shows at least l different values.

    Definition 3.3; by Theorem 3.1 the same as: a minimum hitting set of the people's value sets has
    at least l elements. It is decided exactly.
    """

    name: ClassVar[str] = "eir-l"
    cite: ClassVar[papers.Citations] = (papers.cite("identity", "Definition 3.3 and Theorem 3.1"),)
    limits: ClassVar[str] = (
        "Counts different values, not how common one is, and not how alike they are in meaning."
    )

    l: Count = Field(description="the least number of values in every reasoning set")  # noqa: E741
    attribute: str | None = Field(
        None, description="the sensitive attribute; left out: each of them"
    )

    def bounds(self, schema: Schema) -> list[Bound]:
        return [Bound(Reach.HITTING, self.l, name) for name in self.targets(schema)]

    def infeasible(self, table: Table) -> list[Problem]:
        names = self.targets(table.schema)
        counted = {name: int(np.count_nonzero(table.counts(name))) for name in names}
        scarce = [
            Problem(
                f"{self.name} with l = {self.l} cannot be had for {name!r}: the table has "
                f"{table.n_units} people and {n} distinct values.",
                hint=self._at_most(table, name, min(n, table.n_units)),
            )
            for name, n in counted.items()
            if min(n, table.n_units) < self.l
        ]
        return scarce or [p for name in names for p in self._too_alike(table, name)]

    def _at_most(self, table: Table, name: str, limit: int) -> str:
        """The largest l; only a bound for it where finding it could take long."""
        if limit > _QUICKLY_FOUND:
            return f"No l above {limit} can be had."
        return f"The largest possible l is {_largest(table, name, limit)}."

    def _too_alike(self, table: Table, name: str) -> list[Problem]:
        best = _largest(table, name, self.l)
        if best >= self.l:
            return []
        return [
            Problem(
                f"{self.name} with l = {self.l} cannot be had for {name!r}: {best} of its values "
                "are enough to have one of everybody's.",
                hint=f"The largest possible l is {best}.",
            )
        ]


class EIRAlphaBeta(IdentityModel):
    """No person has more than alpha of a class's rows, no value more than beta of its people.

    Definition 3.4: max |R(p)|/|Q| <= alpha and max |P(s)|/n_Q <= beta.
    """

    name: ClassVar[str] = "eir-alpha-beta"
    cite: ClassVar[papers.Citations] = (papers.cite("identity", "Definition 3.4 and Theorem 3.2"),)
    limits: ClassVar[str] = (
        "Limits the share of each value in a class, not how far that share is from the table's."
    )

    alpha: Share = Field(description="the largest share of a class's rows that one person has")
    beta: Share = Field(description="the largest share of a class's people who have one value")
    attribute: str | None = Field(
        None, description="the sensitive attribute; left out: each of them"
    )

    def bounds(self, schema: Schema) -> list[Bound]:
        values = [Bound(Reach.VALUE_PEOPLE, self.beta, name) for name in self.targets(schema)]
        return [Bound(Reach.PERSON_SHARE, self.alpha), *values]

    def infeasible(self, table: Table) -> list[Problem]:
        """Every person has a value, so the commonest of m has at least one in m people."""
        problems = _too_few_to_share(self.name, self.alpha, table)
        for name in self.targets(table.schema):
            n_values = int(np.count_nonzero(table.counts(name)))
            if 1 / max(n_values, 1) > self.beta:
                problems.append(
                    Problem(
                        f"{self.name} with beta = {self.beta:g} cannot be had for {name!r}: the "
                        f"table has {n_values} distinct values.",
                        hint=f"The least possible beta is {1 / max(n_values, 1):.4g}.",
                    )
                )
        return problems


def _largest(table: Table, name: str, limit: int) -> int:
    """The largest l of eir-l, up to the limit.

    A class only gains by growing, so all people together are the best there is.
    """
    from shoal.model.requirement import Requirements

    everybody = Partition(np.zeros(table.n_units, dtype=np.int32), 1)
    asked = Requirements(table, (Bound(Reach.HITTING, limit, name),))
    return int(asked.reached(everybody)[0, 0])


def _too_few(model: str, parameter: str, asked: int, table: Table) -> list[Problem]:
    if not KAnonymity(k=asked).infeasible(table):
        return []
    return [
        Problem(
            f"{model} with {parameter} = {asked} cannot be had: the table has {table.n_units} "
            "people.",
            hint=f"The largest possible {parameter} is {table.n_units}.",
        )
    ]


def _too_few_values(model: str, l: int, names: Sequence[str], table: Table) -> list[Problem]:  # noqa: E741
    counted = {name: int(np.count_nonzero(table.counts(name))) for name in names}
    return [
        Problem(
            f"{model} with l = {l} cannot be had for {name!r}: the table has {n} distinct values.",
            hint=f"The largest possible l is {n}.",
        )
        for name, n in counted.items()
        if n < l
    ]


def _too_few_to_share(model: str, alpha: float, table: Table) -> list[Problem]:
    """Somebody has at least one in n of the rows of n people."""
    if 1 / max(table.n_units, 1) <= alpha:
        return []
    return [
        Problem(
            f"{model} with alpha = {alpha:g} cannot be had: the table has {table.n_units} people.",
            hint=f"The least possible alpha is {1 / max(table.n_units, 1):.4g}.",
        )
    ]
