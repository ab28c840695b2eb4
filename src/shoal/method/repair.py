"""What a method left failing is merged with the class where that loses least, or suppressed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InfeasibleError
from shoal.model.requirement import Requirements
from shoal.table import Table
from shoal.table.partition import COVER, SUPPRESSED, Partition, class_members
from shoal.table.space import SET, form_of, space_of

_WINDOW = 20_000
_MOST_WORDS = 50_000_000


@dataclass(frozen=True)
class Repair:
    """A partition in which every class holds, and what it took.

    `n_undecided`: how often a class counted as failing, on the way here, as a search ran out.
    """

    partition: Partition
    n_merged: int = 0
    n_suppressed: int = 0
    n_undecided: int = 0


def repair(
    table: Table,
    requirements: Requirements,
    partition: Partition,
    failing: NDArray[np.bool_],
    suppression_limit: float = 1.0,
    objective: str = "glm",
) -> Repair:
    """Merge or suppress the classes that fail, in their order, until every class holds.

    A failing class joins the class with which together it loses least, or is suppressed where that
    loses less and the limit allows it. Where there are very many classes only those with the
    nearest numbers are looked at. Raises InfeasibleError where nothing is left to publish.
    """
    if not failing.any():
        return Repair(partition)
    work = Workshop(table, requirements, partition, objective)
    allowed = int(suppression_limit * table.n_units + 1e-9) - partition.n_suppressed
    for start in np.flatnonzero(failing).tolist():
        allowed -= work.mend(start, allowed)
    if not work.alive.any():
        raise InfeasibleError(
            "No class meets the requirements, not even all rows together.",
            hint="Require less, or look at the requirements with 'shoal check'.",
        )
    return work.finished()


class Workshop:
    """The classes while they are being merged: their ranges, sets, sizes and members."""

    def __init__(
        self, table: Table, requirements: Requirements, partition: Partition, objective: str
    ) -> None:
        self.table, self.requirements, self.partition = table, requirements, partition
        self.space = space_of(table.quasi, objective)
        self.low, self.high = _class_bounds(table, partition)
        self.words, self.word_start = _class_words(table, partition)
        self.lost = np.empty(partition.n_classes)
        self._lose(np.arange(partition.n_classes))
        starts, units = class_members(partition)
        self.members = [[part] for part in np.split(units, starts[1:-1])]
        self.sizes = np.diff(starts).astype(np.int64)
        self.most = _most_asked(requirements, partition)
        self.alive = np.ones(partition.n_classes, dtype=np.bool_)
        self.merged_into = np.arange(partition.n_classes)
        self.touched: set[int] = set()
        self.n_merged = 0
        self.suppressed: list[int] = []

    def mend(self, number: int, allowed: int) -> int:
        """Merge a class until it holds, or suppress it; returns how many units that took."""
        if not self.alive[number]:
            return 0
        while not self.holds(number):
            other, added, lost = self.nearest(number)
            size = int(self.sizes[number])
            if other < 0 or (lost < added and size <= allowed):
                if size > allowed:
                    raise InfeasibleError(
                        "The suppression limit does not allow what the requirements need.",
                        hint="Raise 'suppression: {limit: …}', or require less.",
                    )
                self.alive[number] = False
                self.suppressed.append(number)
                return size
            self.merge(number, other)
        return 0

    def holds(self, number: int) -> bool:
        """Whether a class holds what is asked; sizes alone need no look at its members."""
        if self.requirements.sizes_only:
            least = max(self.requirements.least, int(self.most[number]))
            return int(self.sizes[number]) >= least
        return self.requirements.holds(self.units(number))

    def nearest(self, number: int) -> tuple[int, float, float]:
        """The class that adds least (-1: none), what it adds, and what suppressing would."""
        from shoal.kernels.box.union import find_nearest

        first = max(0, number - _WINDOW)
        last = min(len(self.alive), number + _WINDOW)
        out = np.empty(3)
        find_nearest(
            number, first, last, self.alive, self.sizes, self.low, self.high, self.words,
            self.word_start, self.space, self.lost, out,
        )  # fmt: skip
        return int(out[0]), float(out[1]), float(out[2])

    def _lose(self, chosen: NDArray[np.int64]) -> None:
        """Count again what these classes lose."""
        from shoal.kernels.box.union import lose_classes

        lose_classes(
            self.low, self.high, self.words, self.word_start, self.space, chosen, self.lost
        )

    def merge(self, number: int, other: int) -> None:
        """`other` is taken into `number`."""
        self.low[number] = np.minimum(self.low[number], self.low[other])
        self.high[number] = np.maximum(self.high[number], self.high[other])
        self.words[number] |= self.words[other]
        self.members[number] += self.members[other]
        self.sizes[number] += self.sizes[other]
        self.most[number] = max(self.most[number], self.most[other])
        self.alive[other] = False
        self._lose(np.array([number]))
        self.touched.add(number)
        self.n_merged += 1

    def units(self, number: int) -> NDArray[np.int32]:
        """The members of a class."""
        return np.concatenate(self.members[number])

    def finished(self) -> Repair:
        """The classes as they are now, numbers closed up."""
        unit_class = np.full(self.table.n_units, SUPPRESSED, dtype=np.int32)
        for number in np.flatnonzero(self.alive).tolist():
            unit_class[self.units(number)] = number
        heights = self.partition.heights
        if heights is not None:
            heights = heights.copy()
            heights[list(self.touched)] = COVER
        partition = replace(self.partition, heights=heights).renumbered(unit_class)
        n_suppressed = int(sum(self.sizes[number] for number in self.suppressed))
        return Repair(partition, self.n_merged, n_suppressed)


def _most_asked(requirements: Requirements, partition: Partition) -> NDArray[np.int64]:
    """The largest size that a member of each class asks for by itself."""
    most = np.zeros(partition.n_classes, dtype=np.int64)
    kept = partition.unit_class != SUPPRESSED
    if requirements.personal:
        np.maximum.at(most, partition.unit_class[kept], requirements.asked_sizes[kept])
    return most


def _class_bounds(table: Table, partition: Partition) -> tuple[NDArray[Any], NDArray[Any]]:
    from shoal.kernels.group import find_bounds

    shape = (partition.n_classes, len(table.quasi))
    low, high = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for j, domain in enumerate(table.quasi):
        a = np.full(partition.n_classes, len(domain), dtype=np.int64)
        b = np.full(partition.n_classes, -1, dtype=np.int64)
        find_bounds(table.unit_codes(domain.attribute.name), partition.unit_class, a, b)
        low[:, j], high[:, j] = a, b
    return low, high


def _class_words(table: Table, partition: Partition) -> tuple[NDArray[Any], NDArray[Any]]:
    """The sets of each class as bits, for the attributes that are published as sets."""
    from shoal.kernels.box.union import fill_words

    n_words = [-(-len(d) // 64) if form_of(d) == SET else 0 for d in table.quasi]
    if partition.n_classes * sum(n_words) > _MOST_WORDS:
        raise InfeasibleError(
            "Too many classes with too many values to repair without a hierarchy.",
            hint="Give the categorical quasi-identifiers a hierarchy.",
        )
    start = np.concatenate([[0], np.cumsum(n_words)]).astype(np.int64)
    words = np.zeros((partition.n_classes, max(int(start[-1]), 1)), dtype=np.uint64)
    for j, domain in enumerate(table.quasi):
        if n_words[j]:
            codes = table.unit_codes(domain.attribute.name)
            fill_words(codes, partition.unit_class, int(start[j]), words)
    return words, start
