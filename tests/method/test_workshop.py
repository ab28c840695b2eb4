"""Classes while they are merged: the tree finds what a look at all of them finds."""

from __future__ import annotations

import random

import numpy as np
import pytest

from shoal.method.workshop import Workshop
from shoal.table.partition import Partition
from shoal.table.space import packed_codes, space_of
from tests.cases import random_case, task_of
from tests.kernels.box.small import union_of


@pytest.mark.parametrize("seed", range(25))
def test_the_nearest_after_merging_and_leaving_out(seed: int) -> None:
    """The first of those that add least, of more classes than a leaf of the tree holds."""
    rng = random.Random(seed)
    case = random_case(seed, most_rows=120)
    task = task_of(case)
    codes, space = packed_codes(task.table), space_of(task.table.quasi)
    n_classes = max(1, len(codes) // 2)
    unit_class = np.array([u % n_classes for u in range(len(codes))], dtype=np.int32)
    work = Workshop(task.table, task.requirements, Partition(unit_class, n_classes), "glm")

    def lost(points: np.ndarray) -> float:
        return len(points) * union_of(space, points)

    for _ in range(12):
        alive = np.flatnonzero(work.alive).tolist()
        number = rng.choice(alive)
        parts = {c: codes[work.units(c)] for c in alive}
        added = {
            c: lost(np.vstack([parts[number], own])) - lost(parts[number]) - lost(own)
            for c, own in parts.items()
            if c != number
        }
        other, least, _ = work.nearest(number)
        if not added:
            assert other == -1
            return
        assert least == pytest.approx(min(added.values()), abs=1e-9)
        assert other == min(c for c in added if added[c] <= min(added.values()) + 5e-10)
        units = work.units(number)
        if len(units) > 1 and rng.random() < 0.3:
            work.leave_out(number, units[:1])
        else:
            work.merge(number, other)
