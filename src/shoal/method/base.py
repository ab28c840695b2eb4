"""A method finds the classes; it is a pure function of one shard of coded columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.errors import Problem
from shoal.model import Model, MultiLevelK
from shoal.model.requirement import Requirements
from shoal.schema import Layout, Role, Schema
from shoal.schema.advice import Advice
from shoal.schema.specification import Specification
from shoal.table import Table
from shoal.table.partition import Partition

if TYPE_CHECKING:
    from shoal.method.repair import MethodTrial


@dataclass(frozen=True)
class Task:
    """What a method is given: a shard, what every class must meet, a seed, the loss to lower.

    `first` are the people of this shard whom the plan names, in its order; `threads` is how many
    the engine allows. The result does not depend on how many there are.
    """

    table: Table
    requirements: Requirements
    seed: int
    objective: str = "glm"
    first: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    threads: int = 1


@dataclass(frozen=True)
class Display:
    """How sensitive cells are shown.

    A number shows what its own flag allows, the interval of its class, or the side of a cut on
    which its class lies. `every`: that applies to all sensitive attributes, not only to those
    with flags. `conceal`: cells are lifted and classes merged until flags reveal no more than 1/l.
    """

    numeric: Literal["by-flag", "interval", "one-sided"] = "by-flag"
    every: bool = False
    conceal: bool = False


class Method(Specification):
    """A way to make classes that meet the requirements.

    Up to `exact_units` it finds the best classes by its own measure; 0: it never promises that.
    """

    needs_hierarchy: ClassVar[bool] = False
    exact_units: ClassVar[int] = 0
    # Whether people are released level by level of multi-level-k, the most sensitive first.
    by_levels: ClassVar[bool] = False

    def bound(self, schema: Schema, models: Sequence[Model]) -> Method:
        """This method as a plan with these attributes and requirements uses it."""
        return self

    @property
    def acting(self) -> Method:
        """The method whose rules make the release: this one, unless it stands for another."""
        return self

    def candidates(self, task: Task) -> list[Method]:
        """The methods to try on a shard, of which the one that loses least is kept."""
        return [self]

    def choice(self, tried: Sequence[MethodTrial], objective: str) -> list[str]:
        """Which of the candidates was chosen and why, in words; nothing where there was one."""
        return []

    @property
    def layout(self) -> Layout:
        """How a release by this method is laid out in tables."""
        return Layout.PLAIN

    @property
    def display(self) -> Display:
        """How sensitive cells are shown once the classes are made."""
        return Display()

    @property
    def sheds_hierarchies(self) -> bool:
        """Whether quasi-identifiers are published as ranges and sets, hierarchy or not."""
        return False

    @property
    def keeps_neighbours(self) -> bool:
        """Whether rows share a class merely because they follow each other in the table."""
        return False

    @property
    def names(self) -> Sequence[str]:
        """The people whom the plan names to this method."""
        return ()

    def may_miss(self, model: Model) -> bool:
        """Whether this method may leave a requirement unmet, as its definition says."""
        return False

    def enforced(self, models: Sequence[Model]) -> list[Model]:
        """What must hold in every class, including what a level of multi-level-k requires."""
        # Only methods that release level by level know who belongs to which. For all others, what
        # any level requires must hold in every class.
        levels = [level for m in models if isinstance(m, MultiLevelK) for level in m.levels]
        enforced = [m for m in models if not self.may_miss(m)]
        return [*enforced, *(m for level in levels for m in level.stronger)]

    def unsuited(self, models: Sequence[Model]) -> list[Problem]:
        """What this method needs of the requirements but does not find."""
        return []

    def aims(self, models: Sequence[Model]) -> list[str]:
        """What this method aims at beyond what is required, in words for the plan's digest."""
        return []

    def advice(self, table: Table) -> list[Advice]:
        """What a user should know before trusting this method with this table."""
        return []

    def distances(self, table: Table) -> NDArray[np.int64 | np.float64] | None:
        """The edges of the graph on which this method works; None where it works on none."""
        return None

    def takes_counts(self, table: Table, requirements: Requirements) -> bool:
        """Whether equal rows may be passed as one that stands for all of them."""
        return False

    def partition(self, task: Task) -> Partition:
        """Rows into classes, a class for every row or none where it is suppressed."""
        raise NotImplementedError

    def problems(self, schema: Schema) -> list[Problem]:
        if not schema.quasi:
            return [
                Problem(
                    f"{self.name} needs a quasi-identifier, but the plan declares none.",
                    hint="Give the columns that others may know 'role: quasi'.",
                )
            ]
        found = self._without_hierarchy(schema) if self.needs_hierarchy else []
        return [*found, *self._with_secrets(schema)]

    def _with_secrets(self, schema: Schema) -> list[Problem]:
        if self.layout.keeps_secrets:
            return []
        return [
            Problem(
                f"{self.name} does not support semi-sensitive attributes, but {a.name!r} is one.",
                hint="Give it the role 'sensitive' or 'quasi', or choose a method for it.",
            )
            for a in schema.of(Role.SEMI_SENSITIVE)
        ]

    def _without_hierarchy(self, schema: Schema) -> list[Problem]:
        return [
            Problem(
                f"{self.name} needs a hierarchy for every quasi-identifier, but {a.name!r} has "
                "none.",
                hint="Declare one, for example 'hierarchy: flat' or '{width: 5, levels: 3}'.",
            )
            for a in schema.quasi
            if a.hierarchy is None
        ]
