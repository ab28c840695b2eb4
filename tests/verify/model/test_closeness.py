"""How far classes are from the table: each ground distance by hand, and which is the default."""

from __future__ import annotations

from typing import Any

import pytest

from shoal.errors import VerificationError
from shoal.schema import Attribute, HierarchySpec, Kind, Role
from shoal.verify.model.closeness import closeness, default_distance
from tests.verify.small import classes_of

ROWS = (("a", "low", "*"), ("b", "low", "*"), ("c", "high", "*"), ("d", "high", "*"))
TREE = HierarchySpec("tree", rows=ROWS)


def distances(
    cells: dict[int, list[Any]], kind: Kind | None, distance: str | None = None, **more: Any
) -> list[float]:
    classes = classes_of(cells, kind, **more)
    return closeness(classes, classes.schema.attributes[0], distance).tolist()


@pytest.mark.parametrize(
    ("kind", "hierarchy", "wanted"),
    [
        (Kind.NUMERIC, None, "ordered"),
        (Kind.ORDINAL, TREE, "ordered"),
        (Kind.DATE, None, "ordered"),
        (Kind.CATEGORICAL, TREE, "hierarchical"),
        (Kind.CATEGORICAL, HierarchySpec("file", rows=ROWS), "hierarchical"),
        (Kind.CATEGORICAL, HierarchySpec("mask", mask=1), "equal"),
        (Kind.CATEGORICAL, HierarchySpec("flat"), "equal"),
        (None, None, "equal"),
    ],
)
def test_the_default_is_by_kind_and_hierarchy(
    kind: Kind | None, hierarchy: HierarchySpec | None, wanted: str
) -> None:
    assert default_distance(Attribute("s", Role.SENSITIVE, kind, hierarchy=hierarchy)) == wanted


def test_equal_is_half_the_sum_of_the_differences() -> None:
    """The table is a 2/5, b 2/5, c 1/5; a row outside of all classes counts in it."""
    cells = {1: ["a", "a"], 2: ["b", "b"]}
    assert distances(cells, None, beside=["c"]) == pytest.approx([0.6, 0.6])
    assert distances({1: ["a", "b"], 2: ["a"]}, None) == pytest.approx([1 / 6, 1 / 3])


def test_ordered_sums_the_cumulative_differences() -> None:
    assert distances({1: [1, 2], 2: [3, 4]}, Kind.NUMERIC) == pytest.approx([1 / 3, 1 / 3])
    assert distances({1: [1], 2: [2, 3]}, Kind.NUMERIC) == pytest.approx([1 / 2, 1 / 4])
    assert distances({1: [1, 9], 2: [5]}, Kind.NUMERIC, beside=[5]) == pytest.approx([1 / 4, 1 / 4])
    assert distances({1: [7], 2: [7]}, Kind.NUMERIC) == [0.0, 0.0]
    assert distances({1: [7, 7], 2: [8]}, Kind.NUMERIC) == pytest.approx([1 / 3, 2 / 3])


def test_hierarchical_moves_over_the_lowest_common_node() -> None:
    """Half of the height from a to b, all of it from a to c."""
    inside = distances({1: ["a"], 2: ["b"]}, Kind.CATEGORICAL, hierarchy=TREE)
    assert inside == pytest.approx([0.25, 0.25])
    across = distances({1: ["a"], 2: ["c"]}, Kind.CATEGORICAL, hierarchy=TREE)
    assert across == pytest.approx([0.5, 0.5])
    mixed = distances({1: ["a", "c"], 2: ["b", "d"]}, Kind.CATEGORICAL, hierarchy=TREE)
    assert mixed == pytest.approx([0.25, 0.25])
    uneven = distances({1: ["a", "a", "b"], 2: ["d"]}, Kind.CATEGORICAL, hierarchy=TREE)
    # 1/6 of a and 1/12 of b go to d over the whole height, and nothing is left to move.
    assert uneven == pytest.approx([0.25, 0.75])


def test_an_added_root_is_one_level_more() -> None:
    tops = HierarchySpec("file", rows=(("a", "low"), ("b", "low"), ("c", "high")))
    assert distances({1: ["a"], 2: ["b"]}, None, hierarchy=tops) == pytest.approx([0.25] * 2)
    assert distances({1: ["a"], 2: ["c"]}, None, hierarchy=tops) == pytest.approx([0.5] * 2)
    assert distances({1: ["a"], 2: [None]}, None, hierarchy=tops) == pytest.approx([0.5] * 2)
    leaves = HierarchySpec("file", rows=(("a",), ("b",)))
    assert distances({1: ["a"], 2: ["b"]}, None, "hierarchical", hierarchy=leaves) == [0.5, 0.5]


def test_equal_labels_under_different_parents_are_two_nodes() -> None:
    rows = (("a", "x", "low", "*"), ("b", "x", "high", "*"), ("c", "y", "low", "*"))
    odd = HierarchySpec("tree", rows=rows)
    assert distances({1: ["a"], 2: ["b"]}, None, hierarchy=odd) == pytest.approx([0.5, 0.5])
    assert distances({1: ["a"], 2: ["c"]}, None, hierarchy=odd) == pytest.approx([1 / 3, 1 / 3])


def test_leaves_that_are_numbers_are_found_by_number() -> None:
    rows = HierarchySpec("tree", rows=(("1", "odd", "*"), ("2.0", "even", "*"), ("", "odd", "*")))
    found = distances({1: ["1.0"], 2: ["2"]}, Kind.NUMERIC, "hierarchical", hierarchy=rows)
    assert found == pytest.approx([0.5, 0.5])
    found = distances({1: ["1"], 2: [None]}, Kind.NUMERIC, "hierarchical", hierarchy=rows)
    assert found == pytest.approx([0.25, 0.25])


@pytest.mark.parametrize(
    ("rows", "finding"),
    [
        ((("a", "x", "*"), ("b", "*")), "must have the same length"),
        ((("a", "x", "*"), ("a", "y", "*")), "two different rows for one leaf"),
        ((("a", "x", "*"),), "Every value of 's' must be in its hierarchy"),
        ((), "needs a hierarchy file or tree"),
    ],
)
def test_a_tree_that_does_not_tell(rows: tuple[tuple[str, ...], ...], finding: str) -> None:
    with pytest.raises(VerificationError, match=finding):
        distances({1: ["a", "b"]}, None, "hierarchical", hierarchy=HierarchySpec("tree", rows=rows))


def test_a_row_that_stands_twice_alike_is_one() -> None:
    twice = HierarchySpec("tree", rows=(*ROWS, ROWS[0]))
    assert distances({1: ["a"], 2: ["b"]}, None, hierarchy=twice) == pytest.approx([0.25, 0.25])


@pytest.mark.parametrize("distance", ["euclid", "hierarchical"])
def test_what_has_no_check(distance: str) -> None:
    with pytest.raises(VerificationError, match=r"no independent check|needs a hierarchy"):
        distances({1: ["a"]}, None, distance)


def test_an_order_that_is_not_known() -> None:
    with pytest.raises(VerificationError, match="natural order"):
        distances({1: ["a", "z"]}, Kind.ORDINAL, values=("a", "b"))
