"""One table, one file: what is written reads back, and a failing disk quotes no cell."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.folder import table as module
from shoal.folder.table import write_table

TEXT = pl.Enum(["=1", "x"])
TABLE = pl.DataFrame({"a": pl.Series(["=1", None, "x"], dtype=TEXT), "n": [1, 2, 3]})


def test_parquet_is_plain_text_and_not_escaped(tmp_path: Path) -> None:
    write_table(TABLE, tmp_path / "t.parquet")
    found = pl.read_parquet(tmp_path / "t.parquet")
    assert found.schema == {"a": pl.String, "n": pl.Int64}
    assert found.rows() == TABLE.rows()


@pytest.mark.parametrize("n_rows", [1, 184_319, 184_320, 307_201])
def test_parquet_is_written_as_polars_writes_plain_text(n_rows: int, tmp_path: Path) -> None:
    """The same bytes, although the text never is in memory at once."""
    cells = pl.Series("a", [number % 3 for number in range(n_rows)], pl.UInt8)
    plain = pl.DataFrame({"a": cells.replace_strict({0: "x", 1: "=1", 2: None}), "n": cells})
    write_table(plain.cast({"a": TEXT}), tmp_path / "t.parquet")
    plain.lazy().sink_parquet(tmp_path / "plain.parquet", compression="zstd")
    assert (tmp_path / "t.parquet").read_bytes() == (tmp_path / "plain.parquet").read_bytes()


def test_csv_is_escaped(tmp_path: Path) -> None:
    write_table(TABLE, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "a,n\n'=1,1\n,2\nx,3\n"


def test_a_missing_cell_of_a_lone_column_is_no_blank_line(tmp_path: Path) -> None:
    write_table(TABLE.select("a"), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text().splitlines() == ['"a"', '"\'=1"', '""', '"x"']


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_no_rows_leave_the_header(name: str, tmp_path: Path) -> None:
    write_table(TABLE.clear(), tmp_path / name)
    read = pl.read_csv if name.endswith("csv") else pl.read_parquet
    assert read(tmp_path / name).columns == ["a", "n"]


@pytest.mark.parametrize(
    ("error", "number", "text"),
    [
        (pl.exceptions.ComputeError("secret (os error 28)"), errno.ENOSPC, "No space"),
        (OSError("secret (os error 28)"), errno.ENOSPC, "No space"),
        (pl.exceptions.ComputeError("secret"), None, "could not be written"),
        (OSError(errno.EIO, "Input/output error"), errno.EIO, "Input/output"),
    ],
)
def test_a_failing_disk_is_an_os_error_without_cells(
    error: Exception, number: int | None, text: str, tmp_path: Path, monkeypatch: Any
) -> None:
    def fail(_: pl.DataFrame) -> pl.DataFrame:
        raise error

    monkeypatch.setattr(module, "escape_table", fail)
    with pytest.raises(OSError, match=text) as caught:
        write_table(TABLE, tmp_path / "t.csv")
    assert caught.value.errno == number
    assert "secret" not in str(caught.value)
