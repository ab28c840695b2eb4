"""What a model asks of a class: on either side of each limit, and which tolerance it has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from shoal.model import KAnonymity, LDiversity, MultiLevelK
from shoal.model.base import Bound, Reach
from shoal.model.requirement import Requirements
from shoal.table.partition import Partition
from tests.model.small import TREE, table_of


def test_which_take_the_values_of_each_person() -> None:
    assert [r for r in Reach if r.of_people] == [
        Reach.VALUE_ROWS, Reach.VALUE_PEOPLE, Reach.HITTING,
    ]  # fmt: skip


def test_which_take_a_population() -> None:
    assert [r for r in Reach if r.of_population] == [Reach.POPULATION, Reach.PRESENCE]


def test_units_that_stand_for_others_are_told_apart() -> None:
    table = replace(table_of("aaab"), crowd=np.array([2, 2, 5, 2]))
    asked = Requirements(table, (Bound(Reach.POPULATION, 7),))
    units = np.arange(4, dtype=np.int32)
    assert asked.profiles(units)[0].tolist() == [0, 0, 1, 2]
    assert asked.holds(np.array([0, 2], dtype=np.int32))
    assert not asked.holds(np.array([0, 1, 3], dtype=np.int32))
    alone = Requirements(table, (Bound(Reach.SIZE, 2),))
    assert alone.profiles(units)[0].tolist() == [0, 0, 0, 1]
    assert len(alone.members.crowd) == 0


def test_sizes_alone() -> None:
    table = table_of("aabbc")
    asked = Requirements.of([KAnonymity(k=2)], table)
    assert (asked.least, asked.beyond_size, asked.sizes_only, asked.personal) == (
        2, False, True, False,
    )  # fmt: skip
    partition = Partition(np.array([0, 0, 1, -1, -1], dtype=np.int32), 2)
    assert asked.failing(partition).tolist() == [False, True]
    starts, units = np.array([0, 2, 3]), np.array([0, 1, 2], dtype=np.int32)
    assert asked.misses(starts, units).tolist() == [False, True]
    assert asked.holds(units) is True
    assert asked.holds(units[:1]) is False
    assert asked.asked(3) is None
    assert asked.required().bounds is asked.bounds
    assert asked.required_beyond_size().bounds is None


def test_what_kernels_judge_by_has_summaries_of_its_own() -> None:
    asked = Requirements.of([KAnonymity(k=2), LDiversity(l=2)], table_of("aabbc"))
    one, other, trial = asked.required(), asked.required_beyond_size(), asked.asked(3)
    assert one.bounds is other.bounds is asked.bounds
    assert trial is not None
    assert trial.units.shape == (3,)
    summaries = [one.counts, other.counts, trial.counts, trial.other]
    assert all(not counts.any() and len(counts) == len(one.counts) for counts in summaries)
    assert len({id(counts) for counts in summaries}) == 4


def test_the_least_size_is_the_largest_that_is_asked() -> None:
    table = table_of("ab", people="pq")
    bounds = (Bound(Reach.SIZE, 2), Bound(Reach.HITTING, 3, "s"), Bound(Reach.DISTINCT, 9, "s"))
    asked = Requirements(table, bounds)
    assert (asked.least, asked.beyond_size, asked.sizes_only) == (3, True, False)
    assert Requirements(table, ()).least == 1
    assert Requirements(table, bounds[2:]).least == 1


def test_values_and_sizes_together() -> None:
    table = table_of("aabbc")
    asked = Requirements.of([KAnonymity(k=2), LDiversity(l=2)], table)
    partition = Partition(np.array([0, 0, 1, 1, 1], dtype=np.int32), 2)
    assert asked.failing(partition).tolist() == [True, False]
    assert asked.reached(partition).tolist() == [[2, 1], [3, 2]]
    assert asked.holds(np.array([1, 2], dtype=np.int32)) is True
    assert asked.find(LDiversity) == LDiversity(l=2)
    assert asked.find(MultiLevelK) is None
    assert asked.on(table).all_bounds == asked.all_bounds


def test_members_may_ask_for_larger_classes() -> None:
    table = table_of("abcd", sensitivities=[0.9, 0.1, 0.1, 0.1])
    model = MultiLevelK(thresholds=[(0.8, 0.2)], levels=[(3, 1)])
    asked = Requirements.of([model], table)
    assert (asked.personal, asked.sizes_only, asked.beyond_size) == (True, True, True)
    assert asked.asked_sizes.tolist() == [3, 1, 1, 1]
    two = Partition(np.array([0, 0, 1, 1], dtype=np.int32), 2)
    assert asked.failing(two).tolist() == [True, False]
    three = Partition(np.array([0, 0, 0, 1], dtype=np.int32), 2)
    assert asked.failing(three).tolist() == [False, False]


def test_several_tops_are_closed_by_one_root() -> None:
    one = Requirements(table_of("abc", hierarchy={"tree": TREE}), ()).facts
    two = Requirements(table_of("abc", hierarchy={"tree": TREE["*"]}), ()).facts
    part = Requirements(table_of("ab", hierarchy={"tree": TREE["*"]}), ()).facts
    assert (one.n_levels.tolist(), two.n_levels.tolist(), part.n_levels.tolist()) == ([3], [3], [3])
    assert one.share.tolist() == pytest.approx([1 / 3] * 3)
    assert Requirements(table_of("abc"), ()).facts.n_levels.tolist() == [0]


def test_rows_of_people_stand_side_by_side() -> None:
    table = table_of("abab", people="pqpq")
    asked = Requirements(table, (Bound(Reach.HITTING, 2, "s"),))
    assert asked.members.row_start.tolist() == [0, 2, 4]
    assert asked.people is not None
    assert asked.people.own_start.tolist() == [[0, 1, 2]]
    assert Requirements(table, (Bound(Reach.SIZE, 2),)).people is None
    assert Requirements(table_of("ab"), (Bound(Reach.HITTING, 2, "s"),)).people is None
