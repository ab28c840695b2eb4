"""Numbers on a line as a weighted graph: an edge weighs the difference of its ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.kernels.graph.weight import (
    DIFFERENCE,
    Groups,
    Links,
    Weights,
    fill_groups,
    room_for_groups,
)


def line(numbers: Sequence[float]) -> Weights:
    """Every unit is a number of its own."""
    n = len(numbers)
    return Weights(
        np.arange(n, dtype=np.int32).reshape(-1, 1),
        np.array([DIFFERENCE]),
        np.array([0]),
        np.array([-1]),
        np.array([0.0]),
        np.array(numbers, dtype=np.float64),
    )


def graph_of(numbers: Sequence[float], m: int) -> Links:
    """The point of every unit, the first unit of every point, and the m nearest points of each."""
    n = len(numbers)
    near = [
        sorted((q for q in range(n) if q != p), key=lambda q: (abs(numbers[p] - numbers[q]), q))[:m]
        for p in range(n)
    ]
    return Links(
        np.arange(n, dtype=np.int32),
        np.arange(n + 1, dtype=np.int64),
        np.array(near, dtype=np.int32),
    )


def groups_of(labels: Sequence[int]) -> Groups:
    """Groups by the label of every unit."""
    groups = room_for_groups(len(labels))
    fill_groups(np.array(labels, dtype=np.int32), groups)
    return groups


def labels_of(groups: Groups) -> list[list[int]]:
    """The units of every group, in order."""
    found: dict[int, list[int]] = {}
    for unit, g in enumerate(groups.group.tolist()):
        found.setdefault(g, []).append(unit)
    return sorted(found.values())


def edges_inside(numbers: Sequence[float], groups: Groups) -> float:
    """The sum of the edges inside groups, by adding up all of them."""
    return sum(
        abs(numbers[u] - numbers[v]) / 2 for own in labels_of(groups) for u in own for v in own
    )
