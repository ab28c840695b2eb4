"""A hierarchy bound to the values of a domain: leaves as codes, nodes as ranges of codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.hierarchy.level import ROOT, Bools, Ints, Level

Number = TypeVar("Number", np.int32, np.int16)


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """The leaves of a domain in depth-first order, so that every node is a range of codes.

    Code p stands for `values[order[p]]`. `node[c, p]` is the node of leaf p at level c, level 0
    being the original; node ids count up level by level and, within a level, from left to right,
    so the id of a leaf is its code. Of each node: `first` and `last` code (inclusive), `level`,
    and `labels` (None is published as empty). `join[p]` is the lowest level at which the leaves p
    and p + 1 share a node, `height` where they never do. All arrays are read-only.
    """

    height: int
    n_leaves: int
    order: NDArray[np.int32]
    node: NDArray[np.int32]
    first: NDArray[np.int32]
    last: NDArray[np.int32]
    level: NDArray[np.int16]
    labels: tuple[str | None, ...]
    join: NDArray[np.int16]

    @property
    def n_nodes(self) -> int:
        """How many nodes there are on all levels together, leaves included."""
        return len(self.labels)

    @property
    def n_tops(self) -> int:
        """How many nodes there are at the highest level: tops over the values of the domain."""
        return int(np.count_nonzero(self.level == self.height - 1))

    def closed(self, declared_tops: int = 1) -> Tree:
        """The same with one root: where there are several tops, `*` is one level above them.

        What counts are the tops over the values of the domain, present or declared; a top that
        nobody can stand under makes no difference. Where the hierarchy counts as it was declared,
        `declared_tops` tells how many tops it has there.
        """
        if max(self.n_tops, declared_tops) <= 1:
            return self
        root = np.full((1, self.n_leaves), self.n_nodes, dtype=np.int32)
        return replace(
            self,
            height=self.height + 1,
            node=_read_only(np.vstack([self.node, root])),
            first=_read_only(np.append(self.first, np.int32(0))),
            last=_read_only(np.append(self.last, np.int32(self.n_leaves - 1))),
            level=_read_only(np.append(self.level, np.int16(self.height))),
            labels=(*self.labels, ROOT),
        )

    def cover(self, first: ArrayLike, last: ArrayLike) -> NDArray[np.int32]:
        """The lowest node that contains both ends of each range of codes, -1 where none does."""
        left, right = np.broadcast_arrays(np.asarray(first), np.asarray(last))
        found = np.full(left.shape, -1, dtype=np.int32)
        # From the top down: the lowest node that still holds both ends is written last.
        for nodes in self.node[::-1]:
            found = np.where(nodes[left] == nodes[right], nodes[left], found)
        return found

    def n_under(self, nodes: ArrayLike) -> NDArray[np.int32]:
        """How many leaves are under each node."""
        chosen = np.asarray(nodes)
        return np.asarray(self.last[chosen] - self.first[chosen] + 1, dtype=np.int32)


def grow(values: Sequence[str | None], rank: Ints, upper: Sequence[Level]) -> Tree:
    """The tree over these values; siblings are in the order of their smallest rank.

    `rank` numbers the values from 0 in their natural order.
    """
    smallest = [rank, *(_smallest_rank(level, rank) for level in upper)]
    # lexsort goes by the last key first: the tops, then what is below them.
    order = np.lexsort(smallest)
    begins = np.ones((len(smallest), len(values)), dtype=np.bool_)
    for level, ranks in enumerate(smallest):
        begins[level, 1:] = np.diff(ranks[order]) != 0
    _check_nesting(begins, smallest)
    first = np.nonzero(begins)[1]
    node = np.cumsum(begins.ravel()).reshape(begins.shape) - 1
    return Tree(
        height=len(smallest),
        n_leaves=len(values),
        order=_fixed(order),
        node=_fixed(node),
        first=_fixed(first),
        last=_fixed(_last(begins)),
        level=_fixed_short(np.nonzero(begins)[0]),
        labels=_labels(values, upper, begins, order),
        join=_fixed_short(begins[:, 1:].sum(axis=0)),
    )


def flat_tree(values: Sequence[str | None]) -> Tree:
    """The tree of values that nothing but the root is above, in their own order."""
    return grow(values, np.arange(len(values)), [Level.root(len(values))])


def _smallest_rank(level: Level, rank: Ints) -> Ints:
    """For each value, the smallest rank in its node; that also tells nodes apart."""
    smallest = np.full(len(level.labels), len(rank), dtype=np.int64)
    np.minimum.at(smallest, level.codes, rank)
    return smallest[level.codes]


def _check_nesting(begins: Bools, smallest: Sequence[Ints]) -> None:
    """Each node has one leaf whose rank is the smallest, and must begin once."""
    n_nodes = [int((ranks == smallest[0]).sum()) for ranks in smallest]
    if begins.sum(axis=1).tolist() != n_nodes:
        raise ValueError("Each node of a level must lie within one node of the next level.")


def _last(begins: Bools) -> Ints:
    """The code before the next beginning, or the last code of all."""
    ends = np.ones_like(begins)
    ends[:, :-1] = begins[:, 1:]
    return np.nonzero(ends)[1]


def _labels(
    values: Sequence[str | None], upper: Sequence[Level], begins: Bools, order: NDArray[np.intp]
) -> tuple[str | None, ...]:
    labels = [values[place] for place in order.tolist()]
    for level, starts in zip(upper, begins[1:], strict=True):
        labels += [level.labels[code] for code in level.codes[order[starts]].tolist()]
    return tuple(labels)


def _fixed(numbers: NDArray[np.int64]) -> NDArray[np.int32]:
    return _read_only(numbers.astype(np.int32))


def _fixed_short(numbers: NDArray[np.int64]) -> NDArray[np.int16]:
    return _read_only(numbers.astype(np.int16))


def _read_only(array: NDArray[Number]) -> NDArray[Number]:
    array.setflags(write=False)
    return array
