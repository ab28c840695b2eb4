"""The curve goes from neighbour to neighbour, and the cut is the best of all."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import shoal
from shoal.kernels.hilbert import place_on_curve
from shoal.method.base import Task
from shoal.method.baseline.hilbert import _Cut
from shoal.model.requirement import Requirements
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
        cut = _Cut(Task(table, Requirements.of(model, table), 1))
        line = np.random.default_rng(seed).permutation(small.n_rows)
        partition = cut.numbered([line], [cut.line(line)])
        lost = 0.0
        for c in range(partition.n_classes):
            rows = np.flatnonzero(partition.unit_class == c).tolist()
            assert len(rows) >= k
            lost += len(rows) * small.loss(rows)
        assert lost == pytest.approx(best_cut(small, line.tolist(), k)), seed
