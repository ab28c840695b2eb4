"""Moves, swaps and dissolved groups: each lowers the sum of edges, which the groups keep."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from shoal.kernels.graph.descent import (
    dissolve,
    find_step,
    place_left,
    relocate,
    search,
    sum_edges,
    sum_groups,
)
from tests.kernels.graph.small import edges_inside, graph_of, groups_of, labels_of, line


def _room(n: int) -> Any:
    return (*(np.empty(n, np.int32) for _ in range(3)), np.zeros(n + 2, np.int64))


def _sum_is_kept(numbers: list[float], groups: Any) -> None:
    for u, g in enumerate(groups.group.tolist()):
        inside = sum(
            abs(numbers[u] - numbers[v]) for v in range(len(numbers)) if groups.group[v] == g
        )
        assert groups.own[u] == pytest.approx(inside)


@pytest.mark.parametrize("seed", range(10))
def test_sums_stay_right_while_units_move(seed: int) -> None:
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 50, 12).tolist()
    groups, weights = groups_of([*range(4), *rng.integers(0, 4, 8)]), line(numbers)
    active = np.zeros(12, np.bool_)
    assert sum_groups(weights, groups) == pytest.approx(edges_inside(numbers, groups))
    for u in rng.integers(0, 12, 10).tolist():
        active[:] = False
        touched = {groups.group[u], (groups.group[u] + 1) % 4}
        relocate(groups, weights, np.int64(u), np.int64((groups.group[u] + 1) % 4), active)
        _sum_is_kept(numbers, groups)
        assert active.tolist() == [g in touched for g in groups.group.tolist()]


@pytest.mark.parametrize("seed", range(15))
def test_the_best_step_gains_what_no_other_exceeds(seed: int) -> None:
    """All units are neighbours, so that every move and swap of a unit can be tried by hand."""
    rng = np.random.default_rng(seed)
    n, k, cap = 8, 2, 4
    numbers = rng.integers(0, 40, n).tolist()
    labels = [0, 0, 1, 1, 2, 2, *rng.integers(0, 3, 2).tolist()]
    groups, weights = groups_of(labels), line(numbers)
    before = sum_groups(weights, groups)
    u = int(rng.integers(0, n))
    gain, h, v = find_step(
        u, k, cap, 0, graph_of(numbers, n - 1), weights, np.arange(n, dtype=np.int32), None, None,
        groups, np.zeros(n + 2, np.int64), _room(n),
    )  # fmt: skip
    g, gains = labels[u], {}
    for other in {0, 1, 2} - {g}:
        if labels.count(g) > k and labels.count(other) < cap:
            moved = [other if i == u else label for i, label in enumerate(labels)]
            gains[other, -1] = before - edges_inside(numbers, groups_of(moved))
        for w in (i for i, label in enumerate(labels) if label == other):
            swapped = list(labels)
            swapped[u], swapped[w] = other, g
            gains[other, w] = before - edges_inside(numbers, groups_of(swapped))
    best = max(gains.values())
    if best <= 1e-6:
        assert h == -1
        return
    assert gain == pytest.approx(best)
    assert gains[int(h), int(v)] == pytest.approx(best)


def test_who_is_left_joins_where_that_adds_least() -> None:
    numbers = [0, 1, 2, 20, 21, 22]
    groups = groups_of([0, 0, -1, 1, 1, -1])
    order = np.arange(6, dtype=np.int32)
    place_left(3, graph_of(numbers, 5), line(numbers), order, None, groups)
    assert labels_of(groups) == [[0, 1, 2], [3, 4, 5]]
    full = groups_of([0, 0, -1, 1, 1, -1])
    place_left(2, graph_of(numbers, 5), line(numbers), order, None, full)
    assert full.group[[2, 5]].tolist() == [-1, -1]


@pytest.mark.parametrize(
    ("labels", "dissolved"),
    [([0, 0, 2, 1, 1, 2], True), ([0, 0, 0, 2, 2, 2], False)],
)
def test_a_group_is_dissolved_only_where_that_gains(labels: list[int], dissolved: bool) -> None:
    numbers = [0, 1, 2, 20, 21, 22]
    groups, weights = groups_of(labels), line(numbers)
    before = sum_groups(weights, groups)
    found = dissolve(
        np.int64(2), 6, graph_of(numbers, 5), weights, np.arange(6, dtype=np.int32), None, groups,
        np.zeros(6, np.bool_), _room(6),
    )  # fmt: skip
    assert bool(found) == dissolved
    assert (edges_inside(numbers, groups) < before) == dissolved
    assert (labels_of(groups) == labels_of(groups_of(labels))) == (not dissolved)
    _sum_is_kept(numbers, groups)


@pytest.mark.parametrize("seed", range(8))
def test_kicks_find_the_best_groups_of_a_few_numbers(seed: int) -> None:
    """Groups of two to three of eight numbers, against every partition."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 60, 8).tolist()
    groups = groups_of([0, 1, 2, 3, 0, 1, 2, 3])
    draws = rng.integers(0, 2**31, (40, 7))
    search(
        2, 3, 12, 40, 16, graph_of(numbers, 7), line(numbers), np.arange(8, dtype=np.int32), None,
        None, groups, draws,
    )  # fmt: skip
    assert {len(own) for own in labels_of(groups)} <= {2, 3}
    assert edges_inside(numbers, groups) == pytest.approx(_least(numbers, tuple(range(8))))
    weights = line(numbers)
    assert groups.own[0] == pytest.approx(
        sum_edges(groups, weights, np.int64(0), np.int64(groups.group[0]))
    )


def _least(numbers: list[float], left: tuple[int, ...]) -> float:
    """The least sum of all partitions into groups of two or three."""
    if not left:
        return 0.0
    if len(left) == 1:
        return np.inf
    found = []
    for size in (1, 2):
        for others in combinations(left[1:], size):
            own = (left[0], *others)
            rest = tuple(u for u in left if u not in own)
            inside = sum(abs(numbers[a] - numbers[b]) for a, b in combinations(own, 2))
            found.append(inside + _least(numbers, rest))
    return min(found)
