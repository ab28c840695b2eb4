"""The twin against the paper's worked example, cases worked out by hand, and what must hold."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction as F
from functools import partial
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.papers.lgb.twin import (
    PUBLIC,
    SECRET,
    WITHHELD,
    Attribute,
    NotPossibleError,
    Part,
    Release,
    Rule,
    Table,
    affected,
    alpha_and_beta,
    assign,
    avg_query,
    bucket_holds,
    bucketise,
    c_dm,
    check,
    classes_of,
    count_query,
    covers,
    eligible,
    emd,
    far_seeds,
    generalised,
    hand_out,
    identity_risk,
    join_undersized,
    label_ncp,
    lgb,
    loss,
    lower_median,
    matches,
    mdp_classes,
    ncp_classes,
    ncp_per_cell,
    parts_by_qi,
    place,
    posterior,
    posterior_bound,
    relative_error,
    set_ncp,
    share,
    shown,
    sum_query,
    total_ncp,
)

ZIPS = ["21328", "21336", "21340", "21344", "21352", "21357", "21358"]
PATIENTS = [
    (28, "Male", "21357", "Bronchitis"),
    (25, "Female", "21344", "Gastritis"),
    (16, "Male", "21352", "Dyspepsia"),
    (24, "Male", "21336", "Pneumonia"),
    (31, "Female", "21328", "Hepatitis"),
    (22, "Male", "21358", "Flu"),
    (29, "Female", "21328", "Pneumonia"),
    (34, "Male", "21340", "Bronchitis"),
]
FIGURE_1 = Table(
    (
        ("numeric", 16, 34),
        ("tree", [("Female", "*"), ("Male", "*")]),
        ("tree", [(z, z[:4] + "*", "213**") for z in ZIPS]),
        ("set", 6),
    ),
    tuple(PATIENTS),
    tuple((row in (3, 4, 6, 7), False, row in (0, 1), True) for row in range(8)),
)
TWO: dict[int, Rule] = {0: ("distinct", 2), 2: ("distinct", 2), 3: ("distinct", 2)}
FIGURE_2 = [[0, 1], [2, 5], [3, 7], [4, 6]]
AB_CD: Attribute = (
    "tree",
    [("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")],
)
NO_TOP: Attribute = ("tree", [("a", "x"), ("b", "x"), ("c", "y")])
LINE: Attribute = ("numeric", 0, 10)


def line(*places: float, high: float = 10) -> tuple[Table, Part]:
    """Rows with one public number."""
    rows = tuple((x,) for x in places)
    table = Table((("numeric", 0, high),), rows, ((False,),) * len(rows))
    return table, Part(tuple(range(len(rows))), (PUBLIC,))


def rows_of(parts: list[Part]) -> list[list[int]]:
    return [list(p.rows) for p in parts]


def held(*values: Any) -> dict[Any, list[int]]:
    """The rows 0, 1, … of these values, in table order."""
    return {v: [r for r, w in enumerate(values) if w == v] for v in values}


# The worked example.


def test_the_parts_of_figure_3() -> None:
    assert rows_of(parts_by_qi(FIGURE_1)) == [[0, 1], [2, 5], [3, 4, 6, 7]]
    parts, suppressed = join_undersized(FIGURE_1, 2)
    assert parts == parts_by_qi(FIGURE_1)
    assert suppressed == []
    assert affected(FIGURE_1, parts) == {
        "withheld cells": 0,
        "withheld rows": 0,
        "suppressed rows": 0,
    }


def test_figure_2_by_mdp() -> None:
    release = lgb(FIGURE_1, 2, TWO)
    assert sorted(classes_of(release)) == FIGURE_2
    assert [release.cells[row][0] for row in (0, 2)] == [("value", (25, 28)), ("value", (16, 22))]
    genders = [release.cells[row][1] for row in (0, 2, 3, 4)]
    assert [label for _, (_, label) in genders] == ["*", "Male", "Male", "Female"]
    zips = [release.cells[row][2] for row in (2, 3, 4)]
    assert [label for _, (_, label) in zips] == ["2135*", "213**", "21328"]
    assert release.buckets[0] == [[24, 29], [31, 34]]
    assert release.buckets[2] == [["21344", "21357"]]
    assert release.buckets[3] == [
        ["Bronchitis", "Dyspepsia"],
        ["Bronchitis", "Flu"],
        ["Gastritis", "Pneumonia"],
        ["Hepatitis", "Pneumonia"],
    ]
    assert check(FIGURE_1, release, 2, TWO) == []


@pytest.mark.parametrize("balanced", [True, False])
def test_figure_2_by_ncp_in_every_order(balanced: bool) -> None:
    part = parts_by_qi(FIGURE_1)[2]
    for order in permutations(part.rows):

        def draws(rows: list[int], order: tuple[int, ...] = order) -> list[int]:
            return list(order)

        found = ncp_classes(FIGURE_1, part, 2, draws, balanced)
        assert sorted(rows_of(found)) == [[3, 7], [4, 6]]


def test_the_measures_of_figure_2() -> None:
    release = lgb(FIGURE_1, 2, TWO)
    assert c_dm(release) == 4 * 2**2
    by_class = [F(3, 18) + 1, F(6, 18) + F(3, 7), 1, 0]
    assert total_ncp(FIGURE_1, release) == 2 * sum(by_class)
    assert ncp_per_cell(FIGURE_1, release) == 2 * sum(by_class) / 32


def test_what_the_adversary_learns_about_mark() -> None:
    release = lgb(FIGURE_1, 2, TWO)
    assert matches(FIGURE_1, release, 3) == [3, 7]
    assert identity_risk(FIGURE_1, release, 3) == F(1, 2)
    ages = [posterior(FIGURE_1, release, 3, 0, age) for age in (24, 29, 31, 34)]
    assert ages == [F(1, 4)] * 4
    assert posterior_bound(FIGURE_1, release, 3, 0) == F(1, 2)
    likely = [posterior(FIGURE_1, release, 3, 3, d) for d in ("Pneumonia", "Bronchitis", "Flu")]
    assert likely == [F(1, 4), F(1, 4), F(1, 4)]


def test_in_one_table_a_secret_cell_shows_some_value_of_its_bucket() -> None:
    release = lgb(FIGURE_1, 2, TWO)
    assert shown(release, 2) == {0: "21344", 1: "21357"}  # as in Fig. 2: not their own
    assert shown(release, 0) == {3: 24, 6: 29, 4: 31, 7: 34}


def test_the_release_as_the_paper_prints_it_holds() -> None:
    ours = lgb(FIGURE_1, 2, TWO)
    bids = {3: 0, 4: 0, 6: 1, 7: 1}
    cells = {r: (("bucket", bids[r]), *c[1:]) if r in bids else c for r, c in ours.cells.items()}
    printed = replace(ours, cells=cells, buckets={**ours.buckets, 0: [[24, 31], [29, 34]]})
    assert check(FIGURE_1, printed, 2, TWO) == []


# Values.


@pytest.mark.parametrize(
    ("attribute", "values", "label", "expected"),
    [
        (LINE, [3, 5, 4], (3, 5), F(1, 5)),
        (LINE, [3, 3], (3, 3), 0),
        (("numeric", 0, 0.3), [0.1, 0.2], (0.1, 0.2), F(1, 3)),
        (("numeric", 4, 4), [4, 4], (4, 4), 0),
        (AB_CD, ["a", "b"], (1, "ab"), F(1, 2)),
        (AB_CD, ["a", "d"], (2, "*"), 1),
        (AB_CD, ["a", "a"], (0, "a"), 0),
        (NO_TOP, ["b", "c"], (None, "*"), 1),
        (("set", 5), ["u", "v", "u"], frozenset("uv"), F(2, 5)),
        (("set", 5), ["u"], frozenset("u"), 0),
    ],
)
def test_generalised_values_and_their_ncp(
    attribute: Attribute, values: list[Any], label: Any, expected: F
) -> None:
    assert generalised(attribute, values) == label
    assert label_ncp(attribute, label) == expected
    assert all(covers(attribute, label, v) for v in values)


def test_a_label_covers_no_other_value() -> None:
    assert not covers(LINE, (3, 5), 6)
    assert not covers(AB_CD, (1, "ab"), "c")
    assert not covers(("set", 5), frozenset("uv"), "w")


def test_the_order_of_values() -> None:
    mixed: Attribute = (
        "tree",
        [("z", "B", "*"), ("m", "A", "*"), ("a", "B", "*"), ("b", "A", "*")],
    )
    assert sorted("abmz", key=lambda v: place(mixed, v)) == ["z", "a", "m", "b"]
    assert sorted([10, 9, 2], key=lambda v: place(LINE, v)) == [2, 9, 10]
    assert sorted([10, 9, 2], key=lambda v: place(("set", 3), v)) == [10, 2, 9]
    assert lower_median(LINE, [4, 1, 3, 2]) == 2
    assert lower_median(LINE, [5, 1, 3]) == 3


# Undersized parts. Three attributes: a public place, one that may be secret, one that always is.


def three(*rows: tuple[float, bool, bool]) -> Table:
    """Rows of (place, whether the place is secret, whether the second is)."""
    return Table(
        (LINE, ("set", 9), ("set", 9)),
        tuple((x, f"v{i}", f"s{i}") for i, (x, _, _) in enumerate(rows)),
        tuple((secret, second, True) for _, secret, second in rows),
    )


def test_the_nearest_rows_join_and_the_mixed_cells_are_withheld() -> None:
    table = three((5, False, False), (0, False, True), (9, False, True), (6, False, True))
    parts, suppressed = join_undersized(table, 2)
    assert parts == [
        Part((0, 3), (PUBLIC, WITHHELD, SECRET)),
        Part((1, 2), (PUBLIC, SECRET, SECRET)),
    ]
    assert suppressed == []
    assert loss(table, parts[0]) == 2 * (F(1, 10) + 1)
    report = {"withheld cells": 2, "withheld rows": 2, "suppressed rows": 0}
    assert affected(table, parts) == report


def test_of_rows_that_cost_the_same_the_first_in_the_table_joins() -> None:
    table = three((5, False, False), (6, False, True), (4, False, True), (4, False, True))
    assert rows_of(join_undersized(table, 2)[0]) == [[0, 1], [2, 3]]


def test_all_of_a_part_joins_where_fewer_than_k_would_stay() -> None:
    two, three_more = [(5, False, False)] * 2, [(5, False, True)] * 3
    parts, _ = join_undersized(three(*two, *three_more), 3)
    assert parts == [Part((0, 1, 2, 3, 4), (PUBLIC, WITHHELD, SECRET))]
    parts, _ = join_undersized(three(*two, *three_more, (5, False, True)), 3)
    assert rows_of(parts) == [[0, 1, 2], [3, 4, 5]]


def test_a_row_is_suppressed_only_where_that_costs_less() -> None:
    far = three((0, False, False), (6, False, True), (6, False, True), (6, False, True))
    parts, suppressed = join_undersized(far, 2)
    assert suppressed == [0]  # 3 < 2 * (0.6 + 1)
    assert affected(far, parts)["suppressed rows"] == 1
    tie = three((0, False, False), (5, False, True), (5, False, True), (5, False, True))
    assert join_undersized(tie, 2)[1] == []  # 3 = 2 * (0.5 + 1)


def test_where_nothing_is_left_to_join_the_part_is_suppressed() -> None:
    assert join_undersized(three((1, False, False), (2, False, False)), 3) == ([], [0, 1])


def test_of_parts_that_cost_the_same_the_earlier_is_joined() -> None:
    # One shares the place and withholds the second, the other the other way round.
    known, hidden, one = (5, False, False), (5, True, True), (5, False, True)
    parts, _ = join_undersized(three(*[known] * 3, *[hidden] * 3, one), 2)
    assert parts[0] == Part((0, 6), (PUBLIC, WITHHELD, SECRET))
    parts, _ = join_undersized(three(*[hidden] * 3, *[known] * 3, one), 2)
    assert parts[0] == Part((0, 6), (WITHHELD, SECRET, SECRET))


def test_the_smallest_part_comes_first() -> None:
    table = three(*[(5, False, False)] * 2, (8, False, True), *[(5, True, False)] * 4)
    # Row 2 comes first and costs 3 * 1.3 with the first two rows: suppressed. They then join a
    # third part for 3 * (1 + 3/9). Had they come first they would have joined row 2 for 3.9.
    parts, suppressed = join_undersized(table, 3)
    assert suppressed == [2]
    assert parts[0] == Part((0, 1, 3), (WITHHELD, PUBLIC, SECRET))
    assert loss(table, parts[0]) == 4


def test_undersized_parts_join_until_they_are_k() -> None:
    # Parts of 1, 2 and 2 rows; k = 5. The one row joins the part that shares its place,
    # then what is now smallest joins in turn.
    table = three((5, False, False), *[(5, False, True)] * 2, *[(5, True, True)] * 2)
    parts, suppressed = join_undersized(table, 5)
    # {0} + {1, 2} lose 3, not less than the 3 of suppressing row 0: joined. The smallest is then
    # {3, 4}, whose join with all costs 10; to suppress it costs 6. {0, 1, 2} has nothing left.
    assert (parts, suppressed) == ([], [0, 1, 2, 3, 4])
    parts, suppressed = join_undersized(table, 3)
    assert parts == [Part((0, 1, 2), (PUBLIC, WITHHELD, SECRET))]
    assert suppressed == [3, 4]


def test_a_withheld_cell_stays_withheld_when_its_part_is_joined_again() -> None:
    table = three((5, False, False), (5, False, True), *[(5, True, True)] * 4)
    # Rows 0 and 1 lose 2 together. To suppress both costs 6, as much as joining one more row.
    assert join_undersized(table, 3) == (
        [
            Part((0, 1, 2), (WITHHELD, WITHHELD, SECRET)),
            Part((3, 4, 5), (SECRET, SECRET, SECRET)),
        ],
        [],
    )


# Buckets.


def test_alpha_and_beta() -> None:
    assert alpha_and_beta([3, 2, 2, 1], 2) == (2, 2)
    assert alpha_and_beta([2, 2, 1], 2) == (1, 2)
    assert alpha_and_beta([1, 1, 1], 2) == (1, 3)
    assert alpha_and_beta([2, 1, 1], 2) == (1, 2)


def test_rows_of_one_value_go_in_the_given_order() -> None:
    seeded = {1: [4, 0], 2: [1, 3], 3: [2]}
    assert assign(LINE, seeded, 2) == [[4, 1], [0, 3, 2]]


def test_equal_counts_follow_the_order_of_values() -> None:
    assert bucketise(("set", 4), held("d", "c", "b", "a", "b"), ("distinct", 2)) == [
        [2, 3],
        [4, 1, 0],
    ]


def test_split_at_the_median_while_both_sides_are_eligible() -> None:
    assert bucketise(LINE, held(4, 3, 2, 1), ("distinct", 2)) == [[3, 2], [1, 0]]
    # The right side would be one row: not split.
    assert bucketise(LINE, held(1, 2, 3), ("distinct", 2)) == [[0, 1, 2]]
    # Values up to the median are everything: not split, and no endless recursion.
    assert bucketise(LINE, held(5, 5), ("distinct", 1)) == [[0], [1]]


@pytest.mark.parametrize("name", ["distinct", "frequency"])
def test_what_is_not_eligible_is_refused_with_the_largest_l(name: str) -> None:
    values = held(1, 1, 1, 2, 3, 4, 5)
    with pytest.raises(NotPossibleError, match="t-closeness") as caught:
        bucketise(LINE, values, (name, 3))
    assert caught.value.largest == {0: 2}
    assert bucketise(LINE, values, (name, 2))


def test_every_attribute_that_cannot_be_had_is_named() -> None:
    with pytest.raises(NotPossibleError) as caught:
        lgb(FIGURE_1, 2, {0: ("distinct", 5), 2: ("distinct", 2), 3: ("distinct", 5)})
    assert caught.value.largest == {0: 4, 3: 4}


def test_entropy_falls_back_on_one_bucket() -> None:
    # Shares 1/2 and four times 1/8: the entropy is exactly ln 4, though half the rows are alike.
    values = held(*"aaaabcde")
    assert not eligible([4, 1, 1, 1, 1], 4)
    assert bucketise(("set", 5), values, ("entropy", 4)) == [[0, 1, 2, 3, 4, 5, 6, 7]]
    with pytest.raises(NotPossibleError) as caught:
        bucketise(("set", 5), values, ("entropy", 4.01))
    assert caught.value.largest == {0: 4}
    assert len(bucketise(("set", 5), values, ("entropy", 2))) == 4


def test_emd_of_the_t_closeness_paper() -> None:
    salaries = list(range(3, 12))
    assert emd(("numeric", 3, 11), [3, 4, 5], salaries) == F(3, 8)
    assert emd(("numeric", 3, 11), [6, 8, 11], salaries) == F(1, 6)
    assert emd(("set", 4), ["a"], list("abcd")) == F(3, 4)
    # A quarter moves within ab, half a distance; a half moves over the top.
    assert emd(AB_CD, ["a"], list("abcd")) == F(1, 4) * F(1, 2) + F(1, 2)
    assert emd(NO_TOP, ["a"], list("abc")) == F(1, 3) * F(1, 2) + F(1, 3)


def test_t_closeness_deals_into_as_many_buckets_as_it_can() -> None:
    values = held(2, 1, 2, 1)
    assert bucketise(LINE, values, ("t", 0)) == [[1, 0], [3, 2]]
    assert bucketise(LINE, held(1, 1, 2), ("t", 0)) == [[0, 1, 2]]
    # All of 1 to 4 is 2.5 in the mean; 1, 3 and 2, 4 are a half to the side, by three steps.
    assert bucketise(LINE, held(1, 2, 3, 4), ("t", 0.16)) == [[0, 1, 2, 3]]
    assert bucketise(LINE, held(1, 2, 3, 4), ("t", 0.17)) == [[0, 2], [1, 3]]


def test_a_bucket_by_t_closeness_has_two_values_however_large_t_is() -> None:
    assert bucketise(LINE, held(2, 1, 2, 1), ("t", 1)) == [[1, 0], [3, 2]]
    assert bucketise(LINE, held(1, 1, 2), ("t", 1)) == [[0, 1, 2]]
    with pytest.raises(NotPossibleError):
        bucketise(LINE, held(1, 1, 1), ("t", 1))
    assert bucketise(LINE, {}, ("t", 1)) == []


# Classes.


def test_mdp_tries_the_next_attribute_where_a_split_is_too_small() -> None:
    table = Table((LINE, LINE), ((0, 1), (0, 4), (0, 2), (10, 3)), ((False, False),) * 4)
    part = Part((0, 1, 2, 3), (PUBLIC, PUBLIC))
    assert rows_of(mdp_classes(table, part, 2)) == [[0, 2], [1, 3]]
    assert rows_of(mdp_classes(table, part, 1)) == [[0], [2], [1], [3]]
    assert rows_of(mdp_classes(table, replace(part, pattern=(PUBLIC, WITHHELD)), 2)) == [
        [0, 1, 2, 3]
    ]


def test_mdp_takes_the_widest_and_of_equals_the_first() -> None:
    rows = ((0, 0), (0, 9), (9, 0), (9, 9))
    part = Part((0, 1, 2, 3), (PUBLIC, PUBLIC))
    table = Table((LINE, LINE), rows, ((False, False),) * 4)
    assert rows_of(mdp_classes(table, part, 2)) == [[0, 1], [2, 3]]
    wider = Table((("numeric", 0, 11), LINE), rows, ((False, False),) * 4)
    assert rows_of(mdp_classes(wider, part, 2)) == [[0, 2], [1, 3]]


def test_seeds_are_the_ends_and_the_first_is_the_one_reached_first() -> None:
    table, part = line(5, 10, 0, 3)
    assert far_seeds(table, part, 3) == (1, 2)  # 3 to 10, 10 to 0; 0 finds nothing farther
    assert far_seeds(table, part, 0) == (1, 2)  # of two as far the first in the table
    assert far_seeds(table, part, 2) == (2, 1)


def test_the_rise_counts_all_rows_of_a_side() -> None:
    table, part = line(0, 2, 1, 1, 1, 3, 6)
    # 3 would widen {0, 2, 1, 1, 1} by only 1, but for five rows: 6 * 3 - 5 * 2 > 2 * 3.
    assert hand_out(table, part, (0, 6), [0, 1, 2, 3, 4, 5, 6]) == ([0, 1, 2, 3, 4], [6, 5])


def test_equal_rises_go_to_the_first_seed() -> None:
    table, part = line(0, 4, 2)
    assert hand_out(table, part, (0, 1), [2, 0, 1]) == ([0, 2], [1])
    assert hand_out(table, part, (1, 0), [2, 0, 1]) == ([1, 2], [0])


def test_an_outlier_ends_the_split_as_printed_and_draws_rows_over_when_balanced() -> None:
    table, part = line(3, 0, 1, 2, 100, high=100)
    as_drawn = list[int]
    assert rows_of(ncp_classes(table, part, 2, as_drawn, balanced=False)) == [[0, 1, 2, 3, 4]]
    assert sorted(rows_of(ncp_classes(table, part, 2, as_drawn))) == [[0, 4], [1, 2, 3]]


def test_rows_that_move_over_are_the_first_of_equals() -> None:
    table, part = line(0, 1, 1, 0, 10)
    found = ncp_classes(table, part, 2, list[int])
    assert sorted(rows_of(found)) == [[0, 2, 3], [1, 4]]


def test_rows_that_are_alike_stay_one_class() -> None:
    table, part = line(4, 4, 4, 4, 4)
    assert rows_of(ncp_classes(table, part, 1, list[int])) == [[0, 1, 2, 3, 4]]
    nothing = Part(part.rows, (SECRET,))
    assert rows_of(ncp_classes(table, nothing, 2, list[int])) == [[0, 1, 2, 3, 4]]
    assert rows_of(ncp_classes(table, nothing, 2, list[int], False)) == [[0, 1, 2, 3, 4]]


# The checker finds what is wrong.


def tampered(**changes: Any) -> list[str]:
    release = lgb(FIGURE_1, 2, TWO)
    return check(FIGURE_1, replace(release, **changes), 2, TWO)


def with_cell(release: Release, row: int, attribute: int, cell: tuple[Any, ...]) -> Any:
    cells = list(release.cells[row])
    cells[attribute] = cell
    return {**release.cells, row: tuple(cells)}


def test_the_checker_finds_every_kind_of_fault() -> None:
    release = lgb(FIGURE_1, 2, TWO)
    assert "class 0" in tampered(gid={**release.gid, 1: 9})
    assert "class 1" in tampered(cells=with_cell(release, 2, 0, (WITHHELD,)))
    assert "cell 0 of row 2" in tampered(cells=with_cell(release, 2, 0, ("value", (20, 22))))
    assert "cell 0 of row 3" in tampered(cells=with_cell(release, 3, 0, ("value", (24, 24))))
    assert "cell 0 of row 2" in tampered(cells=with_cell(release, 2, 0, ("bucket", 0)))
    assert "rows of bucket 0 of 0" in tampered(cells=with_cell(release, 3, 0, ("bucket", 1)))
    assert "values of 0" in tampered(buckets={**release.buckets, 0: [[24, 30], [31, 34]]})
    assert "bucket 0 of 0" in tampered(buckets={**release.buckets, 0: [[24, 24], [31, 34]]})
    assert "secret 0 of person 4" in tampered(buckets={**release.buckets, 0: [[24, 24], [31, 34]]})
    alone = with_cell(release, 3, 2, ("value", (0, "21336")))
    assert "identity of person 7" in tampered(
        cells=with_cell(replace(release, cells=alone), 3, 2, ("value", (1, "2133*")))
    )
    missing = {r: c for r, c in release.cells.items() if r != 3}
    assert tampered(cells=missing) == ["rows"]


def test_buckets_are_held_to_their_rule() -> None:
    everything = list("aabb")
    assert bucket_holds(("set", 2), list("ab"), everything, ("distinct", 2))
    assert not bucket_holds(("set", 2), list("aabb"), everything, ("distinct", 2))
    assert bucket_holds(("set", 2), list("aabb"), everything, ("entropy", 2))
    assert not bucket_holds(("set", 2), list("aab"), everything, ("entropy", 2))
    assert bucket_holds(("set", 2), list("aab"), everything, ("t", 0.17))
    assert not bucket_holds(("set", 2), list("aab"), everything, ("t", 0.16))
    assert not bucket_holds(("set", 2), list("aa"), everything, ("t", 1))


def test_a_withheld_cell_counts_with_the_highest_share_of_all_buckets() -> None:
    table = Table((("set", 3),), (("a",), ("b",), ("a",), ("c",), ("b",)), ((True,),) * 5)
    cells = {r: (("bucket", r // 2),) for r in range(4)} | {4: ((WITHHELD,),)}
    release = Release(dict.fromkeys(range(5), 0), cells, {0: [["a", "b"], ["a", "c"]]})
    assert matches(table, release, 0) == [0, 1, 2, 3, 4]
    assert posterior_bound(table, release, 0, 0) == F(1, 2)
    assert posterior(table, release, 0, 0, "c") == (0 + 0 + F(1, 2) * 2 + F(1, 4)) / 5
    silent = Release({4: 0}, {4: ((WITHHELD,),)}, {})
    assert posterior_bound(table, silent, 4, 0) == 0


def test_who_may_be_whom() -> None:
    table = Table((LINE,), ((1,), (2,), (3,), (8,)), ((False,), (False,), (True,), (False,)))
    cells = {
        0: (("value", (1, 2)),),
        1: (("value", (1, 2)),),
        2: (("bucket", 0),),
        3: ((WITHHELD,),),
    }
    release = Release({0: 0, 1: 0, 2: 1, 3: 2}, cells, {0: [[3]]})
    assert [matches(table, release, t) for t in range(4)] == [[0, 1, 3], [0, 1, 3], [2, 3], [3]]
    assert identity_risk(table, release, 2) == F(1, 2)


# Queries.


def test_shares() -> None:
    buckets = [[1, 4, 9]]
    assert share(LINE, ("value", (3, 6)), [], (">", 4)) == F(2, 4)
    assert share(LINE, ("value", (3, 6)), [], ("!=", 4)) == F(3, 4)
    assert share(LINE, ("value", (3, 3)), [], ("=", 3)) == 1
    assert share(LINE, ("bucket", 0), buckets, ("<=", 4)) == F(2, 3)
    assert share(LINE, (WITHHELD,), [], ("<", 3)) == F(3, 11)
    assert share(("numeric", 0.0, 1.0), ("value", (0.2, 0.6)), [], ("<", 0.3)) == F(1, 4)
    assert share(("numeric", 0.0, 1.0), ("value", (0.2, 0.6)), [], (">", 0.1)) == 1
    assert share(("numeric", 0.0, 1.0), ("value", (0.2, 0.6)), [], ("=", 0.3)) == 0
    assert share(AB_CD, ("value", (1, "ab")), [], frozenset("bc")) == F(1, 2)
    assert share(AB_CD, ("value", (0, "a")), [], frozenset("bc")) == 0
    assert share(AB_CD, (WITHHELD,), [], frozenset("b")) == F(1, 4)
    assert share(("set", 5), ("value", frozenset("uv")), [], frozenset("vw")) == F(1, 2)
    assert share(("set", 5), (WITHHELD,), [], frozenset("vw")) == F(2, 5)


def salaries() -> tuple[Table, Release]:
    rows = ((0, 10), (1, 20), (2, 30), (7, 40), (8, 50), (9, 60))
    table = Table((("numeric", 0, 9), ("numeric", 10, 60)), rows, ((False, True),) * 6)
    return table, lgb(table, 3, {1: ("distinct", 3)})


def test_query_bounds_by_hand() -> None:
    table, release = salaries()
    assert classes_of(release) == [[0, 1, 2], [3, 4, 5]]
    assert release.buckets[1] == [[10, 20, 30], [40, 50, 60]]
    one = {0: ("<=", 0)}  # a third of each of three rows: one row
    assert sum_query(table, release, one, 1) == (10, 20, 30)
    assert count_query(table, release, one) == (1, 1, 1)
    assert avg_query(table, release, one, 1) == (10, 20, 30)
    assert relative_error(table, release, one, 1) == 2
    most = {0: (">=", 1), 1: ("!=", 50)}  # 3 * 2/3 = 2 rows; 3 * 2/3 = 2 rows
    assert sum_query(table, release, most, 1) == (30 + 90, 40 + 100, 50 + 110)


def test_hits_are_rounded_per_bucket() -> None:
    table, release = salaries()
    half = {0: (">=", 2), 1: ("<=", 20)}  # 3 * 1/3 * 2/3 of the first bucket, none of the second
    assert sum_query(table, release, half, 1) == (0, F(2, 3) * 20, 30)
    assert count_query(table, release, half, 1) == (0, F(2, 3), 1)
    assert avg_query(table, release, half, 1) == (0, 20, None)
    assert relative_error(table, release, {0: (">", 9)}, 1) is None
    both = {0: ("!=", 2), 1: ("!=", 10)}  # 4/3 and 3
    assert count_query(table, release, both) == (4, F(13, 3), 5)
    assert count_query(table, release, both, 1) == (1 + 3, F(13, 3), 2 + 3)


def test_a_sum_over_cells_that_show_a_range_or_nothing() -> None:
    table = Table((LINE,), ((1,), (3,), (5,), (6,)), ((False,), (False,), (True,), (False,)))
    cells = {0: (("value", (1, 3)),), 1: (("value", (1, 3)),), 2: ((WITHHELD,),), 3: ((WITHHELD,),)}
    release = Release({0: 0, 1: 0, 2: 1, 3: 1}, cells, {})
    assert sum_query(table, release, {}, 0) == (2 * 1 + 2 * 0, 2 * 2 + 2 * 5, 2 * 3 + 2 * 10)


# What must always hold.

COUNTS = st.lists(st.integers(1, 6), min_size=1, max_size=7)


def partitions(n: int, most: int) -> list[list[int]]:
    """Every falling list of counts that adds up to n."""
    if n == 0:
        return [[]]
    return [[c, *rest] for c in range(min(n, most), 0, -1) for rest in partitions(n - c, c)]


@pytest.mark.parametrize("l", [1, 2, 3, 4])
def test_the_assignment_is_never_stuck_on_what_is_eligible(l: int) -> None:  # noqa: E741
    for n in range(1, 15):
        for counts in partitions(n, n):
            if eligible(counts, l):
                values = [v for v, c in enumerate(counts) for _ in range(c)]
                buckets = assign(LINE, held(*values), l)
                assert_distinct_buckets(values, buckets, l)


def assert_distinct_buckets(values: list[Any], buckets: list[list[int]], l: int) -> None:  # noqa: E741
    assert sorted(r for b in buckets for r in b) == list(range(len(values)))
    for bucket in buckets:
        assert len({values[r] for r in bucket}) == len(bucket) >= l


@given(COUNTS, st.integers(0, 99))
def test_buckets_of_the_largest_l_are_distinct_and_keep_all_rows(
    counts: list[int], seed: int
) -> None:
    values = [v for v, c in enumerate(counts) for _ in range(c)]
    random.Random(seed).shuffle(values)
    largest = len(values) // max(counts)
    assert_distinct_buckets(values, bucketise(LINE, held(*values), ("distinct", largest)), largest)
    with pytest.raises(NotPossibleError) as caught:
        bucketise(LINE, held(*values), ("distinct", largest + 1))
    assert caught.value.largest == {0: largest}


@given(COUNTS, st.sampled_from([("entropy", 1.5), ("entropy", 3), ("t", 0), ("t", 0.2)]))
def test_buckets_of_the_other_rules_hold_them(counts: list[int], rule: Rule) -> None:
    values = [v for v, c in enumerate(counts) for _ in range(c)]
    for attribute in (
        ("numeric", 0, 6),
        ("set", 7),
        ("tree", [(v, v // 2, "*") for v in range(7)]),
    ):
        if not bucket_holds(attribute, values, values, rule):
            with pytest.raises(NotPossibleError) as caught:
                bucketise(attribute, held(*values), rule)
            assert rule[0] == "t" or bucketise(
                attribute, held(*values), ("entropy", caught.value.largest[0])
            )
            continue
        buckets = bucketise(attribute, held(*values), rule)
        assert sorted(r for b in buckets for r in b) == list(range(len(values)))
        for bucket in buckets:
            assert bucket_holds(attribute, [values[r] for r in bucket], values, rule)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Up to 14 rows over a line, a tree, a set, and a sensitive set."""
    row = st.tuples(st.integers(0, 10), st.sampled_from("abcd"), st.sampled_from("uvw"))
    flag = st.sampled_from([False, False, True])
    flags = draw(st.lists(st.tuples(flag, flag, st.just(False)), min_size=1, max_size=14))
    rows = [(*draw(row), draw(st.sampled_from("pqrst"))) for _ in flags]
    attributes = (LINE, AB_CD, ("set", 3), ("set", 5))
    return Table(attributes, tuple(rows), tuple((*f, True) for f in flags))


def as_diverse_as_can_be(table: Table, k: int, method: Any) -> tuple[Release, dict[int, Rule]]:
    """The release with the largest l that each attribute allows."""
    rules: dict[int, Rule] = dict.fromkeys(range(4), ("distinct", 99))
    try:
        return lgb(table, k, rules, classes=method), rules
    except NotPossibleError as error:
        rules |= {a: ("distinct", largest) for a, largest in error.largest.items()}
    return lgb(table, k, rules, classes=method), rules


def shuffled(seed: int, rows: list[int]) -> list[int]:
    return random.Random(seed + sum(rows)).sample(rows, len(rows))


METHODS = st.one_of(
    st.just(mdp_classes),
    st.builds(
        lambda seed, balanced: partial(
            ncp_classes, draws=partial(shuffled, seed), balanced=balanced
        ),
        st.integers(0, 9),
        st.booleans(),
    ),
)


@settings(max_examples=150, deadline=None)
@given(tables(), st.integers(1, 4), METHODS)
def test_every_release_holds_its_guarantee(table: Table, k: int, method: Any) -> None:
    release, rules = as_diverse_as_can_be(table, k, method)
    assert check(table, release, k, rules) == []
    for person in release.cells:
        assert identity_risk(table, release, person) <= F(1, k)
        for a, (_, l) in rules.items():  # noqa: E741
            if table.flags[person][a] and a in release.buckets:
                assert_posterior(table, release, person, a, F(1, int(l)))


def assert_posterior(table: Table, release: Release, person: int, attribute: int, most: F) -> None:
    bucketised = {v for bucket in release.buckets[attribute] for v in bucket}
    beliefs = [posterior(table, release, person, attribute, v) for v in bucketised]
    bound = posterior_bound(table, release, person, attribute)
    assert sum(beliefs) == 1
    assert max(beliefs) <= bound <= most


@settings(max_examples=100, deadline=None)
@given(tables(), st.integers(1, 4))
def test_joined_parts_have_k_rows_and_withhold_what_is_mixed(table: Table, k: int) -> None:
    parts, suppressed = join_undersized(table, k)
    assert sorted([*suppressed, *(r for p in parts for r in p.rows)]) == list(
        range(len(table.rows))
    )
    assert [p.rows[0] for p in parts] == sorted(p.rows[0] for p in parts)
    for part in parts:
        assert len(part.rows) >= k
        for a, state in enumerate(part.pattern):
            flags = {table.flags[r][a] for r in part.rows}
            assert state == WITHHELD or flags == {state == SECRET}


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 20), min_size=1, max_size=14), st.integers(1, 4), st.integers(0, 9))
def test_balanced_classes_are_small_or_lose_nothing(xs: list[int], k: int, seed: int) -> None:
    table, part = line(*xs, high=20)
    found = ncp_classes(table, part, k, partial(shuffled, seed))
    assert sorted(r for c in found for r in c.rows) == list(part.rows)
    losses = [set_ncp(table, [0], c.rows) for c in found]
    assert sum(losses) <= set_ncp(table, [0], part.rows)
    for c, lost in zip(found, losses, strict=True):
        assert len(c.rows) >= min(k, len(xs))
        assert len(c.rows) < 2 * k or lost == 0


@settings(max_examples=60, deadline=None)
@given(tables(), st.integers(1, 3), st.integers(0, 10))
def test_query_bounds_enclose_the_estimate(table: Table, k: int, limit: int) -> None:
    release, _ = as_diverse_as_can_be(table, k, mdp_classes)
    query = {0: ("<=", limit), 2: frozenset("uv")}
    lower, estimate, upper = sum_query(table, release, query, 0)
    assert lower <= estimate <= upper  # type: ignore[operator]
    everyone = count_query(table, release, {}, 0)
    assert set(everyone) == {len(release.cells)}
