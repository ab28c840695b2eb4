"""Hierarchies that are written out row by row."""

from __future__ import annotations

import pytest

from shoal.errors import DataError
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
    assert conflicts([("a", "a", "*"), ("b", "a", "*"), ("a", "a", "*")], [1, 2, 3], "h.csv") == []
    (problem,) = conflicts([("a", "A", "*"), ("b", "A", "+")], [3, 7], "h.csv")
    assert (problem.where, problem.line) == ("h.csv", 3)
    assert "1 labels of column 2 have two in column 3 (lines 3 and 7)" in problem.text


@pytest.mark.parametrize(("n", "rest"), [(10, ""), (11, "; and 1 more")])
def test_ten_conflicts_are_listed(n: int, rest: str) -> None:
    rows = [(f"v{place // 2}", "AB"[place % 2]) for place in range(2 * n)]
    (problem,) = conflicts(rows, range(1, 2 * n + 1), "rows", "row")
    assert problem.text.endswith(f"rows 19 and 20{rest}).")
    assert problem.line is None


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
