"""The twins of the graph methods say what the paper and its definitions say."""

from __future__ import annotations

import random
from itertools import product

import pytest

from tests.papers.graph import twin as twin

# Table 1, and d8 of Table 12. Numbers of rows count from 1 in this file, as in the paper.
PEOPLE = [(45, "M"), (46, "F"), (47, "M"), (48, "M"), (48, "F"), (42, "F"), (42, "F")]
EIGHT = [*PEOPLE, (45, "F")]
COLUMNS = [("numeric", 42, 48), ("tree", (("F", "*"), ("M", "*")))]
FIG_5 = [
    [0, 2, 2, 3, 4, 4, 4],
    [2, 0, 2, 3, 2, 4, 4],
    [2, 2, 0, 1, 2, 6, 6],
    [3, 3, 1, 0, 1, 7, 7],
    [4, 2, 2, 1, 0, 6, 6],
    [4, 4, 6, 7, 6, 0, 0],
    [4, 4, 6, 7, 6, 0, 0],
]
D8 = [1, 1, 3, 4, 3, 3, 3]
FIG_10 = [*([*line, d] for line, d in zip(FIG_5, D8, strict=True)), [*D8, 0]]
TOWNS = (("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*"))
TOPS = (("a", "north"), ("b", "north"), ("c", "south"))


def numbered(classes: twin.Classes) -> twin.Classes:
    return [[row + 1 for row in members] for members in classes]


def unnumbered(classes: twin.Classes) -> twin.Classes:
    return [[row - 1 for row in members] for members in classes]


# Distance and error.


def test_figs_5_and_10() -> None:
    assert twin.matrix(PEOPLE, COLUMNS) == FIG_5
    assert twin.matrix(EIGHT, COLUMNS) == FIG_10


def test_distances_of_sets_in_the_papers_words() -> None:
    assert twin.f_dis(COLUMNS[0], [45, 46, 48]) == 3
    assert twin.f_dis(COLUMNS[1], ["M", "F"]) == 1
    assert twin.f_DIS(PEOPLE, COLUMNS, [0, 1]) == 2


def test_normalised_distances_are_shares_of_domain_and_height() -> None:
    assert twin.f_dis(("numeric", 40, 50), [42, 47], normalise=True) == 0.5
    levels = [twin.f_dis(("tree", TOWNS), ["a", v], normalise=True) for v in "abc"]
    assert levels == [0, 0.5, 1]
    # The height is that of the hierarchy, also where all the values present meet below its top.
    assert twin.f_dis(("tree", TOWNS[:2]), ["a", "b"], normalise=True) == 0.5


def test_what_never_meets_is_one_level_above_the_top() -> None:
    assert [twin.f_dis(("tree", TOPS), ["a", v]) for v in "abc"] == [0, 1, 2]
    assert [twin.f_dis(("tree", TOPS), ["a", v], normalise=True) for v in "abc"] == [0, 0.5, 1]


def test_sets_are_hierarchies_of_height_one() -> None:
    assert twin.f_dis(("set", 9), ["x", "x"]) == 0
    assert twin.f_dis(("set", 9), ["x", "y", None]) == 1


def test_missing_is_a_whole_domain_away_from_numbers() -> None:
    assert twin.f_dis(("numeric", 0, 20), [3, None]) == 20
    assert twin.f_dis(("numeric", 0, 20), [None, None]) == 0
    assert twin.f_dis(("numeric", 5, 5), [5, None]) == 1


# The adjacency matrix.

STARS = [
    (PEOPLE, 2, [[6, 7], [3, 4, 5], [1, 2]], 10),
    (PEOPLE, 3, [[3, 4, 5], [1, 2, 6, 7]], 26),
    (EIGHT, 2, [[6, 7], [1, 2, 8], [3, 4, 5]], 12),
    (EIGHT, 3, [[3, 4, 5], [1, 2, 6, 7, 8]], 31),
]


@pytest.mark.parametrize(("rows", "k", "classes", "error"), STARS)
def test_adjacency_of_the_papers_tables(
    rows: list[twin.Row], k: int, classes: twin.Classes, error: int
) -> None:
    found = twin.adjacency(rows, COLUMNS, k)
    assert numbered(found) == classes
    assert twin.error(rows, COLUMNS, found) == error


def test_the_papers_own_release_of_table_2_is_worse() -> None:
    table_2 = unnumbered([[1, 2, 5], [3, 4], [6, 7]])
    assert twin.error(PEOPLE, COLUMNS, table_2) == 14


def test_associated_rows_are_measured_from_the_star_alone() -> None:
    ages = [(n,) for n in (0, 1, 2, 3, 10, 20, 30)]
    # The star {0, 1} takes 2; from 2 it is not far to 3, but 3 is not near the star.
    assert twin.adjacency(ages, [("numeric", 0, 30)], 2)[0] == [0, 1, 2]
    # With k = 3 the star is {1: 0, 2}, and 3, near 2, joins; there is room for one more.
    assert twin.adjacency(ages, [("numeric", 0, 30)], 3)[0] == [0, 1, 2, 3]


def test_associated_rows_leave_k_behind() -> None:
    same = [(7,)] * 5
    assert twin.adjacency(same, [("numeric", 7, 7)], 2) == [[0, 1, 2], [3, 4]]
    assert twin.adjacency(same[:4], [("numeric", 7, 7)], 2) == [[0, 1], [2, 3]]
    assert twin.adjacency(same[:3], [("numeric", 7, 7)], 2) == [[0, 1, 2]]


def test_a_tie_on_paper_is_a_tie() -> None:
    shares = [(n,) for n in (0.9, 0.0, 0.1, 0.2, 0.3)]
    # 0.1 - 0, 0.2 - 0.1 and 0.3 - 0.2 differ in the last bit of a float.
    assert twin.adjacency(shares, [("numeric", 0, 1)], 2) == [[1, 2, 3], [0, 4]]


def test_too_few_rows() -> None:
    for find in (twin.adjacency, twin.weighted_graph_optimum):
        with pytest.raises(ValueError, match=r"not enough|no such"):
            find(PEOPLE, COLUMNS, 8)
    with pytest.raises(ValueError, match="not enough"):
        twin.k_member(PEOPLE, COLUMNS, 8, 0)


def diverse(secrets: str, n_values: int) -> twin.Holds:
    return lambda members: len({secrets[m] for m in members}) >= n_values


def test_stars_grow_until_they_hold() -> None:
    ages = [(n,) for n in (0, 1, 3, 10, 11, 13)]
    column = [("numeric", 0, 13)]
    assert twin.adjacency(ages, column, 2) == [[0, 1], [3, 4], [2, 5]]
    assert twin.adjacency(ages, column, 2, diverse("xyzxyz", 3)) == [[0, 1, 2], [3, 4, 5]]
    # The star of 3, which is {3, 1}, is smaller than that of 1, which is {1, 0, 3}; 0 joins it.
    assert twin.adjacency(ages, column, 2, diverse("xxyxxy", 2)) == [[0, 1, 2], [3, 4, 5]]
    assert twin.adjacency(ages, column, 2, diverse("xxyxxy", 1)) == twin.adjacency(ages, column, 2)


def test_rows_left_that_do_not_hold_join_where_they_harm_least() -> None:
    ages = [(n,) for n in (0, 1, 2, 3, 20, 21, 50)]
    found = twin.adjacency(ages, [("numeric", 0, 50)], 2, diverse("xyxxxyx", 2))
    assert found == [[0, 1, 2, 3], [4, 5, 6]]


def test_what_all_rows_cannot_hold_nobody_can() -> None:
    with pytest.raises(ValueError, match="not enough"):
        twin.adjacency(PEOPLE, COLUMNS, 2, diverse("xxxxxxx", 2))


def random_rows(seed: int, most: int) -> tuple[list[twin.Row], str]:
    rng = random.Random(seed)
    n_rows = rng.randint(4, most)
    rows = [(rng.choice([None, 1, 2, 2, 5, 9]), rng.choice("abcd")) for _ in range(n_rows)]
    return rows, "".join(rng.choice("xxyz") for _ in range(n_rows))


MIXED = [("numeric", 1, 9), ("tree", TOWNS)]


@pytest.mark.parametrize("seed", range(30))
def test_adjacency_is_a_partition_into_classes_that_hold(seed: int) -> None:
    rows, secrets = random_rows(seed, 25)
    k = 2 + seed % 2
    for holds in (None, diverse(secrets, len(set(secrets)))):
        classes = twin.adjacency(rows, MIXED, k, holds, normalise=seed % 3 == 0)
        assert sorted(row for members in classes for row in members) == list(range(len(rows)))
        assert all(len(members) >= k for members in classes)
        assert all(holds is None or holds(members) for members in classes)
        assert holds is not None or all(len(members) < 2 * k for members in classes)


# The weighted graph.

OPTIMA = [
    (PEOPLE, 2, 10, 6),
    (PEOPLE, 3, 24, 19),
    (EIGHT, 2, 8, 4),
    (EIGHT, 3, 28, 26),
]


@pytest.mark.parametrize(("rows", "k", "error", "edges"), OPTIMA)
def test_optimum_of_the_papers_tables(rows: list[twin.Row], k: int, error: int, edges: int) -> None:
    found = twin.weighted_graph_optimum(rows, COLUMNS, k)
    assert (twin.error(rows, COLUMNS, found), twin.edge_sum(rows, COLUMNS, found)) == (error, edges)


def test_optimum_partitions() -> None:
    assert numbered(twin.weighted_graph_optimum(PEOPLE, COLUMNS, 3)) == [[1, 6, 7], [2, 3, 4, 5]]
    ways = [
        [[1, 3], [2, 8], [4, 5], [6, 7]],
        [[1, 8], [2, 3], [4, 5], [6, 7]],
        [[1, 8], [2, 5], [3, 4], [6, 7]],
    ]
    assert numbered(twin.weighted_graph_optimum(EIGHT, COLUMNS, 2)) == ways[0]
    for way in ways:
        assert twin.edge_sum(EIGHT, COLUMNS, unnumbered(way)) == 4
        assert twin.error(EIGHT, COLUMNS, unnumbered(way)) == 8


def every_partition(n_rows: int) -> list[twin.Classes]:
    """All partitions, by the number of the class of each row."""
    found = []
    for numbers in product(range(n_rows), repeat=n_rows):
        firsts = list(dict.fromkeys(numbers))
        if firsts == list(range(len(firsts))):
            found.append([[r for r, c in enumerate(numbers) if c == f] for f in firsts])
    return found


@pytest.mark.parametrize("seed", range(12))
def test_optimum_is_the_first_of_the_best_of_all_partitions(seed: int) -> None:
    rows, secrets = random_rows(seed, 7)
    normalise = seed % 2 == 0
    for holds in (None, diverse(secrets, min(2, len(set(secrets))))):
        allowed = [
            classes
            for classes in every_partition(len(rows))
            if all(len(c) >= 2 and (holds is None or holds(c)) for c in classes)
        ]
        first = min(
            allowed,
            key=lambda c: (twin.tick(twin.edge_sum(rows, MIXED, c, normalise)), c),
        )
        assert twin.weighted_graph_optimum(rows, MIXED, 2, holds, normalise) == first


def test_optimum_of_twelve_rows_is_no_worse_than_stars() -> None:
    rng = random.Random(5)
    rows = [(rng.randint(1, 9), rng.choice("abcd")) for _ in range(12)]
    best = twin.edge_sum(rows, MIXED, twin.weighted_graph_optimum(rows, MIXED, 2))
    assert best < twin.edge_sum(rows, MIXED, twin.adjacency(rows, MIXED, 2))


# k-member.


def test_what_a_cell_loses() -> None:
    assert twin.width(("numeric", 40, 50), [42, 47]) == 0.5
    assert twin.width(("numeric", 40, 50), [42, None]) == 1
    assert twin.width(("tree", TOWNS), ["a", "b"]) == pytest.approx(1 / 3)
    assert twin.width(("tree", TOPS), ["a", "c"]) == 1
    assert twin.width(("set", 5), ["x", "y", "x"]) == 0.25
    assert twin.class_loss([(42, "a"), (47, "b")], [("numeric", 40, 50), ("set", 3)], [0, 1]) == 2


def test_k_member_starts_far_from_where_it_started_before() -> None:
    ages = [(n,) for n in (0, 5, 6, 10, 11, 20)]
    # From 6: {6, 5}; farthest from 6 is 20: {20, 11}; farthest from 20 is 0: {0, 10}.
    assert twin.k_member(ages, [("numeric", 0, 20)], 2, 2) == [[2, 1], [5, 4], [0, 3]]


def test_k_member_of_the_papers_table() -> None:
    # To d1 comes d3 (2/6 of the ages; d2 is nearer in age, but of the other gender). Farthest from
    # d1 are d5, d6 and d7 alike: d5 begins, with d2. Farthest from d5 are d4, d6 and d7: d4, d6.
    # d7 adds 2 to {d4, d6}, more to the others.
    found = twin.k_member(PEOPLE, COLUMNS, 2, 0)
    assert numbered(found) == [[1, 3], [5, 2], [4, 6, 7]]


def test_leftovers_harm_least_and_the_loss_can_be_any() -> None:
    ages = [(n,) for n in (0, 1, 9, 10, 2)]
    column = [("numeric", 0, 10)]
    assert twin.k_member(ages, column, 2, 0) == [[0, 1, 4], [3, 2]]
    last_rows_first = twin.k_member(ages, column, 2, 0, loss=lambda members: -sum(members))
    assert last_rows_first == [[0, 4, 1], [3, 2]]
