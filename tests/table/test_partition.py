"""Rows into classes."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.table.partition import COVER, SUPPRESSED, Partition, class_members, join


def test_members_and_joins_of_partitions() -> None:
    left = Partition(np.array([1, -1, 0], dtype=np.int32), 2, level=np.array([1, 0, 2], np.int16))
    right = Partition(np.array([0, 0], dtype=np.int32), 1, level=np.array([3, 3], np.int16))
    whole = join([left, right], [np.array([4, 0, 2]), np.array([1, 3])], 5)
    assert whole.unit_class.tolist() == [-1, 2, 0, 2, 1]
    assert whole.level is not None
    assert whole.level.tolist() == [0, 3, 2, 3, 1]
    assert whole.n_classes == 3
    starts, units = class_members(whole)
    assert [units[starts[c] : starts[c + 1]].tolist() for c in range(3)] == [[2], [4], [1, 3]]
    assert whole.sizes().tolist() == [1, 1, 2]
    fewer = whole.renumbered(np.array([-1, 2, -1, 2, 1], dtype=np.int32))
    assert fewer.unit_class.tolist() == [-1, 1, -1, 1, 0]
    assert (fewer.n_classes, fewer.n_suppressed) == (2, 2)


def test_no_shards_and_shards_without_heights() -> None:
    assert join([], [], 2).unit_class.tolist() == [SUPPRESSED, SUPPRESSED]
    bare = Partition(np.array([0], dtype=np.int32), 1)
    high = Partition(np.array([0], dtype=np.int32), 1, np.array([[2]], dtype=np.int8))
    units = [np.array([0]), np.array([1])]
    mixed = join([bare, high], units, 2).heights
    assert mixed is not None
    assert mixed.tolist() == [[COVER], [2]]
    heights = join([high, high], units, 2).heights
    assert heights is not None
    assert heights.tolist() == [[2], [2]]


def test_heights_and_patterns_follow_their_classes() -> None:
    heights = np.array([[0], [1], [COVER]], dtype=np.int16)
    partition = Partition(np.array([0, 1, 2], dtype=np.int32), 3, heights, pattern=heights + 1)
    kept = partition.renumbered(np.array([2, -1, 2], dtype=np.int32))
    assert (kept.unit_class.tolist(), kept.n_classes) == ([0, -1, 0], 1)
    assert kept.heights is not None
    assert kept.pattern is not None
    assert (kept.heights.tolist(), kept.pattern.tolist()) == ([[COVER]], [[0]])


@pytest.mark.parametrize("n_units", [0, 2])
def test_nobody_left(n_units: int) -> None:
    partition = Partition(np.full(n_units, SUPPRESSED, dtype=np.int32), 0)
    starts, units = class_members(partition)
    assert (starts.tolist(), units.tolist()) == ([0], [])
    assert (partition.n_suppressed, partition.sizes().tolist()) == (n_units, [])
    assert partition.renumbered(partition.unit_class).n_classes == 0
