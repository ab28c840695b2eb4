"""k-member: classes that grow by the unit that costs least, from seeds that are far apart."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal import papers
from shoal.method.base import Method, Task
from shoal.table.partition import SUPPRESSED, Partition
from shoal.table.space import metric_of, packed_codes, space_of


class KMember(Method):
    """Grow a class by the unit that adds the least loss; begin the next far from where it began.

    The greedy k-member algorithm of Byun et al. 2007, exactly, for every requirement of the plan:
    the first class begins with a unit drawn by the seed, each later one with the remaining unit
    that is farthest (differences by the length of the domain, levels by the height) from the unit
    that began the class before it. A class takes in the remaining unit that increases its loss (its
    size times `glm`) least, until it meets the requirements. Units with which no further class can
    be made join, in table order, the class whose loss they increase least and which still meets the
    requirements with them, or are not published. Increases within 1e-9 are equal; then the first in
    the table, or the first formed, comes first. Units weigh the same, whatever their number of
    rows.
    """

    name: ClassVar[str] = "k-member"
    cite: ClassVar[papers.Citations] = (papers.cite("byun"),)
    limits: ClassVar[str] = (
        "Greedy: the last classes take what is left and are wide. The seed decides the first "
        "unit: another seed gives another release with about the same loss."
    )

    def partition(self, task: Task) -> Partition:
        n_units = task.table.n_units
        begins = int(np.random.default_rng(task.seed).integers(max(n_units, 1)))
        unit_class = grow(task, begins)
        return Partition(unit_class, int(unit_class.max(initial=SUPPRESSED)) + 1)


def grow(task: Task, begins: int) -> NDArray[np.int32]:
    """The number of every unit's class, in the order in which classes formed; -1: suppressed."""
    from shoal.kernels.growth.member import form_members, make_room

    table, asked = task.table, task.requirements
    space, metric = space_of(table.quasi, "glm"), metric_of(table.quasi, normalise=True)
    required = asked.required_beyond_size()
    room = make_room(packed_codes(table), int(space.start[-1]), asked.least)
    numbers = np.full(table.n_units, SUPPRESSED, dtype=np.int32)
    form_members(space, metric, begins, asked.least, required, room, numbers)
    return numbers
