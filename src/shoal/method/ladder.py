"""A ladder of nested groups: all hierarchies one level up at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.model.requirement import Requirements
from shoal.partition import SUPPRESSED, Partition
from shoal.table import Table

UNSAFE = -1


@dataclass(frozen=True)
class Ladder:
    """The groups of all levels, numbered end to end from the finest level on.

    base[unit] is a unit's finest group, up[group] the group of the next level that holds it (-1 at
    the top); level c (from 0) has the groups start[c] … start[c+1].
    """

    table: Table
    base: NDArray[np.int32]
    up: NDArray[np.int32]
    start: NDArray[np.int64]

    @classmethod
    def of(cls, table: Table) -> Ladder:
        """Group the units at the finest level, then groups at each further one."""
        n_levels = max(d.tree.height for d in table.quasi if d.tree is not None)
        ids, n_groups = group_units(table, np.arange(table.n_units), 0)
        base, ups, starts = ids, [], [0, n_groups]
        first = _first_of(ids, n_groups)
        for step in range(1, n_levels):
            parent, n_parents = group_units(table, first, step)
            ups.append(parent + starts[-1])
            starts.append(starts[-1] + n_parents)
            first = first[_first_of(parent, n_parents)]
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
        """The level (from 0) at which groups stand."""
        return np.searchsorted(self.start, groups, side="right") - 1

    def climb(
        self, members: NDArray[np.int64], k: int, requirements: Requirements
    ) -> NDArray[np.int32]:
        """Release groups of at least k that hold what is asked; the group of each member, or -1."""
        from shoal.kernels.ladder import climb_ladder

        if requirements.beyond_size:
            return self._climb_judging(members, k, requirements)
        out = np.empty(len(members), dtype=np.int32)
        counts = np.zeros(len(self.up), dtype=np.int32)
        climb_ladder(members, max(k, requirements.least), self.base, self.up, counts, out)
        return out

    def _climb_judging(
        self, members: NDArray[np.int64], k: int, requirements: Requirements
    ) -> NDArray[np.int32]:
        """The same where more than sizes must be judged, level by level."""
        out = np.full(len(members), UNSAFE, dtype=np.int32)
        left = np.arange(len(members))
        for level in range(self.n_levels):
            groups = self.at(level)[members[left]]
            shown, group, sizes = np.unique(groups, return_inverse=True, return_counts=True)
            unit_class = np.full(self.table.n_units, SUPPRESSED, dtype=np.int32)
            unit_class[members[left]] = group
            failing = requirements.failing(Partition(unit_class, len(shown)))
            released = (~failing & (sizes >= k))[group]
            out[left[released]] = groups[released]
            left = left[~released]
        return out

    def partition(
        self,
        released: NDArray[np.int32],
        batch: NDArray[np.int32] | None = None,
        k: NDArray[np.int32] | None = None,
        region: NDArray[np.str_] | None = None,
    ) -> Partition:
        """Classes from the group that every unit was released in (-1: suppressed).

        Units of one group that were released in different batches are classes of their own.
        """
        kept = released != UNSAFE
        keys = released.astype(np.int64)
        if batch is not None:
            keys = keys + batch.astype(np.int64) * len(self.up)
        shown, number = np.unique(keys[kept], return_inverse=True)
        unit_class = np.full(len(released), SUPPRESSED, dtype=np.int32)
        unit_class[kept] = number
        steps = self.level_of(shown % len(self.up))
        level = np.zeros(len(released), dtype=np.int16)
        level[kept] = self.level_of(released[kept]) + 1
        tops = np.array([d.tree.height - 1 for d in self.table.quasi if d.tree is not None])
        heights = np.minimum(steps[:, None], tops[None, :]).astype(np.int8)
        return Partition(unit_class, len(shown), heights, level, k, region)


def group_units(table: Table, units: NDArray[np.int64], step: int) -> tuple[NDArray[np.int32], int]:
    """Number the vectors of these units at a level, from 0 in order of first appearance."""
    from shoal.kernels.group import add_keys, group_keys

    keys = np.zeros(len(units), dtype=np.int64)
    out = np.empty(len(units), dtype=np.int32)
    room = 1
    for attribute, domain in zip(table.schema.quasi, table.quasi, strict=True):
        assert domain.tree is not None
        nodes = domain.tree.node[min(step, domain.tree.height - 1)]
        nodes = (nodes - nodes.min()).astype(np.int64)
        base = int(nodes.max()) + 1
        if room * base >= 2**62:
            room = group_keys(keys, out)
            keys[:] = out
        add_keys(keys, table.unit_codes(attribute.name), nodes, units, base)
        room *= base
    return out, group_keys(keys, out)


def _first_of(ids: NDArray[np.int32], n: int) -> NDArray[np.int64]:
    """Where each number first appears; numbers are given in order of appearance."""
    first = np.empty(n, dtype=np.int64)
    first[ids[::-1]] = np.arange(len(ids) - 1, -1, -1)
    return first
