"""A ladder of nested groups: all hierarchies one level up at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.method.mks3wd.climb import UNSAFE, Climb, Marks, Offer, Taken, UnitNumbers
from shoal.method.mks3wd.vector import trees_of
from shoal.model.requirement import Requirements
from shoal.table import Table
from shoal.table.distinct import first_of
from shoal.table.partition import SUPPRESSED, Partition


@dataclass(frozen=True)
class Ladder(Climb):
    """The groups of all levels, numbered end to end from the finest level on.

    base[unit] is a unit's finest group, up[group] the group of the next level that holds it (-1 at
    the top); level c (from 0) has the groups start[c] … start[c+1]. A unit's mark is the group in
    which it is released.
    """

    table: Table
    base: NDArray[np.int32]
    up: NDArray[np.int32]
    start: NDArray[np.int64]

    @classmethod
    def of(cls, table: Table) -> Ladder:
        """Group the units at the finest level, then groups at each further one."""
        n_levels = max(tree.height for tree in trees_of(table))
        ids, n_groups = group_units(table, np.arange(table.n_units), [0] * len(table.quasi))
        base, ups, starts = ids, [], [0, n_groups]
        first = first_of(ids, n_groups)
        for step in range(1, n_levels):
            parent, n_parents = group_units(table, first, [step] * len(table.quasi))
            ups.append(parent + starts[-1])
            starts.append(starts[-1] + n_parents)
            # Groups only merge on the way up, so one unit of each is enough to find its parent.
            first = first[first_of(parent, n_parents)]
        top = np.full(len(first), UNSAFE)
        up = np.concatenate([*ups, top]).astype(np.int32)
        return cls(table, base, up, np.array(starts, dtype=np.int64))

    @property
    def n_levels(self) -> int:
        return len(self.start) - 1

    def at(self, level: int) -> NDArray[np.int32]:
        """The group of every unit at a level (from 0)."""
        groups = self.base
        for _ in range(level):
            groups = self.up[groups]
        return groups

    def level_of(self, groups: NDArray[np.integer]) -> NDArray[np.int64]:
        """The level (from 0) at which groups are."""
        return np.searchsorted(self.start, groups, side="right") - 1

    def climb(self, members: UnitNumbers, k: int, requirements: Requirements) -> Marks:
        from shoal.kernels.tree.ladder import climb_ladder

        if requirements.beyond_size or self.table.weight is not None:
            return self._climb_judging(members, k, requirements)
        out = np.empty(len(members), dtype=np.int32)
        counts = np.zeros(len(self.up), dtype=np.int32)
        climb_ladder(members, max(k, requirements.least), self.base, self.up, counts, out)
        return out

    def _climb_judging(self, members: UnitNumbers, k: int, requirements: Requirements) -> Marks:
        """The same where more than sizes must be judged, level by level."""
        out = np.full(len(members), UNSAFE, dtype=np.int32)
        left = np.arange(len(members))
        for level in range(self.n_levels):
            groups = self.at(level)[members[left]]
            shown, group = np.unique(groups, return_inverse=True)
            sizes = count_weights(self.table, members[left], group, len(shown))
            unit_class = np.full(self.table.n_units, SUPPRESSED, dtype=np.int32)
            unit_class[members[left]] = group
            failing = requirements.failing(Partition(unit_class, len(shown)))
            released = (~failing & (sizes >= k))[group]
            out[left[released]] = groups[released]
            left = left[~released]
        return out

    def take_singly(self, offer: Offer) -> Taken:
        from shoal.kernels.tree.ladder import take_singly

        if offer.requirements.beyond_size:
            return self._take_judging(offer)
        released, taken = offer.nobody(len(self.base))
        take_singly(
            offer.unsafe, offer.offered, offer.least, self.base, self.up,
            np.zeros(len(self.up), dtype=np.int32), np.full(len(self.up), -1, dtype=np.int32),
            np.full((self.n_levels, len(self.base)), -1, dtype=np.int32), released, taken,
        )  # fmt: skip
        return released, taken

    def _take_judging(self, offer: Offer) -> Taken:
        """The same where more than sizes must be judged."""
        released, taken = offer.nobody(len(self.base))
        waiting: dict[int, list[int]] = {}
        n_waiting = 0

        def join(unit: int) -> list[int]:
            path, group = [], int(self.base[unit])
            while group >= 0:
                waiting.setdefault(group, []).append(unit)
                path.append(group)
                group = int(self.up[group])
            return path

        for unit in offer.unsafe.tolist():
            join(unit)
            n_waiting += 1
        for i, unit in enumerate(offer.offered.tolist()):
            if n_waiting == 0:
                break
            taken[i] = True
            n_waiting += 1
            for group in join(unit):
                members = [u for u in waiting[group] if released[u] == UNSAFE]
                waiting[group] = members
                if len(members) < offer.least:
                    continue
                if offer.requirements.holds(np.array(members, dtype=np.int32)):
                    released[members] = group
                    n_waiting -= len(members)
                    break
        return released, taken

    def take_classes(self, offer: Offer) -> Taken:
        from shoal.kernels.tree.ladder import take_classes

        released, taken = offer.nobody(len(self.base))
        need = np.zeros((len(self.up), 4), dtype=np.int32)
        for level in range(self.n_levels):
            if offer.requirements.beyond_size or self._single(level):
                self._fill_groups(level, offer, released, taken)
                continue
            take_classes(
                offer.unsafe, offer.offered, offer.rank, offer.least, self.at(level), need,
                released, taken,
            )  # fmt: skip
        return released, taken

    def _single(self, level: int) -> bool:
        """Whether everyone is alike at this level."""
        return bool(self.start[level + 1] - self.start[level] == 1)

    def _fill_groups(
        self, level: int, offer: Offer, released: Marks, taken: NDArray[np.bool_]
    ) -> None:
        """Fill the unsafe groups of a level one by one, where rows are added singly or judged."""
        groups = self.at(level)
        left = offer.unsafe[released[offer.unsafe] == UNSAFE]
        free = np.flatnonzero(~taken)
        for group in dict.fromkeys(groups[left].tolist()):
            own = left[groups[left] == group]
            mine = free[groups[offer.offered[free]] == group]
            chosen = offer.portion(own, mine, self._single(level))
            if len(chosen):
                released[own] = group
                released[offer.offered[chosen]] = group
                taken[chosen] = True

    def classes(self, marks: Marks, batch: NDArray[np.int32] | None) -> Partition:
        kept = marks != UNSAFE
        keys = marks.astype(np.int64)
        if batch is not None:
            keys = keys + batch.astype(np.int64) * len(self.up)
        number, first = number_keys(keys[kept])
        shown = keys[kept][first]
        unit_class = np.full(len(marks), SUPPRESSED, dtype=np.int32)
        unit_class[kept] = number
        steps = self.level_of(shown % len(self.up))
        level = np.zeros(len(marks), dtype=np.int16)
        level[kept] = steps[number] + 1
        tops = np.array([tree.height - 1 for tree in trees_of(self.table)])
        heights = np.minimum(steps[:, None], tops[None, :]).astype(np.int16)
        return Partition(unit_class, len(shown), heights, level)


def group_units(table: Table, units: UnitNumbers, levels: Sequence[int]) -> tuple[Marks, int]:
    """Number the vectors of these units at a level vector, from 0 in order of first appearance.

    Where a hierarchy is shorter than its level its top is repeated.
    """
    from shoal.kernels.group import add_keys, group_keys

    keys = np.zeros(len(units), dtype=np.int64)
    out = np.empty(len(units), dtype=np.int32)
    room = 1
    for attribute, domain, level in zip(table.schema.quasi, table.quasi, levels, strict=True):
        assert domain.tree is not None
        nodes = domain.tree.node[min(level, domain.tree.height - 1)]
        nodes = (nodes - nodes.min()).astype(np.int64)
        base = int(nodes.max()) + 1
        # Before keys outgrow 64 bits they are numbered densely.
        if room * base >= 2**62:
            room = group_keys(keys, out)
            keys[:] = out
        add_keys(keys, table.unit_codes(attribute.name), nodes, units, base)
        room *= base
    return out, group_keys(keys, out)


def count_weights(
    table: Table, units: UnitNumbers, group: NDArray[np.integer[Any]], n_groups: int
) -> NDArray[np.int64]:
    """How many rows or people the units of each group stand for."""
    if table.weight is None:
        return np.bincount(group, minlength=n_groups)
    # Sums of whole numbers below 2^53 are exact.
    return np.bincount(group, table.weight[units], n_groups).astype(np.int64)


def number_keys(keys: NDArray[np.int64]) -> tuple[Marks, NDArray[np.int64]]:
    """Equal keys numbered alike, in order of first appearance, and where each first appears."""
    from shoal.kernels.group import group_keys

    out = np.empty(len(keys), dtype=np.int32)
    return out, first_of(out, group_keys(keys, out))
