"""Which rows do not fit."""

from __future__ import annotations

import polars as pl
import pytest

from shoal._run.stream.fit import find_unfit
from shoal.errors import DataError
from shoal.plan import Plan
from tests._run.stream.case import plan, rows


def test_rows_are_found_by_the_column_that_is_to_blame() -> None:
    table = rows(40).with_columns(
        age=pl.Series(["1", "101", "x", None, "1e400"] + ["5"] * 35),
        sex=pl.Series(["f", "f", "m", "f", ""] + ["SECRET"] + ["m"] * 34),
    )
    found = find_unfit(Plan.parse(plan(50)), table)
    assert found.wrong["age"].nonzero()[0].tolist() == [1, 2, 4]
    assert found.wrong["sex"].nonzero()[0].tolist() == [5]
    assert (~found.fits).nonzero()[0].tolist() == [1, 2, 4, 5]
    with pytest.raises(DataError) as caught:
        found.refuse(100)
    assert "3 rows (102, 103, 105)" in str(caught.value)
    assert "SECRET" not in str(caught.value)


def test_everybody_needs_a_name() -> None:
    individual = {"column": "name", "conflict": "first"}
    content = plan(50, individual=individual, missing=["nobody"])
    names = pl.Series(["a", None, "nobody"])
    found = find_unfit(Plan.parse(content), rows(3).with_columns(name=names))
    assert found.fits.tolist() == [True, False, False]


def test_a_piece_that_fits() -> None:
    found = find_unfit(Plan.parse(plan(50)), rows(40))
    assert found.fits.all()
    found.refuse(0)
