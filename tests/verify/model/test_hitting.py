"""The fewest values that one row of each person can show: every class, up to what is asked."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from shoal.reading.encoding import Runs, find_starts
from shoal.verify.model.hitting import BUDGET, UNDECIDED, fewest_values


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


def test_many_branches_at_once_are_as_by_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(6)
    classes = [
        ["".join(draw.choice(list("abcdefghijk"), 3, replace=False)) for _ in range(size)]
        for size in draw.integers(5, 30, 200)
    ]
    wanted = [by_definition(words) for words in classes]
    assert max(wanted) >= 5
    assert fewest(9, *classes) == wanted
    monkeypatch.setattr("shoal.verify.model.hitting._AT_ONCE", 1)
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


@pytest.mark.parametrize("n_letters", [9, 66])
def test_more_values_than_a_word_has_bits(n_letters: int) -> None:
    """Pairs of neighbours in a ring need every second value."""
    letters = [chr(ord("a") + i) for i in range(n_letters)]
    ring = [letters[i] + letters[(i + 1) % n_letters] for i in range(n_letters)]
    assert fewest(n_letters // 2 + 1, ring) == [(n_letters + 1) // 2]
