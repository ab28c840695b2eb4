"""Level vectors: which of a lattice are visited, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.hierarchy import Tree
from shoal.table import Table

DECIMALS = 12
"""Losses that agree to this many decimals are equal, so that rounding does not order vectors."""

MOST = 100_000
"""At most this many vectors are held: schemes look through all of them for single rows."""

HEIGHTS = 64
"""A lattice that is too large is divided into this many heights."""


def trees_of(table: Table) -> list[Tree]:
    """The hierarchies of the quasi-identifiers."""
    return [d.tree for d in table.quasi if d.tree is not None]


def different_levels(tree: Tree, n_of_code: NDArray[np.integer]) -> NDArray[np.int16]:
    """The levels that tell fewer of the codes that occur apart than the level below; the lowest.

    The others have the groups of the level below and lose as much or more: steps of a width that
    every value has to itself, repeated tops.
    """
    present = np.flatnonzero(n_of_code)
    # The original values are always a level, since there is none below to compare them with.
    n_groups = [len(np.unique(level[present])) for level in tree.node]
    return np.flatnonzero(np.diff(n_groups, prepend=len(present) + 1) < 0).astype(np.int16)


def count_vectors(table: Table) -> int:
    """How many level vectors there are, of the levels that differ."""
    n_vectors = 1
    for attribute, domain in zip(table.schema.quasi, table.quasi, strict=True):
        assert domain.tree is not None
        n_of_code = np.bincount(table.unit_codes(attribute.name), minlength=len(domain))
        n_vectors *= len(different_levels(domain.tree, n_of_code))
    return n_vectors


@dataclass(frozen=True)
class Steps:
    """Of each quasi-identifier the levels that differ; of each of them mean loss and bits.

    The mean loss is that of a unit by `glm`. Bits are the entropy of what is published at a level.
    Summed over a vector they are its height: how finely it tells units apart, were the
    quasi-identifiers independent.
    """

    levels: Sequence[NDArray[np.int16]]
    losses: Sequence[NDArray[np.float64]]
    bits: Sequence[NDArray[np.float64]]

    @classmethod
    def of(cls, table: Table, codes: NDArray[np.int32], people: NDArray[np.int64]) -> Steps:
        """Of different tuples, and how many units each stands for."""
        levels, losses, bits = [], [], []
        n = max(int(people.sum()), 1)
        for j, domain in enumerate(table.quasi):
            tree = domain.tree
            assert tree is not None
            of_code = np.bincount(codes[:, j], weights=people, minlength=len(domain))
            levels.append(different_levels(tree, np.bincount(codes[:, j], minlength=len(domain))))
            nodes = tree.node[levels[-1]]
            lost = (tree.n_under(nodes) - 1) * of_code
            losses.append(lost.sum(axis=1) / (max(len(domain) - 1, 1) * n))
            shares = [np.bincount(level, weights=of_code) / n for level in nodes]
            bits.append(np.array([_entropy(share) for share in shares]))
        return cls(levels, losses, bits)

    @property
    def n_vectors(self) -> int:
        """How many level vectors there are."""
        # Python's integers: the levels of many attributes multiply to more than 64 bits.
        return int(np.prod([len(loss) for loss in self.losses], dtype=object))


def _entropy(share: NDArray[np.float64]) -> float:
    some = share[share > 0]
    return float(-(some * np.log2(some)).sum())


def most_vectors(budget: int, n_tuples: int) -> int:
    """How many vectors a budget of look-ups allows for this many different tuples; at least one."""
    return max(min(budget // max(n_tuples, 1), MOST), 1)


def order_vectors(steps: Steps, most: int) -> NDArray[np.int16]:
    """Vectors in order of mean loss, then of the sum of levels, then from left to right.

    All of them, or `most` where there are more: the top, where nobody is lost, and of every height
    those of the least loss. They are sought attribute by attribute, and only the beginnings are
    kept that are among the cheapest of their own height: a beam, which may miss a few.

    >>> losses, bits = [np.array([0, 0.5]), np.array([0, 0.25])], [np.array([1.0, 0])] * 2
    >>> steps = Steps([np.array([0, 1]), np.array([0, 3])], losses, bits)
    >>> order_vectors(steps, 4).tolist()
    [[0, 0], [0, 3], [1, 0], [1, 3]]
    >>> order_vectors(steps, 3).tolist()
    [[0, 0], [0, 3], [1, 3]]
    """
    vectors, loss, height = np.zeros((1, 0), dtype=np.int16), np.zeros(1), np.zeros(1)
    for levels, own_loss, own_bits in zip(steps.levels, steps.losses, steps.bits, strict=True):
        n_vectors, n_levels = len(vectors), len(levels)
        vectors = np.repeat(vectors, n_levels, axis=0)
        vectors = np.column_stack([vectors, np.tile(levels.astype(np.int16), n_vectors)])
        loss = np.repeat(loss, n_levels) + np.tile(own_loss, n_vectors)
        height = np.repeat(height, n_levels) + np.tile(own_bits, n_vectors)
        if len(vectors) > most:
            kept = _cheapest(vectors, loss, height, most)
            vectors, loss, height = vectors[kept], loss[kept], height[kept]
    return vectors[_by_loss(vectors, loss)]


def _by_loss(vectors: NDArray[np.int16], loss: NDArray[np.float64]) -> NDArray[np.int64]:
    sums = vectors.sum(axis=1, dtype=np.int64)
    return np.lexsort([*vectors.T[::-1], sums, np.round(loss, DECIMALS)])


def _cheapest(
    vectors: NDArray[np.int16], loss: NDArray[np.float64], height: NDArray[np.float64], most: int
) -> NDArray[np.int64]:
    """The top, and as many of the cheapest of every height as fit."""
    top = (vectors == vectors.max(axis=0)).all(axis=1)
    scale = HEIGHTS / max(float(height.max()), 1e-9)
    # Rounded first, since the last bit of a sum of entropies is not the same on every machine.
    of = np.minimum((np.round(height, 9) * scale).astype(np.int64), HEIGHTS - 1)
    order = _by_loss(vectors, loss)
    order = order[np.argsort(of[order], kind="stable")]
    order = order[~top[order]]
    counts = np.bincount(of[order], minlength=HEIGHTS)
    rank = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    # The cheapest of every height, then the second of every height, and so on: the cheapest of all
    # are nearly all of the finest heights, where hardly a group reaches k.
    chosen = order[np.argsort(rank, kind="stable")][: most - 1]
    return np.append(chosen, np.flatnonzero(top))
