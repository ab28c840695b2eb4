"""Tables in memory: polars, pandas, pyarrow."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shoal.errors import DataError
from shoal.source import columns, read

SECRET = "S3CRET"


def failure(table: Any) -> str:
    with pytest.raises(DataError) as caught:
        read(table)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    assert SECRET not in str(caught.value)
    return str(caught.value)


def one(values: Any, **options: Any) -> pl.Series:
    return read(pd.DataFrame({"a": pd.Series(values, **options)}))["a"]


def test_polars_frames_are_left_as_they_are() -> None:
    frame = pl.DataFrame(
        {"a": [1.5, float("nan")], "b": ["", "x"], "c": pl.Series(["u", "v"], dtype=pl.Categorical)}
    )
    before = frame.clone()
    got = read(frame)
    assert frame.equals(before)
    assert frame.schema == before.schema
    assert got.rows() == [(1.5, None, "u"), (None, "x", "v")]
    assert got.schema == {"a": pl.Float64, "b": pl.String, "c": pl.String}
    assert read(frame.lazy()).equals(got)
    assert columns(frame) == columns(frame.lazy()) == ("a", "b", "c")


def test_polars_faults() -> None:
    assert "has no columns" in failure(pl.DataFrame())
    assert "no rows" in failure(pl.DataFrame({"a": []}))
    assert "has no name for column 1" in failure(pl.DataFrame({"": [1]}))
    nested = pl.DataFrame(
        {"a": [[SECRET]], "b": [{"x": SECRET}], "c": [b"x"], "d": pl.Series([object()])}
    )
    assert "'a' (List), 'b' (Struct), 'c' (Binary), 'd' (Object)" in failure(nested)
    query = pl.LazyFrame({"a": [SECRET]}).with_columns(pl.col("a").cast(pl.Int64))
    assert "The polars query fails" in failure(query)
    assert "The polars query fails" in failure(pl.LazyFrame({"a": [SECRET]}).select("zzz"))


def test_a_single_column_is_no_table() -> None:
    assert "got 'Series' instead. A single column is not a table." in failure(pl.Series([1]))
    assert "got 'Series' instead" in failure(pd.Series([1]))


ARROW = pa.table(
    {
        "a": pa.array([1, None]),
        "b": pa.array(["x", ""]),
        "c": pa.array(["u", None]).dictionary_encode(),
        "d": pa.array([Decimal("1.10"), None]),
    }
)


@pytest.mark.parametrize(
    "table", [ARROW, ARROW.to_batches()[0], ARROW.to_reader()], ids=["table", "batch", "reader"]
)
def test_arrow(table: Any) -> None:
    assert columns(table) == ("a", "b", "c", "d")
    assert read(table).rows() == [(1, "x", "u", "1.10"), (None, None, None, None)]


def test_arrow_faults() -> None:
    assert "'a' (columns 1, 2)" in failure(pa.table([[1], [2]], names=["a", "a"]))
    assert "'a' (List)" in failure(pa.table({"a": [[SECRET]]}))
    assert "has no columns" in failure(pa.table({}))
    assert "no rows" in failure(ARROW.slice(0, 0))


INDEXES = {
    "doubled": [7, 7, 7],
    "unsorted": [3, 1, 2],
    "text": ["x", "y", "x"],
    "levels": pd.MultiIndex.from_tuples([(1, "a"), (1, "a"), (0, "b")], names=["a", "b"]),
    "times": pd.to_datetime(["2020-01-02", "2020-01-01", None]),
}


@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES)
def test_the_index_is_ignored(index: Any) -> None:
    table = pd.DataFrame({"a": [1, 2, 3], "b": ["x", None, "z"]}, index=index)
    before = table.copy(deep=True)
    assert read(table).rows() == [(1, "x"), (2, None), (3, "z")]
    pd.testing.assert_frame_equal(table, before)
    assert columns(table) == ("a", "b")


@pytest.mark.parametrize(
    ("values", "dtype", "expected", "kind"),
    [
        ([1, 2], "int64", [1, 2], pl.Int64),
        ([1, None], "Int64", [1, None], pl.Int64),
        ([1.5, np.nan], "float64", [1.5, None], pl.Float64),
        ([1.0, None], "Float64", [1.0, None], pl.Float64),
        ([1.0, 2.0], "float32", [1.0, 2.0], pl.Float32),
        ([True, False], "bool", [True, False], pl.Boolean),
        ([True, None], "boolean", [True, None], pl.Boolean),
        (["x", None, ""], "string", ["x", None, None], pl.String),
        (["x", "NA", "null"], "string[pyarrow]", ["x", "NA", "null"], pl.String),
        (["x", None, "y"], "category", ["x", None, "y"], pl.String),
        ([1, 2, 1], "category", ["1", "2", "1"], pl.String),
        ([1.5, None, 2.0], "category", ["1.5", None, "2.0"], pl.String),
        ([0, 0, 3], "Sparse[int64]", [0, 0, 3], pl.Int64),
        (["2020", "2021"], "period[Y]", ["2020", "2021"], pl.String),
        ([None, None], "float64", [None, None], pl.Float64),
    ],
)
def test_pandas_types(values: list[Any], dtype: str, expected: list[Any], kind: Any) -> None:
    got = one(values, dtype=dtype)
    assert got.to_list() == expected
    assert got.dtype == kind


def test_pandas_times() -> None:
    when = dt.datetime(2020, 1, 2, 3)
    assert one([when, None]).to_list() == [when, None]
    assert one(pd.to_timedelta([3, None], unit="s")).to_list() == ["PT3S", None]
    zoned = one(pd.to_datetime([when]).tz_localize("Europe/Berlin"))
    assert zoned.dtype.time_zone == "Europe/Berlin"  # type: ignore[attr-defined]
    assert one(pd.interval_range(0, 2)).to_list() == ["(0, 1]", "(1, 2]"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["x", None, np.nan, pd.NaT, ""], ["x", None, None, None, None]),
        ([1, None, 2], [1, None, 2]),
        ([np.int64(1), 2], [1, 2]),
        ([1.0, None], [1.0, None]),
        ([True, None], [True, None]),
        ([dt.date(2020, 1, 2), None], [dt.date(2020, 1, 2), None]),
        ([1, "x", 2.0, True, None, np.nan], ["1", "x", "2.0", "True", None, None]),
        ([1, 2.0], ["1", "2.0"]),
        ([1, True], ["1", "True"]),
        ([Decimal("1.10"), Decimal("2")], ["1.10", "2"]),
        ([10**30, 1], [str(10**30), "1"]),
        ([None, np.nan], [None, None]),
    ],
)
def test_object_columns(values: list[Any], expected: list[Any]) -> None:
    got = one(values, dtype=object).to_list()
    assert got == expected
    assert [type(cell) for cell in got] == [type(cell) for cell in expected]


def test_subclasses_and_views_of_pandas_tables() -> None:
    class Table(pd.DataFrame):
        pass

    table = Table({"a": [1, 2, 3, 4]})[lambda t: t["a"] % 2 == 0]
    assert read(table).rows() == [(2,), (4,)]


def test_pandas_faults() -> None:
    assert "'a' (columns 1, 2)" in failure(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    assert "not text: columns 1, 2" in failure(pd.DataFrame([[1, 2]]))
    levels = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2)]))
    assert "not text: columns 1, 2" in failure(levels)
    assert "has no name for column 1" in failure(pd.DataFrame({"": [1]}))
    assert "has no columns" in failure(pd.DataFrame(index=[1, 2]))
    assert "no rows" in failure(pd.DataFrame({"a": []}))


def test_nested_pandas_columns_are_all_named() -> None:
    table = pd.DataFrame({"a": [[SECRET]], "b": [{"x": SECRET}], "c": [1j], "d": [b"S3CRET"]})
    assert "'a' (list), 'b' (dict), 'c' (complex128), 'd' (bytes)" in failure(table)


def test_text_that_is_no_text() -> None:
    assert "'a' (object)" in failure(pd.DataFrame({"a": pd.Series(["S3CRET\ud800"], dtype=object)}))


def test_neither_pandas_nor_pyarrow_is_imported_unless_needed() -> None:
    code = (
        "import sys, polars as pl\n"
        "from shoal.source import read\n"
        "read(pl.DataFrame({'a': [1]}))\n"
        "assert not {'pandas', 'pyarrow', 'fastexcel'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": "src"})
