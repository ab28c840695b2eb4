"""Intervals between cuts, and of widths that double."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from shoal.errors import DataError, PlanError
from shoal.hierarchy import Hierarchy
from shoal.schema import Kind


def contains(label: str, number: float) -> bool:
    """Read a published interval, apart from the code that wrote it."""
    if label == "*":
        return True
    if label.startswith("<"):
        return number < float(label[1:])
    if label.startswith(">="):
        return number >= float(label[2:])
    low, high = label.removeprefix("[").removesuffix("[").split(", ")
    return float(low) <= number < float(high)


NUMBERS = st.floats(-1e9, 1e9) | st.decimals(-1000, 1000, places=3).map(float)


WIDTHS = st.floats(1e-4, 1e6) | st.sampled_from([0.1, 0.2, 0.25, 1 / 3, 0.7, 1.0, 5.0, 10.0])


@given(st.lists(NUMBERS, min_size=1), WIDTHS, st.integers(1, 6), NUMBERS | st.just(0.0))
@example([0.3, 0.1 + 0.2, 0.7, 2.9], 0.1, 3, 0.0)
@example([2.0, 3.0, -2.0, -1.0, 0.0, -0.0], 1.0, 4, 0.0)
@example([1e15, 1e16, -1e17, 1.7], 0.1, 2, 0.3)
def test_an_interval_contains_its_numbers(
    numbers: list[float], width: float, levels: int, origin: float
) -> None:
    texts = [repr(number) for number in numbers]
    for number, row in zip(
        numbers, Hierarchy.width(width, levels, origin).labels(texts, Kind.NUMERIC), strict=True
    ):
        assert len(row) == levels + 2
        assert all(contains(label, number) for label in row[1:] if label is not None)


@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(5e-324, 1e300),
    st.floats(-1e300, 1e300),
)
@example(1.7976931348623157e308, 1e300, 0.0)
@example(-1.7976931348623157e308, 1e300, 0.0)
@example(9007199254740993.0, 1.0, 0.0)
@example(9007199254740992.0, 1.0, 0.0)
def test_extreme_numbers_are_contained_or_refused(
    number: float, width: float, origin: float
) -> None:
    try:
        ((_, *labels),) = Hierarchy.width(width, 3, origin).labels([repr(number)], Kind.NUMERIC)
    except DataError as error:
        furthest = max(abs(Fraction(number)), abs(Fraction(origin)))
        assert furthest / Fraction(width) > 2**59
        assert "too far from the origin" in str(error)  # noqa: PT017
    else:
        assert all(contains(label, number) for label in labels if label is not None)


@given(st.lists(NUMBERS, min_size=1), WIDTHS, st.integers(1, 5), NUMBERS)
def test_widths_double_and_edges_are_multiples_from_the_origin(
    numbers: list[float], width: float, levels: int, origin: float
) -> None:
    exact_width, exact_origin = Fraction(repr(width)), Fraction(repr(origin))
    rows = Hierarchy.width(width, levels, origin).labels(
        [repr(number) for number in numbers], Kind.NUMERIC
    )
    for row in rows:
        for doubling, label in enumerate(row[1:-1]):
            assert label is not None
            low, high = map(Fraction, label[1:-1].split(", "))
            assert high - low == exact_width * 2**doubling
            assert (low - exact_origin) % (exact_width * 2**doubling) == 0


@given(st.lists(NUMBERS, min_size=1, unique=True), st.sampled_from([0.1, 5.0, 0.25]))
def test_numbers_stand_in_order_and_labels_agree_with_bind(
    numbers: list[float], width: float
) -> None:
    assume(len({repr(number) for number in numbers}) == len(numbers))
    texts = [repr(number) for number in numbers]
    hierarchy = Hierarchy.width(width, 3)
    tree = hierarchy.bind(texts, Kind.NUMERIC, np.array(numbers))
    assert (np.diff(np.array(numbers)[tree.order]) >= 0).all()
    rows = hierarchy.labels(texts, Kind.NUMERIC)
    for code, place in enumerate(tree.order.tolist()):
        assert tuple(tree.labels[node] for node in tree.node[:, code]) == rows[place]


def test_edges_are_printed_as_written() -> None:
    rows = Hierarchy.width(0.1, 2).labels(["0.3", "0.25", "-0.05", "7"], Kind.NUMERIC)
    assert [row[1:] for row in rows] == [
        ("[0.3, 0.4[", "[0.2, 0.4[", "*"),
        ("[0.2, 0.3[", "[0.2, 0.4[", "*"),
        ("[-0.1, 0[", "[-0.2, 0[", "*"),
        ("[7, 7.1[", "[7, 7.2[", "*"),
    ]
    assert Hierarchy.width(5, 1).labels(["20"], Kind.NUMERIC) == [("20", "[20, 25[", "*")]
    assert Hierarchy.width(5, 1, origin=2.5).labels(["2.5"], Kind.NUMERIC)[0][1] == "[2.5, 7.5["


@given(st.lists(NUMBERS, min_size=1, unique=True), st.lists(NUMBERS, min_size=1))
def test_intervals_contain_their_numbers(cuts: list[float], numbers: list[float]) -> None:
    cuts = sorted(set(cuts))
    hierarchy = Hierarchy.intervals(cuts)
    inside = [*numbers, *cuts, math.nextafter(cuts[0], -math.inf)]
    for number, row in zip(
        inside, hierarchy.labels([repr(n) for n in inside], Kind.NUMERIC), strict=True
    ):
        assert row[1] is not None
        assert contains(row[1], number)
        assert row[2] == "*"


def test_interval_labels() -> None:
    rows = Hierarchy.intervals([18, 30.5]).labels(["17", "18", "30.5"], Kind.NUMERIC)
    assert [row[1] for row in rows] == ["<18", "[18, 30.5[", ">=30.5"]
    assert Hierarchy.intervals([1e-7]).labels(["0"], Kind.NUMERIC)[0][1] == "<0.0000001"


def test_intervals_hold_what_is_infinite_but_widths_refuse_it() -> None:
    assert Hierarchy.intervals([0]).labels(["inf"], Kind.NUMERIC) == [("inf", ">=0", "*")]
    with pytest.raises(DataError, match="1 of 2 values are too far from the origin"):
        Hierarchy.width(1, 1).labels(["inf", "1"], Kind.NUMERIC)


@pytest.mark.parametrize("hierarchy", [Hierarchy.width(5, 2), Hierarchy.intervals([1])])
def test_intervals_need_numbers(hierarchy: Hierarchy) -> None:
    with pytest.raises(PlanError, match=r"age: A hierarchy of form .* needs numbers"):
        hierarchy.bind(["1"], Kind.CATEGORICAL, where="age")
