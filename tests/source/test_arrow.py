"""Arrow's types that polars cannot hold."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.errors import DataError
from shoal.source import read

MARS = pa.timestamp("us", tz="Mars/Phobos")
OFFSET = pa.timestamp("us", tz="+05:30")


def write(table: pa.Table, path: Path) -> Path:
    """The table as a file of the kind that its suffix names."""
    if path.suffix == ".parquet":
        pq.write_table(table, path)
        return path
    with pa.OSFile(str(path), "wb") as file:
        new = pa.ipc.new_file if path.suffix == ".arrow" else pa.ipc.new_stream
        with new(file, table.schema) as writer:
            writer.write_table(table)
    return path


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".feather"])
@pytest.mark.parametrize("digits", [20, 60])
def test_wide_decimals_become_text_as_others_do(tmp_path: Path, suffix: str, digits: int) -> None:
    cells = [Decimal("1.5"), None, Decimal("-0.0000000001"), Decimal(10) ** (digits - 12)]
    table = pa.table({"x": pa.array(cells, pa.decimal256(digits, 10))})
    expected = ["1.5000000000", None, "-0.0000000001", f"1{'0' * (digits - 12)}.0000000000"]
    assert read(write(table, tmp_path / f"a{suffix}"))["x"].to_list() == expected
    assert read(table)["x"].to_list() == expected


@pytest.mark.parametrize("suffix", [".arrow", ".feather"])
def test_decimals_without_their_last_digits_become_text_too(tmp_path: Path, suffix: str) -> None:
    table = pa.table({"x": pa.array([Decimal(1500), None], pa.decimal128(10, -2))})
    assert read(write(table, tmp_path / f"a{suffix}"))["x"].to_list() == ["1500", None]
    assert read(table)["x"].to_list() == ["1500", None]


@pytest.mark.parametrize(
    ("dtype", "cell", "words"),
    [
        (MARS, 0, "time zone database: 'x'"),
        (OFFSET, 0, "time zone database: 'x'"),
        (pa.list_(MARS), [0], "time zone database: 'x'"),
        (pa.list_(pa.decimal256(60, 2)), [Decimal(1)], r"cannot be read: 'x' \(list"),
        (pa.list_view(pa.int8()), [1], r"cannot be read: 'x' \(list_view"),
        (pa.large_list_view(pa.int8()), [1], r"cannot be read: 'x' \(large_list_view"),
        (pa.month_day_nano_interval(), (1, 2, 3), r"cannot be read: 'x' \(month_day_nano"),
    ],
)
def test_what_polars_panics_about_is_refused_before(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], dtype: Any, cell: Any, words: str
) -> None:
    table = pa.table({"age": [1], "x": pa.array([cell], dtype)})
    for source in (table, write(table, tmp_path / "a.arrow")):
        with pytest.raises(DataError, match=words):
            read(source)
    assert capfd.readouterr().err == ""


def test_runs_are_refused(tmp_path: Path) -> None:
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2], pa.int32()), pa.array(["a"]))
    table = pa.table({"x": runs})
    with pytest.raises(DataError, match=r"cannot be read: 'x' \(run_end_encoded"):
        read(write(table, tmp_path / "a.arrow"))


def test_parquet_says_it_too(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    table = pa.table({"age": [1], "x": pa.array([0], MARS)})
    with pytest.raises(DataError, match=r"a\.parquet' has columns in a time zone"):
        read(write(table, tmp_path / "a.parquet"))
    assert capfd.readouterr().err == ""


def test_an_offset_of_pandas_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    times = pd.to_datetime(["2020-01-01", "2020-01-02"]).tz_localize("+05:30")
    with pytest.raises(DataError, match=r"'t' \(datetime64"):
        read(pd.DataFrame({"t": times}))
    assert capfd.readouterr().err == ""
