"""Hierarchies that are written out row by row."""

from __future__ import annotations

import pytest

from shoal.errors import DataError, PlanError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.row import conflicts, pad
from shoal.schema import Kind

CATEGORICAL, NUMERIC = Kind.CATEGORICAL, Kind.NUMERIC


@pytest.mark.parametrize(
    ("rows", "padded"),
    [
        ([], []),
        ([("a",)], [("a",)]),
        ([("a",), ("b", "B", "*")], [("a", "a", "a"), ("b", "B", "*")]),
    ],
)
def test_a_row_is_padded_with_its_own_top(
    rows: list[tuple[str, ...]], padded: list[tuple[str, ...]]
) -> None:
    assert pad(rows) == padded


def test_a_label_may_stand_in_several_columns_but_have_one_parent_in_each() -> None:
    assert conflicts([("a", "a", "*"), ("b", "A", "*"), ("a", "a", "*")], [1, 2, 3], "h.csv") == []
    (problem,) = conflicts([("a", "A", "*"), ("b", "A", "+")], [3, 7], "h.csv")
    assert (problem.where, problem.line) == ("h.csv", 3)
    assert "1 labels of column 2 have two in column 3 (lines 3 and 7)" in problem.text


@pytest.mark.parametrize(("n", "rest"), [(10, ""), (11, "; and 1 more")])
def test_ten_conflicts_are_listed(n: int, rest: str) -> None:
    rows = [(f"v{place // 2}", "AB"[place % 2]) for place in range(2 * n)]
    (problem,) = conflicts(rows, range(1, 2 * n + 1), "rows", "row")
    assert problem.text.endswith(f"rows 19 and 20{rest}).")
    assert problem.line is None


@pytest.mark.parametrize(
    ("rows", "column", "line"),
    [
        ([("A", "B", "*"), ("B", "B", "*")], 2, 1),  # the node covers another leaf too
        ([("A", "B", "*"), ("B", "C", "*")], 2, 1),  # it covers only another
        ([("A", "N", "B"), ("B", "M", "*")], 3, 1),
        ([("A", "", "*"), ("B", "M", "*")], 2, 1),  # empty is missing
        ([("12", "1*", "*"), ("22", "1*", "*"), ("1*", "1*", "*")], 2, 2),
    ],
)
def test_a_label_must_not_read_as_a_leaf_that_it_does_not_mean(
    rows: list[tuple[str, ...]], column: int, line: int
) -> None:
    (problem,) = conflicts(rows, range(1, len(rows) + 1), "h.csv")
    assert f"1 labels of column {column} are (line {line})" in problem.text
    with pytest.raises(PlanError, match=rf"labels of column {column} are \(row {line}\)"):
        Hierarchy.rows(rows)


@pytest.mark.parametrize(
    "rows",
    [
        [("A", "A", "*"), ("B", "M", "*")],  # the leaf alone
        [("*", "*", "*"), ("B", "M", "*")],  # the root covers whatever a reader may think
        [("12", "1*", "*"), ("1*", "1*", "*")],  # a mask covers what it reads as
        [("", "", "*"), ("B", "M", "*")],
    ],
)
def test_a_label_may_repeat_what_it_means(rows: list[tuple[str, ...]]) -> None:
    assert conflicts(rows, range(1, len(rows) + 1), "h.csv") == []


def test_a_tree_names_no_node_like_a_leaf() -> None:
    with pytest.raises(PlanError, match=r"tree: .*labels of column 2 are \(path 1\)"):
        Hierarchy.tree({"*": {"B": ["A", "B"]}})


def test_numbers_read_as_leaves_however_they_are_written() -> None:
    rows = [["4", "5.0", "*"], ["5", "5.0", "*"]]
    with pytest.raises(PlanError, match=r"age: .*labels of column 2 are \(row 1\)"):
        Hierarchy.rows(rows).bind(["4", "5"], NUMERIC, where="age")
    assert Hierarchy.rows(rows).labels(["4"]) == [("4", "5.0", "*")]
    assert Hierarchy.rows([["5", "5.0", "*"]]).bind(["5"], NUMERIC).height == 3


def test_numbers_match_leaves_by_number() -> None:
    rows = [["39", "30-39"], ["40.0", "40-49"], [" 41", "40-49"], ["n/a", "none"]]
    values = ["41", "40", "39.0", "3.9e1"]
    tree = Hierarchy.rows(rows).bind(values, NUMERIC)
    assert tree.labels == ("3.9e1", "39.0", "40", "41", "30-39", "40-49")


def test_a_number_with_two_spellings_and_two_parents_is_an_error() -> None:
    rows = [["39", "A"], ["40", "A"], ["39.0", "B"], ["40.0", "A"]]
    with pytest.raises(DataError, match=r"but 1 leaves have two .*\(rows 1 and 3\)"):
        Hierarchy.rows(rows).bind(["39"], NUMERIC)
    assert Hierarchy.rows(rows).labels(["39", "39.0"]) == [("39", "A"), ("39.0", "B")]


def test_large_whole_numbers_that_are_one_float_are_told_apart_by_text() -> None:
    values = ["9007199254740993", "9007199254740992"]
    rows = [[values[0], "A"], [values[1], "B"]]
    assert [row[1] for row in Hierarchy.rows(rows).labels(values, NUMERIC)] == ["A", "B"]


def test_values_without_a_leaf_are_counted_with_a_hint() -> None:
    hierarchy = Hierarchy.rows([["a", "*"], ["b", "*"]])
    with pytest.raises(DataError) as caught:
        hierarchy.bind(["a", "secret", "hidden", None], CATEGORICAL, where="disease")
    (problem,) = caught.value.problems
    assert "2 of 3 values have no leaf" in problem.text
    assert problem.where == "disease"
    assert "'missing'" in problem.hint
    assert "secret" not in str(caught.value)
