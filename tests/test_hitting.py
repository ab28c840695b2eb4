"""Hitting sets against brute force, and the paper's example with the set that it misses."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DataError
from shoal.hitting import at_least, minimal_hitting_sets, minimum_size

PAPER = [{1, 3}, {1, 3, 5}, {1, 6}, {3, 5}, {5, 7}, {4}, {4, 5}, {4, 6}]
FAMILIES = st.lists(st.sets(st.integers(0, 8), min_size=1, max_size=5), min_size=1, max_size=9)


def _brute(sets: list[set[int]]) -> set[frozenset[int]]:
    elements = sorted(set().union(*sets))
    hitting = [
        frozenset(chosen)
        for size in range(len(elements) + 1)
        for chosen in combinations(elements, size)
        if all(set(chosen) & members for members in sets)
    ]
    return {h for h in hitting if not any(g < h for g in hitting)}


def test_the_papers_example_has_four() -> None:
    found = {frozenset(h) for h in minimal_hitting_sets(PAPER)}
    assert found == {
        frozenset({1, 4, 5}),
        frozenset({1, 3, 4, 7}),
        frozenset({3, 4, 5, 6}),
        frozenset({3, 4, 6, 7}),
    }
    assert minimum_size(PAPER) == 3


@given(FAMILIES)
def test_minimal_sets_equal_brute_force(sets: list[set[int]]) -> None:
    assert set(minimal_hitting_sets(sets)) == _brute(sets)


@given(FAMILIES, st.integers(0, 7))
def test_decisions_equal_brute_force(sets: list[set[int]], least: int) -> None:
    smallest = min(map(len, _brute(sets)))
    assert minimum_size(sets) == smallest
    assert at_least(sets, least) == (smallest >= least)


def test_many_elements_need_many_words() -> None:
    disjoint = [{10 * i + j for j in range(10)} for i in range(20)]
    assert minimum_size(disjoint) == 20
    assert at_least([*disjoint, set(range(200))], 20)
    assert not at_least(disjoint, 21)


def test_no_sets_need_nothing() -> None:
    assert minimum_size([]) == 0
    assert not at_least([], 1)


def test_an_empty_set_is_refused() -> None:
    with pytest.raises(DataError):
        minimum_size([{1}, set()])
