"""Edges, chains of groups, and groups to start from, on points of a line that are easy to see."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from shoal.kernels.graph.weight import (
    DIFFERENCE,
    PRICE,
    TABLE,
    Weights,
    fill_groups,
    grow_forest,
    join_group,
    leave_group,
    list_group,
    merge_failing,
    nearest_group,
    room_for_groups,
    weigh,
)
from tests.kernels.graph.small import graph_of, groups_of, labels_of, line


def test_edges_of_every_kind_add_up() -> None:
    """A table of three codes, numbers of which code 2 is missing, and a price."""
    weights = Weights(
        np.array([[0, 0, 5], [2, 1, 5], [2, 2, 6]], dtype=np.int32),
        np.array([TABLE, DIFFERENCE, PRICE]),
        np.array([0, 9, 11]),
        np.array([3, 2, -1]),
        np.array([0.0, 8.0, 0.25]),
        np.array([0, 1, 2, 1, 0, 3, 2, 3, 0, 10.0, 14.0]),
    )
    assert weigh(*weights, 0, 1) == 2 + 4
    assert weigh(*weights, 1, 2) == 0 + 8 + 0.25
    assert weigh(*weights, 0, 2) == weigh(*weights, 2, 0) == 2 + 8 + 0.25
    assert weigh(*weights, 2, 2) == 0


@pytest.mark.parametrize("seed", range(10))
def test_chains_know_their_units(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = rng.integers(-1, 4, 12).astype(np.int32)
    groups = room_for_groups(12)
    fill_groups(labels, groups)
    members = {g: set(np.flatnonzero(labels == g).tolist()) for g in range(4)}
    out = np.empty(12, np.int32)
    for u in rng.permutation(12).tolist():
        old, new = int(groups.group[u]), int(rng.integers(0, 4))
        if old >= 0:
            leave_group(groups, np.int64(u))
            members[old].remove(u)
        join_group(groups, np.int64(u), np.int64(new))
        members[new].add(u)
        for g, own in members.items():
            n = list_group(groups, np.int64(g), out)
            assert (n, set(out[:n].tolist())) == (groups.size[g], own)
    assert labels_of(groups) == sorted(sorted(own) for own in members.values() if own)


@pytest.mark.parametrize("seed", range(20))
def test_pieces_of_the_forest_are_joined_while_one_has_fewer_than_k(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = 10, int(rng.integers(1, 6))
    first = np.concatenate([[0], np.cumsum(rng.integers(1, 3, n))]).astype(np.int64)
    edges = rng.permutation(np.array(list(combinations(range(n), 2))))[:14].astype(np.int64)
    piece = np.empty(n, np.int64)
    grow_forest(edges, first, k, piece)
    parts = [{p} for p in range(n)]

    def size(part: set[int]) -> int:
        return sum(int(first[p + 1] - first[p]) for p in part)

    for a, b in edges.tolist():
        [one], [other] = ([part for part in parts if p in part] for p in (a, b))
        if one is not other and min(size(one), size(other)) < k:
            parts = [part for part in parts if part not in (one, other)] + [one | other]
    assert {p: min(part) for part in parts for p in part} == dict(enumerate(piece.tolist()))


def test_the_nearest_group_is_that_of_the_neighbours_or_else_of_the_next_unit() -> None:
    weights = line([0, 1, 2, 10, 11, 30])
    point, first, near = graph_of([0, 1, 2, 10, 11, 30], 2)
    groups = groups_of([0, 0, 1, 2, 2, 3])
    assert nearest_group(np.int64(1), point, first, near, weights, groups) == 0
    assert nearest_group(np.int64(3), point, first, near, weights, groups) == 2
    nobody = np.full_like(near, -1)
    assert nearest_group(np.int64(0), point, first, nobody, weights, groups) == 1
    whole: Any = groups_of([0] * 6)
    assert nearest_group(np.int64(0), point, first, near, weights, whole) == -1


def test_small_groups_merge_until_all_have_k() -> None:
    numbers = [0, 1, 2, 10, 11, 30]
    groups = groups_of([0, 0, 1, 2, 2, -1])
    order = np.arange(6, dtype=np.int32)
    assert merge_failing(2, graph_of(numbers, 2), line(numbers), order, None, 10**6, groups)
    assert labels_of(groups) == [[0, 1, 2], [3, 4, 5]]
    groups = groups_of([0, 1, 2, 3, 4, 5])
    assert not merge_failing(6, graph_of(numbers, 2), line(numbers), order, None, 3, groups)
