"""What a model asks of a class: on either side of each limit, and which tolerance it has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.kernels.requirement import judge_classes
from shoal.model import KAnonymity, LDiversity, MultiLevelK
from shoal.model.base import Bound, Reach
from shoal.model.requirement import Requirements
from shoal.plan import Plan
from shoal.table import Table, encode
from shoal.table.partition import Partition
from tests.model.small import TREE, table_of
from tests.verify.small import text


def two_secrets(first: Sequence[Any], second: Sequence[Any], people: Sequence[Any]) -> Table:
    """A table with the sensitive attributes r and s, and whose each row is."""
    columns = [text(["x"] * len(people), "q"), text(first, "r"), text(second, "s")]
    secret = {"role": "sensitive", "kind": "categorical"}
    attributes = {"q": "quasi", "r": secret, "s": secret, "who": "identifier"}
    plan = {"attributes": attributes, "privacy": [{"k-anonymity": {"k": 1}}], "individual": "who"}
    return encode(pl.DataFrame([*columns, text(people, "who")]), Plan.parse(plan).schema)


def units_of(*numbers: int) -> Any:
    return np.array(numbers, dtype=np.int32)


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


def test_one_bound_of_several_says_what_is_needed() -> None:
    table = table_of("ab", people="pq")
    size, personal = Bound(Reach.SIZE, 2), Bound(Reach.PERSONAL, 0)
    hitting = Bound(Reach.HITTING, 2, "s")
    found = [Requirements(table, own) for own in ((size,), (size, personal), (size, hitting))]
    assert [asked.personal for asked in found] == [False, True, False]
    assert [asked.hits for asked in found] == [False, False, True]
    assert Requirements(table, (hitting,)).hits


def test_bounds_name_their_attribute_and_the_missing_value_that_does_not_count() -> None:
    """The codes of r are 0 and 1, those of s 2 and 3, and missing is the last of each."""
    bounds = [
        Bound(Reach.SIZE, 2), Bound(Reach.SIZE, 2, known=True),
        Bound(Reach.DISTINCT, 2, "r", known=True), Bound(Reach.DISTINCT, 2, "s"),
        Bound(Reach.DISTINCT, 2, "s", known=True),
    ]  # fmt: skip
    asked = Requirements(two_secrets("xy", ["a", None], "pq"), tuple(bounds))
    assert asked.bounds.attribute.tolist() == [-1, -1, 0, 1, 1]
    assert asked.bounds.absent.tolist() == [-1, -1, -1, -1, 3]
    nothing = Requirements(two_secrets([None, None], ["a", None], "pq"), tuple(bounds))
    assert nothing.bounds.absent.tolist() == [-1, -1, 0, -1, 2]


def test_a_summary_has_two_numbers_of_each_code_and_three_more() -> None:
    asked = Requirements(two_secrets("xyz", "aba", "pqr"), ())
    assert asked.summary_room().tolist() == [0] * (2 * (3 + 2) + 3)


def test_the_different_values_of_people_attribute_after_attribute() -> None:
    table = two_secrets("xyxz", "baab", "pqpq")
    people = Requirements(table, (Bound(Reach.SIZE, 2), Bound(Reach.VALUE_ROWS, 1, "s"))).people
    assert people is not None
    assert people.own_start.tolist() == [[0, 1, 3], [3, 5, 7]]
    assert people.own.tolist() == [0, 1, 2, 0, 1, 0, 1]


def test_a_search_remembers_the_values_that_hit_everybody() -> None:
    """Two of three values that are asked for: a and b; each trial starts with no memory."""
    bounds = (Bound(Reach.SIZE, 9), Bound(Reach.HITTING, 3, "s"), Bound(Reach.HITTING, 2, "s"))
    asked = Requirements(table_of("aabb", people="pqrt"), bounds)
    assert asked.people is not None
    assert asked.people.witness.tolist() == [[-1, -1, -1]]
    assert asked.reached(Partition(units_of(0, 0, 0, 0), 1)).tolist() == [[4, 2, 2]]
    assert sorted(asked.people.witness[0].tolist()) == [-1, 0, 1]
    trial = asked.asked(4)
    assert trial is not None
    assert trial.people is not None
    assert trial.people.witness.tolist() == [[-1, -1, -1]]


def test_a_class_fails_and_is_counted_where_its_search_runs_out() -> None:
    """Of three pairs that overlap no value hits all, which one step does not tell."""
    table = table_of("abbcac", people="ppqqrr")
    everybody, bounds = units_of(0, 1, 2), (Bound(Reach.HITTING, 2, "s"),)
    asked = Requirements(table, bounds)
    assert asked.holds(everybody)
    assert asked.n_undecided == 0
    hasty = Requirements(table, bounds, budget=1)
    assert not hasty.holds(everybody)
    assert hasty.n_undecided == 1
    trial = hasty.asked(3)
    assert trial is not None
    failing, reached = np.zeros(1, dtype=np.bool_), np.empty((1, 1))
    judge_classes(np.array([0, 3]), everybody, *trial[:4], failing, reached)
    assert failing.tolist() == [True]
    assert hasty.n_undecided == 2


def test_shares_are_those_of_the_rows_and_nothing_where_there_are_none() -> None:
    assert Requirements(table_of("aab"), ()).share_of("s").tolist() == [2 / 3, 1 / 3]
    assert Requirements(table_of("a"), ()).share_of("s").tolist() == [1]
    empty = table_of("", kind="ordinal", values=["a", "b"])
    assert Requirements(empty, ()).share_of("s").tolist() == [0, 0]


def test_which_bounds_a_class_misses() -> None:
    size, values = Bound(Reach.SIZE, 3), Bound(Reach.DISTINCT, 2, "s")
    share = Bound(Reach.SHARE, 0.6, "s")
    asked = Requirements(table_of("aabbb"), (size, values, share))
    assert asked.missed(units_of(0, 1)) == [size, values, share]
    assert asked.missed(units_of(1, 2)) == [size]
    assert asked.missed(units_of(1, 2, 0)) == [share]
    assert asked.missed(units_of(0, 1, 2, 3)) == []


def test_units_of_one_row_and_their_codes() -> None:
    """The first person has the first row and the third; the others have one each."""
    asked = Requirements(two_secrets("xyxy", "abca", "pqpt"), ())
    assert asked.single_rows(units_of(1, 2))
    assert not asked.single_rows(units_of(0, 1))
    assert not asked.single_rows(units_of(0))
    assert asked.codes_of("s", units_of(2, 1)).tolist() == [0, 1]
    assert asked.codes_of("r", units_of(2, 1)).tolist() == [1, 1]
    rows = Requirements(table_of("abca"), ())
    assert rows.single_rows(units_of(0, 3))
    assert rows.codes_of("s", units_of(3, 2, 1)).tolist() == [0, 2, 1]


def test_people_with_the_same_rows_in_any_order_are_alike() -> None:
    asked = Requirements(two_secrets("xyyxxxxxx", "abbaaaaab", "ppqqrrtuv"), ())
    found, n_found = asked.profiles(units_of(0, 1, 2, 3, 4, 5))
    assert (found.tolist(), n_found) == ([0, 0, 1, 2, 2, 3], 4)
    assert asked.profiles(units_of(4, 2, 3))[0].tolist() == [0, 1, 0]


# Four classes of rows that stand for several.
FOUR = np.array([0, 2, 4, 5, 7]), units_of(1, 0, 2, 3, 4, 6, 5)


def weighted(*bounds: Bound) -> Requirements:
    table = two_secrets("xyxyxyx", "abababb", "1234567")
    table = replace(table, people=None, weight=np.array([2, 1, 2, 2, 3, 1, 1]))
    return Requirements.weighted(Requirements(table, bounds), table)


@pytest.mark.parametrize(
    ("k", "small"),
    [(2, [0, 0, 0, 0]), (3, [0, 0, 0, 1]), (4, [1, 0, 1, 1]), (5, [1, 1, 1, 1])],
)
def test_the_sizes_of_rows_that_stand_for_several(k: int, small: list[int]) -> None:
    """Classes of 3, 4, 3 and 2."""
    asked = weighted(Bound(Reach.SIZE, k))
    assert asked.misses(*FOUR).tolist() == small
    assert asked.failing(Partition(units_of(0, 0, 1, 1, 2, 3, 3), 4)).tolist() == small
    assert asked.holds(units_of(0, 1)) is (not small[0])


@pytest.mark.parametrize(
    ("bounds", "failing"),
    [
        ([Bound(Reach.DISTINCT, 2, "s")], [0, 0, 1, 1]),
        ([Bound(Reach.DISTINCT, 2, "r")], [0, 0, 1, 0]),
        ([Bound(Reach.SIZE, 3), Bound(Reach.DISTINCT, 2, "r")], [0, 0, 1, 1]),
        ([Bound(Reach.SIZE, 4), Bound(Reach.DISTINCT, 2, "s")], [1, 0, 1, 1]),
        ([Bound(Reach.SHARE, 0.5, "s")], [1, 0, 1, 1]),
        ([Bound(Reach.SHARE, 0.5, "r")], [1, 0, 1, 0]),
        ([Bound(Reach.SHARE, 0.7, "s")], [0, 0, 1, 1]),
    ],
)
def test_the_values_of_rows_that_stand_for_several(bounds: list[Bound], failing: list[int]) -> None:
    """They have aab, aabb, aaa and bb of s; xxy, xxyy, xxx and xy of r."""
    assert weighted(*bounds).misses(*FOUR).tolist() == failing
