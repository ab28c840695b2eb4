"""Labels of numbers and times at both their ends, and on the grid that a hierarchy declares."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.reading.cell import read_numbers
from shoal.schema import HierarchySpec, Kind
from shoal.verify.text import measured
from shoal.verify.text.cover import check_cover
from shoal.verify.text.measured import numbers_like, read_bounds
from tests.verify.small import labels, quasi, text

CUTS = HierarchySpec("intervals", cuts=(20, 10, 30))
WIDTH = HierarchySpec("width", width=10, levels=3, origin=5)
TENTHS = HierarchySpec("width", width=0.1, levels=2)
DATES = HierarchySpec("dates", units=("day", "month", "year"))


def look(
    label: Any, cell: Any, kind: Kind | None, hierarchy: HierarchySpec | None = None
) -> tuple[bool, bool]:
    """Whether a label covers a cell, and whether it is malformed."""
    attribute = quasi(kind, hierarchy, missing=("?",))
    found = check_cover(labels([label]), text([cell]), np.array([0]), attribute)
    return bool(found.covered[0]), bool(found.malformed[0])


def covers(*given: Any) -> bool:
    covered, malformed = look(*given)
    assert not malformed
    return covered


def malformed(*given: Any) -> bool:
    covered, wrong = look(*given)
    assert not (covered and wrong)
    return wrong


@pytest.mark.parametrize(
    ("label", "cell", "covered"),
    [
        ("[1, 3]", "1", True), ("[1, 3]", "3", True), ("[1, 3]", "0.9999999999", False),
        ("[1, 3]", "3.0000000001", False), ("2", "2.0", True), ("2", "2.0000000001", False),
        ("*", "7", True), ("*", None, True), ("*", "x", True), (None, None, True),
        (None, "?", True),
        (None, "1", False), ("[1, 3]", None, False), ("[1, 3]", "?", False), ("[1, 3]", "x", False),
    ],
)  # fmt: skip
def test_numbers_without_a_hierarchy(label: Any, cell: Any, covered: bool) -> None:
    assert covers(label, cell, Kind.NUMERIC) is covered


@pytest.mark.parametrize(
    ("label", "cell", "covered"),
    [
        ("[10, 20[", "10", True), ("[10, 20[", "19.999", True), ("[10, 20[", "20", False),
        ("[10, 20[", "9.999", False), ("<10", "9.999", True), ("<10", "10", False),
        (">=30", "30", True), (">=30", "29.999", False), ("15", "15", True), ("15", "16", False),
    ],
)  # fmt: skip
def test_intervals_are_half_open(label: str, cell: str, covered: bool) -> None:
    assert covers(label, cell, Kind.NUMERIC, CUTS) is covered


@pytest.mark.parametrize(
    ("label", "fits"),
    [
        ("[10, 20[", True), ("[20, 30[", True), ("<10", True), (">=30", True), ("*", True),
        ("[10, 30[", False), ("[10, 20]", False), ("<20", False), (">=20", False), (">=10", False),
        ("<30", False), ("[30, 40[", False), ("[0, 10[", False), ("[10.001, 20[", False),
        ("[10, 20.001[", False), ("[30, 30[", False), ("<10.001", False),
        ("[40, 50[", False), (">=40", False),
    ],
)  # fmt: skip
def test_intervals_are_those_between_neighbouring_cuts(label: str, fits: bool) -> None:
    assert malformed(label, "15", Kind.NUMERIC, CUTS) is not fits


def test_without_cuts_there_is_no_interval() -> None:
    none = HierarchySpec("intervals")
    assert malformed("[10, 20[", "15", Kind.NUMERIC, none)
    assert not malformed("15", "15", Kind.NUMERIC, none)


@pytest.mark.parametrize(
    ("label", "fits"),
    [
        ("[5, 15[", True), ("[-5, 5[", True), ("[5, 25[", True), ("[5, 45[", True),
        ("[0, 10[", False), ("[15, 35[", False), ("[5, 10[", False), ("[5, 35[", False),
        ("[5, 20[", False), ("[5.0000000000001, 15[", False), ("[5, 15.00000000000004[", False),
        ("[5.00000000000004, 15.00000000000004[", False), ("[5, 15.000000000000002[", True),
        ("[-75, 5[", False), ("[5, 85[", False), ("[-35, 45[", False),
        ("<15", False), (">=5", False), ("[5, 15]", False),
    ],
)  # fmt: skip
def test_widths_double_from_the_origin(label: str, fits: bool) -> None:
    """As often as there are levels, and without tails; ends are off by their rounding alone."""
    assert malformed(label, "7", Kind.NUMERIC, WIDTH) is not fits


@pytest.mark.parametrize("place", [0, 1, 3, 7, 1001, 123457])
def test_decimal_widths_are_whole_up_to_rounding(place: int) -> None:
    low, high = place * 0.1, (place + 1) * 0.1
    assert not malformed(f"[{low!r}, {high!r}[", f"{low!r}", Kind.NUMERIC, TENTHS)
    assert malformed(f"[{low + 0.02!r}, {high + 0.02!r}[", f"{high!r}", Kind.NUMERIC, TENTHS)


def test_ends_are_on_the_grid_however_far_from_the_origin() -> None:
    minutes = HierarchySpec("width", width=60, levels=2)
    assert not malformed("[1600000020, 1600000080[", "1600000022", Kind.NUMERIC, minutes)
    assert malformed("[1600000021, 1600000081[", "1600000022", Kind.NUMERIC, minutes)
    for low, high in (("1234567.1", "1234567.2"), ("98765432.1", "98765432.2")):
        assert not malformed(f"[{low}, {high}[", f"{low}5", Kind.NUMERIC, TENTHS)
        assert malformed(f"[{low}1, {high}1[", f"{low}5", Kind.NUMERIC, TENTHS)


@given(
    st.integers(-(10**9), 10**9),
    st.sampled_from(["0.1", "0.7", "0.05", "3", "0.003", "250"]),
    st.sampled_from(["0", "0.25", "-17.3", "1000"]),
    st.integers(0, 2),
    st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)]),
)
def test_intervals_are_those_of_the_definition(
    step: int, width: str, origin: str, doubling: int, off: Fraction
) -> None:
    """Decimals that begin a whole number of lengths from the origin, and no others."""
    length = Fraction(width) * 2**doubling
    low = Fraction(origin) + (step + off) * length
    ends = [format(Decimal(e.numerator) / e.denominator, "f") for e in (low, low + length)]
    spec = HierarchySpec("width", width=float(width), levels=3, origin=float(origin))
    label = f"[{ends[0]}, {ends[1]}["
    assert malformed(label, ends[0], Kind.NUMERIC, spec) is (off != 0)


@pytest.mark.parametrize(
    ("label", "cell", "covered"),
    [
        ("2020-02", "2020-02-29", True), ("2020-02", "2020-03-01", False),
        ("2020-02", "2020-01-31", False), ("2020", "2020-12-31", True),
        ("2020-Q1", "2020-03-31", True), ("2020-Q1", "2020-04-01", False),
        ("2020-2029", "2029-12-31", True), ("2020-2029", "2030-01-01", False),
        ("2020", "2021-01-01", False), ("2020-02-03", "2020-02-03", True),
        ("*", "2020-02-03", True),
    ],
)  # fmt: skip
def test_units_of_time(label: str, cell: str, covered: bool) -> None:
    assert covers(label, cell, Kind.DATE, DATES) is covered


@pytest.mark.parametrize("cell", [None, "?", "soon"])
def test_what_is_no_time_lies_in_no_span(cell: Any) -> None:
    """Not even in one around 1970, which is 0."""
    assert not covers("[1969-01-01, 1971-01-01]", cell, Kind.DATE)
    assert not covers("1970", cell, Kind.DATE, DATES)


def test_a_range_of_days_takes_no_hierarchy() -> None:
    assert covers("[2020-01-01, 2020-01-03]", "2020-01-03", Kind.DATE)
    assert not covers("[2020-01-01, 2020-01-03]", "2020-01-04", Kind.DATE)
    assert malformed("[2020-01-01, 2020-01-03]", "2020-01-03", Kind.DATE, DATES)


def test_numbers_are_as_precise_as_the_original() -> None:
    single = numbers_like(pl.Series([1.0], dtype=pl.Float32))
    assert single(pl.Series(["0.1"]), ()).low[0] == np.float32(0.1)
    assert numbers_like(pl.Series([1.0]))(pl.Series(["0.1"]), ()).low[0] == 0.1
    huge = single(pl.Series(["1e39", "1e38", None]), ())
    assert huge.unreadable.tolist() == [True, False, False]
    assert huge.missing.tolist() == [False, False, True]


def test_many_rows_are_looked_at_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [str(n) for n in range(10)]
    shown = labels(["[0, 4]"] * 10)
    monkeypatch.setattr(measured, "_CHUNK", 3)
    found = check_cover(shown, text(cells), np.arange(10)[::-1], quasi(Kind.NUMERIC))
    assert found.covered.tolist() == [False] * 5 + [True] * 5


@pytest.mark.parametrize(
    ("low", "high", "star", "malformed"),
    [
        ("1", "2", False, False),
        (None, None, True, False),
        ("1", None, False, True),
        (None, "2", False, True),
        ("x", "2", False, True),
        ("1", "x", False, True),
        ("x", "y", False, True),
    ],
)
def test_two_ends_are_numbers_or_both_are_empty(
    low: str | None, high: str | None, star: bool, malformed: bool
) -> None:
    found = read_bounds(text([low]), text([high]), read_numbers)
    assert (found.star.tolist(), found.malformed.tolist()) == ([star], [malformed])
    # Nothing is as large as what a malformed range begins with.
    assert (found.low[0] == np.inf) is np.bool_(malformed)
