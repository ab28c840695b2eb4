"""The best partition of a few units, by looking at all of them."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.method.base import Task
from shoal.method.graph.edge import columns_of
from shoal.table.space import starts_of

if TYPE_CHECKING:
    from shoal.kernels.box.space import Space

# All sets of this many units are judged: at most 4,095.
MOST_EXHAUSTED = 12


def part_exactly(task: Task, space: Space) -> NDArray[np.int64]:
    """The group of every unit in the first of the partitions of least sum.

    Groups are ascending tuples in the order of their first units, and partitions are compared by
    them. Sums are compared in whole billionths. All units are one group where no partition holds.
    """
    n = task.table.n_units
    if n == 0:
        return np.zeros(0, dtype=np.int64)
    groups = _groups_that_hold(task)
    weights = _sums(task, space)
    # What is left, and in it the groups that begin with its first unit, in lexicographic order.
    of_first: list[list[int]] = [[] for _ in range(n)]
    for group in groups:
        of_first[_bits(group)[0]].append(group)

    @cache
    def least(left: int) -> tuple[int | None, int]:
        """The least sum for these units (None: they cannot be parted), and its first group."""
        best: tuple[int | None, int] = (None, 0) if left else (0, 0)
        # The first unit that is left is in one group or another. So it is enough to try those that
        # begin with it, and no partition is tried twice.
        for group in of_first[_bits(left)[0]] if left else []:
            if group & ~left == 0:
                rest = least(left & ~group)[0]
                # Strictly less: of equal sums the first group in lexicographic order stays.
                if rest is not None and (best[0] is None or weights[group] + rest < best[0]):
                    best = weights[group] + rest, group
        return best

    labels, left = np.zeros(n, dtype=np.int64), (1 << n) - 1
    for number in range(n):
        group = least(left)[1]
        labels[_bits(group)] = number
        left &= ~group
    return labels


def _bits(units: int) -> list[int]:
    return [i for i in range(MOST_EXHAUSTED) if units >> i & 1]


def _groups_that_hold(task: Task) -> list[int]:
    """Sets of units that hold, as bits, in lexicographic order of their units."""
    n, asked = task.table.n_units, task.requirements
    sizes = range(max(asked.least, 1), n + 1)
    sets = sorted(members for size in sizes for members in combinations(range(n), size))
    if not sets:
        return []
    starts = starts_of([len(members) for members in sets])
    misses = asked.misses(starts, np.concatenate(sets).astype(np.int32))
    return [
        sum(1 << unit for unit in members)
        for members, missed in zip(sets, misses.tolist(), strict=True)
        if not missed
    ]


def _sums(task: Task, space: Space) -> list[int]:
    """The sum of edges inside every set of units, by its bits, in whole billionths."""
    n = task.table.n_units
    pairs = np.array(list(combinations(range(n), 2)), dtype=np.int64).reshape(-1, 2)
    apart = np.zeros(len(pairs))
    for column in columns_of(task.table, space):
        apart += column.between(pairs[:, 0], pairs[:, 1])
    sums = [0] * (1 << n)
    ticks = {(a, b): round(w * 1e9) for (a, b), w in zip(pairs.tolist(), apart, strict=True)}
    for units in range(1, 1 << n):
        *before, last = _bits(units)
        sums[units] = sums[units & ~(1 << last)] + sum(ticks[a, last] for a in before)
    return sums
