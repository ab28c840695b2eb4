"""The fewest values that one row of each person can show: every class, up to what is asked."""

from __future__ import annotations

import tracemalloc
from itertools import combinations

import numpy as np
import pytest

from shoal.reading.encoding import Runs, find_starts
from shoal.verify.model.hitting import (
    BUDGET,
    UNDECIDED,
    _as_words,
    _Branches,
    _Search,
    fewest_values,
)


def fewest(most: int, *classes: list[str], budget: int = BUDGET) -> list[int]:
    """Classes as words: the values of each of their people."""
    sets = [sorted(set(word)) for words in classes for word in words]
    owners = np.repeat(np.arange(len(classes)), [len(words) for words in classes])
    of_set = np.repeat(np.arange(len(sets)), [len(own) for own in sets]).astype(np.int32)
    values = np.array([ord(v) - ord("a") for own in sets for v in own], dtype=np.int32)
    runs = Runs(of_set, values, np.ones(len(values), dtype=np.int32), find_starts(of_set))
    return fewest_values(runs, owners.astype(np.int32), len(classes), most, budget).tolist()


def by_definition(words: list[str]) -> int:
    values = sorted(set("".join(words)))
    return next(
        n
        for n in range(1, len(values) + 1)
        if any(all(set(w) & set(some) for w in words) for some in combinations(values, n))
    )


@pytest.mark.parametrize("most", [1, 2, 3, 4, 5])
def test_every_class_counts_up_to_what_is_asked(most: int) -> None:
    classes = [
        ["a", "b", "c"],
        ["ab", "cd", "ef", "gh"],
        ["a", "ab", "bc", "cd"],
        ["ab", "bc", "ca"],
        ["b"],
        ["abc", "abd", "acd", "bcd"],
    ]
    wanted = [min(by_definition(words), most) for words in classes]
    assert fewest(most, *classes) == wanted
    assert fewest(most, *classes[::-1]) == wanted[::-1]


def test_many_small_classes_are_as_by_definition() -> None:
    draw = np.random.default_rng(5)
    classes = [
        ["".join(draw.choice(list("abcdefghij"), draw.integers(1, 4))) for _ in range(size)]
        for size in draw.integers(1, 12, 150)
    ]
    wanted = [by_definition(words) for words in classes]
    assert max(wanted) >= 4
    for most in (2, 3, 4, 9):
        assert fewest(most, *classes) == [min(n, most) for n in wanted]


def test_more_sets_than_a_byte_has_bits() -> None:
    pairs = ["".join(pair) for pair in combinations("abcdef", 2)]
    assert fewest(9, pairs) == [5]
    assert fewest(9, pairs[:8]) == [by_definition(pairs[:8])]
    assert fewest(9, pairs[:9], pairs[2:]) == [by_definition(pairs[:9]), by_definition(pairs[2:])]


@pytest.mark.parametrize("at_once", [1, 100])
def test_many_branches_at_once_are_as_by_definition(
    monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    draw = np.random.default_rng(6)
    classes = [
        ["".join(draw.choice(list("abcdefghijk"), 3, replace=False)) for _ in range(size)]
        for size in draw.integers(5, 30, 200)
    ]
    wanted = [by_definition(words) for words in classes]
    assert max(wanted) >= 5
    assert fewest(9, *classes) == wanted
    monkeypatch.setattr("shoal.verify.model.hitting._AT_ONCE", at_once)
    assert fewest(9, *classes) == wanted


def test_a_short_search_is_undecided_or_right() -> None:
    draw = np.random.default_rng(7)
    classes = [
        ["".join(draw.choice(list("abcdefgh"), 3, replace=False)) for _ in range(size)]
        for size in draw.integers(4, 20, 100)
    ]
    wanted = [min(by_definition(words), 4) for words in classes]
    found = [fewest(4, *classes, budget=budget) for budget in (1, 100, 1000)]
    for some in found:
        assert all(
            x == UNDECIDED or (x >= 4) == (y >= 4) for x, y in zip(some, wanted, strict=True)
        )
        assert all(x == UNDECIDED or x >= y for x, y in zip(some, wanted, strict=True))
    n_open = [some.count(UNDECIDED) for some in found]
    assert n_open[0] > n_open[1] > n_open[2]
    assert fewest(4, *classes) == wanted


@pytest.mark.parametrize("n_letters", [9, 65, 66])
def test_more_values_than_a_word_has_bits(n_letters: int) -> None:
    """Pairs of neighbours in a ring need every second value."""
    letters = [chr(ord("a") + i) for i in range(n_letters)]
    ring = [letters[i] + letters[(i + 1) % n_letters] for i in range(n_letters)]
    assert fewest(n_letters // 2 + 1, ring) == [(n_letters + 1) // 2]


def test_more_sets_than_a_word_has_bits_are_as_by_definition() -> None:
    """A branch may have hit all sets of one word, and not those of another."""
    draw = np.random.default_rng(8)
    triples = ["".join(some) for some in combinations("abcdefghij", 3)]
    classes = [draw.permutation(triples)[:size].tolist() for size in draw.integers(60, 75, 60)]
    wanted = [by_definition(words) for words in classes]
    assert min(wanted) < max(wanted)
    assert fewest(9, *classes) == wanted


def test_every_family_of_sets_over_four_values_is_as_by_definition() -> None:
    """No branch is left out that leads to fewer values."""
    words = ["".join(some) for size in (2, 3, 4) for some in combinations("abcd", size)]
    families = [[w for i, w in enumerate(words) if n >> i & 1] for n in range(1, 1 << len(words))]
    assert fewest(6, *families) == [by_definition(family) for family in families]


# Steps -----------------------------------------------------------------------------------------


def test_what_needs_no_search_needs_no_steps() -> None:
    assert UNDECIDED < 0
    certain, disjoint, both = ["a", "b", "abc"], ["ab", "cd"], ["a", "ab", "cd", "ef"]
    assert fewest(3, certain, budget=0) == [2]
    assert fewest(2, disjoint, ["ab", "bc"], certain, budget=0) == [2, UNDECIDED, 2]
    assert fewest(3, both, budget=0) == [3]
    assert fewest(4, both, budget=0) == [UNDECIDED]


def test_wide_sets_are_searched_in_bounded_memory() -> None:
    """Every branch has as many to follow it as a set has values, each with a row of its own."""
    rng = np.random.default_rng(1)
    search = _Search.of([sorted(rng.choice(900, 300, False).tolist()) for _ in range(30)], BUDGET)
    tracemalloc.start()
    try:
        assert search.can_hit(4) is True
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()


def ring(n_values: int, budget: int = BUDGET) -> _Search:
    """Pairs of neighbours."""
    return _Search.of([[i, (i + 1) % n_values] for i in range(n_values)], budget)


@pytest.mark.parametrize(("n_values", "n_steps"), [(3, 3), (64, 64), (65, 130)])
def test_a_search_ends_undecided_after_the_last_step(n_values: int, n_steps: int) -> None:
    """One branch, which ends at once: a step for every value and word of sets."""
    assert ring(n_values, n_steps).can_hit(1) is False
    assert ring(n_values, n_steps - 1).can_hit(1) is None


def test_a_branch_that_may_take_nothing_takes_no_step() -> None:
    assert ring(3, 0).can_hit(0) is False


# One step --------------------------------------------------------------------------------------


def branch(search: _Search, room: int, left: list[int], tried: list[int]) -> _Branches:
    """A branch with these sets left, which may not take these values."""
    n_sets, n_values = search.has.shape
    sets, values = np.isin(np.arange(n_sets), left), np.isin(np.arange(n_values), tried)
    return _Branches(_as_words(sets[None, :]), values[None, :], room)


def follow(sets: list[list[int]], room: int, tried: list[int]) -> list[tuple[list[int], list[int]]]:
    """The sets that each next branch has left, and the values it may not take."""
    search = _Search.of(sets, BUDGET)
    after = search._follow(branch(search, room, list(range(len(sets))), tried))
    assert after.room == room - 1
    bits = [int(words[0]) for words in after.left]
    return [
        ([i for i in range(len(sets)) if left >> i & 1], np.flatnonzero(flags).tolist())
        for left, flags in zip(bits, after.tried, strict=True)
    ]


def test_a_value_that_the_commonest_others_cannot_complete_has_no_branch() -> None:
    sets = [[0, 1, 2], [0, 1, 3], [0, 2, 3]]
    assert follow(sets, 1, []) == [([], [1, 2, 3])]
    assert follow(sets, 1, [0]) == []
    # With two values to take, 1 or 2 and another hit all three sets.
    assert follow(sets, 2, [0]) == [([2], [0]), ([1], [0, 1])]


def test_a_value_that_was_tried_is_not_tried_with_the_next() -> None:
    """The commonest value comes first, and among equals the lowest."""
    sets = [[0, 1, 2], [1, 2, 3], [1, 3, 4], [0, 3, 5]]
    # Of the first set: 1 is in three sets, 0 and 2 are in two.
    assert follow(sets, 4, []) == [([1, 2], [1]), ([3], []), ([2, 3], [0, 1])]
    assert follow(sets, 4, [1, 5]) == [([1, 2], [1, 5]), ([2, 3], [0, 1, 5])]


def test_fewer_values_than_may_be_taken_have_a_branch_each() -> None:
    assert follow([[0], [1], [2]], 5, []) == [([1, 2], [])]
    assert follow([[0, 1], [1, 2], [0, 2]], 3, []) == [([1], []), ([2], [0])]
    assert follow([[0, 1], [1, 2], [0, 2]], 4, []) == [([1], []), ([2], [0])]


def test_values_are_counted_in_the_sets_left_unless_tried() -> None:
    search = _Search.of([[0, 1], [1, 2], [1, 3]], BUDGET)
    assert search._count(branch(search, 2, [0, 1, 2], [])).tolist() == [[1, 3, 1, 1]]
    assert search._count(branch(search, 2, [0, 2], [0])).tolist() == [[0, 2, 0, 1]]
    assert search._count(branch(search, 2, [0, 2], [1, 3])).tolist() == [[1, 0, 0, 0]]


@pytest.mark.parametrize("n_sets", [63, 64, 127, 128, 255, 256, 4097])
def test_a_value_in_all_sets_is_counted_in_all(n_sets: int) -> None:
    search = _Search.of([[0, 1 + i % 9] for i in range(n_sets)], BUDGET)
    counts = search._count(branch(search, 1, list(range(n_sets)), []))
    assert counts[0, 0] == n_sets
    assert search.can_hit(1) is True


def test_the_narrowest_set_has_the_fewest_values_not_tried() -> None:
    search = _Search.of([[0, 1], [0, 2, 3], [1, 2, 3, 4], [2, 3, 4]], BUDGET)

    def narrowest(left: list[int], tried: list[int]) -> list[int]:
        return search._narrowest(branch(search, 2, left, tried)).tolist()

    assert narrowest([0, 1, 2, 3], []) == [0]
    assert narrowest([1, 2, 3], []) == [1]
    assert narrowest([2, 3], []) == [3]
    assert narrowest([0, 1, 2, 3], [2, 3]) == [1]
    assert narrowest([0, 2, 3], [2, 3]) == [3]
    assert narrowest([0, 2], [2, 3, 4]) == [2]


@pytest.mark.parametrize("n_values", [63, 64, 65, 126, 127, 128, 255, 256, 383, 511])
def test_the_narrowest_set_is_left_however_wide(n_values: int) -> None:
    search = _Search.of([[0, 1], list(range(n_values)), [2, 3]], BUDGET)
    assert search._narrowest(branch(search, 1, [1], [])).tolist() == [1]


@pytest.mark.parametrize(("n_flags", "n_words"), [(1, 1), (63, 1), (64, 1), (65, 2), (128, 2)])
def test_flags_are_bits_of_words(n_flags: int, n_words: int) -> None:
    flags = np.zeros((2, n_flags), dtype=np.bool_)
    flags[1, -1] = True
    assert _as_words(flags).tolist() == [
        [0] * n_words,
        [0] * (n_words - 1) + [1 << (n_flags - 1) % 64],
    ]
