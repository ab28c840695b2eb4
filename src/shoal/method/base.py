"""A method finds the classes; it is a pure function of one shard of coded columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.errors import Problem
from shoal.model import Model
from shoal.model.requirement import Requirements
from shoal.schema import Role, Schema
from shoal.schema.advice import Advice
from shoal.schema.specification import Specification
from shoal.table import Table
from shoal.table.partition import Partition


@dataclass(frozen=True)
class Task:
    """What a method is handed: a shard, what every class must hold, a seed, the loss to lower.

    `first` are the people of this shard whom the plan names, in its order.
    """

    table: Table
    requirements: Requirements
    seed: int
    objective: str = "glm"
    first: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))


class Method(Specification):
    """A way to classes that hold what is asked."""

    needs_hierarchy: ClassVar[bool] = False
    order_matters: ClassVar[bool] = False
    levels_apart: ClassVar[bool] = False
    keeps_secrets: ClassVar[bool] = False

    @property
    def sheds_hierarchies(self) -> bool:
        """Whether quasi-identifiers are published as ranges and sets, hierarchy or not."""
        return False

    @property
    def names(self) -> Sequence[str]:
        """The people whom the plan names to this method."""
        return ()

    def may_miss(self, model: Model) -> bool:
        """Whether this method may leave a requirement unmet, as its definition says."""
        return False

    def unsuited(self, models: Sequence[Model]) -> list[Problem]:
        """What this method needs of the requirements and does not find."""
        return []

    def aims(self, models: Sequence[Model]) -> list[str]:
        """What this method aims at beyond what is asked, in words for the plan's digest."""
        return []

    def advice(self, table: Table) -> list[Advice]:
        """What a user should know before trusting this method with this table."""
        return []

    def partition(self, task: Task) -> Partition:
        """Rows into classes, a class for every row or none where it is suppressed."""
        raise NotImplementedError

    def problems(self, schema: Schema) -> list[Problem]:
        if not schema.quasi:
            return [
                Problem(
                    f"{self.name} needs a quasi-identifier, and none is declared.",
                    hint="Give the columns that others may know 'role: quasi'.",
                )
            ]
        found = self._without_hierarchy(schema) if self.needs_hierarchy else []
        return [*found, *self._with_secrets(schema)]

    def _with_secrets(self, schema: Schema) -> list[Problem]:
        if self.keeps_secrets:
            return []
        return [
            Problem(
                f"{self.name} keeps no secrets cell by cell, and {a.name!r} is semi-sensitive.",
                hint="Give it the role 'sensitive' or 'quasi', or choose a method for it.",
            )
            for a in schema.of(Role.SEMI_SENSITIVE)
        ]

    def _without_hierarchy(self, schema: Schema) -> list[Problem]:
        return [
            Problem(
                f"{self.name} climbs hierarchies, and {a.name!r} has none.",
                hint="Declare one, for example 'hierarchy: flat' or '{width: 5, levels: 3}'.",
            )
            for a in schema.quasi
            if a.hierarchy is None
        ]
