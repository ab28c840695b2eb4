"""A model says what must hold; it compiles to bounds that one kernel checks on a class."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from enum import IntEnum
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.errors import Problem
from shoal.schema import Kind, Requirement, Role, Schema
from shoal.schema.specification import Specification
from shoal.schema.wording import AT_MOST, counted
from shoal.table import Table

# What a model is a requirement on; "table": on classes, but not on each of them by itself.
Scope: TypeAlias = Literal["class", "row", "table"]
# By what a model counts sensitive values: by rows, or by people, whose rows may differ in them.
Counting: TypeAlias = Literal["rows", "people"]


class Reach(IntEnum):
    """What the requirements kernel can compute of one class; the numbers are the kernel's."""

    SIZE = 0
    DISTINCT = 1
    FREQUENCY = 2
    ENTROPY = 3
    RECURSIVE = 4
    SHARE = 5
    EMD_EQUAL = 6
    EMD_ORDERED = 7
    EMD_TREE = 8
    SPREAD = 9
    DISTINCT_PRESENT = 10
    PERSONAL = 11
    PERSON_SHARE = 12
    VALUE_ROWS = 13
    VALUE_PEOPLE = 14
    HITTING = 15
    GAIN = 16
    GAIN_ENHANCED = 17
    RATIO = 18
    POPULATION = 19
    PRESENCE = 20

    @property
    def of_people(self) -> bool:
        """Whether it is computed from the different values of each person."""
        return self in (Reach.VALUE_ROWS, Reach.VALUE_PEOPLE, Reach.HITTING)

    @property
    def of_population(self) -> bool:
        """Whether it is computed from the people whom those of the table stand for."""
        return self in (Reach.POPULATION, Reach.PRESENCE)


class Bound(NamedTuple):
    """One inequality on a class: what is computed, for which sensitive attribute, and its limit.

    `extra` is the c of recursive l-diversity. `known`: a missing value does not count.
    """

    reach: Reach
    limit: float
    attribute: str | None = None
    extra: float = 0.0
    known: bool = False


def safe_text(limit: float, *, least: bool) -> str:
    """A limit in four digits, rounded to the side on which it can be achieved; counts as they are.

    `least`: it is the smallest possible value, else the largest.

    >>> safe_text(1 / 3, least=True), safe_text(1.90476, least=False), safe_text(12345, least=False)
    ('0.3334', '1.904', '12345')
    """
    if isinstance(limit, int):
        return str(limit)
    exact = Decimal(limit)
    digits = Decimal(1).scaleb(exact.adjusted() - 3)
    side = ROUND_CEILING if least else ROUND_FLOOR
    return f"{exact.quantize(digits, rounding=side).normalize():f}"


class Model(Specification):
    """What must hold in a release."""

    scope: ClassVar[Scope] = "class"
    # None: it limits nothing that may be learnt of sensitive values.
    counts_values_by: ClassVar[Counting | None] = None

    def requirement(self) -> Requirement:
        """The same as plain data, for the verifier and the manifest."""
        return Requirement(self.name, self.parameters())

    @property
    def asks_more_at_levels(self) -> bool:
        """Whether people of some level require more than a size of their class."""
        return False

    def bounds(self, schema: Schema) -> list[Bound]:
        """The inequalities that every class must meet."""
        raise NotImplementedError

    def asked_k(self, table: Table) -> NDArray[np.int32] | None:
        """The class size that each unit asks for; None if this model requires no size."""
        return None

    def unfit(self, table: Table) -> list[Problem]:
        """Why this model is not defined for these data."""
        return []

    def infeasible(self, table: Table, spare: int | None = None) -> list[Problem]:
        """Why no release of this table can satisfy it, as far as that is known beforehand.

        `spare` is how many rows may be left out; None: as many as it takes.
        """
        return []

    def out_of_reach(
        self, parameter: str, found: str, limit: float, attribute: str | None = None
    ) -> Problem:
        """The problem that a table allows a parameter only up, or down, to a limit."""
        value = getattr(self, parameter)
        given = f"{value:g}" if isinstance(value, float) else value
        # These are limits from above, so the table allows them from a smallest value on.
        least = parameter in AT_MOST
        return Problem(
            f"{self.name} with {parameter} = {given} cannot be achieved"
            f"{'' if attribute is None else f' for {attribute!r}'}: {found}.",
            hint=f"The {'smallest' if least else 'largest'} possible {parameter} is "
            f"{safe_text(limit, least=least)}.",
        )

    def too_few_units(self, k: int, table: Table) -> list[Problem]:
        """The problem that a table has fewer than k people, if it has."""
        if table.n_units >= k:
            return []
        found = f"the table has {table.units_counted}"
        return [self.out_of_reach("k", found, table.n_units)]


def too_few_spare(said: str, n_out: int, spare: int | None, name: str) -> list[Problem]:
    """The problem that a requirement needs more rows left out than may be, if it does."""
    if spare is None or n_out <= spare:
        return []
    return [
        Problem(
            f"{said} can only be achieved for {name!r} without at least "
            f"{counted(n_out, 'row')}, but the suppression limit allows {spare}.",
            hint="Raise 'suppression: {limit: …}', or require less.",
        )
    ]


class SensitiveModel(Model):
    """A model on the values of one sensitive attribute, or of each of them."""

    # Specification lists this parameter last, although it is declared first.
    attribute: str | None = Field(
        None, description="the sensitive attribute; left out: each of them"
    )
    kinds: ClassVar[tuple[Kind, ...]] = tuple(Kind)
    counts_values_by: ClassVar[Counting | None] = "rows"

    def targets(self, schema: Schema) -> Sequence[str]:
        """The attributes that this applies to."""
        if self.attribute is not None:
            return [self.attribute]
        return [a.name for a in schema.secret]

    def problems(self, schema: Schema) -> list[Problem]:
        names = [a.name for a in schema.attributes]
        if self.attribute is None:
            if not schema.secret:
                return [
                    Problem(
                        f"{self.name} needs a sensitive attribute, but none is declared.",
                        hint="Give the column to protect 'role: sensitive'.",
                    )
                ]
        elif self.attribute not in names:
            return [
                Problem(f"The 'attribute' parameter of {self.name} must name a declared attribute.")
            ]
        elif schema[self.attribute].role not in (Role.SENSITIVE, Role.SEMI_SENSITIVE):
            return [
                Problem(
                    f"{self.name} needs a sensitive attribute, but the role of "
                    f"{self.attribute!r} is {schema[self.attribute].role}.",
                )
            ]
        return self._wrong_kinds(schema)

    def _wrong_kinds(self, schema: Schema) -> list[Problem]:
        return [
            Problem(
                f"{self.name} is defined for {', '.join(self.kinds)} attributes, but the kind of "
                f"{name!r} is {schema[name].kind}.",
            )
            for name in self.targets(schema)
            if schema[name].kind is not None and schema[name].kind not in self.kinds
        ]
