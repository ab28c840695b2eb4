"""For every published row a row of the original, or the reason why there is none."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.schema import Attribute, HierarchySpec, Individual, Kind, Role, Schema
from shoal.verify.text import assignment as words
from shoal.verify.text.assignment import Shown, find_assignment, same_codes
from tests.verify.small import said, text

AGE = Attribute("age", Role.QUASI, Kind.NUMERIC)
ILL = Attribute("ill", Role.SENSITIVE)
SCHEMA = Schema((AGE, ILL))


def assign(age: Any, ill: Any, ages: Any, ills: Any, *schema: Attribute, **more: Any) -> Any:
    data = pl.DataFrame([text(age, "age"), text(ill, "ill")])
    original = pl.DataFrame({"age": list(ages), "ill": list(ills)})
    return find_assignment(Shown(data, original, Schema(schema or (AGE, ILL)), **more))


def test_labels_cover_and_cells_agree() -> None:
    found = assign(["[1, 5]", "*", "7"], "aba", [7, 3, 9], "aab")
    assert (found.rows.tolist(), found.holds) == ([1, 2, 0], True)


def test_a_row_that_nobody_can_be_is_named() -> None:
    found = assign(["[1, 5]", "999"], "ab", [3, 9], "ab")
    assert found.rows is None
    assert found.holds is False
    assert "(published row 2)" in said(found.problems)
    assert "999" not in said(found.problems)


def test_too_many_rows_for_the_people_there_are() -> None:
    found = assign(["[1, 5]"] * 3, "aab", [3, 9, 4], "aab")
    assert "than the original has: 1 too many." in said(found.problems)
    assert found.holds is False


def test_rows_that_compete_for_people_are_dealt_out() -> None:
    """A greedy choice would give the only person in [1, 2] away."""
    found = assign(["[1, 9]", "[1, 2]"], "aa", [1, 8], "aa")
    assert found.rows.tolist() == [1, 0]


def test_numbers_and_missing_values_agree_however_they_are_written() -> None:
    pay = Attribute("pay", Role.SENSITIVE, Kind.NUMERIC, missing=("?",))
    left, right, _ = same_codes(text(["1.0", "-0", "?", "2"]), text(["1", "0", None, "3"]), pay)
    assert (left == right).tolist() == [True, True, True, False]
    plain = Attribute("pay", Role.SENSITIVE)
    left, right, _ = same_codes(text(["1.0", "?"]), text(["1", None]), plain)
    assert not (left == right).any()


def test_labels_of_a_tree_that_is_not_known_are_only_a_necessary_condition() -> None:
    age = Attribute("age", Role.QUASI, hierarchy=HierarchySpec("tree"))
    found = assign(["north", "Rome"], "aa", ["Oslo", "Rome"], "aa", age, ILL)
    assert (found.holds, found.doubts) == (None, (words.HIERARCHY,))
    exact = assign(["Oslo", "Rome"], "aa", ["Oslo", "Rome"], "aa", age, ILL)
    assert exact.holds is True
    wrong = assign(["Rome", "Rome"], "aa", ["Oslo", "Rome"], "aa", age, ILL)
    assert wrong.holds is False
    tree = HierarchySpec("tree", rows=(("Oslo", "north", "*"), ("Rome", "south", "*")))
    known = Attribute("age", Role.QUASI, hierarchy=tree)
    assert assign(["north", "Rome"], "aa", ["Oslo", "Rome"], "aa", known, ILL).holds is True
    assert assign(["south", "*"], "aa", ["Oslo", "Oslo"], "aa", known, ILL).holds is False


def people(who: Any, age: Any, ill: Any, conflict: Any = "error", **more: Any) -> Any:
    """Three rows of two people."""
    data = pl.DataFrame([text(who, "Id_num"), text(age, "age"), text(ill, "ill")])
    original = pl.DataFrame(
        {"name": ["x", "x", "y", "x"], "age": more.pop("ages", [3, 3, 8, 3]), "ill": [*"abab"]}
    )
    schema = Schema(
        (Attribute("Id_num", Role.IDENTIFIER), AGE, ILL), Individual("Id_num", conflict)
    )
    columns = more.pop("person", ("Id_num", "name"))
    return find_assignment(Shown(data, original, schema, person=columns, **more))


def test_people_have_all_their_rows_under_one_number() -> None:
    found = people("112", ["*"] * 3, "aba")
    assert (found.rows.tolist(), found.counted.tolist(), found.holds) == (
        [0, 1, 2],
        [0, 1, 2],
        True,
    )
    torn = people("123", ["*"] * 3, "aba")
    assert torn.holds is False
    assert "people of 'Id_num'" in said(torn.problems)
    assert people("11", ["[1, 5]"] * 2, "ab").holds is True
    assert people("11", ["[5, 9]"] * 2, "ab").holds is False
    assert people("1", ["[1, 5]"], "a").holds is False


def test_an_original_without_people_leaves_it_open() -> None:
    for column in (None, "nobody"):
        found = people("123", ["*"] * 3, "aba", person=("Id_num", column))
        assert (found.holds, found.doubts) == (None, (words.NO_PEOPLE,))


@pytest.mark.parametrize(
    ("conflict", "label", "holds"),
    [
        ("first", "3", True), ("first", "4", True), ("first", "5", True), ("first", "8", False),
        ("mode", "3", True), ("mode", "4", False), ("mode", "5", False),
    ],
)  # fmt: skip
def test_whatever_may_describe_a_person(conflict: str, label: str, holds: bool) -> None:
    ages = [3, 4, 8, 5] if conflict == "first" else [3, 4, 8, 3]
    assert people("11", [label] * 2, "ab", conflict, ages=ages).holds is holds


def test_buckets_hold_the_values_of_their_rows() -> None:
    held = (np.array([0, 0, 1]), np.array([0, 0, 1]), text("abc"))
    data = pl.DataFrame([text(["1", "2", "3"], "age")])
    shown = Shown(data, pl.DataFrame({"age": [1, 2, 3], "ill": ["b", "b", "c"]}), SCHEMA,
                  buckets={"ill": held})  # fmt: skip
    found = find_assignment(shown)
    assert (found.holds, found.doubts) == (None, (words.IN_BUCKETS,))
    other = pl.DataFrame({"age": [1, 2, 3], "ill": ["b", "c", "c"]})
    assert find_assignment(Shown(data, other, SCHEMA, buckets={"ill": held})).holds is False


def test_what_is_in_buckets_that_cannot_be_read_is_not_known() -> None:
    data = pl.DataFrame([text(["1", "2"], "age"), text(["1", "1"], "ill_BID")])
    found = find_assignment(Shown(data, pl.DataFrame({"age": [1, 2], "ill": ["b", "c"]}), SCHEMA))
    assert (found.holds, found.doubts) == (None, (words.IN_BUCKETS,))
    other = pl.DataFrame({"age": [1, 3], "ill": ["b", "c"]})
    assert find_assignment(Shown(data, other, SCHEMA)).holds is False


def covers(label: str, value: int) -> bool:
    if label == "*":
        return True
    low, _, high = label.strip("[]").partition(", ")
    return int(low) <= value <= int(high or low)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from("ab")),
             min_size=1, max_size=5),
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from("ab")), min_size=1, max_size=6),
)  # fmt: skip
def test_an_assignment_is_found_exactly_where_there_is_one(shown: Any, there: Any) -> None:
    labels = [str(a) if a == b else f"[{min(a, b)}, {max(a, b)}]" for a, b, _ in shown]
    ills = [ill for _, _, ill in shown]
    found = assign(labels, ills, [age for age, _ in there], [ill for _, ill in there])

    def fits(rows: Any) -> bool:
        return all(
            covers(label, there[row][0]) and ill == there[row][1]
            for label, ill, row in zip(labels, ills, rows, strict=True)
        )

    possible = any(fits(rows) for rows in permutations(range(len(there)), len(shown)))
    assert found.holds is possible
    if possible:
        assert len(set(found.rows.tolist())) == len(shown)
        assert fits(found.rows.tolist())
