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
from shoal.verify.text.join import Axis, equal_axis
from tests.verify.small import said, text

AGE = Attribute("age", Role.QUASI, Kind.NUMERIC)
ILL = Attribute("ill", Role.SENSITIVE)
TOWN = Attribute("town", Role.INSENSITIVE)
NUMBER = Attribute("Id_num", Role.IDENTIFIER)
SCHEMA = Schema((AGE, ILL))
STRANGE = "of the original: a label does not cover, or a cell differs"


def assign(age: Any, ill: Any, ages: Any, ills: Any, *schema: Attribute, **more: Any) -> Any:
    data = pl.DataFrame([text(age, "age"), text(ill, "ill")])
    original = pl.DataFrame({"age": list(ages), "ill": list(ills)})
    return find_assignment(Shown(data, original, Schema(schema or (AGE, ILL)), **more))


def find(data: Any, original: Any, *schema: Attribute, **more: Any) -> Any:
    table = pl.DataFrame([text(cells, name) for name, cells in data.items()])
    individual = Individual("Id_num") if "person" in more else None
    return find_assignment(Shown(table, pl.DataFrame(original), Schema(schema, individual), **more))


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


def test_rows_that_nobody_can_be_are_not_among_those_that_are_too_many() -> None:
    found = assign(["999", "[1, 5]", "[1, 5]"], "aaa", [3, 9], "aa")
    assert said(found.problems).splitlines() == [
        f"1 published row can be no row {STRANGE} (published row 1).",
        "More published rows show certain values than the original has: 1 too many. "
        "It is not known which of them are at fault.",
    ]
    alone = assign(["999", "998", "3"], "aaa", [3, 9], "aa")
    assert said(alone.problems) == (
        f"2 published rows can be no row {STRANGE} (published rows 1, 2)."
    )
    assert said(assign(["999"], "a", [3], "a").problems) == (
        f"1 published row can be no row {STRANGE} (published row 1)."
    )


def test_unchanged_cells_of_a_row_are_those_of_one_row() -> None:
    data = {"age": "**", "ill": "ab", "town": "xy"}
    crossed = {"age": [1, 2], "ill": [*"ab"], "town": [*"yx"]}
    true = find(data, {**crossed, "town": [*"xy"]}, AGE, ILL, TOWN)
    assert (true.holds, true.doubts) == (True, ())
    assert find(data, crossed, AGE, ILL, TOWN).holds is False
    linked = find(data, crossed, AGE, ILL, TOWN, linked=True)
    assert (linked.holds, linked.doubts) == (None, (words.BY_CLASS,))
    for name in ("ill", "town"):
        other = {**crossed, name: [*"zz"]}
        assert find(data, other, AGE, ILL, TOWN, linked=True).holds is False
    alone = find({"age": "**", "ill": "ab"}, crossed, AGE, ILL, linked=True)
    assert (alone.holds, alone.doubts) == (True, ())


def test_counterfeits_are_nobody_but_no_more_than_there_are() -> None:
    found = assign("12", "ab", [1], "a", n_counterfeits=1)
    assert (found.rows, found.holds, found.doubts) == (None, None, (words.NOBODY,))
    assert assign("123", "abc", [1], "a", n_counterfeits=1).holds is False
    assert assign("12", "ab", [1], "a").holds is False


def test_two_columns_of_ends_stand_for_one_of_labels() -> None:
    data = {"age_low": "15", "age_high": "39", "ill": "ab"}
    for role in (Role.QUASI, Role.SEMI_SENSITIVE):
        age = Attribute("age", role, Kind.NUMERIC)
        for ages, holds in (([2, 6], True), ([4, 6], False), ([2, 10], False)):
            assert find(data, {"age": ages, "ill": [*"ab"]}, age, ILL).holds is holds
    low = Attribute("age_low", Role.INSENSITIVE)
    both = {"age": "7*", "age_low": "xy"}
    for ages, holds in (([7, 8], True), ([8, 8], False)):
        assert find(both, {"age": ages, "age_low": [*"xy"]}, AGE, low).holds is holds


def test_only_an_empty_cell_of_a_semi_sensitive_attribute_may_be_withheld() -> None:
    semi = Attribute("age", Role.SEMI_SENSITIVE, Kind.NUMERIC)
    assert assign([None, "3"], "ab", [9, 3], "ab", semi, ILL).holds is True
    assert assign([None, "4"], "ab", [9, 3], "ab", semi, ILL).holds is False
    assert assign([None, "3"], "ab", [9, 3], "ab").holds is False


def test_the_label_of_an_empty_cell_covers_everything() -> None:
    codes, ends = np.arange(3, dtype=np.int32), np.array([1, 1, 1])
    axis = Axis(codes, codes, 3, ends, ends, np.ones(3, np.bool_), np.array([1, 4]))
    found = words._with_open_cells(axis)
    assert found.low.tolist() == [1, 1, 0]
    assert found.high.tolist() == [1, 1, 2]
    assert found.ragged.tolist() == [True, True, False]
    assert axis.ragged.all()


def test_symbols_cover_values() -> None:
    rows = (("flu", "lung", "*"), ("cold", "lung", "*"), ("burn", "skin", "*"))
    ill = Attribute("ill", Role.SENSITIVE, hierarchy=HierarchySpec("tree", rows=rows))
    for shown, symbols, holds in (
        (["lung", "burn"], ("ill",), True),
        (["skin", "burn"], ("ill",), False),
        (["lung", "burn"], (), False),
        (["flu", "burn"], (), True),
    ):
        found = assign("12", shown, [1, 2], ["flu", "burn"], AGE, ill, symbols=symbols)
        assert found.holds is holds


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


def alike(original: pl.Series, published: pl.Series, kind: Kind | None = None) -> list[bool]:
    left, right, _ = same_codes(original, published, Attribute("pay", Role.SENSITIVE, kind))
    return (left == right).tolist()


@pytest.mark.parametrize("kind", [Kind.NUMERIC, Kind.CATEGORICAL])
def test_whole_numbers_of_any_size_are_compared_by_their_digits(kind: Kind) -> None:
    """As doubles 2**53 and the number after it are one; below that, numbers may have a fraction."""
    large = 2**53
    original = pl.Series([large, large + 1, -large - 1, large - 1])
    digits = [str(large), str(large), str(-large), f"{large - 1}.0"]
    assert alike(original, text(digits), kind) == [True, False, False, True]
    assert alike(original, text([f"+0{large}", *map(str, original[1:])]), kind) == [True] * 4
    assert alike(original.cast(pl.Float64), text(digits), kind) == [True] * 4


def test_what_is_no_number_is_no_zero_and_a_zero_is_no_one() -> None:
    texts = text(["x", "0", "-0.0", "1", "x", "x"]), text(["0", "x", "1", "0", "y", "x"])
    assert alike(*texts, Kind.NUMERIC) == [False] * 5 + [True]


def test_an_empty_cell_is_a_missing_one_in_either_table() -> None:
    texts = text(["", None, "", None, "a", ""]), text(["", "", None, None, "", "a"])
    for kind in (None, Kind.NUMERIC):
        assert alike(*texts, kind) == [True] * 4 + [False] * 2


def test_a_column_of_numbers_in_either_table_makes_both_numbers() -> None:
    assert alike(pl.Series([1, 2]), text(["1.0", "3"])) == [True, False]
    assert alike(text(["1.0", "3"]), pl.Series([1, 2])) == [True, False]
    assert alike(text(["1.0", "3"]), text(["1", "3"])) == [False, True]


def test_only_single_precision_may_have_the_digits_of_a_double() -> None:
    """The double next to the single 0.1, and one that rounds to another single."""
    digits = text(["0.10000000149011612", "0.1000001"])
    assert alike(pl.Series([0.1, 0.1], dtype=pl.Float32), digits) == [True, False]
    assert alike(pl.Series([0.1, 0.1], dtype=pl.Float64), digits) == [False, False]
    assert alike(text(["0.1", "0.1"]), digits, Kind.NUMERIC) == [False, False]


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
    schema = Schema((NUMBER, AGE, ILL), Individual("Id_num", conflict))
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


def test_each_person_has_the_labels_of_their_own_rows() -> None:
    found = people("122", ["[5, 9]", "[1, 5]", "[1, 5]"], "aab")
    assert (found.rows.tolist(), found.holds) == ([2, 0, 1], True)
    assert people("112", ["[1, 5]", "[1, 5]", "[5, 9]"], "aba").holds is True
    assert people("122", ["[1, 5]", "[5, 9]", "[5, 9]"], "aab").holds is False


def test_people_that_nobody_can_be_are_named_by_their_first_rows() -> None:
    one = people("112", ["*", "*", "[30, 40]"], "aba")
    assert said(one.problems) == (
        f"1 person of 'Id_num' can be no person {STRANGE} (published row 3)."
    )
    two = people("2113", ["[30, 40]", "*", "*", "[30, 40]"], "aaba")
    assert said(two.problems) == (
        f"2 people of 'Id_num' can be no person {STRANGE} (published rows 1, 4)."
    )
    many = people("12", "**", "aa")
    assert said(many.problems) == (
        "More people of 'Id_num' show certain values than the original has: 1 too many. "
        "It is not known which of them are at fault."
    )


def own(who: Any, ill: Any, names: Any, ills: Any, **more: Any) -> Any:
    """People whose age is of no importance."""
    data = {"Id_num": who, "age": ["*"] * len(who), "ill": ill}
    original = [
        text(names, "name"),
        pl.Series("age", [3] * len(names), pl.Int64),
        text(ills, "ill"),
    ]
    return find(data, original, NUMBER, AGE, ILL, person=("Id_num", "name"), **more)


def test_the_records_of_people_count_once() -> None:
    found = own("12", "ab", "xxy", "aab")
    assert found.rows.tolist() in ([0, 2], [1, 2])
    assert sorted(found.counted.tolist()) == [0, 2]


def test_one_person_and_none() -> None:
    assert own("1", "a", "x", "a").rows.tolist() == [0]
    assert own("1", "b", "x", "a").holds is False
    assert own("1", "a", "", "").holds is False
    assert own("", "", "x", "a").holds is True
    assert own("", "", "", "").holds is True


@pytest.mark.parametrize("more", [{"linked": True}, {"symbols": ["ill"]}])
def test_what_rows_of_people_show_is_not_known_where_they_do_not_show_values(more: Any) -> None:
    found = own("112", "***", "xxy", "aba", **more)
    assert (found.holds, found.doubts) == (None, (words.SEVERAL,))
    assert (found.rows, found.counted) == (None, None)
    assert own("123", "***", "xxy", "aba", **more).holds is False
    spare = own("123", "***", "xxy", "aba", n_counterfeits=1, **more)
    assert (spare.doubts, spare.counted) == ((words.SEVERAL, words.NOBODY), None)


def test_counterfeits_among_people() -> None:
    found = own("1123", "abab", "xxyx", "abab", n_counterfeits=1)
    assert (found.rows, found.holds, found.doubts) == (None, None, (words.NOBODY,))
    assert sorted(found.counted.tolist()) == [0, 1, 2]
    assert own("1123", "abab", "xxyx", "abab").holds is False
    assert own("11234", "ababb", "xxyx", "abab", n_counterfeits=1).holds is False


def test_somebody_with_several_descriptions_is_still_one_person() -> None:
    """Both have been 4: whoever is shown as 3 is the first, and whoever is shown as 5 the other."""
    schema = Schema((NUMBER, AGE, ILL), Individual("Id_num", "first"))
    original = pl.DataFrame({"name": [*"xxyy"], "age": [3, 4, 4, 5], "ill": [*"abab"]})
    for who, ages, rows in (
        ("1122", "4433", [2, 3, 0, 1]),
        ("1122", "3344", [0, 1, 2, 3]),
        ("1122", "5544", [2, 3, 0, 1]),
        ("11", "55", [2, 3]),
        ("11", "33", [0, 1]),
        ("1122", "3333", None),
    ):
        data = pl.DataFrame(
            [text(who, "Id_num"), text(ages, "age"), text("abab"[: len(who)], "ill")]
        )
        found = find_assignment(Shown(data, original, schema, person=("Id_num", "name")))
        assert (None if found.rows is None else found.rows.tolist()) == rows
        assert found.holds is (rows is not None)
    torn = people("1122", "3344", "abab", "first", ages=[3, 4, 8, 3])
    assert torn.holds is False


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=6),
    st.lists(st.integers(0, 3), min_size=1, max_size=4),
)
def test_of_the_candidates_of_one_owner_one_is_taken(there: Any, labels: Any) -> None:
    owner = np.unique([whose for whose, _ in there], return_inverse=True)[1].astype(np.int32)
    values = np.array([value for _, value in there], dtype=np.int32)
    axis = equal_axis(values, np.array(labels, dtype=np.int32), 4)
    fitting = [{int(who) for who in owner[values == label]} for label in labels]

    def fits(chosen: Any) -> bool:
        return all(who in whom for who, whom in zip(chosen, fitting, strict=True))

    found, misfits = words.assign([axis], len(there), len(labels), 0, owner)
    possible = any(map(fits, permutations(range(int(owner.max()) + 1), len(labels))))
    assert (misfits is None) is possible
    if found is not None:
        chosen = owner[found].tolist()
        assert len(set(chosen)) == len(labels)
        assert fits(chosen)


def test_counting_finds_as_much_as_the_search_for_a_flow() -> None:
    """Nobody in a fourth group, who would fit two rows, makes the search necessary."""
    one, other = np.array([2, 0, 1]), np.array([1, 0, 0])
    supply, demand = np.array([2, 1, 3]), np.array([2, 2, 1])
    counted = words._flow(one, other, supply, demand)
    searched = words._flow(np.append(one, [3, 3]), np.append(other, [0, 1]),
                           np.append(supply, 0), demand)  # fmt: skip
    for flow in (counted, searched[:3]):
        assert np.bincount(other, flow).tolist() == [2, 2]
        assert (flow <= supply[one]).all()
    assert searched[3:].tolist() == [0, 0]


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


def test_somebody_with_too_many_ties_leaves_it_open() -> None:
    """Of thirteen attributes with two equally common values each not all combinations are tried."""
    names = [f"q{i}" for i in range(13)]
    there = {"name": [*"aab"], **{name: [*"uvw"] for name in names}}
    schema = [NUMBER, *(Attribute(name, Role.QUASI, Kind.CATEGORICAL) for name in names)]

    def shown(*cells: str) -> Any:
        data = pl.DataFrame({"Id_num": ["1", "2"], **dict.fromkeys(names, cells)})
        people = Schema(tuple(schema), Individual("Id_num", "mode"))
        return find_assignment(Shown(data, pl.DataFrame(there), people, person=("Id_num", "name")))

    found = [shown(first, "w") for first in "uv"]
    assert all(one.problems == () for one in found)
    assert {one.holds for one in found} <= {True, None}
    lost = shown("x", "w")
    assert (lost.holds, lost.doubts, lost.rows) == (None, (words.TIES,), None)


def test_buckets_hold_the_values_of_their_rows() -> None:
    held = (np.array([0, 0, 1]), np.array([0, 0, 1]), text("abc"))
    data = pl.DataFrame([text(["1", "2", "3"], "age")])
    shown = Shown(data, pl.DataFrame({"age": [1, 2, 3], "ill": ["b", "b", "c"]}), SCHEMA,
                  buckets={"ill": held})  # fmt: skip
    found = find_assignment(shown)
    assert (found.holds, found.doubts) == (None, (words.IN_BUCKETS,))
    other = pl.DataFrame({"age": [1, 2, 3], "ill": ["b", "c", "c"]})
    assert find_assignment(Shown(data, other, SCHEMA, buckets={"ill": held})).holds is False


def test_a_bucket_holds_a_number_however_it_is_written() -> None:
    """Of the first number there are two spellings, of the second one, the third is nobody's."""
    axis = equal_axis(np.array([2, 0, 1, 1], dtype=np.int32), np.zeros(0, dtype=np.int32), 3)
    before = np.array([0, 0, 1, 1], dtype=np.int32)
    at, codes = words._spellings(axis, before, np.array([1, 0, 2, 1], dtype=np.int32))
    assert (at.tolist(), codes.tolist()) == ([0, 1, 1, 3], [1, 0, 2, 1])
    pay = Attribute("pay", Role.SENSITIVE, Kind.NUMERIC)
    held = (np.array([0, 0, 1]), np.array([0, 0, 1]), text(["2", "1", "3"]))
    for pays, holds in ((["1", "1.0", "3"], None), (["1", "1.0", "2"], False)):
        found = find({"age": "123"}, {"age": [1, 2, 3], "pay": pays}, AGE, pay,
                     buckets={"pay": held})  # fmt: skip
        assert found.holds is holds


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
