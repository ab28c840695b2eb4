"""Buckets as they are published: fresh numbers, values in an order of their own."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.reading.table import read_table
from shoal.recode.bucket import bucket_column, bucket_table, in_buckets, number_buckets
from shoal.schema import Attribute, Kind, Role
from shoal.table import Column, encode_column


def _rows(*rows: int) -> Any:
    return np.array(rows, dtype=np.int64)


def _column(cells: pl.Series, kind: Kind, **more: Any) -> Column:
    return encode_column(cells, Attribute("x", Role.SENSITIVE, kind, **more))


@pytest.mark.parametrize(
    ("of_row", "rows", "numbers"),
    [
        ([7, 3, 7, -1], [3, 1, 0, 2], [0, 1, 2, 2]),
        ([7, 3, 7, -1], [0, 2, 1], [1, 1, 2]),
        ([-1, -1], [1, 0], [0, 0]),
        ([0], [], []),
    ],
)
def test_numbers_are_by_first_appearance(
    of_row: list[int], rows: list[int], numbers: list[int]
) -> None:
    found = number_buckets(np.array(of_row, dtype=np.int32), _rows(*rows))
    assert found.tolist() == numbers


def test_a_cell_without_a_bucket_has_an_empty_number() -> None:
    column = bucket_column("ill", _rows(2, 0, 1))
    assert column.name == "ill_BID"
    assert column.cast(pl.String).to_list() == ["2", None, "1"]


def test_values_stand_by_bucket_and_value_not_by_row() -> None:
    cells = pl.Series("x", ["c", "a", "b", "a", "z"])
    column = _column(cells, Kind.CATEGORICAL)
    numbers, rows = _rows(2, 1, 2, 0, 1), _rows(0, 4, 2, 3, 1)
    by_place, by_value = in_buckets(column, numbers, rows)
    assert by_place.tolist() == [1, 4, 0, 2]
    assert by_value.tolist() == [4, 1, 2, 0]
    table = bucket_table(column, numbers, rows)
    assert [tuple(map(str, row)) for row in table.rows()] == [
        ("1", "a"), ("1", "z"), ("2", "b"), ("2", "c")
    ]  # fmt: skip


def test_numbers_are_sorted_as_numbers_and_missing_comes_last() -> None:
    cells = pl.Series("x", [10, None, 9, -1])
    column = _column(cells, Kind.NUMERIC, missing=("-1",))
    table = bucket_table(column, _rows(1, 1, 1, 1), _rows(0, 1, 2, 3))
    assert table["value"].to_list() == ["9", "10", None, None]


SEMI = {"role": "semi-sensitive", "kind": "numeric", "flag": "hide"}
PLAN = {
    "attributes": {"age": SEMI, "hide": "flag", "ill": "sensitive"},
    "privacy": [{"k-anonymity": {"k": 4}}, {"l-diversity": {"l": 2}}],
    "method": "lgb-mdp",
    "seed": 1,
}


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_buckets_do_not_show_how_numbers_under_a_range_are_written(
    format: str, tmp_path: Path
) -> None:
    """Secret ages were once 52.0 in place of 52 where somebody in [20, 23] is 21.5."""
    found = []
    for age in (21, 21.5):
        ages = pl.Series([20, age, 22, 23, 50, 51, 52, 53], strict=False)
        hide = ["no"] * 4 + ["yes"] * 4
        frame = pl.DataFrame({"age": ages, "hide": hide, "ill": list("ABCDABCD")})
        output = {"folder": str(tmp_path / str(age)), "format": format}
        release = shoal.run({**PLAN, "output": output}, frame)
        assert set(release.frame["age"]) == {"[20, 23]", None}
        table = read_table(tmp_path / str(age) / f"buckets-age.{format}")
        found.append((release.tables["buckets-age"].dtypes, table.dtypes, sorted(table["value"])))
    assert found[0] == found[1]


def test_buckets_of_moments_can_be_written(tmp_path: Path) -> None:
    """CSV once had other texts than those that were verified."""
    times = [datetime(2020, 1, day, 4) for day in (1, 2, 3, 4)]
    frame = pl.DataFrame({"age": [1] * 4, "seen": times})
    plan = {**PLAN, "attributes": {"age": "quasi", "seen": "sensitive"}}
    release = shoal.run(plan, frame, output=tmp_path / "r")
    assert sorted(release.tables["buckets-seen"]["value"]) == times
