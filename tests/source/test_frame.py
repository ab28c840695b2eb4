"""The last step of every reader."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest

from shoal.errors import DataError
from shoal.source import read
from shoal.source.frame import LONGEST_CELL, named, normalise


@pytest.mark.parametrize(
    ("frame", "rows"),
    [
        ({"a": [1.5, float("nan"), None]}, [(1.5,), (None,), (None,)]),
        ({"a": ["", " ", "x"]}, [(None,), (" ",), ("x",)]),
        ({"a": [0, 1]}, [(0,), (1,)]),
        ({"a": [True, None]}, [(True,), (None,)]),
    ],
)
def test_nan_and_the_empty_text_are_null(frame: dict[str, list[object]], rows: object) -> None:
    assert normalise(pl.DataFrame(frame), "The table").rows() == rows


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (pl.DataFrame({"a": []}), "The table has a header but no rows"),
        (pl.DataFrame(), "The table has no columns"),
        (pl.DataFrame({"a": [[1]], "b": [1]}), r"nested or binary: 'a' \(List\)\."),
    ],
)
def test_what_cannot_be_published_is_refused(frame: pl.DataFrame, text: str) -> None:
    with pytest.raises(DataError, match=text):
        normalise(frame, "The table")


@pytest.mark.parametrize("name", ["*", "^a.*$"])
def test_a_name_that_looks_like_a_pattern_is_one_column(name: str) -> None:
    frame = pl.DataFrame({name: [1], "ab": [2]})
    assert frame.select(named(name)).rows() == [(1,)]


def test_other_flat_types_become_text(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "money": [Decimal("1.10"), Decimal("12345678901234567.89")],
            "clock": [dt.time(1, 2), None],
            "span": [dt.timedelta(days=1, seconds=3), None],
            "kind": pl.Series(["x", "y"], dtype=pl.Categorical),
            "level": pl.Series(["lo", None], dtype=pl.Enum(["lo", "hi"])),
            "none": [None, None],
        }
    )
    frame.write_parquet(tmp_path / "t.parquet")
    got = read(tmp_path / "t.parquet")
    assert set(got.dtypes) == {pl.String}
    assert got.rows() == [
        ("1.10", "01:02:00", "P1DT3S", "x", "lo", None),
        ("12345678901234567.89", None, None, "y", None, None),
    ]


def test_a_cell_has_a_longest_length(tmp_path: Path) -> None:
    longest = "é" * (LONGEST_CELL // 2)
    frame = pl.DataFrame({"a": [1, 2, 3], "b": ["x", longest, None], "c": ["x", "y", "z"]})
    assert normalise(frame, "The table").height == 3
    frame[1, "b"] += "x"
    words = r"at most 1,048,576 bytes, but has longer ones in 'b' \(the first in row 2\)"
    with pytest.raises(DataError, match=words) as caught:
        normalise(frame, "The table")
    assert "é" not in str(caught.value)
    frame.write_csv(tmp_path / "a.csv")
    with pytest.raises(DataError, match=words):
        read(tmp_path / "a.csv")


@pytest.mark.parametrize("dtype", [pl.Int128, pl.UInt128])
def test_integers_of_128_bits_become_text(dtype: pl.DataType) -> None:
    cells = pl.Series("a", [2**64, 7, None], dtype=dtype)
    found = normalise(cells.to_frame(), "The table")
    assert found["a"].to_list() == ["18446744073709551616", "7", None]


@pytest.mark.parametrize("unit", ["day", "ms", "us"])
def test_dates_beyond_the_calendar(unit: str, capfd: pytest.CaptureFixture[str]) -> None:
    """PostgreSQL has an infinity, and polars panics when it writes some of these."""
    dtype: pl.DataType = pl.Date() if unit == "day" else pl.Datetime(unit)  # type: ignore[arg-type]
    per_day = {"day": 1, "ms": 86_400_000, "us": 86_400_000_000}[unit]
    first, last = -719_162 * per_day, 2_932_897 * per_day - 1
    within = pl.DataFrame({"x": pl.Series([first, None, last]).cast(dtype)})
    assert normalise(within, "It").equals(within)
    largest = 2**31 - 1 if unit == "day" else 2**63 - 1
    for outside in (first - 1, last + 1, largest, -largest):
        frame = pl.DataFrame({"a": [1, 2], "x": pl.Series([None, outside]).cast(dtype)})
        with pytest.raises(DataError, match=r"has others in 'x' \(the first in row 2\)"):
            normalise(frame, "It")
    assert capfd.readouterr().err == ""
