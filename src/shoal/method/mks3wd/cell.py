"""Cells of a lattice: groups at level vectors, released in order of their own loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.hierarchy import Tree
from shoal.method.mks3wd.climb import UNSAFE, Marks, UnitNumbers
from shoal.model.base import Bound, Reach
from shoal.model.requirement import Requirements
from shoal.table.space import starts_of

if TYPE_CHECKING:
    from shoal.kernels.requirement import ClassTrial
    from shoal.kernels.tree.lattice import Agenda, Block, Judge, Tuples, Vectors

# Attributes are looked up as one while their levels times their codes are no more than this.
_MOST_ENTRIES = 8_192
# This many tuples are kept of vectors that are visited again, of 4 bytes each.
_MOST_KEPT = 1 << 24

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class JointColumn:
    """Some quasi-identifiers as one: of all their levels and all their codes the node and the loss.

    A level of the column is the levels of its attributes as digits, a code likewise. `sizes` are
    how many levels and how many codes each attribute has.
    """

    attributes: tuple[int, ...]
    sizes: tuple[tuple[int, int], ...]
    node: Ints
    loss: NDArray[np.float64]

    @classmethod
    def of(cls, attribute: int, tree: Tree, scale: float) -> JointColumn:
        """One attribute; a loss of 1 is `scale`."""
        # From 0 at every level: the fewer numbers a column needs, the sooner keys fit into 64 bits.
        nodes = (tree.node - tree.node.min(axis=1, keepdims=True)).astype(np.int64)
        under = (tree.n_under(tree.node) - 1).astype(np.float64)
        loss = under * (scale / max(tree.n_leaves - 1, 1))
        return cls((attribute,), ((tree.height, tree.n_leaves),), nodes, loss)

    @property
    def n_nodes(self) -> int:
        return int(self.node.max()) + 1

    def joined(self, other: JointColumn) -> JointColumn:
        """Both as one: look-ups in one table instead of two."""
        n_levels = len(self.node) * len(other.node)
        node = self.node[:, None, :, None] * other.n_nodes + other.node[None, :, None, :]
        loss = self.loss[:, None, :, None] + other.loss[None, :, None, :]
        return JointColumn(
            self.attributes + other.attributes,
            self.sizes + other.sizes,
            node.reshape(n_levels, -1),
            loss.reshape(n_levels, -1),
        )

    def levels(self, vectors: NDArray[np.int16]) -> Ints:
        """The level of this column in each vector."""
        return self._digits(vectors, 0)

    def codes(self, codes: NDArray[np.int32]) -> Ints:
        """The code of this column in each tuple."""
        return self._digits(codes, 1)

    def _digits(self, given: NDArray[Any], axis: int) -> Ints:
        number = np.zeros(len(given), dtype=np.int64)
        for j, size in zip(self.attributes, self.sizes, strict=True):
            number = number * size[axis] + given[:, j]
        return number


def join_columns(columns: Sequence[JointColumn]) -> list[JointColumn]:
    """As few columns as the size of a table allows, the smallest joined first."""
    joined: list[JointColumn] = []
    for column in sorted(columns, key=lambda c: c.node.size):
        if joined and joined[-1].node.size * column.node.size <= _MOST_ENTRIES:
            joined[-1] = joined[-1].joined(column)
        else:
            joined.append(column)
    return joined


@dataclass(frozen=True)
class PackedLattice:
    """Vectors and tuples as the kernel takes them.

    vectors[place] are the levels of attributes, levels[place] those of columns, codes[tuple] the
    codes of columns; a column's look-ups begin at begins[column][level].
    """

    vectors: NDArray[np.int16]
    levels: Ints
    codes: NDArray[np.int32]
    columns: list[JointColumn]
    begins: list[Ints]
    entries: Vectors

    @classmethod
    def of(
        cls, trees: Sequence[Tree], codes: NDArray[np.int32], vectors: NDArray[np.int16]
    ) -> PackedLattice:
        """All that does not depend on who climbs."""
        from shoal.kernels.tree.lattice import STEPS, Vectors

        scale = STEPS / len(trees)
        columns = join_columns([JointColumn.of(j, tree, scale) for j, tree in enumerate(trees)])
        wide = float(np.prod([float(c.n_nodes) for c in columns])) >= 2.0**62
        parts, begins, stride, end = [], [], 1, 0
        for column in columns:
            parts.append((column.node.astype(np.uint64) * np.uint64(stride)).ravel())
            begins.append(end + np.arange(len(column.node)) * column.node.shape[1])
            # Odd factors keep the nodes of one column apart even where the product overflows.
            stride = stride * (0x9E3779B97F4A7C15 if wide else column.n_nodes) % 2**64
            end += column.node.size
        losses = np.concatenate([column.loss.ravel() for column in columns])
        levels = _levels(vectors, columns)
        own = np.stack([column.codes(codes) for column in columns], axis=1).astype(np.int32)
        entries = Vectors(_rows(levels, begins), np.concatenate(parts), losses, wide)
        return cls(vectors, levels, own, columns, begins, entries)

    def climb(
        self,
        members: UnitNumbers,
        tuples: Marks,
        weight: NDArray[np.int64],
        k: int,
        requirements: Requirements,
    ) -> Marks:
        """Release cells of at least k members that hold what is required; the mark of every tuple.

        `weight` is the number of members of each tuple.
        """
        k = max(k, requirements.least, _fewest(requirements))
        present = np.flatnonzero(weight)
        crowd = _crowd(self.codes[present], weight[present])
        out = np.full(len(present), UNSAFE, dtype=np.int32)
        judge, asked = None, requirements.asked(len(members))
        if asked is not None:
            number = np.full(len(self.codes), UNSAFE)
            number[present] = np.arange(len(present))
            judge = _judge(members, number[tuples], len(crowd.table), requirements)
        self._climb_steps(crowd, k, judge, asked, out)
        marks = np.full(len(self.codes), UNSAFE, dtype=np.int32)
        marks[present] = out
        return marks

    def _climb_steps(
        self, crowd: Tuples, k: int, judge: Judge | None, asked: ClassTrial | None, out: Marks
    ) -> None:
        """Step by step, visit the vectors that may have a cell of that step."""
        from shoal.kernels.tree.lattice import BLOCK, LEFT, NOBODY, STEPS, climb_block

        agenda = _agenda(len(self.vectors), len(crowd.codes))
        for step in range(STEPS + 1):
            due, n_left = np.flatnonzero(agenda.step == step), int(crowd.state[LEFT])
            if n_left == 0:
                break
            # Where a vector was visited before, its step is that of a cell.
            fresh = due[agenda.begin[due] == NOBODY]
            if len(fresh):
                least = self._least_steps(crowd.codes[crowd.left[:n_left]], fresh)
                agenda.step[fresh] = np.maximum(least, step)
                due = due[agenda.step[due] == step]
            for start in range(0, len(due), BLOCK):
                places = due[start : start + BLOCK]
                block = self._block(places, places[agenda.begin[places] == NOBODY], step)
                climb_block(self.entries, block, crowd, k, judge, asked, agenda, out)

    def _least_steps(self, codes: NDArray[np.int32], places: Ints) -> Ints:
        """The least step of loss that a cell of each vector may have, column by column."""
        from shoal.kernels.tree.lattice import TINY

        # A sum that misses a step by rounding alone belongs to that step.
        least = np.full(len(places), TINY)
        for j, column in enumerate(self.columns):
            present = np.flatnonzero(np.bincount(codes[:, j]))
            of_level = column.loss[:, present].min(axis=1)
            least += of_level[self.levels[places, j]]
        return least.astype(np.int64)

    def _block(self, places: Ints, fresh: Ints, step: int) -> Block:
        """Vectors to visit; runs of the fresh ones, the most alike, share probes."""
        from shoal.kernels.tree.lattice import RUNS, Block

        vectors = self.vectors[fresh]
        order = np.lexsort(vectors.T[::-1])
        probes = [
            np.maximum.reduceat(vectors[order], np.arange(0, len(fresh), run), axis=0)
            for run in RUNS
        ]
        rows = tuple(_rows(_levels(probe, self.columns), self.begins) for probe in probes)
        return Block(places, fresh[order], rows, step)


def _levels(vectors: NDArray[np.int16], columns: list[JointColumn]) -> Ints:
    return np.stack([column.levels(vectors) for column in columns], axis=1)


def _rows(levels: Ints, begins: list[Ints]) -> NDArray[np.uint32]:
    return np.stack([b[levels[:, j]] for j, b in enumerate(begins)], axis=1).astype(np.uint32)


def _crowd(codes: NDArray[np.int32], weight: NDArray[np.int64]) -> Tuples:
    from shoal.kernels.tree.lattice import RUNS, STEPS, Tuples

    n, room = len(codes), 64
    # A power of two, since a mask finds the place of a key, and at most half of it in use.
    while room < 2 * n:
        room *= 2
    return Tuples(
        codes=np.ascontiguousarray(codes),
        weight=weight.astype(np.int32),
        left=np.arange(n, dtype=np.int32),
        sifted=np.zeros((len(RUNS), n), dtype=np.int32),
        tally=np.zeros(room, dtype=np.int32),
        chosen=np.zeros(n, dtype=np.int32),
        step=np.zeros(n, dtype=np.int16),
        slot=np.zeros(n, dtype=np.uint32),
        table=np.zeros((room, 4), dtype=np.int64),
        n_of_step=np.zeros(STEPS + 1, dtype=np.int64),
        state=np.array([n, 0, 0], dtype=np.int64),
    )


def _agenda(n_vectors: int, n_tuples: int) -> Agenda:
    """All are due at once; what they keep gets room for the largest."""
    from shoal.kernels.tree.lattice import NOBODY, Agenda

    return Agenda(
        step=np.zeros(n_vectors, dtype=np.int64),
        later=np.zeros(n_vectors, dtype=np.int64),
        begin=np.full(n_vectors, NOBODY, dtype=np.int64),
        end=np.zeros(n_vectors, dtype=np.int64),
        kept=np.empty(max(n_tuples, min(_MOST_KEPT, n_vectors * n_tuples)), dtype=np.int32),
    )


def _judge(
    members: UnitNumbers, number: NDArray[np.int64], room: int, requirements: Requirements
) -> Judge:
    """Members by the number of their tuple, and room for as many slots."""
    from shoal.kernels.tree.lattice import FAILED, Judge

    sizes = np.bincount(number)
    # A fixed seed: names only tell groups apart, and nothing that is published depends on them.
    names = np.random.default_rng(0).integers(1, 2**64, len(sizes), dtype=np.uint64)
    return Judge(
        starts=starts_of(sizes),
        units=members[np.argsort(number, kind="stable")].astype(np.int32),
        name=names,
        total=np.zeros(room, dtype=np.uint64),
        head=np.zeros(room, dtype=np.int32),
        below=np.zeros(len(sizes), dtype=np.int32),
        failed=np.zeros(FAILED, dtype=np.uint64),
        needed=replace(requirements, all_bounds=_needed(requirements)).bounds,
    )


def _needed(requirements: Requirements) -> tuple[Bound, ...]:
    """Different values without which a group cannot hold: l of them, for l-diversity of any kind.

    A part of a group never has more of them than the whole.
    """
    varied = (Reach.DISTINCT, Reach.FREQUENCY, Reach.ENTROPY)
    # An l that is a hair above a whole number by rounding must not ask for one value more.
    return tuple(
        Bound(Reach.DISTINCT, float(ceil(b.limit - 1e-6)), b.attribute)
        for b in requirements.all_bounds
        if b.reach in varied
    )


def _fewest(requirements: Requirements) -> int:
    """How many rows the required values need: smaller groups are not judged."""
    # A person with several rows may hold several values.
    if requirements.table.people is not None:
        return 1
    return max([int(b.limit) for b in _needed(requirements)], default=1)
