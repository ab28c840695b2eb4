"""Minimum hitting sets, counted up to a limit, against trying all."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from shoal.hitting import at_least, minimum_size
from shoal.kernels.hitting import can_hit, reach_hitting


def reached(words: list[str], limit: int) -> float:
    """What a class of people with these values reaches; somebody else's values stand before."""
    people = ["zy", *words]
    own = [sorted(ord(v) - ord("a") for v in set(word)) for word in people]
    starts = np.concatenate([[0], np.cumsum([len(x) for x in own])]).astype(np.int64)
    units = np.arange(1, len(people), dtype=np.int32)
    flat = np.array([v for x in own for v in x], dtype=np.int32)
    return float(reach_hitting(starts, flat, units, np.int64(26), np.float64(limit)))


def by_definition(words: list[str]) -> int:
    values = sorted(set("".join(words)))
    return next(
        n
        for n in range(1, len(values) + 1)
        if any(all(set(w) & set(some) for w in words) for some in combinations(values, n))
    )


@pytest.mark.parametrize(
    "words",
    [
        ["a"], ["a", "b", "c"], ["ab", "ac", "ad"], ["ab", "bc", "ca"], ["a", "ab", "bc", "cd"],
        ["ab", "cd", "ef", "gh"], ["abc", "abd", "acd", "bcd"], ["a", "a", "b"],
        ["ac", "ace", "af", "ce", "eg", "d", "de", "df"],
        ["acd", "cdg", "abf", "aegh", "adfg", "cdef", "bcfg", "adeh", "bcdg"],
    ],
)  # fmt: skip
def test_up_to_the_limit_and_not_beyond(words: list[str]) -> None:
    fewest = by_definition(words)
    for limit in range(1, fewest + 3):
        assert reached(words, limit) == min(limit, fewest)
        assert reached(words[::-1], limit) == min(limit, fewest)


def test_random_classes_are_as_by_definition() -> None:
    draw = np.random.default_rng(8)
    for _ in range(120):
        letters = list("abcdefghij"[: int(draw.integers(3, 11))])
        sizes = draw.integers(1, 5, int(draw.integers(1, 11)))
        words = ["".join(draw.choice(letters, size)) for size in sizes]
        assert reached(words, 9) == by_definition(words)
        # The public definition, which searches for itself up to the last step.
        assert minimum_size(words) == by_definition(words)
        assert all(at_least(words, l) == (reached(words, l) >= l) for l in range(1, 6))  # noqa: E741


@pytest.mark.parametrize("n_values", [63, 64, 65, 130])
def test_more_values_than_a_word_has_bits(n_values: int) -> None:
    """Pairs of neighbours in a ring: the last three are hit by two values and not by one."""
    sets = np.zeros((n_values, (n_values + 63) // 64), dtype=np.uint64)
    for i in range(n_values):
        for v in (i, (i + 1) % n_values):
            sets[i, v >> 6] |= np.uint64(1) << np.uint64(v & 63)
    last = sets[-3:]
    assert can_hit(last, n_values, 2)
    assert not can_hit(last, n_values, 1)
    assert can_hit(sets[:1], n_values, 1)
    assert not can_hit(sets[:1], n_values, 0)
    assert can_hit(sets[:0], n_values, 0)
