"""The curve goes from neighbour to neighbour, and the cut is the best of all."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import shoal
from shoal.kernels.hilbert import FAILS, place_on_curve
from shoal.method.base import Task
from shoal.method.baseline import hilbert
from shoal.method.baseline.hilbert import Course, cut_into_classes
from shoal.method.loss import lost_by
from shoal.model.requirement import Requirements
from shoal.table.partition import Partition
from shoal.table.space import packed_rows
from tests.cases import random_case, task_of
from tests.measure.optimum import Small, random_small


@pytest.mark.parametrize(("d", "bits"), [(1, 3), (2, 1), (2, 4), (3, 2), (3, 3), (5, 1)])
def test_the_curve_visits_every_point_once_and_steps_to_a_neighbour(d: int, bits: int) -> None:
    points = np.array(list(product(range(2**bits), repeat=d)), dtype=np.uint64)
    keys = np.empty(len(points), dtype=np.uint64)
    place_on_curve(points.copy(), bits, keys)
    assert sorted(keys.tolist()) == list(range(len(points)))
    line = points[np.argsort(keys)].astype(np.int64)
    assert (np.abs(np.diff(line, axis=0)).sum(axis=1) == 1).all()


def best_cut(small: Small, line: list[int], k: int) -> float:
    """The least loss of all cuts of a line into runs of at least k."""
    n, best = len(line), [0.0] + [np.inf] * len(line)
    for end in range(1, n + 1):
        for begin in range(end - k + 1):
            run = line[begin:end]
            best[end] = min(best[end], best[begin] + len(run) * small.loss(run))
    return best[n]


@pytest.mark.parametrize("trees", [True, False])
def test_the_cut_is_the_best_of_all(trees: bool) -> None:
    for seed in range(60):
        small = random_small(seed, trees)
        k = 2 + seed % 2
        table = small.table()
        model = shoal.Plan.of(
            {"attributes": {"a": "quasi"}, "privacy": [{"k-anonymity": {"k": k}}]}
        ).models
        line = np.random.default_rng(seed).permutation(small.n_rows).astype(np.int32)
        task = Task(table, Requirements.of(model, table), 1)
        partition = cut_into_classes(task, Course(packed_rows(table)[line], line))
        lost = 0.0
        for c in range(partition.n_classes):
            rows = np.flatnonzero(partition.unit_class == c).tolist()
            assert len(rows) >= k
            lost += len(rows) * small.loss(rows)
        assert lost == pytest.approx(best_cut(small, line.tolist(), k)), seed


def cost_of(task: Task, members: list[int]) -> float:
    """What the cells of some units lose as one class; a class that does not hold costs more."""
    unit_class = np.full(task.table.n_units, -1, dtype=np.int32)
    unit_class[members] = 0
    cells = task.table.n_rows * len(task.table.quasi)
    rows = np.isin(task.table.unit_of_row(), members).sum()
    suppressed = (task.table.n_rows - rows) * len(task.table.quasi)
    lost = lost_by(task.table, Partition(unit_class, 1)) * cells - suppressed
    held = task.requirements.holds(np.array(members, dtype=np.int32))
    return float(lost + (0.0 if held else FAILS * len(members)))


def test_whatever_is_required_classes_that_are_ready_may_be_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Against all cuts into runs of at most six, or into those that are marked."""
    monkeypatch.setattr(hilbert, "_LONGEST", 6)
    taken = 0
    for seed in range(120):
        task = task_of(random_case(seed, models=("l", "t", "ke"), most_rows=18))
        n = task.table.n_units
        draw = np.random.default_rng(seed)
        units = draw.permutation(n).astype(np.int32)
        starts = (draw.random(n) < 0.15).astype(np.uint8)
        starts[0] = 1
        codes = packed_rows(task.table)[units]
        line = Course(codes, units, starts).piece(0, n)
        longest, least = hilbert._Cut(task).longest, max(task.requirements.least, 1)
        marks, best = [*np.flatnonzero(starts).tolist(), n], [0.0] + [np.inf] * n
        for end in range(1, n + 1):
            for begin in range(end - least + 1):
                ready = end in marks and begin == marks[marks.index(end) - 1]
                if end - begin <= longest or ready:
                    cost = cost_of(task, line.units[begin:end].tolist())
                    best[end] = min(best[end], best[begin] + cost)
        partition = cut_into_classes(task, Course(codes, units, starts))
        classes = [np.flatnonzero(partition.unit_class == c) for c in range(partition.n_classes)]
        found = sum(cost_of(task, members.tolist()) for members in classes)
        assert found == pytest.approx(best[n]), seed
        taken += max(map(len, classes)) > longest
    assert taken > 5
