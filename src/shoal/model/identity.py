"""Identity-reserved models: people with several records, who stay recognisable as one.

R(p) are the rows of a person, S(p) the different sensitive values among them, P(s) the people who
have a value; a class Q has n_Q people, |Q| rows and m_Q different values.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
from pydantic import Field

from shoal import papers
from shoal.errors import Problem
from shoal.model.base import Bound, Counting, Model, Reach, SensitiveModel
from shoal.schema import Schema
from shoal.schema.specification import Count, Share
from shoal.schema.wording import counted
from shoal.table import Table

# The largest l is the size of a minimum hitting set, which is hard to find where l is large.
_QUICKLY_FOUND = 10


def _without_individual(name: str, schema: Schema) -> list[Problem]:
    if schema.individual is not None:
        return []
    return [
        Problem(
            f"{name} counts people with all their rows, but the plan names no individual.",
            hint="Add 'individual: COLUMN', the column that says whose row it is.",
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
    limits: ClassVar[str] = "Ignores sensitive values: everybody in a class may share one."

    k: Count = Field(description="the least number of people in a class")

    def problems(self, schema: Schema) -> list[Problem]:
        return _without_individual(self.name, schema)

    def bounds(self, schema: Schema) -> list[Bound]:
        return [Bound(Reach.SIZE, self.k)]

    def infeasible(self, table: Table, spare: int | None = None) -> list[Problem]:
        return self.too_few_units(self.k, table)


class IdentityModel(SensitiveModel):
    """A model on the sensitive values of people with several rows; none of them may be missing."""

    def problems(self, schema: Schema) -> list[Problem]:
        return [*_without_individual(self.name, schema), *super().problems(schema)]

    def n_values(self, table: Table) -> dict[str, int]:
        """How many different values the table has of each attribute."""
        names = self.targets(table.schema)
        return {name: int(np.count_nonzero(table.counts(name))) for name in names}

    def unfit(self, table: Table) -> list[Problem]:
        problems = []
        for name in self.targets(table.schema):
            column = table.columns[name]
            # No code is negative, so a domain without missing values finds no row.
            rows = np.flatnonzero(column.codes == column.domain.missing)
            if len(rows):
                problems.append(
                    Problem(
                        f"{self.name} needs a sensitive value in every row, but {name!r} is "
                        f"missing in {counted(len(rows), 'row')} (first: row {rows[0] + 1}).",
                        hint="Leave these rows out, or fill in a value that means 'unknown'.",
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
        "All l values can be those of one person: everybody in a class may still share "
        "one value. The measure v counts such classes; eir-l rules them out."
    )

    k: Count = Field(description="the least number of people in a class")
    l: Count = Field(description="the least number of different values in a class")  # noqa: E741

    def bounds(self, schema: Schema) -> list[Bound]:
        values = [Bound(Reach.DISTINCT, self.l, name) for name in self.targets(schema)]
        return [Bound(Reach.SIZE, self.k), *values]

    def infeasible(self, table: Table, spare: int | None = None) -> list[Problem]:
        return [
            *self.too_few_units(self.k, table),
            *(
                self.out_of_reach("l", f"the table has {counted(n, 'distinct value')}", n, name)
                for name, n in self.n_values(table).items()
                if n < self.l
            ),
        ]


class _AlphaBeta(IdentityModel):
    """What the two (alpha, beta) models share: the bound on the rows of a person."""

    alpha: Share = Field(description="the largest share of a class's rows that one person has")

    def infeasible(self, table: Table, spare: int | None = None) -> list[Problem]:
        """Somebody has at least one in n of the rows of n people."""
        least = 1 / max(table.n_units, 1)
        if least <= self.alpha:
            return []
        return [self.out_of_reach("alpha", f"the table has {table.units_counted}", least)]


class IRAlphaBeta(_AlphaBeta):
    """Nobody has more than alpha of a class's rows; any value's people are at most beta of them.

    Definition 2.3 (3): max |R(p)|/|Q| <= alpha and max |P(s)|/|Q| <= beta.
    """

    name: ClassVar[str] = "ir-alpha-beta"
    cite: ClassVar[papers.Citations] = (
        papers.cite("identity", "Definition 2.3"),
        papers.cite("tong"),
    )
    limits: ClassVar[str] = (
        "Compares the number of people who have a value with the number of rows: everybody in a "
        "class may share one value if they have many rows each. The measure v counts such "
        "classes; eir-alpha-beta rules them out."
    )

    beta: Share = Field(
        description=(
            "the largest number of people who have one value, as a share of a class's rows"
        )
    )

    def bounds(self, schema: Schema) -> list[Bound]:
        values = [Bound(Reach.VALUE_ROWS, self.beta, name) for name in self.targets(schema)]
        return [Bound(Reach.PERSON_SHARE, self.alpha), *values]


class EIRl(IdentityModel):
    """Whichever row of each person is the true one, a class shows at least l different values.

    Definition 3.3; by Theorem 3.1 this is the same as: a minimum hitting set of the people's value
    sets has at least l elements. It is decided exactly within a fixed number of search steps; a
    class that is still undecided counts as failing.
    """

    name: ClassVar[str] = "eir-l"
    cite: ClassVar[papers.Citations] = (papers.cite("identity", "Definition 3.3 and Theorem 3.1"),)
    counts_values_by: ClassVar[Counting | None] = "people"
    limits: ClassVar[str] = (
        "Counts different values, not how common each is, nor how similar they are in meaning."
    )

    l: Count = Field(description="the least number of values in every reasoning set")  # noqa: E741

    def bounds(self, schema: Schema) -> list[Bound]:
        return [Bound(Reach.HITTING, self.l, name) for name in self.targets(schema)]

    def infeasible(self, table: Table, spare: int | None = None) -> list[Problem]:
        scarce = [
            self._scarce(table, name, n)
            for name, n in self.n_values(table).items()
            if min(n, table.n_units) < self.l
        ]
        return scarce or self._too_alike(table)

    def _scarce(self, table: Table, name: str, n_values: int) -> Problem:
        n_people = table.n_units
        limit = min(n_values, n_people)
        proven, most = (0, limit) if limit > _QUICKLY_FOUND else _largest(table, name, limit)
        found = f"the table has {table.units_counted} and {counted(n_values, 'distinct value')}"
        return self._beyond(found, proven, most, name)

    def _too_alike(self, table: Table) -> list[Problem]:
        best = {name: _largest(table, name, self.l) for name in self.targets(table.schema)}
        return [
            self._beyond(f"everybody is covered by {most} of its values", proven, most, name)
            for name, (proven, most) in best.items()
            if most < self.l
        ]

    def _beyond(self, found: str, proven: int, most: int, name: str) -> Problem:
        """What cannot be achieved; the largest l is only bounded where its search ran out."""
        problem = self.out_of_reach("l", found, most, name)
        if proven == most:
            return problem
        return replace(problem, hint=f"The largest possible l is at most {most}.")


class EIRAlphaBeta(_AlphaBeta):
    """Nobody has more than a share alpha of a class's rows, no value more than beta of its people.

    Definition 3.4: max |R(p)|/|Q| <= alpha and max |P(s)|/n_Q <= beta.
    """

    name: ClassVar[str] = "eir-alpha-beta"
    cite: ClassVar[papers.Citations] = (papers.cite("identity", "Definition 3.4 and Theorem 3.2"),)
    counts_values_by: ClassVar[Counting | None] = "people"
    limits: ClassVar[str] = (
        "Limits the share of each value in a class, not how far that share is from the table's."
    )

    beta: Share = Field(description="the largest share of a class's people who have one value")

    def bounds(self, schema: Schema) -> list[Bound]:
        values = [Bound(Reach.VALUE_PEOPLE, self.beta, name) for name in self.targets(schema)]
        return [Bound(Reach.PERSON_SHARE, self.alpha), *values]

    def infeasible(self, table: Table, spare: int | None = None) -> list[Problem]:
        """Every person has a value, so the commonest of m has at least one in m people."""
        problems = super().infeasible(table, spare)
        for name, n in self.n_values(table).items():
            least = 1 / max(n, 1)
            if least > self.beta:
                found = f"the table has {counted(n, 'distinct value')}"
                problems.append(self.out_of_reach("beta", found, least, name))
        return problems


def _largest(table: Table, name: str, limit: int) -> tuple[int, int]:
    """The largest l of eir-l, up to the limit: what is proven, and what nothing speaks against.

    A class only gains by growing, so all people together are the best there is. The two differ
    where a search ran out of steps.
    """
    from shoal.model.requirement import Requirements

    everybody = np.arange(table.n_units, dtype=np.int32)
    most = limit
    while most > 0:
        asked = Requirements(table, (Bound(Reach.HITTING, most, name),))
        if asked.holds(everybody):
            return most, most
        if asked.people is None or asked.n_undecided:
            break
        # The hitting set that refuted it is smaller, so no l above its size is left to try.
        most = int(np.count_nonzero(asked.people.witness >= 0))
    return 0, most
