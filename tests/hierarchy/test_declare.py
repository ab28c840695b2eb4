"""What a hierarchy may be declared as."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from shoal.errors import PlanError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.declare import DEEPEST_TREE, LONGEST_MASK, MOST_LEVELS


def test_a_fault_says_what_must_be_and_what_was_given() -> None:
    with pytest.raises(PlanError) as caught:
        Hierarchy.width(0, 3)
    assert str(caught.value) == (
        "The 'width' parameter of the hierarchy must be a finite number above 0, got 0 instead."
    )


@pytest.mark.parametrize(
    ("tree", "rows"),
    [
        ({"*": {"A": ["a", "b"], "c": None}}, (("a", "A", "*"), ("b", "A", "*"), ("c", "*", "*"))),
        ({"*": {"A": "a", "B": {}}}, (("a", "A", "*"), ("B", "*", "*"))),
        ({"X": ["a", 1], "Y": [0.5]}, (("a", "X"), ("1", "X"), ("0.5", "Y"))),
        ({"a": None, "b": None}, (("a",), ("b",))),
        ({"*": ["a", {"B": ["b"]}]}, (("a", "*", "*"), ("b", "B", "*"))),
        ({"*": {"a": ["a"]}}, (("a", "a", "*"),)),
    ],
)
def test_tree(tree: dict[str, object], rows: tuple[tuple[str, ...], ...]) -> None:
    hierarchy = Hierarchy.tree(tree)
    assert hierarchy.spec.rows == rows
    assert Hierarchy.from_spec(hierarchy.spec) == hierarchy


def endless() -> dict[str, object]:
    tree: dict[str, object] = {}
    tree["a"] = {"b": tree}
    return tree


def endless_echo() -> dict[str, object]:
    tree: dict[str, object] = {}
    tree["a"] = tree
    return tree


@pytest.mark.parametrize(
    ("tree", "n_problems", "text"),
    [
        ({"*": {"A": ["a"], "B": ["a"]}}, 1, "but 1 leaves have two in column 2 (paths 1 and"),
        ({"*": {"A": {"X": ["a"]}, "B": {"X": ["b"]}}}, 1, "labels of column 2"),
        ({"*": {"A": {"B": {"A": ["x"]}}, "C": {"D": ["C"]}}}, 2, "depth 4 is its own ancestor"),
        (endless(), 1, "its own ancestor"),
        (endless_echo(), 1, "its own ancestor"),
        ({"*": [True, None, 3]}, 2, "depth 2 must be a text or a number"),
        ({None: ["a"]}, 1, "depth 1 must be"),
    ],
)
def test_what_is_no_tree(tree: dict[str, object], n_problems: int, text: str) -> None:
    with pytest.raises(PlanError) as caught:
        Hierarchy.tree(tree)
    assert len(caught.value.problems) == n_problems
    assert text in caught.value.problems[0].text


def deep(depth: int) -> dict[str, object]:
    tree: dict[str, object] = {"leaf": None}
    for level in range(depth - 1):
        tree = {f"n{level}": tree}
    return tree


def test_limits_are_allowed() -> None:
    assert Hierarchy.width(5, MOST_LEVELS).height == MOST_LEVELS + 2
    assert Hierarchy.mask(LONGEST_MASK).height == LONGEST_MASK + 1
    assert Hierarchy.tree(deep(DEEPEST_TREE)).height == DEEPEST_TREE


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (lambda: Hierarchy.width(5, MOST_LEVELS + 1), "an integer from 1 to 50, got 51"),
        (lambda: Hierarchy.mask(LONGEST_MASK + 1), "an integer from 1 to 1000, got 1001"),
        (lambda: Hierarchy.tree(deep(DEEPEST_TREE + 1)), "must have at most 101 levels"),
    ],
)
def test_beyond_a_limit_is_an_error(build: Callable[[], Hierarchy], text: str) -> None:
    with pytest.raises(PlanError, match=text):
        build()
