"""Level vectors: which of a lattice are visited, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.table import Table

DECIMALS = 12
"""Losses that agree to so many decimals are equal, so that rounding does not order vectors."""

MOST = 100_000
"""So many vectors are held at the most: schemes look through all of them for single rows."""

HEIGHTS = 64
"""Into so many heights a lattice that is too large is divided."""


@dataclass(frozen=True)
class Steps:
    """Of each level of each quasi-identifier: the mean loss of a unit by `glm`, and its bits.

    Bits are the entropy of what is published at a level. Summed over a vector they are its height:
    how finely it tells units apart, were the quasi-identifiers independent.
    """

    losses: Sequence[NDArray[np.float64]]
    bits: Sequence[NDArray[np.float64]]

    @classmethod
    def of(cls, table: Table, codes: NDArray[np.int32], people: NDArray[np.int64]) -> Steps:
        """Of different tuples, and how many units each stands for."""
        losses, bits = [], []
        n = max(int(people.sum()), 1)
        for j, domain in enumerate(table.quasi):
            tree = domain.tree
            assert tree is not None
            of_code = np.bincount(codes[:, j], weights=people, minlength=len(domain))
            lost = (tree.n_under(tree.node) - 1) * of_code
            losses.append(lost.sum(axis=1) / (max(len(domain) - 1, 1) * n))
            shares = [np.bincount(level, weights=of_code) / n for level in tree.node]
            bits.append(np.array([_entropy(share) for share in shares]))
        return cls(losses, bits)

    @property
    def n_vectors(self) -> int:
        """How many level vectors there are."""
        return int(np.prod([len(loss) for loss in self.losses], dtype=object))


def _entropy(share: NDArray[np.float64]) -> float:
    some = share[share > 0]
    return float(-(some * np.log2(some)).sum())


def most_vectors(budget: int, n_tuples: int) -> int:
    """How many vectors a budget of look-ups allows for so many different tuples; at least one."""
    return max(min(budget // max(n_tuples, 1), MOST), 1)


def order_vectors(steps: Steps, most: int) -> NDArray[np.int8]:
    """Vectors in order of mean loss, then of the sum of levels, then from left to right.

    All of them, or `most` where there are more: the top, where nobody is lost, and of every height
    those of the least loss. They are sought attribute by attribute, and only the beginnings are
    kept that are among the cheapest of their own height: a beam, which may miss a few.

    >>> losses, bits = [np.array([0, 0.5]), np.array([0, 0.25])], [np.array([1.0, 0])] * 2
    >>> order_vectors(Steps(losses, bits), 4).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> order_vectors(Steps(losses, bits), 3).tolist()
    [[0, 0], [0, 1], [1, 1]]
    """
    vectors, loss, height = np.zeros((1, 0), dtype=np.int8), np.zeros(1), np.zeros(1)
    for own_loss, own_bits in zip(steps.losses, steps.bits, strict=True):
        levels = np.tile(np.arange(len(own_loss), dtype=np.int8), len(vectors))
        vectors = np.column_stack([np.repeat(vectors, len(own_loss), axis=0), levels])
        loss = np.repeat(loss, len(own_loss)) + own_loss[levels]
        height = np.repeat(height, len(own_loss)) + own_bits[levels]
        if len(vectors) > most:
            kept = _cheapest(vectors, loss, height, most)
            vectors, loss, height = vectors[kept], loss[kept], height[kept]
    return vectors[_by_loss(vectors, loss)]


def _by_loss(vectors: NDArray[np.int8], loss: NDArray[np.float64]) -> NDArray[np.int64]:
    sums = vectors.sum(axis=1, dtype=np.int64)
    return np.lexsort([*vectors.T[::-1], sums, np.round(loss, DECIMALS)])


def _cheapest(
    vectors: NDArray[np.int8], loss: NDArray[np.float64], height: NDArray[np.float64], most: int
) -> NDArray[np.int64]:
    """The top, and as many as there is room for of the cheapest of every height."""
    top = (vectors == vectors.max(axis=0)).all(axis=1)
    scale = HEIGHTS / max(float(height.max()), 1e-9)
    # Rounded first, since the last bit of a sum of entropies is not the same on every machine.
    of = np.minimum((np.round(height, 9) * scale).astype(np.int64), HEIGHTS - 1)
    order = _by_loss(vectors, loss)
    order = order[np.argsort(of[order], kind="stable")]
    order = order[~top[order]]
    counts = np.bincount(of[order], minlength=HEIGHTS)
    rank = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    chosen = order[np.argsort(rank, kind="stable")][: most - 1]
    return np.append(chosen, np.flatnonzero(top))
