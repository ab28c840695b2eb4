"""Which labels cover a value: two columns of bounds at their ends, and how cells are read."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.reading.cell import read_numbers, read_times
from shoal.schema import HierarchySpec, Kind
from shoal.verify.text.cover import check_bounds, check_cover, reader_of
from tests.verify.small import labels, quasi, text


@pytest.mark.parametrize(
    ("low", "high", "cell", "covered", "malformed"),
    [
        (1.0, 3.0, "1", True, False),
        (1.0, 3.0, "3", True, False),
        (1.0, 3.0, "0.9999999999", False, False),
        (1.0, 3.0, "3.0000000001", False, False),
        (2.0, 2.0, "2", True, False),
        (2.0, 1.9999999999, "2", False, True),
        (None, 3.0, "1", False, True),
        (1.0, None, "1", False, True),
        (None, None, "1", True, False),
        (None, None, None, True, False),
        (1.0, 3.0, None, False, False),
        (1.0, 3.0, "?", False, False),
        (1.0, 3.0, "two", False, False),
        (-1.0, 1.0, None, False, False),
        (-1.0, 1.0, "?", False, False),
        (-1.0, 1.0, "two", False, False),
        (None, None, "two", True, False),
        (float("nan"), 3.0, "1", False, True),
        (1.0, float("inf"), "1", False, True),
    ],
)
def test_bounds(low: Any, high: Any, cell: Any, covered: bool, malformed: bool) -> None:
    found = check_bounds(
        pl.Series([low], dtype=pl.Float64),
        pl.Series([high], dtype=pl.Float64),
        text(["5", cell]),
        np.array([1]),
        quasi(Kind.NUMERIC, missing=("?",)),
    )
    assert (found.covered.tolist(), found.malformed.tolist()) == ([covered], [malformed])


def test_every_cell_goes_with_its_own_bounds() -> None:
    low, high = pl.Series([1, 4]), pl.Series([3, 6])
    found = check_bounds(low, high, text(["5", "2", "9"]), np.array([1, 0]), quasi(Kind.NUMERIC))
    assert found.covered.tolist() == [True, True]
    found = check_bounds(low, high, text(["5", "2", "9"]), np.array([0, 2]), quasi(Kind.NUMERIC))
    assert found.covered.tolist() == [False, False]


CUTS = HierarchySpec("intervals", cuts=(1, 2))


@pytest.mark.parametrize(
    ("kind", "hierarchy", "wanted"),
    [
        (Kind.NUMERIC, None, read_numbers),
        (Kind.NUMERIC, HierarchySpec("flat"), read_numbers),
        (Kind.NUMERIC, CUTS, read_numbers),
        (Kind.CATEGORICAL, CUTS, read_numbers),
        (None, HierarchySpec("width", width=1, levels=1), read_numbers),
        (Kind.NUMERIC, HierarchySpec("tree"), None),
        (Kind.DATE, None, read_times),
        (Kind.DATE, HierarchySpec("flat"), read_times),
        (Kind.DATE, HierarchySpec("tree"), None),
        (None, HierarchySpec("dates"), read_times),
        (Kind.CATEGORICAL, None, None),
        (Kind.ORDINAL, HierarchySpec("flat"), None),
        (None, HierarchySpec("mask"), None),
    ],
)
def test_what_is_read_as_spans_on_a_line(kind: Any, hierarchy: Any, wanted: Any) -> None:
    assert reader_of(text(["1"]), quasi(kind, hierarchy)) is wanted


def test_names_and_spans_are_told_apart() -> None:
    def covers(kind: Kind) -> list[bool]:
        shown = labels(["[1, 2]", "{1, 3}"])
        return check_cover(shown, text(["1", "1"]), np.array([0, 1]), quasi(kind)).covered.tolist()

    assert covers(Kind.NUMERIC) == [True, False]
    assert covers(Kind.CATEGORICAL) == [False, True]
