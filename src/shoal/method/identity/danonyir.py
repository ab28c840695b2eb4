"""DAnonyIR: classes that grow by the nearest person or class until they hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal import papers
from shoal.errors import Problem
from shoal.method.base import Method, Task
from shoal.schema import Schema
from shoal.table import Table
from shoal.table.partition import SUPPRESSED, Partition
from shoal.table.space import packed_codes, space_of


class DAnonyIR(Method):
    """Grow a class from one person by the nearest person or class until all requirements hold.

    Algorithms 1 and 5 to 7 of identity-reserved anonymity, exactly: the distance is what all rows
    on both sides lose if these are joined (eq. 16 to 18); distances within 1e-9 are equal; then
    people come before classes, and the first in the table or the first formed before the others.
    People who are left over join the class where this costs least and all requirements still hold,
    or are not published. Categories are published as sets and numbers as ranges, even if they have
    a hierarchy, unless `generalise: hierarchy`.
    """

    name: ClassVar[str] = "danonyir"
    cite: ClassVar[papers.Citations] = (papers.cite("identity", "Algorithms 1 and 5 to 7"),)
    limits: ClassVar[str] = (
        "Greedy, and the seed decides who starts a class: another seed gives another release with "
        "about the same loss. Sets of many values make wide columns."
    )

    first: tuple[str | int, ...] = Field(
        (),
        description=("the people who start the first classes, as named in the `individual` column"),
    )
    generalise: Literal["sets", "hierarchy"] = Field(
        "sets", description="whether categories become sets of values or nodes of their hierarchy"
    )

    @property
    def sheds_hierarchies(self) -> bool:
        return self.generalise == "sets"

    @property
    def names(self) -> Sequence[str]:
        return [str(name) for name in self.first]

    def problems(self, schema: Schema) -> list[Problem]:
        found = super().problems(schema)
        if self.first and schema.individual is None:
            found.append(
                Problem(
                    f"The 'first' parameter of {self.name} names people, but the plan has no "
                    "'individual'.",
                    hint="Add 'individual: COLUMN', or leave 'first' out.",
                )
            )
        return found

    def partition(self, task: Task) -> Partition:
        drawn = np.random.default_rng(task.seed).permutation(task.table.n_units)
        # Those who are named come up again in the draw: whoever has a class by then is passed over.
        starters = np.concatenate([task.first, drawn]).astype(np.int64)
        numbers = grow(task, starters)
        # A class that takes in another gets a new number, so numbers have gaps.
        kept, unit_class = np.unique(numbers, return_inverse=True)
        lost = len(kept) > 0 and int(kept[0]) == SUPPRESSED
        return Partition((unit_class - int(lost)).astype(np.int32), len(kept) - int(lost))


def grow(task: Task, starters: NDArray[np.int64]) -> NDArray[np.int32]:
    """The number of every unit's class, in the order in which classes formed; -1: suppressed."""
    from shoal.kernels.growth.greedy import form_classes, make_room

    table, asked = task.table, task.requirements
    space, codes = space_of(table.quasi, "glm"), packed_codes(table)
    required = asked.required_beyond_size()
    room = make_room(codes, table.unit_rows(), int(space.start[-1]))
    numbers = np.full(table.n_units, SUPPRESSED, dtype=np.int32)
    form_classes(space, starters, asked.least, required, room, numbers)
    return numbers


def distances_to(table: Table, group: NDArray[np.integer]) -> NDArray[np.float64]:
    """The distance of every unit to the group of these, as DAnonyIR takes it (eq. 16 and 17)."""
    from shoal.kernels.box.element import boxes_of_people, list_distances, room_to_grow

    space, codes = space_of(table.quasi, "glm"), packed_codes(table)
    persons = boxes_of_people(codes, table.unit_rows())
    growing, out = room_to_grow(int(space.start[-1]), codes.shape[1]), np.empty(len(codes))
    none = np.empty((0, 2 * codes.shape[1]), np.int64), np.empty(0, np.int32)
    list_distances(space, persons, group.astype(np.int64), growing, *none, out)
    return out
