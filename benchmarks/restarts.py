"""A strong local search of the least edge sum, for small tables: many random starts, all steps.

It shares nothing with the method that is measured against it: the full matrix of distances, groups
of equal size at random, then the best of all moves and all swaps until none gains.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_GAIN = 1e-9


def edge_sum(matrix: Floats, labels: NDArray[np.integer]) -> float:
    """The sum of the distances of all pairs inside groups."""
    inside = labels[:, np.newaxis] == labels
    return float(matrix[inside].sum()) / 2


def best_of_restarts(matrix: Floats, k: int, restarts: int, seed: int) -> float:
    """The least edge sum of so many random starts, each followed to its end."""
    rng = np.random.default_rng(seed)
    return min(edge_sum(matrix, descend(matrix, k, rng)) for _ in range(restarts))


def descend(matrix: Floats, k: int, rng: np.random.Generator) -> Ints:
    """Groups of at least k from a random start, from which no move and no swap gains."""
    n = len(matrix)
    labels = rng.permutation(np.arange(n) % (n // k))
    while True:
        to_group = matrix @ np.eye(n // k)[labels]
        own = to_group[np.arange(n), labels]
        swaps = (own[:, np.newaxis] - to_group[:, labels]) + matrix
        swaps = swaps + swaps.T
        swaps[labels[:, np.newaxis] == labels] = 0.0
        one, other = np.unravel_index(int(swaps.argmax()), swaps.shape)
        moves = own[:, np.newaxis] - to_group
        moves[np.bincount(labels)[labels] <= k] = 0.0
        unit, group = np.unravel_index(int(moves.argmax()), moves.shape)
        if max(moves[unit, group], swaps[one, other]) <= _GAIN:
            return labels
        if moves[unit, group] > swaps[one, other]:
            labels[unit] = group
        else:
            labels[one], labels[other] = labels[other], labels[one]
