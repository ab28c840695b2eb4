"""Which values do labels cover? The same as by comparing every pair."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.reading.encoding import encode_text
from shoal.schema import Attribute, HierarchySpec, Kind, Role
from shoal.verify.text import join
from shoal.verify.text.cover import check_bounds, check_cover
from shoal.verify.text.join import (
    Axis,
    bounds_axis,
    bucket_axis,
    contained_pairs,
    equal_axis,
    is_star,
    label_axis,
)
from tests.verify.small import quasi, text

TREE = HierarchySpec("tree", rows=(("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*")))
CASES: list[tuple[Attribute, list[Any], list[Any]]] = [
    (Attribute("q", Role.QUASI, Kind.NUMERIC), ["1", "[2, 5]", "*", None, ">=3", "x"],
     ["1", "2.0", "5", "7", None, "oops"]),
    (Attribute("q", Role.QUASI, Kind.NUMERIC, missing=("?",)), [None, "*", "[1, 2]"], ["?", "1"]),
    (Attribute("q", Role.QUASI, Kind.DATE), ["2020-01-01", "[2020-01-01, 2020-02-01]", "*"],
     ["2020-01-01", "2020-01-20", "2020-02", None]),
    (Attribute("q", Role.QUASI, Kind.DATE),
     ["2020-01", "[2020-01-05, 2020-01-31]", "[2020-01-02, 2020-02-29]", "2020-02", "*", None, "x"],
     ["2020-01-31", "2020-01", "2020-01-05", None, "2020-02", "oops"]),
    (Attribute("q", Role.QUASI, Kind.DATE), ["2019"], ["2020-01", "2020-01-05"]),
    (Attribute("q", Role.QUASI, hierarchy=HierarchySpec("dates")), ["2020", "2020-Q1", "2020-01"],
     ["2020-01-05", "2020-06-01", "2021-01-01"]),
    (Attribute("q", Role.QUASI, hierarchy=HierarchySpec("mask")), ["21*", "2**", "***", "213"],
     ["213", "229", "313", "21"]),
    (Attribute("q", Role.QUASI, hierarchy=TREE), ["x", "y", "a", "*", None, "z"],
     ["a", "b", "c", None, "d"]),
    (Attribute("q", Role.QUASI, Kind.CATEGORICAL), ["{a, c}", "b", '{"", b}', "*", None],
     ["a", "b", "c", None]),
    (Attribute("q", Role.QUASI, hierarchy=HierarchySpec("flat")), ["a", "*", None], ["a", "b"]),
]  # fmt: skip


@pytest.mark.parametrize(("attribute", "labels", "values"), CASES)
def test_an_axis_covers_what_labels_cover(attribute: Any, labels: Any, values: Any) -> None:
    coded, original = encode_text(text(labels)), text(values)
    axis = label_axis(coded, original, attribute)
    for row in range(len(labels)):
        one = encode_text(text([labels[row]] * len(values)))
        expected = check_cover(one, original, np.arange(len(values)), attribute).covered
        own = np.full(len(values), axis.labels[row])
        assert axis.covers(axis.values, own).tolist() == expected.tolist(), labels[row]


def test_two_columns_of_ends() -> None:
    low, high = text([1, 2, None, 5, None, 3, "x", 0]), text([3, 2, None, 4, 3, None, 3, "x"])
    original = text(["0", "1", "2", "3", None, "4.5"])
    attribute = Attribute("q", Role.QUASI, Kind.NUMERIC)
    axis = bounds_axis(low, high, original, attribute)
    for row in range(low.len()):
        ends = [pl.Series([end[row]] * 6, dtype=pl.String) for end in (low, high)]
        expected = check_bounds(*ends, original, np.arange(6), attribute).covered
        assert axis.covers(axis.values, np.full(6, axis.labels[row])).tolist() == expected.tolist()


def test_two_columns_without_rows() -> None:
    axis = bounds_axis(text([]), text([]), text(["1"]), quasi(Kind.NUMERIC))
    assert (len(axis.labels), len(axis.low), axis.values.tolist()) == (0, 0, [0])


def extents(axis: Axis) -> list[tuple[int, int]]:
    """From where to where the label of every row reaches."""
    return list(zip(axis.low[axis.labels].tolist(), axis.high[axis.labels].tolist(), strict=True))


def test_values_on_a_line_then_missing_ones_then_others() -> None:
    labels = encode_text(text(["2", "[2, 5]", "*", None]))
    # Two ways of writing 1 are two values, which begin and end together.
    original = text(["5", "1", "2", "oops", None, "1.0"])
    axis = label_axis(labels, original, quasi(Kind.NUMERIC))
    assert sorted(axis.values[[1, 5]].tolist()) == [0, 1]
    assert axis.values[[2, 0, 4, 3]].tolist() == [2, 3, 4, 5]
    assert extents(axis) == [(2, 2), (2, 3), (0, 5), (4, 4)]
    assert not axis.ragged.any()
    assert axis.pairs.tolist() == []
    assert axis.exact


def test_numbers_less_than_one_apart_are_in_order() -> None:
    axis = label_axis(encode_text(text(["[0.5, 0.7]"])), text(["0.6", "0.5"]), quasi(Kind.NUMERIC))
    assert not axis.ragged.any()


def test_days_within_months_end_in_another_order_than_they_begin() -> None:
    labels = encode_text(text(["[2020-01-02, 2020-01-31]", "*", None]))
    original = text(["2020-01", "2020-01-05", "2020-01-31", "2020-02", None])
    axis = label_axis(labels, original, quasi(Kind.DATE))
    assert axis.values.tolist() == [0, 1, 2, 3, 4]
    assert extents(axis) == [(1, 3), (0, 4), (4, 4)]
    assert axis.ragged[axis.labels].tolist() == [True, False, False]
    assert axis.pairs.tolist() == [axis.labels[0] * 5 + 1, axis.labels[0] * 5 + 2]


def test_leaves_of_a_node_are_neighbours_and_what_is_missing_is_last() -> None:
    tree = HierarchySpec("tree", rows=(("a", "x", "*"), ("b", "y", "*"), ("c", "x", "*")))
    original = text(["a", "b", "c", "foreign", None])
    axis = label_axis(encode_text(text(["x", "y", "*", None])), original, quasi(hierarchy=tree))
    assert axis.values.tolist() == [1, 3, 2, 0, 4]
    assert extents(axis) == [(1, 2), (3, 3), (0, 4), (4, 4)]
    assert not axis.ragged.any()


def test_a_set_with_a_gap_is_ragged() -> None:
    labels = encode_text(text(["{a, c}"]))
    axis = label_axis(labels, text(["a", "b", "c"]), quasi(Kind.CATEGORICAL))
    assert extents(axis) == [(0, 2)]
    assert axis.ragged[axis.labels].tolist() == [True]
    assert axis.pairs.tolist() == [0, 2]


@pytest.mark.parametrize("form", ["file", "tree"])
def test_of_a_hierarchy_that_is_not_known_only_values_are_certain(form: Any) -> None:
    hidden, original = quasi(hierarchy=HierarchySpec(form)), text(["a", "b", None])
    axis = label_axis(encode_text(text(["a", "north", "*", None])), original, hidden)
    assert extents(axis) == [(0, 0), (0, 2), (0, 2), (2, 2)]
    assert not axis.exact
    certain = label_axis(encode_text(text(["a", "*", None])), original, hidden)
    assert extents(certain) == [(0, 0), (0, 2), (2, 2)]
    assert certain.exact


def test_a_node_that_looks_like_a_set_is_not_read_as_one() -> None:
    """The tree may have c below the node {a, b} as well."""
    hidden, original = quasi(hierarchy=HierarchySpec("tree")), text(["a", "b", "c"])
    axis = label_axis(encode_text(text(["{a, b}"])), original, hidden)
    assert extents(axis) == [(0, 3)]
    assert not axis.exact


def test_a_leaf_of_a_hierarchy_that_is_not_known_covers_its_number_however_it_is_written() -> None:
    hidden = quasi(Kind.NUMERIC, HierarchySpec("tree"), missing=("9",))
    axis = label_axis(encode_text(text(["1"])), text(["1", "1.0", "2", "9", None]), hidden)
    own = np.full(5, axis.labels[0])
    assert axis.covers(axis.values, own).tolist() == [True, True, False, False, False]
    assert axis.exact
    # The hierarchy may have a label for what is missing, but nobody knows which.
    open_cell = label_axis(encode_text(text(["9"])), text(["1", "9", None]), hidden)
    assert not open_cell.exact


@pytest.mark.parametrize("hierarchy", [None, HierarchySpec("flat")])
@pytest.mark.parametrize(
    ("labels", "values", "expected"),
    [
        (["1"], ["1", "1.0", "3", None], [True, True, False, False]),
        (["2020-01-05"], ["2020-01-05", "2020-01-05 00:00"], [True, True]),
        (["1"], ["1", "1.0", "oops"], [True, False, False]),
        (["1", "x"], ["1", "1.0"], [True, False]),
        (["2020-01-05"], ["2020-01-05", "2020-01-05 00:00", "oops"], [True, False, False]),
        (["2020-01-05", "x"], ["2020-01-05", "2020-01-05 00:00"], [True, False]),
    ],
)
def test_a_kind_that_is_not_known_shows_in_all_cells_and_labels(
    hierarchy: Any, labels: Any, values: Any, expected: Any
) -> None:
    """A text is read as a number or a date only where no cell and no label speaks against it."""
    axis = label_axis(encode_text(text(labels)), text(values), quasi(hierarchy=hierarchy))
    own = np.full(len(values), axis.labels[0])
    assert axis.covers(axis.values, own).tolist() == expected


def axis_of(
    values: list[int], *spans: tuple[int, int], ragged: dict[int, list[int]] | None = None
) -> Axis:
    """Labels from low to high, of which the ragged ones cover only what is listed."""
    ragged, n_values = ragged or {}, 6
    low, high = np.array(spans, dtype=np.int64).reshape(-1, 2).T
    return Axis(
        np.array(values, dtype=np.int32),
        np.arange(len(spans), dtype=np.int32),
        n_values,
        low,
        high,
        np.array([label in ragged for label in range(len(spans))], dtype=np.bool_),
        np.array([at * n_values + v for at, own in ragged.items() for v in own], dtype=np.int64),
    )


def test_a_ragged_label_covers_what_it_is_paired_with() -> None:
    axis = axis_of([], (0, 5), (0, 5), (1, 1), ragged={0: [1]})
    values, labels = np.array([1, 2, 1], dtype=np.int32), np.array([0, 0, 2], dtype=np.int32)
    assert axis.covers(values, labels).tolist() == [True, False, True]
    last = axis_of([], (0, 5), (0, 5), ragged={0: [1], 1: []})
    assert last.covers(values[:2], np.array([1, 1], dtype=np.int32)).tolist() == [False, False]
    nothing = axis_of([], (0, 5), ragged={0: []})
    assert nothing.covers(values[:1], labels[:1]).tolist() == [False]


SPANS = [(0, 5), (1, 2), (1, 1), (6, -1), (0, 5)]


def test_how_many_smaller_values_a_label_covers(monkeypatch: pytest.MonkeyPatch) -> None:
    axis = axis_of([], *SPANS, ragged={4: [0, 5]})
    expected = [
        [0, 1, 2, 3, 4, 5, 6],
        [0, 0, 1, 2, 2, 2, 2],
        [0, 0, 1, 1, 1, 1, 1],
        [0, 0, 0, 0, 0, 0, 0],
        [0, 1, 1, 1, 1, 1, 2],
    ]
    monkeypatch.setattr(join, "_TABLE", 5 * 7)
    assert axis.before is not None
    assert axis.before.tolist() == expected
    monkeypatch.setattr(join, "_TABLE", 5 * 7 - 1)
    assert axis.before is None


def test_where_no_label_is_ragged_its_ends_say_all() -> None:
    assert axis_of([], *SPANS).before is None


def test_values_that_are_published_as_they_were() -> None:
    values = np.array([1, 0], dtype=np.int32)
    axis = equal_axis(values, values, 2)
    assert extents(axis) == [(1, 1), (0, 0)]
    assert axis.pairs.tolist() == []
    assert axis.exact


def test_a_bucket_covers_the_values_that_it_holds() -> None:
    values = np.array([0, 1, 2], dtype=np.int32)
    axis = equal_axis(values, np.array([0, 1], dtype=np.int32), 3)
    inside, listed = np.array([1, -1]), (np.array([0, 1, 1]), np.array([0, 0, 2]))
    found = bucket_axis(axis, inside, (listed[0], listed[1].astype(np.int32)))
    assert found.covers(values, found.labels[[0, 0, 0]]).tolist() == [True, False, True]
    assert found.covers(values, found.labels[[1, 1, 1]]).tolist() == [False, True, False]


def test_the_first_bucket_and_one_that_no_row_points_to() -> None:
    values = np.array([0, 1, 2], dtype=np.int32)
    axis = equal_axis(values, np.array([0, 1], dtype=np.int32), 3)
    listed = np.array([0, 0, 3]), np.array([0, 2, 1], dtype=np.int32)
    found = bucket_axis(axis, np.array([0, -1]), listed)
    assert found.covers(values, found.labels[[0, 0, 0]]).tolist() == [True, False, True]
    assert found.covers(values, found.labels[[1, 1, 1]]).tolist() == [False, True, False]
    assert len(found.low) == 3 + 4


def test_no_rows_and_no_buckets() -> None:
    values, nobody = np.array([0, 1, 2], dtype=np.int32), np.zeros(0, dtype=np.int32)
    nothing = nobody.astype(np.int64)
    found = bucket_axis(equal_axis(values, nobody, 3), nothing, (nothing, nobody))
    assert (len(found.labels), len(found.low)) == (0, 3)


@pytest.mark.parametrize("held", [[], [0, 0, 0]])
def test_a_bucket_that_holds_nothing_covers_nothing(held: list[int]) -> None:
    values = np.array([0, 1, 2], dtype=np.int32)
    axis = equal_axis(values, np.array([0, 1], dtype=np.int32), 3)
    listed = np.array(held, dtype=np.int64), values[: len(held)]
    found = bucket_axis(axis, np.array([1, -1]), listed)
    assert found.covers(values, found.labels[[0, 0, 0]]).tolist() == [False] * 3
    assert found.covers(values, found.labels[[1, 1, 1]]).tolist() == [False, True, False]


def test_stars() -> None:
    assert is_star(encode_text(text(["*"]))).tolist() == [True, False]


def halved(left: list[int], *axes: Axis) -> list[tuple[list[int], list[int]]] | None:
    """All labels, and these people, in two halves."""
    right = np.arange(len(axes[0].low))
    found = join._halve(axes, [axis.before for axis in axes], np.array(left), right)
    return None if found is None else [(own.tolist(), labels.tolist()) for own, labels in found]


def test_people_are_cut_at_the_middle_and_labels_go_where_they_reach() -> None:
    axis = axis_of([3, 4, 5, 2, 1, 0], (0, 0), (3, 3), (4, 4), (3, 4), (0, 5), (5, 5))
    # Up to 3, and from 4.
    assert halved([0, 1, 2, 3, 4, 5], axis) == [
        ([0, 3, 4, 5], [0, 1, 3, 4]),
        ([1, 2], [2, 3, 4, 5]),
    ]


def test_a_cut_lies_below_the_last_value() -> None:
    axis = axis_of([0, 1, 1], (0, 0), (1, 1), (0, 1))
    assert halved([0, 1, 2], axis) == [([0], [0, 2]), ([1, 2], [1, 2])]


def test_labels_that_no_person_at_hand_fits_go_nowhere() -> None:
    axis = axis_of([1, 2, 3, 4, 0, 5], (0, 0), (5, 5), (1, 2), (3, 4))
    assert halved([0, 1, 2, 3], axis) == [([0, 1, 2], [2, 3]), ([3], [3])]


def test_ragged_labels_go_where_they_cover_something() -> None:
    axis = axis_of(
        [0, 1, 2, 3, 4, 5], (3, 3), (0, 5), (0, 5), (0, 3), (4, 4),
        ragged={1: [0, 5], 2: [4, 5], 3: [0, 3]},
    )  # fmt: skip
    assert halved([0, 1, 2, 3, 4, 5], axis) == [([0, 1, 2, 3], [0, 1, 3]), ([4, 5], [1, 2, 4])]


def test_no_cut_where_none_helps() -> None:
    assert halved([0, 1], axis_of([0, 1], (0, 1), (0, 1))) is None
    assert halved([0, 1], axis_of([1, 1], (0, 0), (5, 5))) is None


@pytest.mark.parametrize(
    "other",
    [
        axis_of([0, 0, 1, 1], (0, 1), (0, 1), (0, 0), (1, 1)),  # 2 * 3 + 2 * 3 pairs are left
        axis_of([0, 1, 2, 3], (0, 0), (0, 1), (1, 2), (2, 3)),  # 3 * 4 + 1 * 1
    ],
)
def test_the_cut_that_leaves_fewest_pairs(other: Axis) -> None:
    best = axis_of([0, 1, 2, 3], (0, 0), (1, 1), (2, 2), (3, 3))  # 3 * 3 + 1 * 1
    expected = [([0, 1, 2], [0, 1, 2]), ([3], [3])]
    assert halved([0, 1, 2, 3], best, other) == expected
    assert halved([0, 1, 2, 3], other, best) == expected


@pytest.mark.parametrize("grid", [0, 1 << 13])
def test_a_join_of_few(grid: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(join, "_GRID", grid)
    axis = axis_of([0, 1, 1], (0, 5), (1, 5))
    found = [(left.tolist(), right.tolist()) for left, right in contained_pairs([axis], 3, 2)]
    assert sorted(pair for part in found for pair in zip(*part, strict=True)) == [
        (0, 0), (1, 0), (1, 1), (2, 0), (2, 1),
    ]  # fmt: skip
    assert list(contained_pairs([axis], 3, 0)) == []
    assert list(contained_pairs([axis], 0, 2)) == []


@pytest.mark.parametrize("table", [1 << 25, 0])
@pytest.mark.parametrize("grid", [0, 1, 20, 1 << 20])
@pytest.mark.parametrize("seed", range(3))
def test_the_join_finds_every_pair_once(
    seed: int, grid: int, table: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(join, "_GRID", grid)
    monkeypatch.setattr(join, "_TABLE", table)
    draw = np.random.default_rng(seed)
    ages, towns = draw.integers(0, 30, 200), draw.choice([*"abcdef"], 200)
    ends = np.sort(draw.integers(0, 30, (60, 2)), axis=1)
    ranges = [f"[{a}, {b}]" if a < b else str(a) for a, b in ends]
    sets = ["{" + ", ".join(sorted(draw.choice([*"abcdef"], 2, replace=False))) + "}"
            for _ in range(60)]  # fmt: skip
    axes = [
        label_axis(encode_text(text(ranges)), pl.Series(ages), quasi(Kind.NUMERIC)),
        label_axis(encode_text(text(sets)), pl.Series(towns), quasi(Kind.CATEGORICAL)),
    ]
    found = [
        (one, other)
        for left, right in contained_pairs(axes, 200, 60)
        for one, other in zip(left.tolist(), right.tolist(), strict=True)
    ]
    expected = {
        (i, j)
        for i in range(200)
        for j in range(60)
        if ends[j, 0] <= ages[i] <= ends[j, 1] and towns[i] in sets[j]
    }
    assert len(found) == len(set(found))
    assert set(found) == expected
