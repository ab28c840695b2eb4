"""What a lattice that is too large serves badly, handed to Mondrian where that loses less."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.hierarchy import Tree
from shoal.method.baseline.mondrian import cut_rows
from shoal.method.mks3wd.climb import UNSAFE, Marks, UnitNumbers
from shoal.method.mks3wd.vector import DECIMALS, trees_of
from shoal.model.requirement import Requirements
from shoal.table import Table
from shoal.table.space import packed_rows, space_of

# This many times, the half that loses most of the last half is tried.
_HALVINGS = 8

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Cut:
    """Units in classes, one after the other: where each class begins, and its level vector."""

    units: UnitNumbers
    starts: NDArray[np.int64]
    vectors: NDArray[np.int16]

    @property
    def sizes(self) -> NDArray[np.int64]:
        return np.diff(self.starts, append=len(self.units))


@dataclass(frozen=True)
class Rest:
    """Classes by Mondrian, each at the lowest level vector that covers it.

    `vectors` are those of all that was handed over; they grow with every climb.
    """

    table: Table
    vectors: list[tuple[int, ...]] = field(default_factory=list)

    @cached_property
    def rows(self) -> NDArray[Any]:
        return packed_rows(self.table)

    @cached_property
    def trees(self) -> list[Tree]:
        return trees_of(self.table)

    def improve(
        self,
        units: UnitNumbers,
        marks: Marks,
        visited: NDArray[np.int16],
        tops: Marks,
        k: int,
        requirements: Requirements,
    ) -> Marks:
        """Marks of the same units that lose no more: who was left at some vector is cut instead.

        Tried are all units, the half that loses most, half of that, and so on; the one that
        loses least is taken. So no climb loses more than Mondrian does. tops[unit] is the group of
        a unit at the top, which no class crosses. Marks beyond `visited` are those of `vectors`.
        """
        # A unit that is left out counts above all others, also above those at the top.
        own = np.where(marks == UNSAFE, 1.0, self._losses(units, visited[marks]))
        late = np.where(marks == UNSAFE, 2.0, np.round(own, DECIMALS))
        lost = np.zeros(self.table.n_units)
        lost[units] = own
        best: list[Cut] = []
        # Less than this is rounding, and leaves everybody where the climb released them.
        least_gain, ordered = 1e-9, np.sort(late)
        for halving in reversed(range(_HALVINGS)):
            # Whoever loses as much stays together: groups are cut as a whole.
            rest = units[late >= ordered[len(units) - max(len(units) >> halving, 1)]]
            cuts = self._cut(rest, tops, k, requirements)
            gain = sum(self._gain(cut, lost) for cut in cuts)
            if gain > least_gain:
                best, least_gain = cuts, gain
        return self._marked(units, marks, best, len(visited))

    def _gain(self, cut: Cut, lost: Floats) -> float:
        vectors = np.repeat(cut.vectors, cut.sizes, axis=0)
        return float((lost[cut.units] - self._losses(cut.units, vectors)).sum())

    def _marked(self, units: UnitNumbers, marks: Marks, cuts: list[Cut], n_visited: int) -> Marks:
        place_of = np.empty(self.table.n_units, dtype=np.int64)
        place_of[units] = np.arange(len(units))
        marks = marks.copy()
        for cut in cuts:
            found, which = np.unique(cut.vectors, axis=0, return_inverse=True)
            first = n_visited + len(self.vectors)
            self.vectors.extend(map(tuple, found.tolist()))
            marks[place_of[cut.units]] = first + np.repeat(which.ravel(), cut.sizes)
        return marks

    def _losses(self, units: UnitNumbers, vectors: NDArray[np.int16]) -> Floats:
        """The `glm` of each unit, published at a level vector of its own."""
        lost = np.zeros(len(units))
        for j, tree in enumerate(self.trees):
            nodes = tree.node[vectors[:, j], self.rows[units, j]]
            lost += (tree.n_under(nodes) - 1) / max(tree.n_leaves - 1, 1)
        return lost / len(self.trees)

    def _cut(
        self, units: UnitNumbers, tops: Marks, k: int, requirements: Requirements
    ) -> list[Cut]:
        """The units of each top in classes; those of a top that cannot hold are in none."""
        order = units[np.argsort(tops[units], kind="stable")]
        begins = np.flatnonzero(np.diff(tops[order], prepend=-1))
        cuts = []
        for group in np.split(order, begins[1:]):
            if len(group) >= k and requirements.holds(group.astype(np.int32)):
                cuts.append(self._cut_group(group, k, requirements))
        return cuts

    def _cut_group(self, group: UnitNumbers, k: int, requirements: Requirements) -> Cut:
        space = space_of(self.table.quasi, "glm")
        marked, units = cut_rows(
            self.rows[group], group.astype(np.int32), space, requirements, "loss", least=k
        )
        starts = np.flatnonzero(marked)
        vectors = np.empty((len(starts), len(self.trees)), dtype=np.int16)
        for j, tree in enumerate(self.trees):
            codes = self.rows[units, j]
            ends = np.minimum.reduceat(codes, starts), np.maximum.reduceat(codes, starts)
            vectors[:, j] = tree.level[tree.cover(*ends)]
        return Cut(units.astype(np.int64), starts, vectors)
