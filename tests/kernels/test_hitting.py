"""Hitting sets up to a limit, against trying all; budgets of steps, and what is remembered."""

from __future__ import annotations

from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.hitting import at_least, minimum_size
from shoal.kernels.hitting import (
    FOUND,
    NONE,
    UNDECIDED,
    bar_rare,
    count_disjoint,
    different_sets,
    find_hitting,
    find_narrowest,
    is_covered,
    is_hit,
    largest_sum,
    list_branches,
    order_by_size,
    precedes,
    reach_hitting,
    sets_by_value,
    sort_by_values,
    waits,
)

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


def steps_of(words: list[str], most: int) -> tuple[int, int]:
    """How a search ends, and the steps after which it last asks whether it may go on.

    As the documentation of the search has it, with nothing but sets.
    """
    sets, letters = [set(word) for word in words], set("".join(words))
    per_level, widest = (len(letters) + 1) * -(-len(sets) // 64), max(map(len, sets))
    counted = asked = 0

    def can_hit(left: list[int], barred: set[str], more: int) -> bool:
        nonlocal counted, asked
        if not left:
            return True
        counted += per_level
        asked = counted
        having = {v: {i for i in left if v in sets[i]} for v in letters - barred}
        commonest = sorted(map(len, having.values()), reverse=True)
        if sum(commonest[:more]) < len(left):
            return False
        least = len(left) - sum(commonest[: more - 1])
        barred |= {v for v, own in having.items() if len(own) < least}
        counted += len(left) * widest
        narrowest = min((sets[i] - barred for i in left), key=len)
        branches: list[str] = []
        for v in sorted(narrowest, key=lambda v: (-len(having[v]), v)):
            if any(having[v] <= having[by] for by in branches):
                barred.add(v)
            else:
                branches.append(v)
        for v in branches:
            if can_hit([i for i in left if v not in sets[i]], set(barred), more - 1):
                return True
            barred.add(v)
        return False

    return (FOUND if can_hit([*range(len(sets))], set(), most) else NONE), asked


@pytest.mark.parametrize(
    ("words", "most", "end", "steps"),
    [
        # One word of each of 3 values and of what is left; one value hits 2 of 3 sets at the most.
        (["ab", "bc", "ca"], 1, NONE, 4),
        # 2 values, then 2 sets, then the values again; nothing is left after that.
        (["a", "b"], 2, FOUND, 3 + 2 * 1 + 3),
        (["ab", "cd"], 2, FOUND, 5 + 2 * 2 + 5),
        # Every set counts as the largest.
        (["a", "bcd"], 2, FOUND, 5 + 2 * 3 + 5),
        # 65 sets take two words.
        ([*["a"] * 64, "b"], 2, FOUND, 3 * 2 + 65 * 1 + 3 * 2),
        # After a, and then after b, no value is in all three sets that are left.
        (["ab", "ac", "ad", "bc", "bd", "cd"], 2, NONE, 5 + 6 * 2 + 5 + 5),
    ],
)  # fmt: skip
def test_a_search_is_undecided_after_just_so_many_steps(
    words: list[str], most: int, end: int, steps: int
) -> None:
    assert steps_of(words, most) == (end, steps)
    assert search(words, most, steps)[0] == end
    assert search(words, most, steps - 1)[0] == UNDECIDED


def test_no_step_is_taken_that_can_be_saved() -> None:
    """Pairs and triples of nine values, of which searches try several at each of several levels."""
    draw = np.random.default_rng(19)
    ends = []
    for _ in range(150):
        sizes = draw.integers(2, 4, int(draw.integers(6, 20)))
        words = ["".join(draw.choice(list("abcdefghi"), size, replace=False)) for size in sizes]
        for most in (2, 3, 4, 5):
            end, steps = steps_of(words, most)
            assert search(words, most, steps)[0] == end
            assert search(words, most, steps - 1)[0] == UNDECIDED
            ends.append(end)
    assert min(ends.count(FOUND), ends.count(NONE)) > 100


def test_what_is_barred_in_one_branch_is_free_in_the_next() -> None:
    """Otherwise nothing would be found here, and a class would seem safer than it is."""
    words = ["ae", "af", "ag", "bf", "bg", "ce", "dg"]
    assert search(words, 3) == (FOUND, {"e", "f", "g"})


def test_what_is_found_is_filled_up() -> None:
    out = np.empty(3, dtype=np.int64)
    starts, values = numbered(["ab", "bc"])
    assert find_hitting(starts, values, 3, 3, MANY, out) == FOUND
    assert out.tolist() == [1, -1, -1]


def test_no_set_beyond_the_first_word_is_forgotten() -> None:
    for n_before in (1, 63, 64, 65, 127, 128, 191, 192):
        words = [*["a"] * n_before, "b"]
        assert sets_by_value(*numbered(words), 2).shape == (2, -(-len(words) // 64))
        assert search(words, 1)[0] == NONE
        assert search(words, 2) == (FOUND, {"a", "b"})


def test_disjoint_sets_are_counted_up_to_the_limit() -> None:
    starts, values = numbered(["ab", "bc", "cd", "e", "ef"])
    for order, limit, n in (
        ([0, 1, 2, 3, 4], 9, 3), ([1, 0, 2, 3, 4], 9, 2), ([3, 4], 9, 1), ([0, 2, 3], 9, 3),
        ([0, 2, 3], 2, 2), ([0, 2, 3], 3, 3), ([0, 2, 3], 1, 1), ([0, 2, 4], 2.5, 3), ([], 1, 0),
    ):  # fmt: skip
        seen = np.zeros(26, dtype=np.bool_)
        people = np.array(order, dtype=np.int64)
        assert count_disjoint(starts, values, people, limit, seen) == n


def test_as_many_disjoint_sets_as_the_limit_prove_it_without_a_step() -> None:
    """By number, among sets of one size: whoever is listed first, "bc" comes last."""
    starts, values = numbered(["ab", "cd", "bc"])
    for units in permutations(range(3)):
        witness, undecided = memory()
        members = np.array(units, dtype=np.int32)
        asked = starts, values.astype(np.int32), members, np.int64(26), 2.0, 0, witness, undecided
        assert reach_hitting(*asked) == 2
        assert undecided.tolist() == [0, 0, 0, 0]


def test_the_hitting_set_found_last_is_kept_where_there_is_room() -> None:
    """By code, the rest filled up; a shorter memory stays as it was, and nothing else changes."""
    starts, values = numbered(["bd", "be", "bf"])
    units = np.arange(3, dtype=np.int32)
    for n, limit, kept in (
        (4, 3.0, [1, -1, -1, -1]), (3, 4.0, [1, -1, -1]), (2, 4.0, [7, 7]), (1, 2.0, [1]),
    ):  # fmt: skip
        witness, undecided = np.full(n, 7, dtype=np.int64), np.zeros(4, dtype=np.int64)
        asked = starts, values.astype(np.int32), units, np.int64(26), limit, MANY
        assert reach_hitting(*asked, witness, undecided) == limit - 1
        assert witness.tolist() == kept
        assert undecided.tolist() == [0, 0, 0, 0]


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


def test_who_waits() -> None:
    """Who begins as the undecided class, ended in the same place and grew by 1/8 at the most."""
    members = np.arange(100, 150, dtype=np.int32)
    for size, first, last, waiting in (
        (8, 100, 107, [9]), (15, 100, 114, [16]), (16, 100, 115, [17, 18]),
        (7, 100, 106, []), (1, 100, 100, []), (0, 0, 0, []), (0, 100, 149, []),
        (16, 101, 115, []), (16, 100, 116, []), (16, 101, 116, []),
    ):  # fmt: skip
        undecided = np.array([1, size, first, last])
        assert [n for n in range(1, 30) if waits(members[:n], undecided)] == waiting


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


# What saves steps of a search, against its definition: the budget then lasts as long as it should.


def numbered(words: list[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sets of letters as starts and values; a is 0."""
    own = [sorted({ord(v) - ord("a") for v in word}) for word in words]
    flat = np.array([v for x in own for v in x], dtype=np.int64)
    return np.cumsum([0, *map(len, own)], dtype=np.int64), flat


def test_the_largest_degrees_are_summed() -> None:
    draw = np.random.default_rng(14)
    histogram = np.zeros(8, dtype=np.int64)
    for _ in range(60):
        degrees = draw.integers(0, 8, int(draw.integers(1, 7)))
        for n in range(len(degrees) + 2):
            assert largest_sum(degrees, n, histogram) == sum(sorted(degrees, reverse=True)[:n])
            assert not histogram.any()
    # A histogram as short as can be.
    assert largest_sum(np.zeros(2, dtype=np.int64), 1, np.zeros(1, dtype=np.int64)) == 0


def test_values_in_too_few_sets_are_barred() -> None:
    barred = np.array([False, False, False, True])
    bar_rare(np.array([1, 2, 3, 3]), 2, barred)
    assert barred.tolist() == [True, False, False, True]


def test_the_first_set_with_the_fewest_free_values() -> None:
    starts, values = numbered(["abc", "ab", "bc", "d"])
    free = np.zeros(4, dtype=np.bool_)
    assert find_narrowest(starts, values, np.array([0, 1, 2]), free) == 1
    assert find_narrowest(starts, values, np.array([0, 1, 2, 3]), free) == 3
    assert find_narrowest(starts, values, np.array([0, 1, 2]), np.arange(4) == 0) == 1
    assert find_narrowest(starts, values, np.array([1, 2]), np.arange(4) == 2) == 2
    assert find_narrowest(starts, values, np.array([0]), free) == 0
    assert find_narrowest(*numbered(["abc"]), np.array([0]), free) == 0
    assert find_narrowest(*numbered(["a", ""]), np.array([0, 1]), free) == 1


@pytest.mark.parametrize("n_before", [0, 61, 64])
def test_branches_are_the_free_values_that_no_other_stands_for(n_before: int) -> None:
    """The commonest first; one whose sets all have another that is listed is barred."""
    draw = np.random.default_rng(15)
    n_barred = 0
    for words in random_classes(120, 16):
        starts, values = numbered([*["z"] * n_before, *words])
        cover = sets_by_value(starts, values, 26)
        sets = [set(values[starts[i] : starts[i + 1]].tolist()) for i in range(len(starts) - 1)]
        for v in range(26):
            held = [i for i, own in enumerate(sets) if v in own]
            assert [
                i for i in range(len(sets)) if cover[v, i >> 6] >> np.uint64(i & 63) & np.uint64(1)
            ] == held
        left = [i for i in range(len(sets)) if draw.random() < 0.8]
        bits = np.zeros(cover.shape[1], dtype=np.uint64)
        for i in left:
            bits[i >> 6] |= np.uint64(1) << np.uint64(i & 63)
        own = np.array(sorted(sets[-1]))
        having = {v: {i for i in left if v in sets[i]} for v in own.tolist()}
        for v in having:
            assert [bool(is_covered(bits, cover, v, by)) for by in having] == [
                having[v] <= having[by] for by in having
            ]
        barred = draw.random(26) < 0.2
        degrees = np.array([len(having.get(v, ())) for v in range(26)])
        free = sorted((v for v in having if not barred[v]), key=lambda v: -degrees[v])
        kept: list[int] = []
        for v in free:
            if not any(having[v] <= having[by] for by in kept):
                kept.append(v)
        expected = barred.copy()
        expected[[v for v in free if v not in kept]] = True
        n_barred += len(free) - len(kept)
        out = np.empty(len(own), dtype=np.int64)
        n = list_branches(own, degrees, bits, cover, barred, out)
        assert out[:n].tolist() == kept
        assert barred.tolist() == expected.tolist()
    assert n_barred > 30


def test_people_are_sorted_by_their_values() -> None:
    """By how many, then by which; without repeats each of them is there once, numbered densely."""
    draw = np.random.default_rng(17)
    for words in random_classes(100, 18):
        starts, values = numbered(["zy", *words])
        sets = [tuple(values[starts[i] : starts[i + 1]].tolist()) for i in range(len(starts) - 1)]
        units = (draw.permutation(len(words)) + 1)[: int(draw.integers(1, len(words) + 1))]
        by_size = np.empty(len(units), dtype=np.int64)
        order_by_size(starts, units, by_size)
        assert by_size.tolist() == sorted(units.tolist(), key=lambda u: len(sets[u]))
        for one, other in combinations(range(len(sets)), 2):
            a, b = (len(sets[one]), sets[one]), (len(sets[other]), sets[other])
            assert precedes(starts, values, one, other) == (a > b) - (a < b)
        order = sort_by_values(starts, values, units.copy())
        assert order.tolist() == sorted(
            units.tolist(), key=lambda u: (len(sets[u]), sets[u], units.tolist().index(u))
        )
        ends, dense, codes = different_sets(starts, values, order, 26)
        assert codes.tolist() == sorted({v for u in units for v in sets[u]})
        found = [tuple(codes[dense[a:b]].tolist()) for a, b in pairwise(ends)]
        assert found == sorted({sets[u] for u in units}, key=lambda own: (len(own), own))


def test_what_was_found_before_is_looked_at_with_care() -> None:
    """Fewer values than the limit that hit everybody; -1 is no value."""
    starts, values = numbered(["ab", "bc", "ca", "d"])
    everybody = np.arange(3)
    seen = np.ones(26, dtype=np.bool_)
    for witness, units, limit, hit in (
        ([0, 1], everybody, 3, True),
        ([0, 1], everybody, 2, False),
        ([0, -1], everybody, 3, False),
        ([-1, 1], everybody[:2], 2, True),
        ([-1, -1], everybody, 3, False),
        ([0, 1], np.array([0, 3]), 3, False),
        ([0, 1], np.array([3, 0]), 3, False),
        ([0, 3], np.array([3, 0]), 3, True),
    ):
        assert is_hit(starts, values, units, np.array(witness), limit, seen) is hit
