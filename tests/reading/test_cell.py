from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.reading.cell import (
    DAY,
    find_missing,
    parse_number,
    parse_time,
    read_numbers,
    read_times,
)


@pytest.mark.parametrize(
    ("text", "number"),
    [("3", 3), (" 3 ", 3), ("-1.5e3", -1500), ("+.5", 0.5), ("1e308", 1e308), ("1e309", None),
     ("inf", None), ("nan", None), ("1_0", None), ("", None), ("0x1", None), ("3a", None)],
)  # fmt: skip
def test_numbers_are_finite_and_plain(text: str, number: float | None) -> None:
    assert parse_number(text) == number
    read = read_numbers(pl.Series([text]))
    assert bool(read.unreadable[0]) == (number is None and text != "")
    assert bool(read.missing[0]) == (text == "")


@pytest.mark.parametrize(
    ("text", "first", "last", "coarse"),
    [
        ("1970-01-02", 1, 2, False),
        ("1970-02", 31, 59, False),
        ("1972-02", 761, 790, False),
        ("1970-12", 334, 365, False),
        ("1971", 365, 730, False),
        ("1970-Q1", 0, 90, True),
        ("1970-Q4", 273, 365, True),
        ("1970-1979", 0, 3652, True),
    ],
)
def test_calendars(text: str, first: int, last: int, coarse: bool) -> None:
    assert parse_time(text, coarse=True) == (first * DAY, last * DAY - 1)
    assert (parse_time(text) is None) == coarse


@pytest.mark.parametrize(
    "text",
    ["1970-13", "1970-00", "1970-02-30", "0000-01-01", "1971-1980", "1970-1980", "1970-Q5",
     "1970-1-1", "70-01-01", "1970-01-01 25:00", "1970-01-01 1:00", "١٩٧٠", "1970-01-01\n"],
)  # fmt: skip
def test_what_is_no_time(text: str) -> None:
    assert parse_time(text, coarse=True) is None


@pytest.mark.parametrize("text", ["1970-01-02 00:00", "1970-01-02T00:00:00.000000"])
def test_a_moment_is_one_point(text: str) -> None:
    assert parse_time(text) == (DAY, DAY)


@pytest.mark.parametrize(
    ("column", "unreadable"),
    [
        (pl.Series([1, None], dtype=pl.Int8), [False, False]),
        (pl.Series([Decimal("1.00"), None], dtype=pl.Decimal(10, 2)), [False, False]),
        (pl.Series(["1.0", None], dtype=pl.Categorical), [False, False]),
        (pl.Series([1.0, float("inf")]), [False, True]),
        (pl.Series([1.0, float("nan")]), [False, True]),
        (pl.Series([True, None]), [True, False]),
        (pl.Series([date(1970, 1, 1), None]), [True, False]),
    ],
)
def test_columns_of_numbers(column: pl.Series, unreadable: list[bool]) -> None:
    read = read_numbers(column)
    assert read.unreadable.tolist() == unreadable
    assert read.missing.tolist() == column.is_null().to_list()
    assert unreadable[0] or read.low[0] == 1


def test_columns_of_times() -> None:
    days = read_times(pl.Series([date(1970, 1, 2), None]))
    assert (days.low[0], days.high[0]) == (DAY, 2 * DAY - 1)
    assert days.missing.tolist() == [False, True]
    moments = read_times(pl.Series([datetime(1970, 1, 2)]))
    assert (moments.low[0], moments.high[0]) == (DAY, DAY)
    zoned = pl.Series([datetime(1970, 1, 2)]).dt.replace_time_zone("UTC")
    assert read_times(zoned).unreadable.tolist() == [True]
    assert read_times(pl.Series([3])).unreadable.tolist() == [True]


@pytest.mark.parametrize(
    ("cells", "missing", "expected"),
    [
        (["", "?", None, "a"], (), [True, False, True, False]),
        (["", "?", None, "a"], ("?",), [True, True, True, False]),
        ([9, 99, None], ("99",), [False, True, True]),
        ([9, 99, None], (), [False, False, True]),
    ],
)
def test_missing_cells(cells: list[Any], missing: tuple[str, ...], expected: list[bool]) -> None:
    assert find_missing(pl.Series(cells), missing).tolist() == expected


def test_a_declared_missing_number_is_not_read() -> None:
    read = read_numbers(pl.Series(["-1", "x", "2"]), ("-1", "x"))
    assert read.missing.tolist() == [True, True, False]
    assert not read.unreadable.any()
    assert np.isfinite(read.low).all()


def test_a_single_precision_number_is_the_decimal_that_it_shows() -> None:
    numbers = [0.1, 0.7, -2.5, 16777216.0, 1e-30, None]
    single = read_numbers(pl.Series(numbers, dtype=pl.Float32))
    assert single.low[:-1].tolist() == numbers[:-1]
    assert single.missing.tolist() == [False] * 5 + [True]
