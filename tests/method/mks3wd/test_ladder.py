"""The ladder of nested groups: its levels, its two climbs, and classes from marks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shoal.method.mks3wd.climb import UNSAFE, Offer
from shoal.method.mks3wd.ladder import Ladder, group_units, number_keys
from shoal.table.partition import SUPPRESSED
from tests.cases import CLIMBING, Case, as_field, random_case, task_of

WIDTH = {"kind": "numeric", "hierarchy": {"width": 10, "levels": 2}}
FLAT = {"kind": "categorical", "hierarchy": "flat"}


def _task() -> Any:
    """Ages by tens and twenties, and a sex that has one level less."""
    fields = {
        "age": as_field("age", WIDTH, ["1", "1", "12", "15", "22", "39"]),
        "sex": as_field("sex", FLAT, ["f", "f", "f", "m", "f", "m"]),
    }
    attributes = {"age": {"role": "quasi", **WIDTH}, "sex": {"role": "quasi", **FLAT}}
    return task_of(Case(fields, attributes, [{"k-anonymity": {"k": 2}}]), method="ka")


def test_groups_of_every_level_stand_end_to_end() -> None:
    ladder = Ladder.of(_task().table)
    assert ladder.at(0).tolist() == [0, 0, 1, 2, 3, 4]
    assert ladder.at(1).tolist() == [5, 5, 6, 6, 7, 8]
    assert ladder.at(2).tolist() == [9, 9, 9, 9, 10, 10]
    assert ladder.level_of(np.array([0, 4, 5, 8, 9, 10])).tolist() == [0, 0, 1, 1, 2, 2]
    assert set(ladder.up[ladder.at(ladder.n_levels - 1)].tolist()) == {UNSAFE}


@pytest.mark.parametrize("seed", range(25))
def test_judging_releases_what_counting_does(seed: int) -> None:
    """Where sizes alone decide, both climbs and both ways to take rows singly must agree."""
    task = task_of(random_case(seed, forms=CLIMBING, models=("k",)), method="ka")
    ladder, units = Ladder.of(task.table), np.arange(task.table.n_units)
    marks = ladder.climb(units, 3, task.requirements)
    least = max(3, task.requirements.least)
    assert marks.tolist() == ladder._climb_judging(units, least, task.requirements).tolist()
    unsafe = np.flatnonzero(marks == UNSAFE)
    offered = np.random.default_rng(seed).permutation(np.flatnonzero(marks != UNSAFE))
    offer = Offer(unsafe, offered, 3, task.requirements)
    for one, other in zip(ladder.take_singly(offer), ladder._take_judging(offer), strict=True):
        assert one.tolist() == other.tolist()


def test_classes_have_the_heights_at_which_they_were_released() -> None:
    ladder = Ladder.of(_task().table)
    marks = np.array([0, 0, 6, 6, UNSAFE, 10], dtype=np.int32)
    found = ladder.partition(marks)
    assert found.unit_class.tolist() == [0, 0, 1, 1, SUPPRESSED, 2]
    assert found.heights is not None
    assert found.level is not None
    assert found.heights.tolist() == [[0, 0], [1, 1], [2, 1]]
    assert found.level.tolist() == [1, 1, 2, 2, 0, 3]


def test_batches_of_one_group_are_classes_of_their_own() -> None:
    ladder = Ladder.of(_task().table)
    marks, batch = np.full(6, 9, np.int32), np.array([0, 0, 1, 1, 0, 1], dtype=np.int32)
    asked = np.array([3, 3, 2, 2, 3, 2], dtype=np.int32)
    found = ladder.partition(marks, batch, k=asked)
    assert found.unit_class.tolist() == [0, 0, 1, 1, 0, 1]
    assert found.k is asked


def test_vectors_are_numbered_as_they_appear() -> None:
    table = _task().table
    assert group_units(table, np.array([5, 2, 3, 2]), [1, 1])[0].tolist() == [0, 1, 1, 1]
    ids, n = group_units(table, np.array([5, 2, 3, 2]), [0, 0])
    assert (ids.tolist(), n) == ([0, 1, 2, 1], 3)
    numbers, first = number_keys(np.array([7, 3, 7, 9], dtype=np.int64))
    assert (numbers.tolist(), first.tolist()) == ([0, 1, 0, 2], [0, 1, 3])
