"""A model says what must hold; it compiles to bounds that one kernel checks on a class."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import Problem
from shoal.schema import Kind, Requirement, Role, Schema
from shoal.schema.specification import Specification
from shoal.table import Table


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

    @property
    def of_people(self) -> bool:
        """Whether it takes the different values of each person."""
        return self in (Reach.VALUE_ROWS, Reach.VALUE_PEOPLE, Reach.HITTING)


class Bound(NamedTuple):
    """One inequality on a class: what is computed, of which sensitive attribute, and its limit."""

    reach: Reach
    limit: float
    attribute: str | None = None
    extra: float = 0.0


class Model(Specification):
    """What must hold in a release."""

    scope: ClassVar[Literal["class", "bucket", "row"]] = "class"

    def requirement(self) -> Requirement:
        """The same as plain data, for the verifier and the manifest."""
        return Requirement(self.name, self.parameters())

    def bounds(self, schema: Schema) -> list[Bound]:
        """The inequalities that every class must meet."""
        raise NotImplementedError

    def asked_k(self, table: Table) -> NDArray[np.int32] | None:
        """The size of class that each unit asks for; None where this model is about no size."""
        return None

    def unfit(self, table: Table) -> list[Problem]:
        """What of the data this model cannot be asked of."""
        return []

    def infeasible(self, table: Table) -> list[Problem]:
        """Why no release of this table can hold it, as far as that can be told beforehand."""
        return []


class SensitiveModel(Model):
    """A model on the values of one sensitive attribute, or of each of them."""

    attribute: str | None = None
    kinds: ClassVar[tuple[Kind, ...]] = tuple(Kind)

    def targets(self, schema: Schema) -> Sequence[str]:
        """The attributes that this is asked of."""
        if self.attribute is not None:
            return [self.attribute]
        return [a.name for a in schema.secret]

    def problems(self, schema: Schema) -> list[Problem]:
        names = [a.name for a in schema.attributes]
        if self.attribute is None:
            if not schema.secret:
                return [
                    Problem(
                        f"{self.name} needs a sensitive attribute, and none is declared.",
                        hint="Give the column to protect 'role: sensitive'.",
                    )
                ]
        elif self.attribute not in names:
            return [Problem(f"The 'attribute' of {self.name} names no declared attribute.")]
        elif schema[self.attribute].role not in (Role.SENSITIVE, Role.SEMI_SENSITIVE):
            return [
                Problem(
                    f"{self.name} is asked of {self.attribute!r}, whose role is "
                    f"{schema[self.attribute].role}.",
                    hint="Only a sensitive attribute can carry it.",
                )
            ]
        return self._wrong_kinds(schema)

    def _wrong_kinds(self, schema: Schema) -> list[Problem]:
        return [
            Problem(
                f"{self.name} is asked of {name!r}, whose kind is {schema[name].kind}.",
                hint=f"It is defined for {', '.join(self.kinds)} attributes.",
            )
            for name in self.targets(schema)
            if schema[name].kind is not None and schema[name].kind not in self.kinds
        ]
