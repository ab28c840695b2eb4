"""Hitting sets up to a limit, against trying all; budgets of steps, and what is remembered."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.hitting import at_least, minimum_size
from shoal.kernels.hitting import FOUND, NONE, UNDECIDED, find_hitting, reach_hitting

MANY = 10**12
Memory = tuple[NDArray[np.int64], NDArray[np.int64]]


def memory() -> Memory:
    return np.full(12, -1, dtype=np.int64), np.zeros(4, dtype=np.int64)


def holds(words: list[str], limit: int, known: Memory | None = None, budget: int = MANY) -> bool:
    """Whether a class of people with these values reaches the limit; somebody stands before."""
    people = ["zy", *words]
    own = [sorted(ord(v) - ord("a") for v in set(word)) for word in people]
    starts = np.concatenate([[0], np.cumsum([len(x) for x in own])]).astype(np.int64)
    units = np.arange(1, len(people), dtype=np.int32)
    flat = np.array([v for x in own for v in x], dtype=np.int32)
    witness, undecided = memory() if known is None else known
    reached = reach_hitting(
        starts, flat, units, np.int64(26), np.float64(limit), budget, witness, undecided
    )
    assert reached in (limit - 1, limit)
    return bool(reached == limit)


def by_definition(words: list[str]) -> int:
    values = sorted(set("".join(words)))
    return next(
        n
        for n in range(1, len(values) + 1)
        if any(all(set(w) & set(some) for w in words) for some in combinations(values, n))
    )


def random_classes(n: int, seed: int) -> list[list[str]]:
    draw = np.random.default_rng(seed)
    found = []
    for _ in range(n):
        letters = list("abcdefghij"[: int(draw.integers(3, 11))])
        sizes = draw.integers(1, 5, int(draw.integers(1, 14)))
        found.append(["".join(draw.choice(letters, size)) for size in sizes])
    return found


def search(words: list[str], most: int, budget: int = MANY) -> tuple[int, set[str]]:
    """How a search ended, and the values that it found."""
    letters = sorted(set("".join(words)))
    own = [sorted(letters.index(v) for v in set(word)) for word in words]
    starts = np.cumsum([0, *map(len, own)], dtype=np.int64)
    out = np.empty(most, dtype=np.int64)
    values = np.array([v for x in own for v in x], dtype=np.int64)
    ended = find_hitting(starts, values, len(letters), most, budget, out)
    return int(ended), {letters[v] for v in out if v >= 0}


@pytest.mark.parametrize(
    "words",
    [
        ["a"], ["a", "b", "c"], ["ab", "ac", "ad"], ["ab", "bc", "ca"], ["a", "ab", "bc", "cd"],
        ["ab", "cd", "ef", "gh"], ["abc", "abd", "acd", "bcd"], ["a", "a", "b"],
        ["ac", "ace", "af", "ce", "eg", "d", "de", "df"],
        ["acd", "cdg", "abf", "aegh", "adfg", "cdef", "bcfg", "adeh", "bcdg"],
    ],
)  # fmt: skip
def test_the_limit_is_reached_up_to_the_fewest(words: list[str]) -> None:
    fewest = by_definition(words)
    for limit in range(1, fewest + 3):
        assert holds(words, limit) == (limit <= fewest)
        assert holds(words[::-1], limit) == (limit <= fewest)


def test_random_classes_are_as_by_definition() -> None:
    for words in random_classes(300, 8):
        fewest = by_definition(words)
        for limit in range(1, 10):
            assert holds(words, limit) == (limit <= fewest)
        # The public definition, which searches for itself up to the last step.
        assert minimum_size(words) == fewest
        assert all(at_least(words, l) == (l <= fewest) for l in range(1, 6))  # noqa: E741


def test_what_is_found_hits_every_set() -> None:
    for words in random_classes(300, 9):
        fewest = by_definition(words)
        for most in range(8):
            ended, found = search(words, most)
            assert ended == (FOUND if most >= fewest else NONE)
            assert ended == NONE or (len(found) <= most and all(found & set(w) for w in words))


def test_growing_classes_are_judged_alike_with_and_without_memory() -> None:
    n_remembered = 0
    for words in random_classes(200, 10):
        for budget in (MANY, 60):
            known = memory()
            for n in range(1, len(words) + 1):
                # Waiting is for those who grow on without a verdict, and is tested by itself.
                known[1][1] = 0
                n_remembered += known[0][0] >= 0
                assert holds(words[:n], 4, known, budget) == holds(words[:n], 4, None, budget)
    assert n_remembered > 500


def test_a_budget_errs_only_towards_failing() -> None:
    n_undecided = 0
    for words in random_classes(200, 11):
        fewest = by_definition(words)
        for budget in (1, 40, 200):
            known = memory()
            held = holds(words, 3, known, budget)
            assert held <= (fewest >= 3)
            assert held == (fewest >= 3) or known[1][0] == 1
            n_undecided += int(known[1][0])
    assert n_undecided > 60


def test_nothing_is_decided_in_one_step() -> None:
    words = ["ab", "bc", "ca"]
    assert search(words, 1, 1)[0] == UNDECIDED
    known = memory()
    assert not holds(words, 2, known, 1)
    assert known[1][0] == 1
    assert holds(words, 2)


def test_the_order_of_the_members_decides_nothing() -> None:
    draw = np.random.default_rng(12)
    for words in random_classes(100, 13):
        own = [sorted({ord(v) - ord("a") for v in word}) for word in words]
        starts = np.cumsum([0, *map(len, own)], dtype=np.int64)
        flat = np.array([v for x in own for v in x], dtype=np.int32)
        for budget in (30, 80, 200):
            ends = set()
            for _ in range(4):
                units = draw.permutation(len(words)).astype(np.int32)
                witness, undecided = memory()
                reached = reach_hitting(
                    starts, flat, units, np.int64(26), 4.0, budget, witness, undecided
                )
                ends.add((reached, int(undecided[0])))
            assert len(ends) == 1


def test_a_class_that_was_undecided_waits_until_it_has_grown() -> None:
    """Of 16 people the next two wait and the third is searched for."""
    words = ["ab", "bc", "ca", *["abc"] * 20]
    known = memory()
    assert not holds(words[:16], 2, known, 1)
    assert not holds(words[:17], 2, known)
    assert not holds(words[:18], 2, known)
    assert known[1][0] == 3
    assert holds(words[:19], 2, known)
    assert known[1][0] == 3


@pytest.mark.parametrize("n_values", [63, 64, 65, 130])
def test_more_sets_and_values_than_a_word_has_bits(n_values: int) -> None:
    """Pairs of neighbours in a ring need every second value; the last three need two."""
    pairs = np.array([sorted((i, (i + 1) % n_values)) for i in range(n_values)], dtype=np.int64)
    half = (n_values + 1) // 2
    for first, fewest in ((0, half), (n_values - 3, 2), (n_values - 1, 1), (n_values, 0)):
        values = pairs[first:].ravel()
        starts = np.arange(0, len(values) + 1, 2)
        for most in {max(fewest - 1, 0), fewest}:
            # Proving that an odd ring cannot do with less is long; the packing does that.
            if first == 0 and most < fewest:
                continue
            out = np.empty(most, dtype=np.int64)
            ended = find_hitting(starts, values, n_values, most, MANY, out)
            assert ended == (FOUND if most >= fewest else NONE)
