"""What a label covers on a line of numbers or days."""

from __future__ import annotations

import math
from datetime import date

import numpy as np
import polars as pl
import pytest

from shoal.reading.label import Form
from shoal.reading.line import read_line, read_points
from shoal.schema import Kind

INF = math.inf


@pytest.mark.parametrize(
    ("label", "kind", "low", "high", "whole"),
    [
        ("3", Kind.NUMERIC, 3, 3, True),
        ("2.5", Kind.NUMERIC, 2.5, 2.5, False),
        ("[3, 5]", Kind.NUMERIC, 3, 5, True),
        ("[3, 5[", Kind.NUMERIC, 3, math.nextafter(5, 0), True),
        ("<5", Kind.NUMERIC, -INF, math.nextafter(5, 0), True),
        ("<=5", Kind.NUMERIC, -INF, 5, True),
        (">5.5", Kind.NUMERIC, math.nextafter(5.5, 9), INF, False),
        (">=5", Kind.NUMERIC, 5, INF, True),
        ("1970-01-03", Kind.DATE, 2, 2, True),
        ("1970-02", Kind.DATE, 31, 58, True),
        ("1970-Q1", Kind.DATE, 0, 89, True),
        ("[1970-01-01, 1970-01-03]", Kind.DATE, 0, 2, True),
        ("[1970-01-01, 1970-01-03[", Kind.DATE, 0, 1, True),
        ("<1970-01-03", Kind.DATE, -INF, 1, True),
        (">1970-01-03", Kind.DATE, 3, INF, True),
        ("1970-01-01 12:00", Kind.DATE, 0.5, 0.5, False),
    ],
)
def test_labels(label: str, kind: Kind, low: float, high: float, whole: bool) -> None:
    line = read_line(pl.Series([label]), kind)
    assert (line.low[0], line.high[0], line.whole) == (low, high, whole)
    assert line.known.tolist() == [True, False]


@pytest.mark.parametrize("kind", [Kind.NUMERIC, Kind.DATE])
def test_what_covers_no_part_of_the_line(kind: Kind) -> None:
    line = read_line(pl.Series(["*", "young", "[9, 1]"]), kind)
    assert line.star.tolist() == [True, False, False, False]
    assert line.malformed.tolist() == [False, True, True, False]
    assert not line.known.any()
    assert line.whole


def test_no_labels_at_all() -> None:
    line = read_line(pl.Series([], dtype=pl.String), Kind.NUMERIC)
    assert (len(line.low), line.known.tolist()) == (1, [False])


def test_forms_that_are_not_allowed_are_malformed() -> None:
    line = read_line(pl.Series(["[1, 2]", "1"]), Kind.NUMERIC, frozenset([Form.BARE]))
    assert line.malformed.tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("cells", "kind", "points", "unreadable"),
    [
        (["3", "", "x", "?"], Kind.NUMERIC, [3, np.nan, np.nan, np.nan], [0, 0, 1, 0]),
        (["1970-01-02 06:00", "1970-Q1"], Kind.DATE, [1.25, np.nan], [0, 1]),
        ([date(1970, 1, 3), None], Kind.DATE, [2, np.nan], [0, 0]),
        ([], Kind.NUMERIC, [], []),
    ],
)
def test_cells_are_points(
    cells: list[object], kind: Kind, points: list[float], unreadable: list[int]
) -> None:
    column = pl.Series(cells) if cells else pl.Series([], dtype=pl.String)
    found, odd = read_points(column, kind, ("?",))
    np.testing.assert_array_equal(found, points)
    assert odd.tolist() == [bool(flag) for flag in unreadable]
