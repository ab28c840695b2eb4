"""Classes while they are being merged or lose members: what they cover, and which is nearest."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InfeasibleError
from shoal.method.level import LevelRequirements
from shoal.method.loss import class_bounds
from shoal.method.omission import omit, within_reach
from shoal.model.requirement import Requirements
from shoal.table import Table
from shoal.table.partition import COVER, SUPPRESSED, Partition, class_members
from shoal.table.space import SET, form_of, space_of, word_starts

if TYPE_CHECKING:
    from shoal.kernels.box.space import Space
    from shoal.kernels.box.union import Classes, ClassTree

# The bits of a Z-curve.
_CURVE = 63
# Words of 64 bits for the sets of all classes: 400 MB.
_MOST_WORDS = 50_000_000


class Workshop:
    """The classes while they are being merged: their ranges, sets, sizes and members."""

    def __init__(
        self,
        table: Table,
        requirements: Requirements,
        partition: Partition,
        objective: str,
        levels: LevelRequirements | None = None,
    ) -> None:
        self.table, self.partition = table, partition
        self.levels = LevelRequirements(requirements) if levels is None else levels
        self.sizes_only = requirements.sizes_only and not self.levels.stronger
        self.least = requirements.least
        self.summary = ClassSummary(requirements)
        self.space = space_of(table.quasi, objective)
        starts, units = class_members(partition)
        # Lists of parts: a merged class is judged by adding the part that is new, not by looking at
        # all of its members again.
        self.members = [[part] for part in np.split(units, starts[1:-1])]
        self.sizes = np.diff(starts).astype(np.int64)
        boxes = class_boxes(table, partition)
        self.low, self.high = boxes.low, boxes.high
        self.words, self.word_start = boxes.words, boxes.word_start
        self.lost = boxes.lost(self.space)
        self.asked = asked_sizes(requirements, partition)
        self.most = _most_asked(self.asked, partition)
        self.alive = np.ones(partition.n_classes, dtype=np.bool_)
        self.touched: set[int] = set()
        self.n_merged = 0
        self.n_single = 0
        self.n_suppressed = 0

    def mend(self, number: int, allowed: int) -> int:
        """Merge a class until it holds, or leave units out; returns how many that took."""
        if not self.alive[number]:
            return 0
        while not self.holds(number):
            other, added, lost = self.nearest(number)
            size = int(self.sizes[number])
            # Where one unit less costs no less than merging does, nobody need be looked for.
            cheap = other >= 0 and added <= lost / size
            singly = None if cheap else self.to_leave_out(number)
            n_out = size if singly is None else len(singly)
            # Whoever is left out loses every cell, so leaving out some members costs their share of
            # what leaving out the whole class would.
            if other >= 0 and (n_out > allowed or added <= lost * (n_out / size)):
                self.merge(number, other)
                continue
            left_out = self.most_demanding(number) if singly is None else singly
            if len(left_out) > allowed:
                raise InfeasibleError(
                    f"A class can only meet the requirements without {len(left_out)} of its {size} "
                    f"{self.table.unit_word}, but the suppression limit allows {allowed} more.",
                    hint="Raise 'suppression: {limit: …}', or require less.",
                )
            self.leave_out(number, left_out)
            return len(left_out)
        return 0

    def to_leave_out(self, number: int) -> NDArray[np.int32] | None:
        """The fewest members, as far as is known, without whom a class holds; None: all of them."""
        if self.sizes_only:
            return None
        units = self.units(number)
        return omit(self.levels.required(units), units, int(self.most[number]))

    def most_demanding(self, number: int) -> NDArray[np.int32]:
        """Those who ask for a larger class than the others can give them; all, where none is left.

        They are left out only where the class would be suppressed: merging comes before.
        """
        units = self.units(number)
        rest = within_reach(units, self.asked[units])
        if len(rest) in (0, len(units)) or not self.levels.required(rest).holds(np.sort(rest)):
            return units
        return np.setdiff1d(units, rest, assume_unique=True)

    def leave_out(self, number: int, left_out: NDArray[np.int32]) -> None:
        """Suppress these members of a class."""
        self.n_suppressed += len(left_out)
        if len(left_out) == self.sizes[number]:
            self.alive[number] = False
            self.sizes[number] = 0
            self._renew(number)
            return
        self.n_single += len(left_out)
        rest = np.setdiff1d(self.units(number), left_out, assume_unique=True)
        self.members[number] = [rest]
        # A summary takes in further members but lets nobody go.
        self.summary.forget()
        self.sizes[number] = len(rest)
        self.most[number] = self.asked[rest].max()
        self._bound(number, rest)
        self._lose(np.array([number]))
        self._renew(number)

    def _bound(self, number: int, units: NDArray[np.int32]) -> None:
        """What a class covers, from its members."""
        self.words[number] = 0
        for j, domain in enumerate(self.table.quasi):
            codes = self.table.unit_codes(domain.attribute.name)[units].astype(np.int64)
            self.low[number, j], self.high[number, j] = codes.min(), codes.max()
            if form_of(domain) == SET:
                first, shown = int(self.word_start[j]), np.unique(codes)
                bits = np.uint64(1) << (shown & 63).astype(np.uint64)
                np.bitwise_or.at(self.words[number], first + (shown >> 6), bits)

    def holds(self, number: int) -> bool:
        """Whether a class holds what is required; sizes alone need no look at its members."""
        if self.sizes_only:
            return int(self.sizes[number]) >= max(self.least, int(self.most[number]))
        if self.levels.stronger or self.levels.requirements.hits:
            units = self.units(number)
            return self.levels.required(units).holds(units)
        return self.summary.holds(number, self.members[number])

    @cached_property
    def classes(self) -> Classes:
        """The classes as kernels take them; a class that is gone has no units."""
        from shoal.kernels.box.union import Classes

        return Classes(self.low, self.high, self.words, self.word_start, self.sizes, self.lost)

    @cached_property
    def tree(self) -> ClassTree:
        """The classes in a tree, made when the first is looked for."""
        from shoal.kernels.box.union import grow_tree, plant

        tree = plant(self._order(), self.low.shape[1], self.words.shape[1])
        grow_tree(tree, self.classes)
        return tree

    def _order(self) -> NDArray[np.int64]:
        """The classes along a Z-curve through the middles of what they cover."""
        n, d = self.low.shape
        bits = max(min(_CURVE // max(d, 1), 16), 1)
        keys = np.zeros(n, dtype=np.uint64)
        # The order decides how soon the nearest class is found, not which class it is. So
        # attributes for which there are no bits left can be ignored.
        for j, domain in enumerate(self.table.quasi[:_CURVE]):
            middle = (self.low[:, j] + self.high[:, j]) / (2 * max(len(domain) - 1, 1))
            steps = np.minimum(middle * 2**bits, 2**bits - 1).astype(np.uint64)
            for bit in range(bits):
                digit = steps >> np.uint64(bits - 1 - bit) & np.uint64(1)
                keys |= digit << np.uint64(_CURVE - 1 - bit * min(d, _CURVE) - j)
        return np.argsort(keys, kind="stable")

    def nearest(self, number: int) -> tuple[int, float, float]:
        """The class that adds least (-1: none), what it adds, and what suppressing would."""
        from shoal.kernels.box.union import find_nearest

        out, depth = np.empty(3), 2 * len(self.tree.least).bit_length() + 2
        todo, bounds = np.empty(depth, dtype=np.int64), np.empty(depth)
        find_nearest(number, self.tree, self.classes, self.space, todo, bounds, out)
        return int(out[0]), float(out[1]), float(out[2])

    def _lose(self, chosen: NDArray[np.int64]) -> None:
        """Count again what these classes lose."""
        from shoal.kernels.box.union import lose_classes

        lose_classes(
            self.low, self.high, self.words, self.word_start, self.space, chosen, self.lost
        )

    def _renew(self, *numbers: int) -> None:
        """Classes have changed, or are gone."""
        from shoal.kernels.box.union import renew

        for number in numbers:
            renew(self.tree, self.classes, number)

    def merge(self, number: int, other: int) -> None:
        """`other` is taken into `number`."""
        self.low[number] = np.minimum(self.low[number], self.low[other])
        self.high[number] = np.maximum(self.high[number], self.high[other])
        self.words[number] |= self.words[other]
        self.members[number] += self.members[other]
        self.sizes[number] += self.sizes[other]
        self.most[number] = max(self.most[number], self.most[other])
        self.alive[other] = False
        self.sizes[other] = 0
        self._lose(np.array([number]))
        self._renew(number, other)
        self.touched.add(number)
        self.n_merged += 1

    def units(self, number: int) -> NDArray[np.int32]:
        """The members of a class."""
        return np.concatenate(self.members[number])

    def finished(self) -> Partition:
        """The classes as they are now, numbers closed up."""
        unit_class = np.full(self.table.n_units, SUPPRESSED, dtype=np.int32)
        for number in np.flatnonzero(self.alive).tolist():
            unit_class[self.units(number)] = number
        # A merged class is published as what covers it, since neither class's level need do so.
        heights = self.partition.heights
        if heights is not None:
            heights = heights.copy()
            heights[list(self.touched)] = COVER
        return replace(self.partition, heights=heights).renumbered(unit_class)


class ClassSummary:
    """What the requirements need to know of the class that grows, kept up as it does."""

    def __init__(self, requirements: Requirements) -> None:
        self.requirements = requirements
        self.forget()

    def forget(self) -> None:
        """No class is known."""
        self.number, self.n_parts, self.n_units, self.n_rows = -1, 0, 0, 0
        self.counts = np.empty(0, dtype=np.int64)

    def holds(self, number: int, parts: list[NDArray[np.int32]]) -> bool:
        """Whether a class holds; the parts that it had before are not looked at again."""
        from shoal.kernels.requirement import add_units, summary_holds

        asked = self.requirements
        if number != self.number:
            self.forget()
            self.number, self.counts = number, asked.summary_room()
        for units in parts[self.n_parts :]:
            self.n_rows += add_units(units, asked.members, asked.facts, asked.people, self.counts)
            self.n_units += len(units)
        self.n_parts = len(parts)
        # Only hitting sets depend on who the members are, and those are judged without a summary.
        # For all else their number is enough.
        anybody = self.everybody[: self.n_units]
        return bool(
            summary_holds(
                asked.bounds, self.n_rows, self.counts, asked.facts, asked.people, anybody
            )
        )

    @cached_property
    def everybody(self) -> NDArray[np.int32]:
        return np.arange(self.requirements.table.n_units, dtype=np.int32)


def asked_sizes(requirements: Requirements, partition: Partition) -> NDArray[np.int64]:
    """The class size that each unit asks for, or under which the method released it."""
    asked = np.zeros(len(partition.unit_class), dtype=np.int64)
    if requirements.personal:
        asked = np.maximum(asked, requirements.asked_sizes)
    return asked if partition.k is None else np.maximum(asked, partition.k)


def _most_asked(asked: NDArray[np.int64], partition: Partition) -> NDArray[np.int64]:
    """The largest size that a member of each class asks for."""
    most = np.zeros(partition.n_classes, dtype=np.int64)
    kept = partition.unit_class != SUPPRESSED
    np.maximum.at(most, partition.unit_class[kept], asked[kept])
    return most


class ClassBoxes(NamedTuple):
    """What classes cover: the least and the largest code of each attribute, and sets as bits.

    Attribute j has the words from word_start[j] to word_start[j + 1].
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    words: NDArray[np.uint64]
    word_start: NDArray[np.int64]

    def lost(self, space: Space) -> NDArray[np.float64]:
        """What a unit of each class loses."""
        from shoal.kernels.box.union import lose_classes

        lost = np.empty(len(self.low))
        lose_classes(*self, space, np.arange(len(lost)), lost)
        return lost


def class_boxes(table: Table, partition: Partition) -> ClassBoxes:
    """What the classes of a partition cover."""
    return ClassBoxes(*_class_bounds(table, partition), *_class_words(table, partition))


def _class_bounds(table: Table, partition: Partition) -> tuple[NDArray[Any], NDArray[Any]]:
    found = [
        class_bounds(table.unit_codes(domain.attribute.name), partition, len(domain))
        for domain in table.quasi
    ]
    low, high = (np.stack(ends, axis=1) for ends in zip(*found, strict=True))
    return low, high


def _class_words(table: Table, partition: Partition) -> tuple[NDArray[Any], NDArray[Any]]:
    """The sets of each class as bits, for the attributes that are published as sets."""
    from shoal.kernels.box.union import fill_words

    start = word_starts(table.quasi)
    if partition.n_classes * int(start[-1]) > _MOST_WORDS:
        raise InfeasibleError(
            "Too many classes with too many values to repair without a hierarchy.",
            hint="Give the categorical quasi-identifiers a hierarchy.",
        )
    words = np.zeros((partition.n_classes, max(int(start[-1]), 1)), dtype=np.uint64)
    for j, domain in enumerate(table.quasi):
        if start[j] < start[j + 1]:
            codes = table.unit_codes(domain.attribute.name)
            fill_words(codes, partition.unit_class, int(start[j]), words)
    return words, start
