"""Units grouped anew: sizes, what grows first, and numbers without gaps."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.kernels.graph.pool import LARGE, cut_large, divide_pool, regroup, renumber
from tests.kernels.graph.small import groups_of, labels_of, line


@pytest.mark.parametrize("n", range(1, 12))
@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_pool_is_parted_into_groups_of_k_and_the_last_of_fewer_than_twice_that(
    n: int, k: int
) -> None:
    numbers = np.random.default_rng(n).random(n).tolist()
    pool, part = np.arange(n, dtype=np.int32), np.empty(n, np.int64)
    n_parts = divide_pool(pool, n, k, n // 2, line(numbers), np.empty(n), part)
    assert sorted(pool.tolist()) == list(range(n))
    assert part.tolist() == sorted(part.tolist())
    sizes = np.bincount(part, minlength=n_parts).tolist()
    assert sizes[:-1] == [k] * (n_parts - 1)
    assert min(k, n) <= sizes[-1] < max(2 * k, 2)


def test_a_group_grows_by_the_nearest_and_the_next_begins_with_the_farthest() -> None:
    pool, part = np.arange(6, dtype=np.int32), np.empty(6, np.int64)
    numbers = [0, 10, 1, 11, 5, 6]
    assert divide_pool(pool, 6, 2, 2, line(numbers), np.empty(6), part) == 3
    assert pool.tolist() == [2, 0, 3, 1, 4, 5]


def test_new_groups_take_the_numbers_of_those_that_became_empty() -> None:
    groups = groups_of([0, 0, 1, 1, 2])
    pool = np.array([0, 1, 2, 3], dtype=np.int32)
    numbers, free = [0, 9, 1, 10, 50], np.empty(5, np.int64)
    n_parts = regroup(
        pool, 4, 2, 0, line(numbers), groups, np.empty(5), np.empty(5, np.int64), free
    )
    assert n_parts == 2
    assert labels_of(groups) == [[0, 2], [1, 3], [4]]
    assert sorted(free[:2].tolist()) == [0, 1]
    assert groups.size[:3].tolist() == [2, 2, 1]


@pytest.mark.parametrize("n", [3, 4, 9, LARGE + 40])
def test_groups_of_more_than_the_cap_are_cut(n: int) -> None:
    numbers = np.random.default_rng(n).random(n + 2).tolist()
    groups = groups_of([0] * n + [1, 1])
    cut_large(2, 3, line(numbers), groups)
    sizes = [len(own) for own in labels_of(groups)]
    assert sum(sizes) == n + 2
    assert {2, 3} >= set(sizes)
    assert [n, n + 1] in labels_of(groups)


def test_numbers_close_up_and_groups_stay() -> None:
    groups = groups_of([4, 4, 1, 5, 1])
    before = labels_of(groups)
    renumber(groups)
    assert labels_of(groups) == before
    assert groups.used[0] == 3
    assert sorted(set(groups.group.tolist())) == [0, 1, 2]
    assert groups.size.tolist() == [2, 2, 1, 0, 0, 0]
