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
    bounds_axis,
    bucket_axis,
    contained_pairs,
    equal_axis,
    is_star,
    label_axis,
)
from tests.verify.small import text

TREE = HierarchySpec("tree", rows=(("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*")))
CASES: list[tuple[Attribute, list[Any], list[Any]]] = [
    (Attribute("q", Role.QUASI, Kind.NUMERIC), ["1", "[2, 5]", "*", None, ">=3", "x"],
     ["1", "2.0", "5", "7", None, "oops"]),
    (Attribute("q", Role.QUASI, Kind.NUMERIC, missing=("?",)), [None, "*", "[1, 2]"], ["?", "1"]),
    (Attribute("q", Role.QUASI, Kind.DATE), ["2020-01-01", "[2020-01-01, 2020-02-01]", "*"],
     ["2020-01-01", "2020-01-20", "2020-02", None]),
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
    low, high = text([1, 2, None, 5, None]), text([3, 2, None, 4, 3])
    original = text(["1", "2", "3", None, "4.5"])
    attribute = Attribute("q", Role.QUASI, Kind.NUMERIC)
    axis = bounds_axis(low, high, original, attribute)
    for row in range(low.len()):
        ends = [pl.Series([end[row]] * 5, dtype=pl.String) for end in (low, high)]
        expected = check_bounds(*ends, original, np.arange(5), attribute).covered
        assert axis.covers(axis.values, np.full(5, axis.labels[row])).tolist() == expected.tolist()


def test_a_bucket_covers_the_values_that_it_holds() -> None:
    values = np.array([0, 1, 2], dtype=np.int32)
    axis = equal_axis(values, np.array([0, 1], dtype=np.int32), 3)
    inside, listed = np.array([1, -1]), (np.array([0, 1, 1]), np.array([0, 0, 2]))
    found = bucket_axis(axis, inside, (listed[0], listed[1].astype(np.int32)))
    assert found.covers(values, found.labels[[0, 0, 0]]).tolist() == [True, False, True]
    assert found.covers(values, found.labels[[1, 1, 1]]).tolist() == [False, True, False]


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


@pytest.mark.parametrize("table", [1 << 25, 0])
@pytest.mark.parametrize("seed", range(3))
def test_the_join_finds_every_pair_once(
    seed: int, table: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(join, "_GRID", 20)
    monkeypatch.setattr(join, "_TABLE", table)
    draw = np.random.default_rng(seed)
    ages, towns = draw.integers(0, 30, 200), draw.choice([*"abcdef"], 200)
    ends = np.sort(draw.integers(0, 30, (60, 2)), axis=1)
    ranges = [f"[{a}, {b}]" if a < b else str(a) for a, b in ends]
    sets = ["{" + ", ".join(sorted(draw.choice([*"abcdef"], 2, replace=False))) + "}"
            for _ in range(60)]  # fmt: skip
    axes = [
        label_axis(encode_text(text(ranges)), pl.Series(ages), CASES[0][0]),
        label_axis(encode_text(text(sets)), pl.Series(towns), CASES[6][0]),
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
